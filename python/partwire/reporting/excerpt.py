"""One line of a file with a caret below the place that a finding speaks of."""

from __future__ import annotations

from typing import Final

from .cells import Cell, cell, columns, first, is_encodable, last

__all__ = ["excerpt"]

_LEAST: Final = 20
"""Columns of text that are shown, however narrow the terminal is."""
_LOOK: Final = 2_000
"""Characters on either side of the place that are looked at: a line may have millions."""


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
    left = [cell(char, encoding) for char in text[start:place]]
    right = [cell(char, encoding) for char in text[place:end]]
    dots: list[Cell] = [("…", 1)] if is_encodable("…", encoding) else [(".", 1)] * 3
    # What explains a place is mostly before it: two thirds of the room where both sides are long.
    before = max(room * 2 // 3, room - max(columns(right), 1))
    shown = last(left, before)
    if start or missing or len(shown) < len(left):
        shown = [*dots, *last(left, before - len(dots))]
    caret = columns(shown)
    rest = first(right, room - caret)
    if end < len(text) or len(rest) < len(right):
        rest = [*first(right, room - caret - len(dots)), *dots]
    told = "".join(each for each, _ in (*shown, *rest))
    margin = " " * (len(head) - 2)
    return [f"{head}{told}".rstrip(), f"{margin}| {' ' * caret}^"]
