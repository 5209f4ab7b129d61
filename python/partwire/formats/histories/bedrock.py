"""Bedrock Converse: a request body, its messages, or one of them; an answer.

- Results of tools are in user messages; they become a tool message, at their place.
- ``system`` is a system message before the others.
- A result that is one JSON value, or one text, is that; several are parts, and JSON is text.
- Bytes are Base64, as in the HTTP request; :func:`~partwire.formats.read` takes bytes as well.
- What an answer says of itself (usage, why it ended) is its message's ``meta``.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.tables import usage_figures
from partwire.tables.media_types import BEDROCK

from ..core.parts import inline, media_part, result_part, text_document, text_part, value_result
from ..core.reading import Json, Members, Reading
from .answers import Answers
from .pieces import REASONS, Turns, add_spoken, add_whole, answered, figures

__all__ = ["read"]

_SERVER: Final = "server_tool_use"
_MEDIA: Final = ("image", "document", "video", "audio")
_BYTES: Final = "application/octet-stream"
_TYPES: Final = {place: mime_type for mime_type, place in reversed(list(BEDROCK.items()))}
"""Member of a block and name of the format → media type; of several the first in the table."""
_PLAIN: Final = {"txt": "text/plain"}
_IN_RESULTS: Final = ("text", "json", *_MEDIA, "searchResult")
_IN_USERS: Final = ("text", *_MEDIA, "guardContent", "searchResult", "toolResult")
_IN_SYSTEM: Final = ("text", "guardContent")
# Of an assistant's block, the members that the adapter takes; it keeps others whole.
_TAKEN: Final = {
    "toolUse": ("toolUseId", "name", "input"),
    "citationsContent": ("content", "citations"),
    "image": ("format", "source"),
}


def read(source: Any, reading: Reading) -> None:
    """Read a request, a list of messages, one message, or an answer."""
    answers = Answers("bedrock-converse", reading)
    turns = Turns(answers, reading, _answer, "toolUse")
    if type(source) is not dict:
        _read_messages(source, "", turns, reading)
        return
    body = reading.members(source, "")
    if "output" in body:
        _read_answer(body, answers, reading)
    elif "messages" in body:
        if (system := body.value("system")) not in (None, []):
            blocks = _Blocks(answers, reading)
            reading.add("system", blocks.parts(system, body.at("system"), _IN_SYSTEM))
        _read_messages(body.value("messages"), body.at("messages"), turns, reading)
        body.close("request-member")
    else:
        _read_message(body, turns, reading)
        turns.end()


def _read_messages(messages: Any, place: str, turns: Turns, reading: Reading) -> None:
    for _, message in reading.items(messages, place):
        _read_message(message, turns, reading)
    turns.end()


def _answer(content: list[Json]) -> Json:
    return {"output": {"message": {"content": content}}, "stopReason": "end_turn"}


def _read_message(message: Members, turns: Turns, reading: Reading) -> None:
    role, place, content = message.text("role"), message.at("content"), message.value("content")
    if role is None:
        raise reading.refuse(message.at("role"), "user or assistant", message.value("role"))
    if role == "assistant":
        turns.add(_said(content, place, reading), place)
    elif role in ("user", "system"):
        kinds = _IN_USERS if role == "user" else _IN_SYSTEM
        turns.end()
        add_spoken(role, _Blocks(turns.answers, reading).parts(content, place, kinds), reading)
    else:
        reading.note("foreign-message", message.place)
        return
    message.close()


# --- answers --------------------------------------------------------------------------------------


def _read_answer(body: Members, answers: Answers, reading: Reading) -> None:
    """Read an answer, its message among what it says of itself."""
    output = reading.members(body.value("output"), body.at("output"))
    message = reading.members(output.value("message"), output.at("message"))
    place = message.at("content")
    content = _said(message.value("content"), place, reading)
    made: Json = {"output": {"message": {"content": content}}}
    said: dict[str, str] = {}
    if reason := body.text("stopReason"):
        said |= dict.fromkeys(REASONS, body.at("stopReason"))
    made["stopReason"] = reason or "end_turn"
    if (usage := body.object("usage")) is not None:
        said["usage"] = body.at("usage")
        counts = Members(usage, said["usage"], reading)
        made["usage"] = figures(counts, usage_figures.BEDROCK)
        counts.close()
    if (fields := body.value("additionalModelResponseFields")) is not None:
        made["additionalModelResponseFields"] = fields
    add_whole(answers, made, place, said, reading)
    message.skip("role", "assistant")
    for each in (message, output, body):
        each.close()


def _said(content: Any, place: str, reading: Reading) -> list[Json]:
    """Return the blocks of an assistant, and report what the adapter passes over in them."""
    if type(content) is str:
        return [{"text": content}] if content else []
    said: list[Json] = []
    for at, members in reading.items(content, place):
        block: Json = {}
        for kind in members.names():
            if (value := members.value(kind)) is not None:
                block[kind] = value
                _note_untaken(kind, value, f"{at}/{kind}", reading)
        said.append(block)
    return said


def _note_untaken(kind: str, value: Any, place: str, reading: Reading) -> None:
    if type(value) is not dict or kind not in _TAKEN or value.get("type") == _SERVER:
        return
    members = Members(value, place, reading)
    for name in _TAKEN[kind]:
        taken = members.value(name)
        if name == "source" and type(taken) is dict and "bytes" in taken:
            source = Members(taken, members.at(name), reading)
            source.value("bytes")
            source.close()
    members.close()


# --- what users and tools say ---------------------------------------------------------------------


class _Blocks:
    """Blocks of content, read as parts."""

    def __init__(self, answers: Answers, reading: Reading) -> None:
        self._answers = answers
        self._reading = reading

    def parts(self, content: Any, place: str, kinds: tuple[str, ...]) -> list[Json]:
        """Return the parts of text, or of blocks of these kinds."""
        if type(content) is str:
            return [text_part(content)] if content else []
        parts: list[Json] = []
        for at, block in self._reading.items(content, place):
            names = [each for each in block.names() if each in kinds]
            said = (each for each in names if block.peek(each) is not None)  # json may be null
            kind = next(said, names[0] if names else "")
            inner = block.at(kind)
            found = self._parts(kind, block.value(kind), inner) if kind else None
            if found is None:
                self._reading.note("foreign-part", at)
            else:
                parts += found
                block.close()
        return parts

    def _parts(self, kind: str, value: Any, place: str) -> list[Json] | None:
        if kind == "text":
            return [text_part(value)] if type(value) is str else None
        if kind == "json":
            self._reading.note("content-form", place)
            return [text_part(json_text(value))]
        if type(value) is not dict:
            return None
        body = Members(value, place, self._reading)
        if kind == "toolResult":
            parts = self._result(body)
        elif kind == "guardContent":
            parts = self._guarded(body)
        elif kind == "searchResult":
            self._reading.note("content-form", place)
            parts = self.parts(body.value("content"), body.at("content"), ("text",))
        else:
            parts = self._media(kind, body)
        if parts is not None:
            body.close()
        return parts

    def _result(self, body: Members) -> list[Json] | None:
        call_id = body.text("toolUseId")
        if not call_id:
            return None
        content, place = body.value("content"), body.at("content")
        body.skip("status", "success")
        is_error = body.drop("status", "error")
        call_id = answered(self._answers, call_id)
        only = _only(content)
        if "json" in only:
            return [value_result(call_id, only["json"], is_error=is_error)]
        if type(only.get("text")) is str:
            content = only["text"]
        elif content is not None:
            content = self.parts(content, place, _IN_RESULTS)
        return [result_part(call_id, content or "", is_error=is_error)]

    def _guarded(self, body: Members) -> list[Json] | None:
        """Return what a guardrail looks at in particular."""
        self._reading.note("content-form", body.place)
        if (image := body.object("image")) is not None:
            return self._parts("image", image, body.at("image"))
        if (given := body.object("text")) is None:
            return None
        words = Members(given, body.at("text"), self._reading)
        text = words.text("text")
        words.close()
        return None if text is None else [text_part(text)]

    def _media(self, kind: str, body: Members) -> list[Json] | None:
        place, given = body.at("source"), body.object("source")
        if given is None:
            return None
        source = Members(given, place, self._reading)
        if "content" in source:
            self._reading.note("content-form", place)
            parts: list[Json] | None = self.parts(
                source.value("content"), source.at("content"), ("text",)
            )
        else:
            name = body.text("name") if kind == "document" else None
            part = self._one(kind, self._type(kind, body), source, name)
            parts = None if part is None else [part]
        if parts is not None:
            source.close()
        return parts

    def _one(self, kind: str, mime_type: str, source: Members, name: str | None) -> Json | None:
        if kind == "document" and (text := source.text("text")) is not None:
            self._reading.note("content-form", source.place)
            return text_document(text, mime_type, name)
        if (data := source.text("bytes")) is not None:
            return inline(mime_type, data, name)
        if (given := source.object("s3Location")) is None:
            return None
        location = Members(given, source.at("s3Location"), self._reading)
        uri = location.text("uri")
        location.close()
        if not uri:
            return None
        if kind == "image":
            return {"kind": "image", "payload": {"mimeType": mime_type, "url": uri}}
        return media_part(mime_type, {"kind": "url", "url": uri}, name)

    def _type(self, kind: str, body: Members) -> str:
        """Return the media type of a format."""
        form = body.text("format")
        if not form:
            self._reading.note("mime-invented", body.place)
            return "image/*" if kind == "image" else _BYTES
        if found := _TYPES.get((kind, form)) or _PLAIN.get(form):
            return found
        if kind == "document":
            self._reading.note("foreign-member", body.at("format"))
            return _BYTES
        return f"{kind}/{form}"


def _only(content: Any) -> Json:
    """Return the only member of the only block of a result; nothing where it has more."""
    if type(content) is not list or len(content) != 1 or type(content[0]) is not dict:
        return {}
    block = {name: value for name, value in content[0].items() if value is not None}
    return block if len(block) == 1 else {}
