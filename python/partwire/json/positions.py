"""Line and column of a JSON Pointer in JSON text, and of what keeps a text from being JSON."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from codecs import BOM_UTF8
from functools import cached_property
from typing import Final, NamedTuple

from .pointer import names

__all__ = ["Position", "Positions"]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
# Numbers stay text: an integer of any length costs nothing, and is never read.
_decoder: Final = json.JSONDecoder(parse_int=len, parse_float=len)
_skip: Final = _decoder.raw_decode


class Position(NamedTuple):
    """Both 1-based; columns count characters."""

    line: int
    column: int


class Positions:
    """Finds pointers in one text; each container is read once, and only on the way to one."""

    def __init__(self, data: bytes) -> None:
        """``data`` is JSON text, but for :meth:`find_fault`; a byte order mark is not counted."""
        self._data = data.removeprefix(BOM_UTF8)
        self._children: dict[int, dict[str, tuple[int, int]]] = {}

    @cached_property
    def _text(self) -> str:
        return self._data.decode("utf-8", "replace")

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self._text)]

    def find(self, pointer: str) -> Position:
        """Return where a pointer leads: a member's name, an item, or as deep as the text goes.

        Raises ValueError, IndexError or RecursionError for what is not JSON text.
        """
        value = shown = self._past_space(0)
        for name in names(pointer):
            found = self._below(value).get(name)
            if found is None:
                break
            shown, value = found
        return self._position(shown)

    def find_fault(self) -> Position | None:
        """Return where the text stops being JSON in UTF-8; None where it does not.

        Raises ValueError or RecursionError where that has no place: nesting, wide integers.
        """
        try:
            text = self._data.decode()
        except UnicodeDecodeError as error:
            return self._position(len(self._data[: error.start].decode()))
        try:
            _decoder.decode(text)
        except json.JSONDecodeError as error:
            return self._position(error.pos)
        return None

    def line_text(self, line: int) -> str:
        """Return a line, from 1, without its end."""
        start = self._line_ends[line - 2] + 1 if line > 1 else 0
        end = self._text.find("\n", start)
        return self._text[start : None if end < 0 else end].removesuffix("\r")

    def _position(self, offset: int) -> Position:
        number = bisect_left(self._line_ends, offset)
        start = self._line_ends[number - 1] + 1 if number else 0
        return Position(number + 1, offset - start + 1)

    def _past_space(self, start: int) -> int:
        match = _SPACE.match(self._text, start)
        return match.end() if match else start

    def _below(self, start: int) -> dict[str, tuple[int, int]]:
        """Return name → where it is shown, where its value begins; of two equal names the last."""
        if start not in self._children:
            opening = self._text[start : start + 1]
            self._children[start] = self._read(start + 1, opening) if opening in ("{", "[") else {}
        return self._children[start]

    def _read(self, here: int, opening: str) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        here = self._past_space(here)
        while self._text[here] not in "}]":
            name, shown = str(len(found)), here
            if opening == "{":
                name, here = _skip(self._text, here)
                here = self._past_space(self._past_space(here) + 1)
            found[name] = (shown, here)
            here = self._past_space(_skip(self._text, here)[1])
            if self._text[here] == ",":
                here = self._past_space(here + 1)
        return found
