"""Anthropic Messages: a request body, its messages, or one of them; an answer is one, too.

- Results of tools are in user messages; they become a tool message, at their place.
- ``system`` is a system message before the others; a message of the role stays where it is.
- Search results, and documents that are lists of blocks, are read as their texts and images.
- What an answer says of itself (model, usage, why it ended) is its message's ``meta``.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.tables import usage_figures

from ..core.parts import inline, media_part, result_part, text_document, text_part, url_part
from ..core.reading import Json, Members, Reading
from .answers import Answers
from .pieces import REASONS, Turns, add_spoken, add_whole, answered, figures

__all__ = ["SPOKEN", "SpokenBlocks", "note_untaken", "read", "usage_of"]

# Members of an assistant's block that the adapter takes; it keeps blocks of other types whole.
_TAKEN: Final = {
    "text": ("type", "text", "citations"),
    "thinking": ("type", "thinking", "signature"),
}
_SAID: Final = ("stop_sequence", "stop_details", "container")
"""Members of an answer that the adapter keeps as they are."""
_PDF: Final = "application/pdf"  # the only documents that are read from a URL
_BYTES: Final = "application/octet-stream"


def read(source: Any, reading: Reading) -> None:
    """Read a request, a list of messages, or one message."""
    turns = Turns(Answers("anthropic-messages", reading), reading, _answer, "tool_use")
    place, messages = "", source
    if type(source) is dict and "messages" in source:
        body = reading.members(source, "")
        place, messages = "/messages", body.value("messages")
        _read_system(body, turns.answers, reading)
        body.close("request-member")
    elif type(source) is dict:
        _read_message(reading.members(source, ""), turns, reading)
        turns.end()
        return
    for _, message in reading.items(messages, place):
        _read_message(message, turns, reading)
    turns.end()


def _read_system(body: Members, answers: Answers, reading: Reading) -> None:
    place, system = body.at("system"), body.value("system")
    if system is not None and system != []:
        reading.add("system", SpokenBlocks(answers, reading).parts(system, place, ("text",)))


def _read_message(message: Members, turns: Turns, reading: Reading) -> None:
    role, place, content = message.text("role"), message.at("content"), message.value("content")
    if role is None:
        raise reading.refuse(message.at("role"), "user, assistant or system", message.value("role"))
    if role == "assistant":
        _read_answer(message, content, turns, reading)
    elif role in SPOKEN:
        turns.end()
        parts = SpokenBlocks(turns.answers, reading).parts(content, place, SPOKEN[role])
        add_spoken(role, parts, reading)
    else:
        reading.note("foreign-message", message.place)
        return
    message.close()


# --- answers --------------------------------------------------------------------------------------


def _read_answer(message: Members, content: Any, turns: Turns, reading: Reading) -> None:
    place = message.at("content")
    if type(content) is str:
        content = [{"type": "text", "text": content}] if content else []
    for _, block in reading.items(content, place):
        note_untaken(block)
    message.skip("type", "message")
    body = _answer(content)
    said: dict[str, str] = {}
    message_id = message.text("id")
    if model := message.text("model"):
        body["model"] = model
        said["modelId"] = message.at("model")
    if reason := message.text("stop_reason"):
        said |= dict.fromkeys(REASONS, message.at("stop_reason"))
        body["stop_reason"] = reason
    if (usage := message.object("usage")) is not None:
        said["usage"] = message.at("usage")
        body["usage"] = usage_of(Members(usage, said["usage"], reading), reading)
    kept = {name: value for name in _SAID if (value := message.value(name)) is not None}
    if not said and not kept:
        turns.add(content, place, message_id or None)
        return
    turns.end()
    made = add_whole(turns.answers, {**body, **kept}, place, said, reading)
    if message_id:
        made["messageId"] = message_id


def _answer(content: list[Json]) -> Json:
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}


def usage_of(usage: Members, reading: Reading) -> Json:
    """Take the figures of an answer's usage, and report what else it says."""
    found = figures(usage, usage_figures.ANTHROPIC)
    place = usage.at("output_tokens_details")
    if (details := usage.object("output_tokens_details")) is not None:
        inner = Members(details, place, reading)
        found["output_tokens_details"] = figures(inner, usage_figures.ANTHROPIC_DETAILS)
        inner.close()
    usage.close()
    return found


