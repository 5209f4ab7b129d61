"""The lines of a file whose bytes are read as something else: how many, and where one is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["FileLines", "SeenLine"]

_HEAD_BYTES: Final = 1024
_BOM: Final = b"\xef\xbb\xbf"
_WHITE: Final = b" \t\r\n"


class SeenLine:
    """A line, as far as it has come."""

    __slots__ = ("before", "head", "is_blank", "length", "number")

    def __init__(self, number: int, before: int) -> None:
        self.number = number
        """From 1."""
        self.before = before
        """How many lines that are not blank are before it."""
        self.head = b""
        """How it begins: all of it, unless it is longer than some hundred bytes."""
        self.length = 0
        self.is_blank = True


class FileLines:
    """Counts lines as they come, in any cut."""

    def __init__(self) -> None:
        self.filled = 0
        """Lines that are not blank."""
        self._line = SeenLine(1, 0)
        self._is_over = False
        self._first: SeenLine | None = None
        self._group: SeenLine | None = None

    @property
    def lines(self) -> int:
        """All lines; the last one may lack its end."""
        return self._line.number if self._line.length else 0

    @property
    def blank(self) -> int:
        """Lines that are blank."""
        return self.lines - self.filled

    @property
    def first(self) -> SeenLine:
        """The first line that is not blank, or else line 1."""
        return self._first or SeenLine(1, 0)

    @property
    def here(self) -> SeenLine:
        """The line that has come last: of server-sent events, the first one of its event."""
        if self._group is None or self._is_json:
            return self._line
        return self._group

    @property
    def next(self) -> SeenLine:
        """The line that comes next; the one that has come last, if it has no end."""
        if self._is_over:
            return SeenLine(self._line.number + 1, self.filled)
        return self._line

    @property
    def _is_json(self) -> bool:
        """Whether what is not server-sent events is in the file, which blank lines do not part."""
        head = self.first.head.removeprefix(_BOM).lstrip(_WHITE)
        return head[:1] < b"\t" or head[:1] in (b"{", b"[")

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Count the lines of a chunk; yield each line of it, or part of one, when it is counted."""
        begin = 0
        while begin < len(chunk):
            end = chunk.find(b"\n", begin) + 1 or len(chunk)
            piece = chunk[begin:end]
            self._add(piece)
            yield piece
            begin = end

    def _add(self, piece: bytes) -> None:
        line = self._line
        if self._is_over:
            if line.is_blank:
                self._group = None
            line = self._line = SeenLine(line.number + 1, self.filled)
        if line.length < _HEAD_BYTES:
            line.head += piece[: _HEAD_BYTES - line.length]
        line.length += len(piece)
        if line.is_blank and piece.strip(_WHITE):
            line.is_blank = False
            self.filled += 1
            self._first = self._first or line
            self._group = self._group or line
        self._is_over = piece.endswith(b"\n")
