"""Where the parts of a stream stand for a reader that does not get all of them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from partwire.reading.plain import whole_number

from .members import Json
from .opaque_state import OFFSET, TEXTS, has_form, shifted

__all__ = ["StreamPlaces"]

_BEGIN: Final = frozenset(
    {"server_tool_call_start", "server_tool_result", "approval_request", "media_start"}
)
"""The kinds of deltas that begin a part which v0.2 does not have."""


class _Part(NamedTuple):
    """Where a part stands for the reader, None if it is left out, and its characters there."""

    place: int | None
    start: int = 0
    size: int = 0


class StreamPlaces:
    """The parts that have begun, as the assembler counts them, and as the reader's does.

    State says by ``partOffset`` to which part it belongs, and by ``start`` and ``end`` to which
    characters: both change where parts go, as text on both sides of one is one for the reader.
    """

    def __init__(self) -> None:
        self._parts: list[_Part] = []
        self._calls: dict[str, int] = {}
        self._open = ""  # the kind of text that can be joined
        self._count = 0  # of the reader's parts
        self._reader_open = ""
        self._is_same = True
        self._last_seq = -1
        self._given: dict[int, Json | None] = {}

    def begin(self, kind: str, seq: int) -> None:
        """Take a delta that the reader does not get."""
        if kind in _BEGIN and seq > self._last_seq:
            self._parts.append(_Part(None))
            self._open, self._is_same = "", False
        self._last_seq = max(self._last_seq, seq)

    def data(self, kind: str, seq: int, text: str, call_id: Any, data: Json | None) -> Json | None:
        """Take a delta that the reader gets; return the data of its state as the reader gets it.

        None where no state is left. A delta that comes again gives the same again.
        """
        if seq <= self._last_seq:
            return self._given.get(seq, data)
        self._last_seq = seq
        index = self._text(kind, text, data) if kind in TEXTS else self._call(kind, call_id)
        if data is None or index is None or self._is_same:
            made = data
        else:
            is_ours = has_form(data, kind if kind in TEXTS else "tool_call")
            made = self._moved(data, index) if is_ours else data
            self._given[seq] = made
        if kind in TEXTS and made is not None:
            self._reader_open = ""
        return made

    def _text(self, kind: str, text: str, data: Json | None) -> int | None:
        if not text and data is None:
            return None
        if self._open != kind:
            part = _Part(self._count)
            if self._reader_open == kind:
                last = next(each for each in reversed(self._parts) if each.place is not None)
                part = _Part(last.place, last.start + last.size)
            else:
                self._count += 1
            self._parts.append(part)
        own = self._parts[-1]
        self._parts[-1] = own._replace(size=own.size + len(text))
        self._open = kind if data is None else ""
        self._reader_open = kind
        return len(self._parts) - 1

    def _call(self, kind: str, call_id: Any) -> int | None:
        if not isinstance(call_id, str):
            return None
        if kind == "tool_call_start":
            self._calls[call_id] = len(self._parts)
            self._parts.append(_Part(self._count))
            self._count += 1
            self._open = self._reader_open = ""
        return self._calls.get(call_id)

    def _moved(self, data: Json, index: int) -> Json | None:
        """Return the data of the state of a part with its items where they belong now.

        An item of a part that is left out is left out, and so is one of a part that has not begun
        and may be.
        """
        place = self._parts[index].place or 0
        items = []
        for item in data.get("items", []):
            target = index + (whole_number(item.get(OFFSET)) or 0)
            if target < 0:
                items.append(item)
                continue
            end = len(self._parts)
            joins = target == end and self._reader_open and self._parts[-1].place is None
            part = _Part(self._count) if target == end and not joins else _Part(None)
            part = self._parts[target] if target < end else part
            if part.place is None:
                continue
            made = shifted(item, part.start, part.size) if part.start else dict(item)
            made.pop(OFFSET, None)
            if part.place != place:
                made[OFFSET] = part.place - place
            items.append(made)
        others = {name: each for name, each in data.items() if name != "items"}
        return {**others, "items": items} if items else others or None
