"""What is in a stream while it grows: texts, calls, media, and what came whole."""

from __future__ import annotations

from typing import Any, Final

from ...errors import PartwireError
from ...json.text import decode_json
from ...message.assembler.partial_json import PartialJSON
from .messages import call_text

__all__ = ["Call", "Item", "Media", "Text"]

_MOST_DEPTH: Final = 64
"""Of arguments that are shown while they come."""
_WHOLE_CHARS: Final = 1 << 14
"""Longer arguments are drawn by their end, as they came, until they are there."""


class Growing:
    """A text that comes in pieces; to add one, or to look at the end, does not touch the rest."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.size = 0

    def add(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self.size += len(text)

    def whole(self) -> str:
        text = "".join(self._pieces)
        self._pieces[:] = [text]
        return text

    def tail(self, most: int) -> str:
        """Return the last ``most`` characters, behind a mark where there are more."""
        if self.size <= most:
            return self.whole()
        found, size = list[str](), 0
        for piece in reversed(self._pieces):
            found.append(piece[-most:])
            size += len(piece)
            if size >= most:
                break
        return f"…{''.join(reversed(found))[-most:]}"


class Item:
    """Something with a label: a text, a call, or what came whole. ``is_open``: more may come."""

    is_open = False

    def __init__(self, label: str, text: str = "") -> None:
        self.label = label
        self.text = text
        self.notes: list[tuple[str, str]] = []
        """What belongs behind it, such as sources."""
        self.goes_on = False
        """Whether lines of it, and its label, have been written."""

    def content(self) -> str:
        """Return all of it."""
        return self.text

    def shown(self, most: int) -> str:
        """Return what a picture needs of it: the first line, and the last ``most`` characters."""
        return _tail(self.content(), most)


class Text(Item):
    is_open = True

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self._growing = Growing()

    def feed(self, text: str) -> None:
        self._growing.add(text)

    def replace(self, text: str) -> None:
        self._growing = Growing()
        self.feed(text)

    def content(self) -> str:
        return self._growing.whole()

    def shown(self, most: int) -> str:
        return self._growing.tail(most)


class Call(Item):
    is_open = True

    def __init__(self, payload: Any, *, is_server: bool) -> None:
        super().__init__("call")
        self._name, self._id, self._is_server = payload.tool_name, payload.tool_call_id, is_server
        self._partial = PartialJSON(_MOST_DEPTH)
        self._raw = Growing()
        self._told: str | None = None
        """What it has come to, once it is closed."""

    def feed(self, text: str) -> None:
        self._raw.add(text)
        self._partial.feed(text)

    def content(self) -> str:
        if self.is_open:
            return f"{self._call(self._partial.value())} …"
        if self._told is None:
            arguments: Any = self._partial.value()
            if raw := self._raw.whole():
                try:
                    arguments = decode_json(raw.encode("utf-8", "surrogatepass"))
                except PartwireError:  # it is shown as it came
                    arguments = raw
            self._told = self._call(arguments)
        return self._told

    def shown(self, most: int) -> str:
        if self.is_open and self._raw.size > _WHOLE_CHARS:
            return f"{self._call(None)}\n{self._raw.tail(most)} …"
        return super().shown(most)

    def _call(self, arguments: Any) -> str:
        return call_text(self._name, self._id, arguments, is_server=self._is_server)


class Media(Item):
    is_open = True

    def __init__(self, payload: Any) -> None:
        super().__init__("media", str(payload.mime_type))
        self._bytes = 0
        self._said = Growing()

    def feed(self, payload: Any) -> None:
        for data in (payload.data, payload.data_delta):
            self._bytes += len(data) * 3 // 4 if isinstance(data, str) else 0
        if isinstance(payload.transcript_delta, str):
            self._said.add(payload.transcript_delta)

    def content(self) -> str:
        return self._media(self._said.whole())

    def shown(self, most: int) -> str:
        return self._media(self._said.tail(most))

    def _media(self, said: str) -> str:
        told = f"{self.text}, {self._bytes:,} bytes{' so far' if self.is_open else ''}"
        return f"{told}\n{said}" if said else told


def _tail(text: str, most: int) -> str:
    """Return the first line of a text, and what fits on a screen of the rest."""
    return text if len(text) <= most else f"{text[:most].partition(chr(10))[0]}\n…{text[-most:]}"
