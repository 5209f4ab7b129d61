"""Cohere Chat v2: a request body, its messages, or one of them; an answer.

- A message of the role tool is one result; those in a row are one message.
- A document in a result is its data, or its text; JSON in a text stays text.
- What an answer says of itself (usage, why it ended) is its message's ``meta``.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.tables import usage_figures

from ..core.parts import result_part, text_part
from ..core.reading import Json, Members, Reading
from .answers import Answers
from .openai_media import at_url
from .pieces import REASONS, add_spoken, add_whole, answered, figures, made_id, sole_text

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
    history = _History(reading)
    if type(source) is not dict:
        history.read(source, "")
        return
    body = reading.members(source, "")
    if "messages" in body:
        history.read(body.value("messages"), body.at("messages"))
        body.close("request-member")
    elif "message" in body:
        _read_answer(body, Answers("cohere-v2", reading), reading)
    else:
        history.add(body)
        history.add_results()


class _History:
    """The messages read so far; results in a row are held until their row ends."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._answers = Answers("cohere-v2", reading)
        self._results: list[Json] = []

    def read(self, messages: Any, place: str) -> None:
        """Read messages."""
        for _, message in self._reading.items(messages, place):
            self.add(message)
        self.add_results()

    def add(self, message: Members) -> None:
        """Read one message."""
        reading, role = self._reading, message.text("role")
        if role is None:
            expected = "user, assistant, system or tool"
            raise reading.refuse(message.at("role"), expected, message.value("role"))
        if role == "tool":
            self._results.append(_result(message, self._answers, reading))
            message.close()
            return
        if role == "assistant":
            self.add_results()
            said = _said(message, reading)
            text = None if any(map(said.get, _SAID)) else sole_text(said["content"])
            if text is not None:
                self._answers.add_text(text)
            else:
                body = {"message": said, "finish_reason": "COMPLETE"}
                self._answers.add(body, message.place)
        elif role in _KINDS:
            self.add_results()
            parts = _parts(message.value("content"), message.at("content"), _KINDS[role], reading)
            reading.add(role, parts)
        else:
            reading.note("foreign-message", message.place)
            return
        message.close()

    def add_results(self) -> None:
        """Add the message of the results that are held."""
        if self._results:
            add_spoken("tool", self._results, self._reading)
            self._results = []


# --- answers --------------------------------------------------------------------------------------


def _read_answer(body: Members, answers: Answers, reading: Reading) -> None:
    """Read an answer, its message among what it says of itself."""
    message = reading.members(body.value("message"), body.at("message"))
    message.skip("role", "assistant")
    made: Json = {"message": _said(message, reading)}
    message.close()
    said: dict[str, str] = {}
    if request_id := body.text("id"):
        made["id"] = request_id
        said["requestId"] = body.at("id")
    if reason := body.text("finish_reason"):
        said |= dict.fromkeys(REASONS, body.at("finish_reason"))
    made["finish_reason"] = reason or "COMPLETE"
    if (usage := body.object("usage")) is not None:
        said["usage"] = body.at("usage")
        made["usage"] = _usage(Members(usage, said["usage"], reading), reading)
    add_whole(answers, made, message.place, said, reading)
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
    if not own:
        reading.note("call-id-invented", message.place)
    call_id = answered(answers, own) if own else _next_id(answers, message.place)
    if type(content) is str:
        return result_part(call_id, content)
    parts = [] if content is None else _parts(content, place, _KINDS["tool"], reading)
    is_text = len(parts) == 1 and parts[0]["kind"] == "text"
    return result_part(call_id, parts[0]["payload"]["text"] if is_text else parts or "")


def _next_id(answers: Answers, place: str) -> str:
    """Return the id of the first call that waits, or one for a result whose call is not there."""
    call = answers.calls.of_name(None)
    return made_id(place) if call is None else call.call_id


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
        return at_url(given, place, reading, image=True)
    if type(given) is not dict:
        return None
    image = Members(given, place, reading)
    url = image.text("url")
    if not url:
        return None
    part = at_url(url, image.at("url"), reading, image=True)
    if part is not None:
        image.close()
    return part
