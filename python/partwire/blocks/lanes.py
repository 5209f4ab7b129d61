"""Blocks that are written at once, brought into the order in which they began.

Deltas and chunks alike may go back and forth between the blocks of one message, but neither of
the two can say so in the other's way. So only the first block that is not closed, the front, is
written through; what comes for a later one waits in its lane.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

from ..message.assembler.text import TextBuffer

__all__ = ["Lane", "Lanes"]


T = TypeVar("T")


class Lane(Generic[T]):
    """One block from its start to its end: text, some of which may wait, or an item."""

    __slots__ = ("_text", "begun", "index", "is_text", "item", "open", "pointer")

    def __init__(self, pointer: str, *, is_text: bool = True, index: int = -1) -> None:
        self.pointer = pointer  # to what began it
        self.is_text = is_text
        self.item: T | None = None
        self.index = index
        self.open = True
        self.begun = False  # whether its text has been written on
        self._text = TextBuffer()

    def hold(self, text: str) -> None:
        """Let text wait."""
        self._text.add(text)

    @property
    def holds(self) -> bool:
        """Whether text waits."""
        return bool(self._text.chunks or self._text.tail)

    def held(self) -> str:
        """Return the text that waits, joined."""
        return self._text.text() if self.holds else ""


class Lanes(Generic[T]):
    """The blocks that are not written to their end, in the order of their start."""

    __slots__ = ("_queue",)

    def __init__(self) -> None:
        self._queue: deque[Lane[T]] = deque()

    def add(self, lane: Lane[T]) -> bool:
        """Add a block; return whether it is the front."""
        self._queue.append(lane)
        return len(self._queue) == 1

    def is_front(self, lane: Lane[T]) -> bool:
        """Return whether ``lane`` may be written through."""
        return self._queue[0] is lane

    def advance(self) -> Iterator[Lane[T]]:
        """Leave closed blocks behind; yield each block that becomes the front, closed or open."""
        while self._queue and not self._queue[0].open:
            self._queue.popleft()
            if self._queue:
                yield self._queue[0]

    def rest(self) -> Iterator[Lane[T]]:
        """Yield what waits behind the front, and leave everything behind: the stream failed."""
        while self._queue:
            self._queue.popleft()
            if self._queue:
                yield self._queue[0]
