"""The losses of one document or stream that is read or written."""

from __future__ import annotations

from collections import Counter
from typing import Final

from partwire.losses import Loss
from partwire.tables.losses import FORMAT_LOSSES

__all__ = ["MOST_LOSSES", "Losses"]

MOST_LOSSES: Final = 10_000
"""Losses of one code that are kept: histories are long, and each place counts; but what a hostile
document costs has an end.
"""
_MORE: Final = "losses-left-out"


class Losses:
    """Losses by code and place, each once, and bounded whatever the document.

    Of one code the first :data:`MOST_LOSSES` are kept; a loss ``losses-left-out`` for the code says
    how many more there were.
    """

    __slots__ = ("_counts", "_kept")

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Loss] = {}
        self._counts: Counter[str] = Counter()

    def note(self, code: str, place: str) -> None:
        """Note a loss at a place of the source."""
        if (code, place) in self._kept:
            return
        self._counts[code] += 1
        if self._counts[code] <= MOST_LOSSES:
            severity, detail = FORMAT_LOSSES[code]
            self._kept[code, place] = Loss(place, code, severity, detail)

    @property
    def found(self) -> list[Loss]:
        """The losses so far, as they came, and behind them the counts of those left out."""
        severity, detail = FORMAT_LOSSES[_MORE]
        more = [
            Loss("", _MORE, severity, f"{detail}: {code}, {count - MOST_LOSSES:,}")
            for code, count in self._counts.items()
            if count > MOST_LOSSES
        ]
        return [*self._kept.values(), *more]
