"""Cohere Chat v2: a request body, its messages, or one of them; an answer.

- A message of the role tool is one result; those in a row are one message.
- A document in a result is its data, or its text; JSON in a text stays text.
- What an answer says of itself (usage, why it ended) is its message's ``meta``.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.tables import usage_figures

from ..core.parts import data_url_part, result_part, text_part, url_part
from ..core.reading import Json, Members, Reading
from .answers import Answers, add_spoken, figures

__all__ = ["read"]

_KINDS: Final = {
    "user": ("text", "image_url", "document"),
    "system": ("text",),
    "tool": ("text", "document"),
}
# Of an assistant's block, the members that the adapter takes; it keeps blocks of other types whole.
_TAKEN: Final = {"text": ("type", "text"), "thinking": ("type", "thinking")}
_SAID: Final = ("tool_plan", "tool_calls", "citations")


def read(source: Any, reading: Reading) -> None:
    """Read a request, a list of messages, one message, or an answer."""
    answers = Answers("cohere-v2", reading)
    if type(source) is not dict:
        _read_messages(source, "", answers, reading)
        return
    body = reading.members(source, "")
    if "messages" in body:
        _read_messages(body.value("messages"), body.at("messages"), answers, reading)
        body.close("request-member")
    elif "message" in body:
        _read_answer(body, answers, reading)
    else:
        _read_messages([source], None, answers, reading)


def _read_messages(messages: Any, place: str | None, answers: Answers, reading: Reading) -> None:
    results: list[Json] = []
    for at, message in reading.items(messages, place or ""):
        if place is None:
            message = reading.members(messages[0], "")
        role = message.text("role")
        if role == "tool":
            results.append(_result(message, answers, reading))
            message.close()
            continue
        if results:
            add_spoken("tool", results, reading)
            results = []
        if role == "assistant":
            body = {"message": _said(message, reading), "finish_reason": "COMPLETE"}
            answers.add(body, at)
        elif role in _KINDS:
            parts = _parts(message.value("content"), message.at("content"), _KINDS[role], reading)
            reading.add(role, parts)
        elif role is not None:
            reading.note("foreign-message", message.place)
            continue
        else:
            expected = "user, assistant, system or tool"
            raise reading.refuse(message.at("role"), expected, message.value("role"))
        message.close()
    if results:
        add_spoken("tool", results, reading)


# --- answers --------------------------------------------------------------------------------------


def _read_answer(body: Members, answers: Answers, reading: Reading) -> None:
    """Read an answer, its message among what it says of itself."""
    message = reading.members(body.value("message"), body.at("message"))
    message.skip("role", "assistant")
    made: Json = {"message": _said(message, reading)}
    message.close()
    meta: dict[str, str] = {}
    if reason := body.text("finish_reason"):
        at = body.at("finish_reason")
        meta |= dict.fromkeys(("finishReason", "providerFinishReason"), at)
    made["finish_reason"] = reason or "COMPLETE"
    if (usage := body.object("usage")) is not None:
        meta["usage"] = body.at("usage")
        made["usage"] = _usage(Members(usage, meta["usage"], reading), reading)
    request_id = body.text("id")
    said = answers.add(made, message.place, meta)
    if request_id:
        said.setdefault("meta", {})["requestId"] = request_id
    body.close()


def _usage(usage: Members, reading: Reading) -> Json:
    found = figures(usage, usage_figures.COHERE_CACHED)
    if (tokens := usage.object("tokens")) is not None:
        counts = Members(tokens, usage.at("tokens"), reading)
        found["tokens"] = figures(counts, usage_figures.COHERE)
        counts.close()
    usage.close()
    return found


def _said(message: Members, reading: Reading) -> Json:
    """Return what the adapter reads of an assistant's message, and report what it passes over."""
    place, content = message.at("content"), message.value("content")
    if type(content) is list:
        for _, block in reading.items(content, place):
            _note_untaken(block)
    made: Json = {"role": "assistant", "content": content}
    for name in _SAID:
        made[name] = message.value(name)
    calls = made["tool_calls"]
    for number, call in enumerate(calls if type(calls) is list else ()):
        if type(call) is dict:
            _note_untaken_of_call(call, f"{message.at('tool_calls')}/{number}", reading)
    return made


def _note_untaken(block: Members) -> None:
    taken = _TAKEN.get(block.text("type") or "")
    if taken is not None:
        for name in taken:
            block.value(name)
        block.close()


def _note_untaken_of_call(call: Json, place: str, reading: Reading) -> None:
    members = Members(call, place, reading)
    members.value("id")
    members.skip("type", "function")
    if (function := members.object("function")) is not None:
        inner = Members(function, members.at("function"), reading)
        for name in ("name", "arguments"):
            inner.value(name)
        inner.close()
    members.close()


# --- what users and tools say ---------------------------------------------------------------------


def _result(message: Members, answers: Answers, reading: Reading) -> Json:
    own = message.text("tool_call_id")
    place, content = message.at("content"), message.value("content")
    call_id = answers.answered(own) if own else None
    if call_id is None:
        call_id = own or answers.made_id()
        if not own:
            reading.note("call-id-made", message.place)
    if type(content) is str:
        return result_part(call_id, content)
    parts = [] if content is None else _parts(content, place, _KINDS["tool"], reading)
    is_text = len(parts) == 1 and parts[0]["kind"] == "text"
    return result_part(call_id, parts[0]["payload"]["text"] if is_text else parts or "")


def _parts(content: Any, place: str, kinds: tuple[str, ...], reading: Reading) -> list[Json]:
    """Return the parts of text, or of blocks of these types."""
    if type(content) is str:
        return [text_part(content)] if content else []
    parts: list[Json] = []
    for at, block in reading.items(content, place):
        kind = block.text("type")
        part = _part(kind, block, reading) if kind in kinds else None
        if part is None:
            reading.note("foreign-part", at)
        else:
            parts.append(part)
            block.close()
    return parts


def _part(kind: str | None, block: Members, reading: Reading) -> Json | None:
    if kind == "text":
        text = block.text("text")
        return None if text is None else text_part(text)
    if kind == "image_url":
        return _image(block, reading)
    place, given = block.at("document"), block.value("document")
    if type(given) is str:
        reading.note("content-form", place)
        return text_part(given)
    if type(given) is not dict:
        return None
    document = Members(given, place, reading)
    data = document.value("data")
    if data is None:
        return None
    reading.note("content-form", document.at("data"))
    document.close()
    return text_part(data if type(data) is str else json_text(data))


def _image(block: Members, reading: Reading) -> Json | None:
    place, given = block.at("image_url"), block.value("image_url")
    if type(given) is str:
        given = {"url": given}
    if type(given) is not dict:
        return None
    image = Members(given, place, reading)
    url = image.text("url")
    if not url:
        return None
    part = data_url_part(url)
    if part is None:
        part = url_part(url, None, image.at("url"), reading, image=True)
    image.close()
    return part
