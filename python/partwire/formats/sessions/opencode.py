"""opencode: a session as ``opencode export`` writes it, its messages, or one of them.

- A message is ``{info, parts}``. One of the assistant is split at its ``step-start``, as opencode
  does for the model; results stand in the parts of their calls, and are messages of the role tool.
- Tokens are disjoint: what was read from the cache and written to it is not part of the input.
  Reasoning is part of the output in older versions alone, and the total shows which.
- Text whose ``ignored`` is true is not for the model, and left out.
- What info and parts say beside that is kept in ``meta["opencode"]``.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import unquote

from partwire.contract import times
from partwire.json.text import json_text
from partwire.providers.core.call_ids import UsedIds

from ..ai_sdk.state import OWN as AI_SDK
from ..ai_sdk.state import opaque_of
from ..core.parts import call_part, result_part, text_part, url_part
from ..core.reading import Json, Members, Reading
from ..core.source import is_nested
from ..histories.openai_media import at_url

__all__ = ["read"]

_OWN: Final = "opencode"
_MOST_LEVELS: Final = 64
_REASONS: Final = {
    "stop": "stop",
    "length": "length",
    "tool-calls": "tool_calls",
    "content-filter": "content_filter",
    "error": "error",
}
_BOOKKEEPING: Final = ("step-start", "step-finish", "snapshot", "patch")
"""Types of parts that say nothing to the model; they are kept beside the message."""


def read(source: Any, reading: Reading) -> None:
    """Read a session, a list of messages, or one message."""
    place, messages = "", source
    if type(source) is dict and "messages" in source:
        body = reading.members(source, "")
        place, messages = "/messages", body.value("messages")
        body.close()
    elif type(source) is dict:
        _read_message(reading.members(source, ""), UsedIds(), reading)
        return
    calls = UsedIds()
    for _, message in reading.items(messages, place):
        _read_message(message, calls, reading)


def _read_message(message: Members, calls: UsedIds, reading: Reading) -> None:
    place, given = message.at("info"), message.object("info")
    if given is None:
        raise reading.refuse(place, "what a message is: its info", message.value("info"))
    info = Members(given, place, reading)
    role = info.text("role")
    if role not in ("user", "assistant"):
        raise reading.refuse(info.at("role"), "user or assistant", role)
    run_id = info.text("sessionID") or None
    reading.says(run_id=run_id, timestamp=_time(info))
    if run_id and reading.is_given[0]:
        info.put("sessionID", run_id)
    steps = _Steps(role, calls, reading)
    place, parts = message.at("parts"), message.list("parts")
    if parts is None:
        parts = []
        reading.note("malformed-part", place)
    for number, part in enumerate(parts):
        at = f"{place}/{number}"
        if type(part) is dict:
            steps.add(Members(part, at, reading))
        else:
            reading.note("malformed-part", at)
    own = info.text("id") or None
    first = len(reading.messages)
    for parts_of_one, results in [each for each in steps.found if each[0]] or steps.found[:1]:
        reading.add(role, parts_of_one, messageId=own)
        if results:
            reading.add("tool", results)
    made = reading.messages[first:]
    if role == "assistant":
        _say(made, info)
    kept = {"info": info.whole(), "parts": steps.left}
    made[0]["meta"] = {_OWN: kept, **made[0].get("meta", {})}
    message.close()


def _time(info: Members) -> str | None:
    """Take when a message was created, in milliseconds; the rest of its times stay."""
    given = info.peek("time")
    if type(given) is not dict:
        return None
    created: Any = given.get("created")
    if type(created) not in (int, float) or not 0 <= created <= times.LAST_MS:
        return None
    rest = {name: value for name, value in given.items() if name != "created"}
    info.value("time")
    if rest or created != int(created):
        info.put("time", rest if created == int(created) else given)
    return times.text_of(int(created))


def _say(made: list[Json], info: Members) -> None:
    """Put what an answer says of itself into its messages: all into the last one but the model."""
    answers = [message for message in made if message["role"] == "assistant"]
    meta: Json = {}
    if isinstance(model := info.peek("modelID"), str) and model:
        meta["modelId"] = info.text("modelID")
    for message in answers:
        message["meta"] = dict(meta)
    last = answers[-1]["meta"]
    if (usage := _usage(info.peek("tokens"))) is not None:
        last["usage"] = usage
    if isinstance(finish := info.peek("finish"), str) and finish:
        last["providerFinishReason"] = info.text("finish")
        last["finishReason"] = _REASONS.get(finish, "unknown")
    for message in answers:
        if not message["meta"]:
            del message["meta"]


def _usage(tokens: Any) -> Json | None:
    """Return the tokens as a message counts them; None where there are none."""
    if type(tokens) is not dict:
        return None
    said: Any = tokens.get("cache")
    cache: Json = said if type(said) is dict else {}
    given = [tokens.get("input"), tokens.get("output"), tokens.get("reasoning", 0)]
    given += [cache.get("read", 0), cache.get("write", 0)]
    if any(type(each) is not int or not 0 <= each < 2**50 for each in given) or not any(given):
        return None
    fresh, output, reasoning, read_from, written = given
    total = tokens.get("total")
    beside = total == fresh + output + reasoning + read_from + written
    if reasoning > output or (reasoning and type(total) is int and beside):
        output += reasoning
    usage = {"inputTokens": fresh + read_from + written, "outputTokens": output}
    usage["totalTokens"] = sum(usage.values())
    found = {
        "reasoningTokens": reasoning,
        "cacheReadTokens": read_from,
        "cacheWriteTokens": written,
    }
    return {**usage, **{name: count for name, count in found.items() if count}}


class _Steps:
    """The parts of one message, step by step; ``left`` is what each says beside its content."""

    def __init__(self, role: str, calls: UsedIds, reading: Reading) -> None:
        self.found: list[tuple[list[Json], list[Json]]] = [([], [])]
        self.left: list[Json] = []
        self._role = role
        self._calls = calls
        self._reading = reading

    def add(self, part: Members) -> None:
        """Take the next part."""
        kind = part.peek("type")
        if kind == "step-start" and self._role == "assistant" and self.found[-1][0]:
            self.found.append(([], []))
        made, results = self.found[-1]
        found: Json | None = None
        if kind in _BOOKKEEPING and not is_nested(part.whole(), _MOST_LEVELS):
            self.left.append(part.whole())
            return
        if part.peek("ignored") is True:
            self._reading.note("hidden", part.place)
            return
        if kind == "tool":
            found = self._call(part, results)
        elif kind in ("text", "reasoning"):
            found = self._text(kind, part)
        elif kind == "file":
            found = _file(part, self._reading)
        if found is None:
            self._reading.note("open-call" if kind == "tool" else "foreign-part", part.place)
            return
        made.append(found)
        part.value("type")
        self.left.append({n: value for n, value in part.whole().items() if value is not None})

    def _text(self, kind: str, part: Members) -> Json | None:
        text = part.text("text")
        if text is None or (kind == "reasoning" and self._role != "assistant"):
            return None
        made: Json = {"kind": "text" if kind == "text" else "thinking", "payload": {"text": text}}
        metadata = part.peek("metadata")
        if type(metadata) is dict and self._role == "assistant":
            opaque = opaque_of(made["kind"], metadata, text, part.at("metadata"), self._reading)
            if opaque is not None and opaque["provider"] != AI_SDK:
                made["payload"]["opaque"] = opaque
                part.value("metadata")
        return made

    def _call(self, part: Members, results: list[Json]) -> Json | None:
        """Return a call, and add its result; None for one whose arguments are still to come."""
        name, own = part.text("tool"), part.text("callID")
        place, given = part.at("state"), part.object("state")
        if not name or not own or given is None or self._role != "assistant":
            return None
        state = Members(given, place, self._reading)
        status = state.text("status")
        if status not in ("completed", "error", "running"):
            return None
        number = self._calls.repeats.get(own, 1)  # those before it stay used
        while (call_id := own if number == 1 else f"{own}_{number}") in self._calls:
            number += 1
        self._calls.add(call_id)
        self._calls.repeats[own] = number
        if call_id != own:
            part.put("callID", own)
        arguments = state.value("input")
        is_value = arguments is None or type(arguments) in (str, dict)
        made = call_part(call_id, name, (arguments or {}) if is_value else json_text(arguments))
        if status != "running":
            results.append(self._result(call_id, status, state))
        if rest := {n: value for n, value in state.whole().items() if value is not None}:
            part.put("state", rest)
        return made

    def _result(self, call_id: str, status: str, state: Members) -> Json:
        if status == "error":
            error = state.value("error")
            said = error if isinstance(error, str) else json_text({} if error is None else error)
            return result_part(call_id, said, is_error=True)
        output = state.value("output")
        content: Any = "" if output is None else output
        if type(content) not in (str, dict):
            content = json_text(content)
        media = self._attachments(state)
        if media:
            text = content if type(content) is str else json_text(content)
            content = [*([text_part(text)] if text else []), *media]
        return result_part(call_id, content)

    def _attachments(self, state: Members) -> list[Json]:
        """Take the files of a result; what they say beside is left."""
        place, given = state.at("attachments"), state.list("attachments")
        found, left = [], []
        for number, each in enumerate(given or ()):
            at = f"{place}/{number}"
            part = Members(each, at, self._reading) if type(each) is dict else None
            made = None if part is None else _file(part, self._reading)
            if part is None or made is None:
                self._reading.note("foreign-part", at)
                continue
            found.append(made)
            left.append(part.whole())
        if left:
            state.put("attachments", left)
        return found


def _file(part: Members, reading: Reading) -> Json | None:
    """Return the part of a file; its content is in a ``data:`` URL, or behind another one."""
    url, mime = part.peek("url"), part.text("mime") or None
    if not isinstance(url, str) or not url:
        return None
    name = part.text("filename") or None
    made: Json | None
    if url[:5].lower() == "data:":
        made = at_url(url, part.at("url"), reading, image=False, name=name)
        if made is not None and mime and made["payload"]["mimeType"] != mime:
            reading.note("mime-beside", part.at("mime"))
    elif url[:7].lower() == "file://":
        made = {"kind": "file_ref", "payload": {"path": unquote(url[7:])}}
        if mime:
            made["payload"]["mimeType"] = mime
        if name:
            part.put("filename", name)
    else:
        is_image = (mime or "").startswith("image/") and not name
        made = url_part(url, mime, part.at("url"), reading, image=is_image)
        if name:
            made["payload"]["name"] = name
    if made is not None:
        part.value("url")
    return made
