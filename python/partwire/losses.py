"""Losses: what a conversion between families could not carry over, said as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from partwire.tables.limits import MAX_PER_CODE
from partwire.tables.losses import LossSeverity

__all__ = ["MAX_PER_CODE", "Loss", "LossLog", "LossSeverity", "in_order"]


class Loss(NamedTuple):
    """One thing that a conversion changed.

    ``pointer`` is an RFC 6901 JSON Pointer into what was converted; a stream counts as the array
    of its items. ``code`` is stable and says what was lost, ``detail`` says it to people.
    Source: semantics, bridges.
    """

    pointer: str
    code: str
    severity: LossSeverity
    detail: str

    def to_wire(self) -> dict[str, Any]:
        """Return the loss as a JSON object."""
        return self._asdict()

    def __str__(self) -> str:
        place = f" at {self.pointer}" if self.pointer else ""
        return f"{self.detail}{place} [{self.severity}: {self.code}]"


def in_order(losses: Iterable[Loss]) -> list[Loss]:
    """Return each loss once, in the order of the document: items by index, members by name."""
    once = list(dict.fromkeys(losses))
    if len(once) < 2:
        return once
    places = {pointer: _place(pointer) for pointer in {loss.pointer for loss in once}}
    return sorted(once, key=lambda loss: places[loss.pointer])


def _place(pointer: str) -> list[tuple[int, int, str]]:
    return [_step(token) for token in pointer.split("/")[1:]]


def _step(token: str) -> tuple[int, int, str]:
    if not (token.isdigit() and token.isascii()):
        return 1, 0, token
    # A member's name may be a number of any size, which is not converted: int() has its limits.
    digits = token.lstrip("0")
    return 0, len(digits), digits


class LossLog:
    """The losses of one conversion, in order, bounded whatever is converted.

    ``table`` has the severity of each code and its words. Of one code the first
    ``MAX_PER_CODE`` are kept: no code is ever missing. ``left_out`` counts the others by code.
    """

    __slots__ = ("_counts", "_table", "left_out", "losses")

    def __init__(self, table: Mapping[str, tuple[LossSeverity, str]]) -> None:
        self.losses: list[Loss] = []
        self.left_out: Counter[str] = Counter()
        self._counts: dict[str, int] = {}
        self._table = table

    def note(self, code: str, pointer: str = "") -> None:
        """Keep a loss."""
        count = self._counts[code] = self._counts.get(code, 0) + 1
        if count > MAX_PER_CODE:
            self.left_out[code] += 1
            return
        severity, detail = self._table[code]
        self.losses.append(Loss(pointer, code, severity, detail))

    def note_unknown_members(self, number: int, pointers: Iterable[str]) -> None:
        """Keep a loss for each member that reading left out of item ``number`` of a stream."""
        for pointer in sorted(pointers, key=_place):
            self.note("unknown-member", f"/{number}{pointer}")
