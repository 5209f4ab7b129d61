"""Take all lines of some runs: together as long as they are in order, and exactly where not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Protocol

from ..reading.tolerant import Mode
from .exact import OnUnknown, Sink, fold_exactly
from .fold import Kept, fold, kept_messages
from .lines import Block, Row

__all__ = ["Gathered", "mode_of", "settle"]


class Gathered(Protocol):
    """All lines of some runs. They are read once, and those of runs that are odd once more."""

    def blocks(self) -> Iterable[Block]:
        """Yield the lines in the order of storing; a block's own number is of no use."""

    def rows(self, runs: Container[str]) -> Iterable[Row]:
        """Yield the lines of some runs, in the order of storing."""


def mode_of(on_unknown: OnUnknown) -> Mode:
    """Return how streams are read that are taken together."""
    return "tolerant" if on_unknown == "tolerate" else "strict"


def settle(
    gathered: Gathered, sink: Sink, on_unknown: OnUnknown, most_bytes: int, folder: Path
) -> int:
    """Give the sink what becomes of the lines; return how many there are.

    About ``most_bytes`` are held, and what is beyond goes through files in ``folder``.
    """
    seen: Counter[str] = Counter()
    dirty: set[str] = set()
    index: list[Kept] = []
    lines = 0
    path = folder / "messages"
    with path.open("w+b") as spool:
        for folded in fold(gathered.blocks(), spool, mode_of(on_unknown), most_bytes):
            lines += folded.lines
            index += folded.messages
            seen.update(iter(folded.runs))
            dirty.update(name for name, run in folded.runs.items() if not run.is_clean)
        odd = dirty | {name for name, times in seen.items() if times > 1}
        spool.seek(0)
        for text, count in kept_messages(spool, index, odd):
            sink.message(text, count)
    path.unlink()
    if odd:
        fold_exactly(gathered.rows(odd), sink, on_unknown, most_bytes, folder)
    return lines
