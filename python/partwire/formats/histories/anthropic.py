"""Anthropic Messages: a request body, its messages, or one of them.

- Results of tools stand in user messages: they become a tool message, in front of what else was said.
- ``system`` is a system message before the others; a message of the role stays where it is.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final

from ..core.parts import inline, media_part, result_part, text_part, url_part
from ..core.reading import Json, Members, Reading
from .answers import Answers

__all__ = ["read"]

# Members of an assistant's block that the adapter takes; it keeps blocks of other types whole.
_TAKEN: Final = {
    "text": frozenset({"type", "text", "citations"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
}


def read(source: Any, reading: Reading) -> None:
    """Read a request, a list of messages, or one message."""
    answers = Answers("anthropic-messages", reading)
    place, messages = "", source
    if type(source) is dict and "messages" in source:
        body = reading.members(source, "")
        place, messages = "/messages", body.value("messages")
        _read_system(body, reading)
        body.close("request-member")
    elif type(source) is dict:
        _read_message(reading.members(source, ""), answers, reading)
        return
    for _, message in reading.items(messages, place):
        _read_message(message, answers, reading)


def _read_system(body: Members, reading: Reading) -> None:
    place, system = body.at("system"), body.value("system")
    if system is None or system == []:
        return
    parts = _parts(system, place, reading)
    if [part for part in parts if part["kind"] != "text"]:
        raise reading.refuse(place, "text, or blocks of text", system)
    reading.add("system", parts)


def _read_message(message: Members, answers: Answers, reading: Reading) -> None:
    role, place, content = message.text("role"), message.at("content"), message.value("content")
    if role == "assistant":
        if type(content) is str:
            content = [{"type": "text", "text": content}] if content else []
        for at, block in reading.items(content, place):
            _note_untaken(block, at, reading)
        answers.add(
            {
                "type": "message",
                "role": "assistant",
                "content": content,
                "stop_reason": message.text("stop_reason") or "end_turn",
            },
            place,
            messageId=message.text("id") or None,
        )
        message.skip("type", "message")
    elif role in ("user", "system"):
        parts = _parts(content, place, reading)
        for is_result, run in groupby(parts, lambda part: part["kind"] == "tool_result"):
            reading.add("tool" if is_result else role, list(run))
        if not parts:
            reading.add(role, [])
    else:
        raise reading.refuse(message.at("role"), "user, assistant or system", role)
    message.close()


def _note_untaken(block: Members, place: str, reading: Reading) -> None:
    """Report what the adapter passes over in a block of an assistant."""
    taken = _TAKEN.get(block.text("type") or "")
    if taken is not None:
        for name in taken:
            block.value(name)
        block.close()


# --- what users and tools say ---------------------------------------------------------------------


def _parts(content: Any, place: str, reading: Reading) -> list[Json]:
    if type(content) is str:
        return [text_part(content)] if content else []
    found = [_part(block, at, reading) for at, block in reading.items(content, place)]
    return [part for part in found if part is not None]


def _part(block: Members, place: str, reading: Reading) -> Json | None:
    kind = block.text("type")
    part: Json | None = None
    if kind == "text" and (text := block.text("text")) is not None:
        part = text_part(text)
    elif kind == "tool_result" and (call_id := block.text("tool_use_id")):
        part = _result(call_id, block, reading)
    elif kind in ("image", "document"):
        part = _media(kind, block, reading)
    if part is None:
        reading.note("foreign-part", place)
        return None
    block.close()
    return part


def _result(call_id: str, block: Members, reading: Reading) -> Json:
    place, content = block.at("content"), block.value("content")
    given = "" if content is None else content
    if type(given) is not str:
        given = _parts(given, place, reading)
    return result_part(call_id, given, is_error=block.flag("is_error") or False)


def _media(kind: str, block: Members, reading: Reading) -> Json | None:
    place, given = block.at("source"), block.object("source")
    if given is None:
        return None
    source = Members(given, place, reading)
    form, mime_type, name = source.text("type"), source.text("media_type"), block.text("title")
    part: Json | None = None
    if form == "base64" and mime_type and (data := source.text("data")) is not None:
        part = inline(mime_type, data, name)
    elif form == "text" and (data := source.text("data")) is not None:
        part = _document_of_text(data, mime_type or "text/plain", name)
    elif form == "url" and (url := source.text("url")):
        part = url_part(url, mime_type, place, reading, image=kind == "image")
    elif form == "file" and (file_id := source.text("file_id")):
        reading.note("mime-invented", place)
        mime = "image/*" if kind == "image" else "application/octet-stream"
        part = media_part(mime, {"kind": "ref", "ref": file_id}, name)
    if part is not None:
        source.close()
    return part


def _document_of_text(text: str, mime_type: str, name: str | None) -> Json:
    import base64  # noqa: PLC0415

    data = base64.b64encode(text.encode()).decode()
    return media_part(mime_type, {"kind": "inline", "data": data}, name)
