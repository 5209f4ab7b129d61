"""Text in the columns of a terminal: what each character is shown as, and how wide that is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["Cell", "cell", "clipped_to", "columns", "first", "is_encodable", "last", "wrapped"]

_NO_WIDTH: Final = frozenset({"Mn", "Me"})
_SPELLED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories that steer a terminal, turn the direction of text, or have no shape."""
_SELECTORS: Final = frozenset("\ufe0e\ufe0f")
"""They choose between text and picture, of which terminals give the second another width."""
_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
"""Tones of skin, which are two columns or none, as the terminal likes."""

Cell = tuple[str, int]
"""A character as it is shown, and its columns."""


def is_encodable(text: str, encoding: str) -> bool:
    """Return whether a terminal of this encoding can show ``text``."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def cell(char: str, encoding: str = "utf-8") -> Cell:
    """Return a character as it is shown: what steers a terminal, and what the encoding lacks, is
    spelled out.
    """
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


def columns(cells: Sequence[Cell]) -> int:
    """Return how wide cells are."""
    return sum(width for _, width in cells)


def first(cells: Sequence[Cell], room: int) -> list[Cell]:
    """Return the cells at the beginning that fit."""
    used = 0
    for at, (_, width) in enumerate(cells):
        used += width
        if used > room:
            return list(cells[:at])
    return list(cells)


def last(cells: Sequence[Cell], room: int) -> list[Cell]:
    """Return the cells at the end that fit."""
    return first(cells[::-1], room)[::-1]


def clipped_to(text: str, room: int, encoding: str = "utf-8") -> str:
    """Return as much of a line as fits into ``room`` columns, safe to print."""
    cells = [cell(char, encoding) for char in text[: room * 4 + 4]]
    if len(cells) < len(text) or columns(cells) > room:
        dots = "…" if is_encodable("…", encoding) else "..."
        cells = [*first(cells, room - len(dots)), (dots, len(dots))]
    return "".join(shown for shown, _ in cells)


def wrapped(text: str, room: int, encoding: str = "utf-8") -> Iterator[tuple[str, str]]:
    """Yield the lines that a text takes in ``room`` columns, at least one: each as it is in the
    text, and as it is shown. Words stay whole where they fit.
    """
    for line in text.replace("\r\n", "\n").split("\n"):
        yield from _wrapped_line(line.expandtabs(4), room, encoding)


def _wrapped_line(line: str, room: int, encoding: str) -> Iterator[tuple[str, str]]:
    start = 0
    while True:
        shown, used, at, space = list[str](), 0, start, start
        while at < len(line):
            drawn, width = cell(line[at], encoding)
            used += width
            if used > room and at > start:
                break
            if line[at] == " ":
                space = at
            shown.append(drawn)
            at += 1
        # A space at the break is neither on this line nor on the next one.
        end = at if at == len(line) or line[at] == " " or space == start else space
        yield line[start:end], "".join(shown[: end - start])
        if at == len(line):
            return
        start = end + (line[end] == " ")
