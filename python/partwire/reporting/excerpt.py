"""One line of a file with a caret below the place that a finding speaks of."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

__all__ = ["excerpt", "is_encodable"]

_LEAST: Final = 20
"""Columns of text that are shown, however narrow the terminal is."""
_LOOK: Final = 2_000
"""Characters on either side of the place that are looked at: a line may have millions."""
_NO_WIDTH: Final = frozenset({"Mn", "Me"})
_SPELLED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories that steer a terminal, turn the direction of text, or have no shape."""
_SELECTORS: Final = frozenset("\ufe0e\ufe0f")
"""They choose between text and picture, of which terminals give the second another width."""
_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
"""Tones of skin, which are two columns or none, as the terminal likes."""

Cell = tuple[str, int]
"""A character as it is shown, and its columns."""


def excerpt(
    text: str, line: int, column: int, width: int, encoding: str = "utf-8", *, missing: int = 0
) -> list[str]:
    """Return two lines of at most ``width`` columns: the text around a place, and a caret.

    ``column`` counts the characters of the line from 1, of which ``text`` leaves out the first
    ``missing`` ones. A long line is cut on both sides; what ``encoding`` lacks, and what would
    steer a terminal, is spelled out.
    """
    head = f"  {line} | "
    room = max(width - len(head), _LEAST)
    place = min(max(column - 1 - missing, 0), len(text))
    start, end = max(0, place - _LOOK), place + _LOOK
    left = [_cell(char, encoding) for char in text[start:place]]
    right = [_cell(char, encoding) for char in text[place:end]]
    dots: list[Cell] = [("…", 1)] if is_encodable("…", encoding) else [(".", 1)] * 3
    # What explains a place is mostly before it: two thirds of the room where both sides are long.
    before = max(room * 2 // 3, room - max(_columns(right), 1))
    shown = _last(left, before)
    if start or missing or len(shown) < len(left):
        shown = [*dots, *_last(left, before - len(dots))]
    caret = _columns(shown)
    rest = _first(right, room - caret)
    if end < len(text) or len(rest) < len(right):
        rest = [*_first(right, room - caret - len(dots)), *dots]
    told = "".join(each for each, _ in (*shown, *rest))
    margin = " " * (len(head) - 2)
    return [f"{head}{told}".rstrip(), f"{margin}| {' ' * caret}^"]


def is_encodable(text: str, encoding: str) -> bool:
    """Return whether a terminal of this encoding can show ``text``."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _cell(char: str, encoding: str) -> Cell:
    if " " <= char <= "~":
        return char, 1
    if char == "\t":
        return " ", 1
    if char in _SELECTORS:
        return "", 0
    kind = unicodedata.category(char)
    if kind in _SPELLED or char in _TONES or not is_encodable(char, encoding):
        shown = char.encode("ascii", "backslashreplace").decode()
        shown = shown if shown != char else repr(char)[1:-1]
        return shown, len(shown)
    if kind in _NO_WIDTH or "\u1160" <= char <= "\u11ff":  # vowels and ends of Hangul syllables
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _columns(cells: Sequence[Cell]) -> int:
    return sum(width for _, width in cells)


def _first(cells: Sequence[Cell], room: int) -> list[Cell]:
    """Return the cells at the beginning that fit."""
    used = 0
    for at, (_, width) in enumerate(cells):
        used += width
        if used > room:
            return list(cells[:at])
    return list(cells)


def _last(cells: Sequence[Cell], room: int) -> list[Cell]:
    """Return the cells at the end that fit."""
    return _first(cells[::-1], room)[::-1]
