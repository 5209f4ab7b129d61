"""AI SDK histories: UI messages of 5 to 7, what 4 stored, and model messages.

- A UI message of the assistant is split at its ``step-start``, as the SDK does for the model.
- What each message is, it shows itself: ``parts`` makes it one of the UI, a list as ``content`` a
  model message, text as ``content`` one of either, with the members that 4 stored beside it.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.contract import times
from partwire.json.canonical import canonical

from ..core.extension import PARTWIRE, restored
from ..core.parts import text_part
from ..core.reading import Json, Members, Reading
from .extension import cited, media_of, result_as
from .model_messages import ModelMessages
from .server_tools import with_block
from .state import OWN, opaque_of, own_state
from .steps import Steps, text_like
from .values import call_of, denied_result, error_result, file_of, result_of

__all__ = ["messages_of_one", "read", "read_back"]

_TOOL: Final = "tool-"
_STATES: Final = frozenset(
    {
        "input-streaming",
        "input-available",
        "approval-requested",
        "approval-responded",
        "output-available",
        "output-error",
        "output-denied",
    }
)


def read(source: Any, reading: Reading) -> None:
    """Read a list of messages, one message, or the body of a chat's request."""
    place, messages = "", source
    if type(source) is dict and "messages" in source:
        body = reading.members(source, "")
        place, messages = "/messages", body.value("messages")
        body.close("request-member")
    elif type(source) is dict:
        _Histories(reading).read(reading.members(source, ""))
        return
    histories = _Histories(reading)
    for _, message in reading.items(messages, place):
        histories.read(message)


def read_back(message: Json) -> list[Json]:
    """Return the messages of one UI message, as JSON objects that nobody has checked."""
    reading = Reading(OWN)
    _Histories(reading).read(reading.members(message, ""))
    return reading.messages


def messages_of_one(message: Json, place: str, reading: Reading) -> list[Json]:
    """Return the messages of a UI message at ``place``, which are not added; losses are noted."""
    members = reading.members(message, place)
    role, head = members.text("role") or "user", {"messageId": members.text("id") or None}
    steps = _Parts(role, reading).of(members)
    members.close()
    return steps.messages(role, {name: value for name, value in head.items() if value})


class _Histories:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._models = ModelMessages(reading)

    def read(self, message: Members) -> None:
        role, reading = message.text("role"), self._reading
        if role == "data" and "parts" not in message:
            reading.note("foreign-message", message.place)
            return
        if role not in ("system", "user", "assistant", "tool"):
            raise reading.refuse(message.at("role"), "system, user, assistant or tool", role)
        if role == "tool" or ("parts" not in message and type(message.peek("content")) is list):
            self._models.read(role, message)
            return
        kept = _metadata(message)
        head = {
            "messageId": message.text("id") or None,
            "timestamp": _time(message),
            "meta": {OWN: kept[0]} if kept[0] else None,
        }
        steps = _Parts(role, reading).of(message)
        made = steps.messages(role, {k: v for k, v in head.items() if v is not None})
        if kept[1] is not None:
            place = f"{message.place}/metadata/{PARTWIRE}"
            made = restored(made, kept[1], reading, place)
        for each in made:
            reading.add(each.pop("role"), each.pop("parts"), **each)
        message.close()


def _metadata(message: Members) -> tuple[Json, Any]:
    """Take the metadata: what the application put there, and what is ours."""
    metadata = message.object("metadata")
    if metadata is None:
        return {}, None
    kept = {name: value for name, value in metadata.items() if name != PARTWIRE}
    return ({"metadata": kept} if kept else {}), metadata.get(PARTWIRE)


def _time(message: Members) -> str | None:
    said = message.peek("createdAt")
    return message.text("createdAt") if isinstance(said, str) and times.is_timestamp(said) else None


