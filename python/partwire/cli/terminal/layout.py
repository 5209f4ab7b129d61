"""How a terminal is written to: labels on the left, texts beside them, safe whatever they hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...reporting.cells import clipped_to, wrapped
from ..report.render import has_colour, is_terminal, stdout_encoding, terminal_width

__all__ = ["Layout", "layout_of"]

_LABEL_COLUMNS: Final = 11
_NARROW: Final = 50
"""Below that, a label is on a line of its own."""
_LEAST: Final = 20
_PIPED_COLUMNS: Final = 100
_STYLES: Final = {
    "thinking": "3;35",
    "call": "36",
    "result": "36",
    "error": "31",
    "warning": "33",
    "finish": "1",
    "head": "1",
    "dim": "2",
}


class Layout(NamedTuple):
    """The columns, the encoding and the colours of where lines are written."""

    width: int
    encoding: str = "utf-8"
    colour: bool = False

    @property
    def indent(self) -> int:
        """The columns before a text."""
        return 2 if self.width < _NARROW else 2 + _LABEL_COLUMNS

    @property
    def room(self) -> int:
        """The columns of a text."""
        return max(self.width - self.indent, _LEAST)

    def styled(self, text: str, style: str) -> str:
        """Return a text, which is safe already, in the colours of a style, if it has any here."""
        code = _STYLES.get(style) if self.colour else None
        return f"\x1b[{code}m{text}\x1b[0m" if code and text else text

    def clipped(self, text: str, style: str = "") -> str:
        """Return one line, as much of it as fits."""
        line = text.replace("\n", "\\n").replace("\t", " ")
        return self.styled(clipped_to(line, max(self.width, _LEAST), self.encoding), style)

    def lines(self, text: str) -> list[tuple[str, str]]:
        """Return the lines that a text takes: as they are in it, and as they are shown."""
        return list(wrapped(text, self.room, self.encoding))

    def entry(self, label: str, text: str) -> Iterator[str]:
        """Yield a text with its label."""
        yield from self.placed(label, [shown for _, shown in self.lines(text)])

    def placed(self, label: str, shown: list[str], *, goes_on: bool = False) -> Iterator[str]:
        """Yield lines behind their label; ``goes_on``: the label has been written before."""
        margin = " " * self.indent
        if not goes_on:
            head = self.styled(clipped_to(label, _LABEL_COLUMNS - 1, self.encoding), "head")
            if self.width < _NARROW:
                yield head
            else:
                gap = " " * max(1, _LABEL_COLUMNS - len(label[: _LABEL_COLUMNS - 1]))
                first, *shown = shown or [""]
                yield f"  {head}{gap}{self.styled(first, label)}".rstrip()
        for line in shown:
            yield f"{margin}{self.styled(line, label)}".rstrip()


def layout_of(*, err: bool) -> Layout:
    """Return how to write to stdout, or to stderr."""
    # The last column stays free: terminals differ in what a character there does.
    width = terminal_width() - 1 if is_terminal(err=err) else _PIPED_COLUMNS
    return Layout(width, stdout_encoding(), has_colour(err=err))
