"""Argument text that comes piece by piece, or as a whole that grows with every chunk.

A few servers repeat in each chunk all arguments so far; adding those up gives ``{..}{..}{..}``.
What tells the two apart is never that a piece is JSON on its own ("{}" may stand inside a
string), only that chunks extend all that came before: twice in a row, or once where the text
ends there and the last chunk is a whole object. Until that is clear nothing is written that could
not be taken for either.
"""

from __future__ import annotations

from typing import Final

from .raw_events import decode_event

__all__ = ["ArgumentPieces"]

_OPEN: Final = 0
"""No text yet."""
_ONE: Final = 1
"""One piece, written."""
_HELD: Final = 2
"""One piece written, and others, each of which begins with all before it, held back."""
_PLAIN: Final = 3
_CUMULATIVE: Final = 4


class ArgumentPieces:
    """The argument text of one call; :meth:`add` returns what may be written."""

    __slots__ = ("_growths", "_held", "_state", "_whole")

    def __init__(self) -> None:
        self._state = _OPEN
        self._whole = ""  # first piece, then, if cumulative, all that has been written
        self._held: list[str] = []
        self._growths = 0

    @property
    def plain(self) -> bool:
        """Whether pieces are pieces, for certain: they may be written as they come."""
        return self._state == _PLAIN

    @property
    def cumulative(self) -> bool:
        """Whether each chunk repeats all before it, for certain."""
        return self._state == _CUMULATIVE

    def add(self, text: str) -> list[str]:
        """Take the text of one chunk, not empty; return what may be written of it, in order."""
        if self._state == _PLAIN:
            return [text]
        if self._state == _OPEN:
            # Only text that opens an object can be told apart later.
            self._state = _ONE if text.lstrip()[:1] == "{" else _PLAIN
            self._whole = text
            return [text]
        if self._state == _CUMULATIVE:
            return self._grow(text)
        before = self._held[-1] if self._held else self._whole
        if not text.startswith(before):
            return self._give_up(text)
        self._held.append(text)
        self._state = _HELD
        self._growths += len(text) > len(before)
        if self._growths == 2:
            self._state = _CUMULATIVE
            self._held = []
            return self._grow(text)
        return []

    def rest(self) -> tuple[list[str], bool]:
        """Return what is still held back now that the text has ended, and if it was cumulative."""
        held, self._held = self._held, []
        if not held:
            return [], False
        self._state = _PLAIN
        # As pieces an object would begin with a part of one: the two readings cannot both be JSON.
        if type(decode_event(held[-1])) is dict:
            tail = held[-1][len(self._whole) :]
            return [tail] if tail else [], True
        return held, False

    def _grow(self, text: str) -> list[str]:
        if not text.startswith(self._whole):
            if self._whole.startswith(text):
                return []  # an older whole again
            return self._give_up(text)
        tail = text[len(self._whole) :]
        self._whole = text
        return [tail] if tail else []

    def _give_up(self, text: str) -> list[str]:
        held, self._held = self._held, []
        self._state = _PLAIN
        self._whole = ""
        return [*held, text]
