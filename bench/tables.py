"""What a table is: the same for the terminal and for docs/bench.md."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Table"]


class Table(NamedTuple):
    """A heading, a sentence or two, and rows; the first row is the header."""

    title: str
    about: str
    rows: list[list[str]]
