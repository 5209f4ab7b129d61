"""Lines at the end of a terminal that are drawn again and again, below what stays."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from typing import Final, TextIO

from ...reporting.cells import cell, columns

__all__ = ["Screen"]

_COLOURS: Final = re.compile("\x1b\\[[0-9;]*m")


class Screen:
    """Writes to a terminal that moves its cursor; each call of :meth:`draw` is one write."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._drawn: list[str] = []

    @staticmethod
    def rows() -> int:
        """Return how many rows the terminal has now."""
        return shutil.get_terminal_size((80, 24)).lines

    def draw(self, staying: Sequence[str], lines: Sequence[str]) -> None:
        """Replace the lines that were drawn last by ``staying``, which stay, and ``lines``."""
        text = self._erase() + "".join(f"{line}\n" for line in staying) + "\n".join(lines)
        self._drawn = list(lines)
        self._file.write(text)
        self._file.flush()

    def _erase(self) -> str:
        """Return what takes the cursor to the first row of the lines, and clears from there on."""
        if not self._drawn:
            return ""
        # A terminal that was made narrower has wrapped them.
        width = max(1, shutil.get_terminal_size((80, 24)).columns)
        rows = sum(max(1, -(-_columns(line) // width)) for line in self._drawn)
        return (f"\x1b[{rows - 1}A" if rows > 1 else "") + "\r\x1b[J"


def _columns(line: str) -> int:
    return columns([cell(char) for char in _COLOURS.sub("", line)])
