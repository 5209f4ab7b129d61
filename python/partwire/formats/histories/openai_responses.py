"""OpenAI Responses: a request, its items, one of them, or a response.

- Items that follow each other and are not what users or tools said are one answer: reasoning,
  messages, calls, tools that the provider ran, and what it keeps for itself.
- Messages of an assistant that are mere text under no id are one message each: nothing ties them
  together, and nothing is to be kept of them.
- Outputs of tools that the caller runs on the provider's terms (a computer, a shell) stay in the
  answer, beside their calls: both are the provider's own items, and go back as they are.
- An answer to a request for approval is a user's message.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.tables.provider_names import RESPONSES_CALLS

from ..core.parts import result_part, text_part
from ..core.reading import Json, Members, Reading
from ..core.source import is_nested
from .answers import MOST_LEVELS, Answers
from .openai_answer import note_lost_usage, time_of, usage_of
from .openai_media import at_url, by_id, sound, stored_file

__all__ = ["ResponsesHistory", "is_item", "is_of_answer", "read"]


def read(source: Any, reading: Reading) -> None:
    """Read a request, a list of items, one item, or a response."""
    history = ResponsesHistory(reading)
    if type(source) is dict and "output" in source and "type" not in source:
        history.response(reading.members(source, ""))
        return
    if type(source) is dict and "input" in source and "type" not in source:
        body = reading.members(source, "")
        _read_instructions(body, reading)
        given = body.value("input")
        history.items([given] if type(given) is dict else given, "/input")
        body.close("request-member")
    elif type(source) is dict:
        history.item(source, "")
    else:
        history.items(source, "")
    history.finish()


def _read_instructions(body: Members, reading: Reading) -> None:
    """Read what stands apart and is a system message; a prompt that is stored is a list."""
    place, given = body.at("instructions"), body.value("instructions")
    if type(given) is str:
        if given:
            reading.add("system", [text_part(given)])
    elif given is not None:
        reading.note("request-member", place)


# --- items ----------------------------------------------------------------------------------------

_ROLES: Final = {"system": "system", "developer": "system", "user": "user"}
_OUTPUT_OF: Final = {f"{call}_output": call for call in RESPONSES_CALLS}
_APPROVAL: Final = "mcp_approval_response"
_SAID: Final = ("name", "caller", "namespace")
"""Members of a call that its result may say again."""
_ENDED: Final = ("completed", "incomplete", "failed", "cancelled")
_PLAIN: Final = ("output_text", "text", "input_text")


class ResponsesHistory:
    """The items read so far."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._answers = Answers("openai-responses", reading)
        self._run: list[tuple[str, Json]] = []  # items of the answer that may go on
        self._agent: str | None = None  # whose answer it is
        self._asked: dict[str, str] = {}  # request for approval → the call that waits
        self._bodies: dict[str, Json] = {}  # call, by id in the messages → what results repeat
        self._known: dict[str, Json] = {}  # what they repeat, once: calls of one tool are many

    def items(self, items: Any, place: str) -> None:
        """Read items; text is what a user says."""
        if type(items) is str:
            self._reading.add("user", [text_part(items)] if items else [])
            return
        for at, item in self._reading.items(items, place):
            self.item(item.whole(), at)

    def item(self, item: Json, place: str, agent: str | None = None) -> bool:
        """Read an item, of an agent that is named or not; return whether it is an assistant's.

        What an assistant said waits for the rest of the answer, which is all one agent's.
        """
        kind, role = _kind_of(item), item.get("role")
        if kind is None:
            raise self._reading.refuse(place, "an item with its type, or a message", item)
        if kind == "message" and role != "assistant":
            self.finish()
            self._spoken(Members(item, place, self._reading))
        elif kind in _OUTPUT_OF:
            self.finish()
            self._result(Members(item, place, self._reading), _OUTPUT_OF[kind])
        elif kind == _APPROVAL:
            self.finish()
            self._approval(Members(item, place, self._reading))
        else:
            if agent != self._agent:
                self.finish()
                self._agent = agent
            self._run.append((place, {**item, "type": kind}))
            return True
        return False

    # --- answers ---------------------------------------------------------------------------------

    def finish(self) -> None:
        """Read the answer whose items have come, if any."""
        run, self._run = self._run, []
        author = {"agentPath": [self._agent]} if self._agent else None
        if all(_is_easy(item) for _, item in run):
            for place, item in run:
                self._easy(Members(item, place, self._reading), author)
            return
        items = [self._prepared(item, place) for place, item in run]
        said = self._answers.add(_response(items), None, author=author)
        self._remember(said, items)
        self._note_damage(run, items)

    def response(self, body: Members) -> None:
        """Read a whole response."""
        reading = self._reading
        place, output = body.at("output"), body.value("output")
        run = []
        for at, each in reading.items(output, place):
            item, kind = each.whole(), _kind_of(each.whole())
            if kind is None:
                raise reading.refuse(at, "an item with its type", item)
            run.append((at, {**item, "type": kind}))
        items = [self._prepared(item, at) for at, item in run]
        kept: Json = {"object": "response", "store": True, "output": items}
        body.skip("object", "response")
        for name in ("id", "model"):
            if given := body.text(name):
                kept[name] = given
        running = _read_status(body, kept, reading)
        kept["usage"] = usage_of(body, reading)
        kept["tools"] = body.list("tools")
        if kept["tools"]:
            reading.note("request-member", body.at("tools"))
        said = self._answers.add(kept, None, is_whole=True, timestamp=time_of(body, "created_at"))
        note_lost_usage(kept["usage"], said, reading)
        if running is not None:
            said["meta"]["providerFinishReason"] = running
        self._remember(said, items)
        self._note_damage(run, items)
        body.close("request-member")

    def _prepared(self, item: Json, place: str) -> Json:
        """Return an item as the adapter reads it; report what it passes over."""
        kind, reading = item["type"], self._reading
        if kind == "message":
            _note_untaken(item.get("content"), f"{place}/content", reading)
        elif kind in RESPONSES_CALLS:
            member = RESPONSES_CALLS[kind]
            if type(item.get(member)) is dict:
                item = {**item, member: json_text(item[member])}
            if not item.get("call_id"):
                reading.note("call-id-invented", place)
        return item

    def _remember(self, message: Json, items: list[Json]) -> None:
        bodies = (item for item in items if item["type"] in RESPONSES_CALLS)
        for part in message["parts"]:
            kind, payload = part["kind"], part["payload"]
            if kind == "approval_request":
                self._asked[payload["approvalId"]] = payload["toolCallId"]
            elif kind == "tool_call":
                name = payload["toolName"]
                body = next((each for each in bodies if each.get("name") == name), {})
                said = ("type", *_SAID)
                repeated = {n: body[n] for n in said if n in body}
                repeated = self._known.setdefault(json_text(repeated), repeated)
                self._bodies[payload["toolCallId"]] = repeated

    def _note_damage(self, run: list[tuple[str, Json]], items: list[Json]) -> None:
        """Report each item of which something is lost."""
        answers = self._answers
        for (place, _), item in zip(run, items, strict=True):
            is_lost = answers.was_damaged and answers.is_damaged(_response([item]))
            if is_lost or is_nested(item, MOST_LEVELS):
                self._reading.note("malformed-part", place)

    def _easy(self, item: Members, author: Json | None) -> None:
        """Read a message of an assistant that is mere text."""
        content = item.value("content")
        text = content if type(content) is str else "".join(part["text"] for part in content)
        item.value("role")
        self._reading.add("assistant", [text_part(text)] if text else [], author=author)
        _close(item)

    # --- what others say -------------------------------------------------------------------------

    def _spoken(self, item: Members) -> None:
        reading, role = self._reading, item.text("role")
        if not role:
            raise reading.refuse(item.at("role"), "a role", item.value("role"))
        if role not in _ROLES:
            reading.note("foreign-message", item.place)
            return
        if role == "developer":
            reading.note("role-form", item.at("role"))
        place = item.at("content")
        parts = _parts(item.value("content"), place, reading)
        if _ROLES[role] == "system":
            texts = [part for part in parts if part["kind"] == "text"]
            if len(texts) < len(parts):
                reading.note("foreign-part", place)
            parts = texts
        reading.add(_ROLES[role], parts, messageId=item.text("id") or None)
        _close(item)

    def _result(self, item: Members, kind: str) -> None:
        reading, own = self._reading, item.text("call_id")
        call = self._answers.calls.of_id(own) if own else self._answers.calls.of_name(None)
        call_id = own if call is None else call.call_id
        if not call_id:
            reading.note("foreign-message", item.place)
            return
        if not own:
            reading.note("call-id-invented", item.place)
        body = self._bodies.get(call_id, {})
        if kind != body.get("type", "function_call"):
            reading.note("foreign-member", item.at("type"))
        for name in _SAID:
            if name in body:
                item.skip(name, body[name])  # the call says it
        place, output = item.at("output"), item.value("output")
        if type(output) is list:
            output = _parts(output, place, reading)
        part = result_part(call_id, "" if output is None else output)
        reading.add("tool", [part], messageId=item.text("id") or None)
        _close(item)

    def _approval(self, item: Members) -> None:
        """Read a person's answer; a request that is not here has the id of its call."""
        reading = self._reading
        approval_id, approves = item.text("approval_request_id"), item.flag("approve")
        if not approval_id or approves is None:
            reading.note("foreign-message", item.place)
            return
        payload: Json = {
            "approvalId": approval_id,
            "toolCallId": self._asked.get(approval_id, approval_id),
            "decision": "approved" if approves else "denied",
        }
        reason = item.text("reason")
        if reason is not None:
            payload["reason"] = reason
        part = {"kind": "approval_response", "payload": payload}
        reading.add("user", [part], messageId=item.text("id") or None)
        _close(item)


