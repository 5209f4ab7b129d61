"""Counting in the native core, along a plan: what :mod:`.counting` counts, faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from ...native_core import core
from .counting import Counted, Measured, plan_of

__all__ = ["NativeCounting", "native_counting"]

_NO_BOUND: Final = (1 << 64) - 1


def native_counting(measured: Measured) -> NativeCounting | None:
    """Return what counts in the native core; None without one, or with one that does not count."""
    if not hasattr(core(), "Counting"):
        return None
    return NativeCounting(measured)


class NativeCounting:
    """Counts what valid documents of a type have."""

    def __init__(self, measured: Measured) -> None:
        self._counting = core().Counting(msgspec.json.encode(plan_of(measured)).decode())

    @property
    def rows(self) -> int:
        """How many rows are held."""
        held: int = self._counting.rows()
        return held

    def take(self, documents: Sequence[bytes], odd: Sequence[int], first: int) -> list[int]:
        """Count documents but the odd ones; return the indexes of all that are not counted.

        ``first`` is the number of the first document. Those that are not odd have to be valid.
        """
        left: list[int] = self._counting.take(documents, odd, first)
        return left

    def bound(self, bounds: Mapping[str, int]) -> None:
        """Say from which digest on things are not in the samples."""
        for name, bound in bounds.items():
            self._counting.bound(name, min(bound, _NO_BOUND))

    def take_out(self) -> Counted:
        """Return what has been counted since the last time."""
        told = msgspec.json.decode(self._counting.take_out())
        return Counted(
            told["members"],
            {
                name: [(tuple(key), mark, at, values) for key, mark, at, values in rows]
                for name, rows in told["sums"].items()
            },
            {
                name: [(int(digest), values) for digest, values in rows]
                for name, rows in told["samples"].items()
            },
        )
