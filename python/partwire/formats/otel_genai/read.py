"""Messages of spans: the three attributes, or a list of messages or of instructions by itself.

- Results of tools are in messages of any role; they become a tool message, at their place.
- Attributes may be JSON text. Content may be left out, for privacy: text is empty then.
"""

from __future__ import annotations

from typing import Any, Final

from ...json.text import decode_json
from ..core.extension import PARTWIRE, restored
from ..core.reading import Json, Members, Reading
from .names import ATTRIBUTES, FINISH_REASONS, INPUT, INSTRUCTIONS, OUTPUT, OWN, PARTS, ROLE, ROLES
from .parts_read import PartReader

__all__ = ["ReadBack", "read"]

_ALL: Final = "pydantic_ai.all_messages"
"""All that was said in a run, which pydantic-ai gives beside."""
_OTHER: Final = {
    "system_instructions": INSTRUCTIONS,
    "input_messages": INPUT,
    "output_messages": OUTPUT,
}

_KINDS: Final = {
    "system": ("text",),
    "user": ("text", "image", "media"),
    "assistant": (
        "text",
        "thinking",
        "image",
        "media",
        "tool_call",
        "server_tool_call",
        "server_tool_result",
    ),
    "tool": (),
}
"""Role → the kinds of parts that its messages have; results have a message of their own."""


def read(source: Any, reading: Reading) -> None:
    """Read a span or its attributes, a list of messages or of instructions, or one message."""
    history = _History(reading)
    if type(source) is dict and ("role" in source or PARTS in source):
        history.message(reading.members(source, ""))
    elif type(source) is dict:
        _read_attributes(reading.members(source, ""), history, reading)
    else:
        _read_list(source, "", history, reading)


def _read_attributes(span: Members, history: _History, reading: Reading) -> None:
    if type(span.peek("attributes")) is dict:
        place, inner = span.at("attributes"), span.value("attributes")
        span.close("request-member")
        span = Members(inner, place, reading)
    for other, name in _OTHER.items():
        if other in span and name not in span:
            span.put(name, span.value(other))
    names: tuple[str, ...] = ATTRIBUTES
    if _ALL in span and INPUT not in span and OUTPUT not in span:
        names = (INSTRUCTIONS, _ALL)
    if not any(name in span for name in names):
        expected = f"{INPUT}, {OUTPUT} or {INSTRUCTIONS}"
        raise reading.refuse(span.place, expected, span.whole())
    for name in names:
        place, value = span.at(name), span.value(name)
        if isinstance(value, str):
            value = _decoded(value, place, reading)
        if value is None:
            continue
        if name == INSTRUCTIONS:
            history.instructions(value, place)
        else:
            _read_list(value, place, history, reading)
    span.close("request-member")


def _decoded(text: str, place: str, reading: Reading) -> Any:
    if not text.lstrip().startswith(("[", "{")):
        raise reading.refuse(place, "an array, or the JSON text of one", text)
    return decode_json(text.encode())


def _read_list(source: Any, place: str, history: _History, reading: Reading) -> None:
    first = source[0] if type(source) is list and source else None
    if type(first) is dict and "type" in first and ROLE not in first and PARTS not in first:
        history.instructions(source, place)
        return
    for _, message in reading.items(source, place):
        history.message(message)


class ReadBack:
    """Reads what a writer writes, message by message."""

    def __init__(self) -> None:
        self._reading = Reading(OWN)
        self._history = _History(self._reading)

    def read(self, written: Any, *, instructions: bool = False) -> list[Json]:
        """Return the messages of one, as JSON objects that nobody has checked."""
        before = len(self._reading.messages)
        if instructions:
            self._history.instructions(written, "")
        else:
            self._history.message(self._reading.members(written, ""))
        return self._reading.messages[before:]


class _History:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._parts = PartReader(reading)

    def instructions(self, parts: Any, place: str) -> None:
        """Read instructions, which are a message of the system."""
        if type(parts) is dict:
            parts = [parts]
        found = list(self._reading.items(parts, place))
        extension = found[0][1].value(PARTWIRE) if found else None
        runs = self._runs("system", [part for _, part in found])
        self._add(runs, extension, f"{place}/0/{PARTWIRE}")

    def message(self, message: Members) -> None:
        """Read a message."""
        reading, given = self._reading, message.text(ROLE)
        place, parts = message.at(PARTS), message.value(PARTS)
        if given is None:
            raise reading.refuse(message.at(ROLE), "a role", message.value(ROLE))
        role = ROLES.get(given)
        found = [part for _, part in reading.items(parts, place)]
        extension = message.value(PARTWIRE)
        if role is None:
            reading.note("foreign-message", message.place)
            return
        runs = self._runs(role, found)
        for each in runs:
            if given != each["role"]:
                reading.note("role-form", message.at(ROLE))
                each["own"][ROLE] = given
        spoken = [each for each in runs if each["role"] == role]
        if spoken:
            self._head(message, spoken)
        self._add(runs, extension, message.at(PARTWIRE))
        message.close()

    def _head(self, message: Members, runs: list[Json]) -> None:
        """Take the members of a message: its author, and why a model stopped."""
        if message.has_text("name"):
            author = {"name": message.text("name")}
            for each in runs:
                each["author"] = author
        reason = message.text("finish_reason") if runs[0]["role"] == "assistant" else None
        if reason:
            known = FINISH_REASONS.get(reason)
            name = "providerFinishReason" if known is None else "finishReason"
            runs[-1]["meta"] = {name: known or reason}

    def _add(self, runs: list[Json], extension: Any, place: str) -> None:
        for each in runs:
            kept = each.pop("kept")
            own = each.pop("own") | ({PARTS: kept} if kept else {})
            meta = each.pop("meta", {}) | ({OWN: own} if own else {})
            if meta:
                each["meta"] = meta
        if extension is not None:
            runs = restored(runs, extension, self._reading, place)
        for each in runs:
            self._reading.add(each.pop("role"), each.pop(PARTS), **each)

    def _runs(self, role: str, parts: list[Members]) -> list[Json]:
        """Return the messages of parts: results are a tool's, others of the role."""
        runs: list[Json] = []
        answered: set[str] = set()
        self._parts.begin()
        for part in parts:
            is_answer = role == "tool" and part.whole().get("type") == "text"
            made = self._parts.answer(part) if is_answer else self._parts.read(part)
            kind = "" if made is None else made[0]["kind"]
            if made is None or (kind != "tool_result" and kind not in _KINDS[role]):
                self._reading.note("foreign-part", part.place)
                continue
            said, kept = made
            whose = "tool" if kind == "tool_result" else role
            call_id = said["payload"]["toolCallId"] if whose == "tool" else None
            if not runs or runs[-1]["role"] != whose or call_id in answered:
                runs.append({"role": whose, PARTS: [], "kept": {}, "own": {}})
                answered = set()
            answered |= {call_id} if call_id else set()
            if kept:
                runs[-1]["kept"][str(len(runs[-1][PARTS]))] = kept
            runs[-1][PARTS].append(said)
        return runs or [{"role": role, PARTS: [], "kept": {}, "own": {}}]
