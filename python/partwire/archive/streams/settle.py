"""Take all lines of some runs: together as long as they are in order, and exactly where not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from ...reading.tolerant import Mode
from ..lines import Block, Row
from .exact import OnUnknown, Sink, fold_exactly
from .fold import Kept, fold, kept_messages
from .odd import Odd, StreamSeen, odd_streams

__all__ = ["Gathered", "mode_of", "settle"]


class Gathered(Protocol):
    """All lines of some runs. They are read once, and those of odd streams once more."""

    def blocks(self) -> Iterable[Block]:
        """Yield the lines in the order of storing; a block's own number is of no use."""
        ...

    def rows(self, odd: Odd) -> Iterable[Row]:
        """Yield the lines of odd streams, in the order of storing."""
        ...


def mode_of(on_unknown: OnUnknown) -> Mode:
    """Return how streams are read that are taken together."""
    return "tolerant" if on_unknown == "tolerate" else "strict"


def settle(
    gathered: Gathered, sink: Sink, on_unknown: OnUnknown, most_bytes: int, folder: Path
) -> int:
    """Give the sink what becomes of the lines; return how many there are.

    About ``most_bytes`` are held, and what is beyond goes through files in ``folder``.
    """
    seen: list[StreamSeen] = []
    index: list[Kept] = []
    lines = 0
    path = folder / "messages"
    with path.open("w+b") as spool:
        folds = fold(gathered.blocks(), spool, mode_of(on_unknown), most_bytes, are_all=True)
        for place, folded in enumerate(folds):
            lines += folded.lines
            index += folded.messages
            seen += [each._replace(place=place) for each in folded.streams]
        seen.sort()
        odd = Odd((run_id, message_id) for run_id, message_id, _, _ in odd_streams(seen))
        del seen
        spool.seek(0)
        for text, count in kept_messages(spool, index, odd):
            sink.message(text, count)
    path.unlink()
    if odd:
        fold_exactly(gathered.rows(odd), sink, on_unknown, most_bytes, folder)
    return lines
