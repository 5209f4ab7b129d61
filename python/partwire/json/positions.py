"""Line and column of a JSON Pointer in JSON text."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Final, NamedTuple

from .pointer import names

__all__ = ["Position", "Positions"]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
# Numbers stay text: an integer of any length costs nothing, and is never read.
_skip: Final = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode


class Position(NamedTuple):
    """Both 1-based; columns count characters."""

    line: int
    column: int


class Positions:
    """Finds pointers in one text; each container is read once, and only on the way to one."""

    def __init__(self, data: bytes) -> None:
        """``data`` has to be JSON text that has been decoded before."""
        self._data = data
        self._children: dict[int, dict[str, tuple[int, int]]] = {}

    @cached_property
    def _text(self) -> str:
        return self._data.decode("utf-8", "replace")

    def find(self, pointer: str) -> Position:
        """Return where a pointer leads: a member's name, an item, or as deep as the text goes."""
        value = shown = self._past_space(0)
        for name in names(pointer):
            found = self._below(value).get(name)
            if found is None:
                break
            shown, value = found
        line = self._text.count("\n", 0, shown) + 1
        return Position(line, shown - self._text.rfind("\n", 0, shown))

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
