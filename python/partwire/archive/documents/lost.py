"""Rows about what a conversion loses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import Any

from ...convert.lost import lost_values
from ...losses import Loss
from .rows import Lines

__all__ = ["count_losses", "lost_between", "note_lost"]


def note_lost(
    lines: Lines, at: int, text: bytes, losses: Iterable[Loss], accepted: Container[str] = ()
) -> None:
    """Note what is lost of the document at an index in the table ``lost``, and count all losses.

    What is not lossy has no row: what is made up, or only told. Nor have losses that are accepted.
    """
    losses = list(losses)
    count_losses(lines.counts, losses)
    for lost in lost_values(text, [each for each in losses if each.code not in accepted]):
        lines.note("lost", at, lost.to_wire())


def lost_between(losses: Iterable[Loss], accepted: Container[str]) -> Iterator[dict[str, Any]]:
    """Yield rows of the table ``lost``, without values: of messages on the way, which are gone."""
    for loss in losses:
        if loss.severity == "lossy" and loss.code not in accepted:
            yield {"pointer": loss.pointer, "code": loss.code, "of": "message"}


def count_losses(counts: Counter[str], losses: Iterable[Loss]) -> None:
    """Count losses by severity and code."""
    for loss in losses:
        counts[f"{loss.severity} {loss.code}"] += 1
