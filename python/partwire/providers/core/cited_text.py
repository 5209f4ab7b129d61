"""Where a provider's citations point to: its places in text → places in one part of ours."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

from partwire.reading.plain import whole_number

from .opaque import well_formed

__all__ = ["CitedPlace", "CitedText"]

_STEP: Final = 1024  # characters: what is looked through for one place


class CitedPlace(NamedTuple):
    """A stretch of a part's text: its code points from ``start`` to ``end``."""

    part: int
    start: int
    end: int


class _Piece(NamedTuple):
    part: int
    start: int  # code points of the part before it
    text: str


class CitedText:
    """The text in which a provider counts, over all parts that hold it.

    Places are code points, or UTF-8 bytes with ``in_bytes``. Text is that which is written:
    halves of characters are joined, and a lone one counts as U+FFFD.
    """

    def __init__(self, *, in_bytes: bool = False) -> None:
        self._in_bytes = in_bytes
        self._begins: list[int] = []  # of each piece, as the provider counts
        self._pieces: list[_Piece] = []
        self._length = 0
        self._half: _Piece | None = None

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._pieces or self._half)

    @property
    def part(self) -> int:
        """The part that holds the last of it."""
        return (self._half or self._pieces[-1]).part

    def add(self, part: int, start: int, text: str) -> None:
        """Take text that the provider sent; ``start`` is the part's length before it."""
        if self._half is not None and self._half.part == part:
            text, start = self._half.text + text, self._half.start
            self._half = None
        self._end_half()
        if not text.isascii():
            if "\ud800" <= text[-1] <= "\udbff":
                text, half = text[:-1], text[-1]
                text = well_formed(text)
                self._half = _Piece(part, start + len(text), half)
            else:
                text = well_formed(text)
        for at in range(0, len(text), _STEP):
            self._append(_Piece(part, start + at, text[at : at + _STEP]))

    def find(self, start: object, end: object, said: object = None) -> CitedPlace | None:
        """Return where a stretch is; None where it is in no one part, or ``said`` is not there."""
        self._end_half()
        start, end = whole_number(start), whole_number(end)
        if start is None or end is None or not 0 <= start < end <= self._length:
            return None
        if isinstance(said, str) and self._width(said := well_formed(said)) != end - start:
            return None
        number = bisect_right(self._begins, start) - 1
        first = self._pieces[number]
        skipped = self._chars(first.text, start - self._begins[number])
        if skipped is None:
            return None
        at = first.start + skipped
        texts: list[str] = []
        reached = at
        while True:
            piece = self._pieces[number]
            if piece.part != first.part or piece.start + skipped != reached:
                return None
            last = self._chars(piece.text, end - self._begins[number])
            texts.append(piece.text[skipped:last])
            reached += len(texts[-1])
            if self._begins[number] + self._width(piece.text) >= end:
                break
            number, skipped = number + 1, 0
        if last is None or (isinstance(said, str) and "".join(texts) != said):
            return None
        return CitedPlace(first.part, at, reached)

    def _append(self, piece: _Piece) -> None:
        self._begins.append(self._length)
        self._pieces.append(piece)
        self._length += self._width(piece.text)

    def _end_half(self) -> None:
        if self._half is not None:
            half, self._half = self._half, None
            self._append(half._replace(text="\ufffd"))

    def _width(self, text: str) -> int:
        return len(text.encode()) if self._in_bytes and not text.isascii() else len(text)

    def _chars(self, text: str, units: int) -> int | None:
        """Return how many code points ``units`` are, None where they end inside of one."""
        if not self._in_bytes or text.isascii():
            return min(units, len(text))
        try:
            return len(text.encode()[:units].decode())
        except UnicodeDecodeError:
            return None
