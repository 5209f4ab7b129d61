"""Rows about what a conversion loses."""

from __future__ import annotations

from collections.abc import Iterable

from ..convert.lost import lost_values
from ..losses import Loss
from .rows import Lines

__all__ = ["note_lost"]


def note_lost(lines: Lines, at: int, text: bytes, losses: Iterable[Loss]) -> None:
    """Note what is lost of the document at an index in the table ``lost``, and count all losses.

    What a conversion only tells, with the severity ``info``, is counted and has no row.
    """
    losses = list(losses)
    for loss in losses:
        lines.counts[f"{loss.severity} {loss.code}"] += 1
    for lost in lost_values(text, losses):
        lines.note("lost", at, lost.to_wire())