def _read_status(body: Members, kept: Json, reading: Reading) -> str | None:
    """Take how a response ended; return the status of one that was stored before its end."""
    status = body.text("status") or None
    running = None if status is None or status in _ENDED else status
    kept["status"] = status if running is None else "incomplete"
    if status == "incomplete":
        kept["incomplete_details"] = body.value("incomplete_details")
    kept["error"] = body.value("error")
    if kept["error"]:
        reading.note("foreign-member", body.at("error"))
    return running


def _response(items: list[Json]) -> Json:
    """Return a whole response, as stored: all that comes of its reasoning has come."""
    return {"object": "response", "status": "completed", "store": True, "output": items}


def _kind_of(item: Json) -> str | None:
    """Return the type of an item; messages and references may have none."""
    kind = item.get("type")
    if isinstance(kind, str) and kind:
        return kind
    if kind is None and isinstance(item.get("role"), str):
        return "message"
    return "item_reference" if kind is None and isinstance(item.get("id"), str) else None


def is_item(value: Json) -> bool:
    """Return whether an object is an item, whatever its type."""
    return _kind_of(value) is not None


def is_of_answer(item: Json) -> bool:
    """Return whether an item is what a model said, which waits for the rest of its answer."""
    kind = _kind_of(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return kind not in _OUTPUT_OF and kind != _APPROVAL


def _is_easy(item: Json) -> bool:
    """Return whether an item is a message that is mere text, under no id of the provider."""
    if item["type"] != "message" or item.get("id"):
        return False
    content = item.get("content")
    if type(content) is list:
        return all(_is_plain(part) for part in content)
    return type(content) is str


def _is_plain(part: Any) -> bool:
    """Return whether a part of content is text, and nothing more."""
    if type(part) is not dict or part.get("type") not in _PLAIN:
        return False
    rest = (value for name, value in part.items() if name not in ("type", "text"))
    return type(part.get("text")) is str and not any(rest)


def _note_untaken(content: Any, place: str, reading: Reading) -> None:
    """Report what the adapter passes over in a message of an assistant; it keeps the rest."""
    for number, part in enumerate(content if type(content) is list else ()):
        if type(part) is not dict or part.get("type") not in _PLAIN:
            continue
        if type(text := part.get("text")) is not str and text is not None:
            reading.note("malformed-part", f"{place}/{number}/text")
        if part.get("logprobs"):
            reading.note("foreign-member", f"{place}/{number}/logprobs")


def _close(item: Members) -> None:
    """Report what is left of an item, but for what says nothing."""
    item.value("type")
    item.skip("status", "completed")
    item.close()


# --- content --------------------------------------------------------------------------------------


def _parts(content: Any, place: str, reading: Reading) -> list[Json]:
    """Return the parts of content; what is not content is reported, and left out."""
    if content is None or content == "":
        return []
    if type(content) is str:
        return [text_part(content)]
    if type(content) is not list:
        reading.note("foreign-part", place)
        return []
    found = []
    for number, each in enumerate(content):
        part = Members(each, f"{place}/{number}", reading) if type(each) is dict else None
        made = None if part is None else _part(part, reading)
        if part is None or made is None:
            reading.note("foreign-part", f"{place}/{number}")
        else:
            part.close()
            found.append(made)
    return found


def _part(part: Members, reading: Reading) -> Json | None:
    kind = part.text("type")
    if kind in _PLAIN:
        text = part.text("text")
        part.skip("annotations", [])
        part.skip("logprobs", [])
        return None if text is None else text_part(text)
    if kind == "input_image":
        part.skip("detail", "auto")
        return _image(part, reading)
    if kind == "input_file":
        return stored_file(part, part.place, reading)
    if kind == "input_audio":
        inner = part.object(kind)
        source = part if inner is None else Members(inner, part.at(kind), reading)
        made = sound(source)
        if inner is not None and made is not None:
            source.close()
        return made
    return None


def _image(part: Members, reading: Reading) -> Json | None:
    place, url, file_id = part.at("image_url"), part.text("image_url"), part.text("file_id")
    if url:
        if file_id:
            reading.note("foreign-member", part.at("file_id"))
        return at_url(url, place, reading, image=True)
    if not file_id:
        return None
    reading.note("mime-invented", part.at("file_id"))
    return by_id(file_id, "image/*")
