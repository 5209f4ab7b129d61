"""Counting in the native core, along a plan: what :mod:`.counting` counts, faster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ...native_core import core
from .counting import Counted, Measured
from .measures import MOST_SAMPLED
from .places import TYPE_NAMES, Chosen, Fixed, Leaf, Listed, Mapped, Tagged

__all__ = ["NativeCounting", "native_counting"]

_NO_BOUND: Final = (1 << 64) - 1


def native_counting(measured: Measured) -> NativeCounting | None:
    """Return what counts in the native core; None where there is none that can."""
    if not hasattr(core(), "Counting"):
        return None
    try:
        return NativeCounting(measured)
    except ValueError:  # of another version
        return None


class NativeCounting:
    """Counts what valid documents of a type have."""

    def __init__(self, measured: Measured) -> None:
        family, name, version = measured.type
        self._verdict = core().Verdict(f"{family}.{name}", version)
        self._counting = core().Counting(msgspec.json.encode(_plan_of(measured)).decode())

    @property
    def rows(self) -> int:
        """How many rows are held."""
        held: int = self._counting.rows()
        return held

    def take(self, documents: list[bytes], first: int) -> list[int]:
        """Count the documents that are valid without a doubt; return the indexes of the others.

        ``first`` is the number of the first document.
        """
        left: list[int] = self._counting.take(documents, self._verdict, first)
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


def _plan_of(measured: Measured) -> Any:
    """Return what is counted as JSON: forms are ``null`` or arrays that begin with their kind."""
    return {
        "shape": _shape_of(measured.places.shape),
        "tables": [
            {
                "name": each.name,
                "when": each.when,
                "by": each.by,
                "of": [of for _, of in each.of],
                "isSample": each.is_sample,
                "most": each.most,
            }
            for each in measured.tables
        ],
        "calls": None
        if measured.calls is None
        else measured.calls._asdict() | {"most": MOST_SAMPLED},
        "time": measured.time,
    }


def _shape_of(shape: Any) -> Any:
    match shape:
        case Leaf(is_counted):
            return ["leaf", is_counted]
        case Listed(item):
            return ["list", _shape_of(item)]
        case Fixed(members, place):
            told = [[name, inside, _shape_of(each)] for name, (inside, each) in members.items()]
            return ["fixed", place, told]
        case Mapped(value):
            return ["map", _shape_of(value)]
        case Tagged(tag, place, variants):
            return [
                "tagged",
                tag,
                place,
                [[name, _shape_of(each)] for name, each in variants.items()],
            ]
        case Chosen(by_type):
            return [
                "chosen",
                {TYPE_NAMES[kind]: _shape_of(each) for kind, each in by_type.items()},
            ]
    return None