class _Parts:
    """Reads the parts of one UI message into steps."""

    def __init__(self, role: str, reading: Reading) -> None:
        self._role = role
        self._reading = reading
        self._steps = Steps(reading)

    def of(self, message: Members) -> Steps:
        """Return the steps of a message, with those that 4 stored beside the text."""
        place, parts = message.at("parts"), message.list("parts")
        content = message.text("content")
        if parts is None:
            self._stored(message, content)
        else:
            for at, part in self._reading.items(parts, place):
                self._read(part, at)
            self._beside(message, content, parts)
        self._attachments(message)
        self._steps.end()
        return self._steps

    # --- what version 4 stored -------------------------------------------------------------------

    def _stored(self, message: Members, content: str | None) -> None:
        if self._role == "assistant" and (reasoning := message.text("reasoning")):
            self._steps.say({"kind": "thinking", "payload": {"text": reasoning}})
        calls = message.list("toolInvocations") if self._role == "assistant" else None
        last = 0
        for at, call in self._reading.items(calls or [], message.at("toolInvocations")):
            if call.drop("step", last + 1):
                last += 1
                self._steps.next()
            call.skip("step", last)
            self._invocation(call, at)
        if calls and content:
            self._steps.next()
        if content:
            self._steps.say(text_part(content))

    def _beside(self, message: Members, content: str | None, parts: list[Any]) -> None:
        """Report what stands beside the parts and says something else than they."""
        texts = _texts(parts, "text", "text")
        thoughts = _texts(parts, "reasoning", "reasoning", "text")
        reasoning, calls = message.value("reasoning"), message.value("toolInvocations")
        self._note_beside(message.at("content"), content, _is_said(content, texts))
        self._note_beside(message.at("reasoning"), reasoning, _is_said(reasoning, thoughts))
        is_same = False
        if isinstance(calls, list):
            known = {canonical(part.get("toolInvocation")) for part in parts}
            is_same = all(canonical(call) in known for call in calls)
        self._note_beside(message.at("toolInvocations"), calls, is_same)

    def _note_beside(self, place: str, said: Any, is_same: bool) -> None:
        if said is not None:
            self._reading.note("duplicate-text" if is_same else "foreign-member", place)

    def _attachments(self, message: Members) -> None:
        place, files = message.at("experimental_attachments"), None
        if "experimental_attachments" in message:
            files = message.list("experimental_attachments")
        for at, file in self._reading.items(files or [], place):
            if (mime := file.text("contentType")) and "mediaType" not in file:
                file.put("mediaType", mime)
            if (name := file.text("name")) and "filename" not in file:
                file.put("filename", name)
            self._file(file, at)

    def _invocation(self, call: Members, place: str) -> None:
        """Read a call of version 4, with its result."""
        state, call_id = call.text("state"), call.text("toolCallId")
        name, given = call.text("toolName"), call.value("args")
        steps = self._steps
        if state not in ("partial-call", "call", "result") or not call_id or not name:
            self._reading.note("foreign-part", place)
            return
        if state == "partial-call":
            steps.leave_open(call_id, place)
            return
        steps.say(call_of(call_id, name, given, server=False, opaque=None))
        if state == "result":
            at, output = call.at("result"), call.value("result")
            steps.answer(result_of(call_id, output, at, self._reading))
        call.close()

    # --- parts -----------------------------------------------------------------------------------

    def _read(self, part: Members, place: str) -> None:
        kind = part.text("type") or ""
        is_read = False
        if kind == "text":
            is_read = self._text("text", part)
        elif kind == "file":
            self._file(part, place)
            return
        elif kind == "step-start":
            self._steps.next()
            is_read = True
        elif self._role == "assistant":
            if kind == "reasoning":
                is_read = self._text("thinking", part)
            elif kind == "steering-message":
                is_read = self._steering(part)
            elif kind in ("source-url", "source-document", "source"):
                is_read = self._source(kind, part)
            elif kind == "tool-invocation" and (call := part.object("toolInvocation")):
                self._steps.old = True
                at = part.at("toolInvocation")
                self._invocation(Members(call, at, self._reading), at)
                is_read = True
            elif kind == "dynamic-tool" or kind.startswith(_TOOL):
                is_read = self._tool(kind, part, place)
        if is_read:
            part.close()
        else:
            self._reading.note("foreign-part", place)

    def _text(self, kind: str, part: Members) -> bool:
        details = part.list("details") if kind == "thinking" else None
        old = part.text("reasoning") if kind == "thinking" else None
        if details is not None:
            if old is not None:
                texts = [d.get("text") for d in details if isinstance(d, dict)]
                is_same = old == "".join(text for text in texts if isinstance(text, str))
                code = "duplicate-text" if is_same else "foreign-member"
                self._reading.note(code, part.at("reasoning"))
            return self._details(details, part.at("details"))
        text = part.text("text") if old is None else old
        if text is None:
            return False
        is_open = part.peek("state") == "streaming"
        part.skip("state", "done", "streaming")
        made = text_like(kind, text, self._opaque(kind, part, "providerMetadata", text))
        self._steps.say(made)
        if is_open:
            self._steps.still_comes(made, part.at("state"))
        return True

    def _details(self, details: list[Any], place: str) -> bool:
        """Read reasoning as 4 stored it: pieces, signed or redacted."""
        for at, piece in self._reading.items(details, place):
            kind, text = piece.text("type"), piece.text("text") or ""
            said: Json = {}
            if kind == "redacted":
                said = {"redactedData": piece.text("data")}
            elif kind != "text":
                self._reading.note("foreign-part", at)
                continue
            elif (signature := piece.text("signature")) is not None:
                said = {"signature": signature}
            metadata = {"anthropic": said} if said else {}
            opaque = opaque_of("thinking", metadata, text, at, self._reading)
            self._steps.say(text_like("thinking", text, opaque))
            piece.close()
        return True

    def _file(self, part: Members, place: str) -> None:
        made = file_of(part, place, self._reading, is_image=False)
        if made is None:
            self._reading.note("foreign-part", place)
            return
        said = media_of(part.peek("providerMetadata")) if self._role == "assistant" else {}
        if (opaque := self._opaque("media", part, "providerMetadata", "")) is not None or said:
            _make_media(made)
        made["payload"] |= said
        if opaque is not None:
            made["payload"]["opaque"] = opaque
        self._steps.say(made)
        part.close()

    def _opaque(self, kind: str, part: Members, name: str, text: str) -> Json | None:
        """Take the metadata of a part; what others than the assistant have is left, and reported.

        It is for the request: no provider wants it back.
        """
        if self._role != "assistant" or not (metadata := part.object(name)):
            return None
        return opaque_of(kind, metadata, text, part.at(name), self._reading)

    def _steering(self, part: Members) -> bool:
        """Read what a user said while the answer was going on."""
        place, given = part.at("parts"), part.list("parts")
        if given is None:
            return False
        inner = _Parts("user", self._reading)
        for at, each in self._reading.items(given, place):
            inner._read(each, at)
        self._reading.note("part-order", part.place)  # it is a message of its own
        self._steps.interrupt(inner._steps.said(), part.text("id") or None)
        return True

    def _source(self, kind: str, part: Members) -> bool:
        if kind == "source":
            place, inner = part.at("source"), part.object("source")
            if inner is None:
                return False
            source = Members(inner, place, self._reading)
            if source.text("sourceType") != "url":
                return False
            said = {"id": source.text("id"), "url": source.text("url")}
        else:
            source = part
            said = {"id": part.text("sourceId"), "url": part.text("url")}
        said["title"] = source.text("title")
        named = {name: value for name, value in said.items() if value}
        if kind != "source-document" and "url" not in named:
            return False
        citation: Json = {"source": {"kind": "url" if "url" in named else "document", **named}}
        metadata = source.object("providerMetadata")
        if (said_whole := cited(metadata, self._reading, part.place)) is not None:
            citation = said_whole
        elif metadata:
            citation["opaque"] = own_state({"providerMetadata": metadata})
        self._steps.cite(citation, part.place)
        if source is not part:
            source.close()
        return True

    # --- tools -----------------------------------------------------------------------------------

    def _tool(self, kind: str, part: Members, place: str) -> bool:
        reading, steps = self._reading, self._steps
        state, call_id = part.text("state"), part.text("toolCallId")
        is_dynamic = kind == "dynamic-tool"
        name = part.text("toolName") if is_dynamic else kind.removeprefix(_TOOL)
        if state not in _STATES or not call_id or not name:
            return False
        if is_dynamic:
            reading.note("tool-form", place)
        if state == "input-streaming":
            steps.leave_open(call_id, place)
            return False
        given = part.value("input")
        if given is None and state == "output-error":
            given = part.value("rawInput")
        server = part.flag("providerExecuted") or False
        call_kind = "server_tool_call" if server else "tool_call"
        opaque = self._opaque(call_kind, part, "callProviderMetadata", "")
        steps.say(call_of(call_id, name, given, server=server, opaque=opaque))
        reason = self._approval(state, call_id, part)
        result = self._result(state, call_id, part, reason)
        if result is None:
            return True
        metadata = part.peek("resultProviderMetadata")
        own = result_as(metadata, result, reading, place)
        if own is not None:
            part.value("resultProviderMetadata")
            result = own
        if server:
            result["kind"] = "server_tool_result"
            opaque = self._opaque("server_tool_result", part, "resultProviderMetadata", "")
            if opaque is not None:
                result["payload"]["opaque"] = opaque
            result["payload"] = with_block(result["payload"])
            steps.say(result)
        else:
            steps.answer(result)
        return True

    def _result(self, state: str, call_id: str, part: Members, reason: str | None) -> Json | None:
        if state == "output-error":
            return error_result(call_id, part.text("errorText") or "")
        if state == "output-denied":
            return denied_result(call_id, reason)
        if state != "output-available":
            return None
        at, output = part.at("output"), part.value("output")
        members = {"outcome": "partial"} if part.flag("preliminary") else {}
        return result_of(call_id, output, at, self._reading, **members)

    def _approval(self, state: str, call_id: str, part: Members) -> str | None:
        """Read the approval of a call; return the reason that was given with the decision."""
        place, given = part.at("approval"), part.object("approval")
        if given is None:
            return None
        approval = Members(given, place, self._reading)
        approval_id, approved = approval.text("id"), approval.flag("approved")
        if not approval_id:
            self._reading.note("foreign-member", place)
            return None
        request: Json = {"approvalId": approval_id, "toolCallId": call_id}
        reason = approval.text("reason")
        asked = approval.text("requestReason")
        if asked is None and approved is None:
            asked = reason
        if asked is not None:
            request["reason"] = asked
        kept = {n: approval.value(n) for n in ("isAutomatic", "signature") if n in approval}
        if kept:
            request["opaque"] = own_state(kept)
        self._steps.say({"kind": "approval_request", "payload": request})
        if approved is not None:
            response: Json = {"approvalId": approval_id, "toolCallId": call_id}
            response["decision"] = "approved" if approved else "denied"
            if reason is not None:
                response["reason"] = reason
            self._steps.answer({"kind": "approval_response", "payload": response})
        approval.close()
        return None if approved is None else reason


def _texts(parts: list[Any], kind: str, *members: str) -> list[str]:
    """Return what the parts of a kind say, each in the first of ``members`` that is text."""
    found = [[p.get(name) for name in members] for p in parts if p.get("type") == kind]
    texts = [next((text for text in each if isinstance(text, str)), None) for each in found]
    return [text for text in texts if text is not None]


def _is_said(said: Any, texts: list[str]) -> bool:
    """Tell whether texts together say it, or the last one does."""
    return said in ("".join(texts), (texts or [""])[-1])


def _make_media(part: Json) -> None:
    """Turn an image into media, which may have state."""
    payload = part["payload"]
    if part["kind"] == "image":
        source: Json = {"kind": "inline", "data": payload["data"]} if "data" in payload else {}
        if not source:
            source = {"kind": "url", "url": payload["url"]}
        part |= {"kind": "media", "payload": {"mimeType": payload["mimeType"], "source": source}}
