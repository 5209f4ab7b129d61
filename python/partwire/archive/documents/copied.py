"""Lines as they are: what an input of another form is, as lines."""

from __future__ import annotations

from typing import ClassVar

from .rows import Lines

__all__ = ["CopyLines"]


class CopyLines:
    """Writes each line as it is."""

    keeps_text: ClassVar[bool] = True

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        for _, text in lines.documents():
            lines.write("documents", text)
            lines.used += 1