def note_untaken(block: Members) -> None:
    """Report what the adapter passes over in a block of an assistant."""
    taken = _TAKEN.get(block.text("type") or "")
    if taken is not None:
        for name in taken:
            block.value(name)
        block.close()


# --- what users and tools say ---------------------------------------------------------------------

_IN_RESULTS: Final = ("text", "image", "document", "search_result")
SPOKEN: Final = {"user": (*_IN_RESULTS, "tool_result"), "system": ("text",)}
"""Role → the types of blocks that are parts of its messages."""


class SpokenBlocks:
    """Blocks of content, read as parts."""

    def __init__(self, answers: Answers, reading: Reading) -> None:
        self._answers = answers
        self._reading = reading

    def parts(self, content: Any, place: str, kinds: tuple[str, ...]) -> list[Json]:
        """Return the parts of text, or of blocks of these types."""
        if type(content) is str:
            return [text_part(content)] if content else []
        parts: list[Json] = []
        for at, block in self._reading.items(content, place):
            kind = block.text("type")
            found = self._parts(kind, block) if kind in kinds else None
            if found is None:
                self._reading.note("foreign-part", at)
            else:
                parts += found
                block.close()
        return parts

    def _parts(self, kind: str | None, block: Members) -> list[Json] | None:
        if kind == "text":
            text = block.text("text")
            return None if text is None else [text_part(text)]
        if kind == "tool_result":
            return self._result(block)
        if kind == "search_result":
            return self._simpler(block.value("content"), block.at("content"))
        place, given = block.at("source"), block.object("source")
        if given is None:
            return None
        source = Members(given, place, self._reading)
        form = source.text("type")
        if form == "content":
            parts = self._simpler(source.value("content"), source.at("content"))
        elif kind == "image":
            parts = self._image(form, source)
        else:
            parts = self._document(form, source, block)
        if parts is not None:
            source.close()
        return parts

    def _simpler(self, content: Any, place: str) -> list[Json] | None:
        """Return the texts and images of what has no part of its own."""
        if type(content) not in (str, list):
            return None
        self._reading.note("content-form", place)
        return self.parts(content, place, ("text", "image"))

    def _result(self, block: Members) -> list[Json] | None:
        call_id = block.text("tool_use_id")
        if not call_id:
            return None
        place, content = block.at("content"), block.value("content")
        given = "" if content is None else content
        if type(given) is not str:
            given = self.parts(given, place, _IN_RESULTS)
        call_id = answered(self._answers, call_id)
        return [result_part(call_id, given, is_error=block.flag("is_error") or False)]

    def _image(self, form: str | None, source: Members) -> list[Json] | None:
        part: Json | None = None
        if form == "base64" and (mime_type := source.text("media_type")):
            part = inline(mime_type, source.text("data") or "")
        elif form == "url" and (url := source.text("url")):
            part = url_part(url, None, source.place, self._reading, image=True)
        elif form == "file" and (file_id := source.text("file_id")):
            self._reading.note("mime-invented", source.place)
            part = {"kind": "file_ref", "payload": {"path": file_id, "mimeType": "image/*"}}
        return None if part is None else [part]

    def _document(self, form: str | None, source: Members, block: Members) -> list[Json] | None:
        name = block.text("title")
        part: Json | None = None
        if form == "base64" and (mime_type := source.text("media_type")):
            part = inline(mime_type, source.text("data") or "", name)
        elif form == "text" and (text := source.text("data")) is not None:
            part = text_document(text, source.text("media_type") or "text/plain", name)
        elif form == "url" and (url := source.text("url")):
            part = media_part(_PDF, {"kind": "url", "url": url}, name)
        elif form == "file" and (file_id := source.text("file_id")):
            part = {"kind": "file_ref", "payload": {"path": file_id}}
            if name:
                self._reading.note("mime-invented", source.place)
                part = media_part(_BYTES, {"kind": "ref", "ref": file_id}, name)
        return None if part is None else [part]
