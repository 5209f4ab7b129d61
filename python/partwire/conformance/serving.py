"""What today's code makes, as JSON values for a reader of any contract version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..contract import LATEST_VERSION
from ..migrate import DeltaDowngrade, downgrade
from ..reading import Unknown, to_wire

__all__ = ["served", "served_deltas"]


def served(value: Any, version: str) -> Any:
    """Return a struct or snapshot of ours as the JSON value that ``version`` has for it."""
    if version == LATEST_VERSION or isinstance(value, Unknown):
        return to_wire(value)
    return to_wire(downgrade(value, version).value)


def served_deltas(deltas: Iterable[Any], version: str) -> list[Any]:
    """Return a stream of deltas as ``version`` has it."""
    if version == LATEST_VERSION:
        return [to_wire(delta) for delta in deltas]
    older = DeltaDowngrade(version)
    return [to_wire(made) for delta in deltas for made in older.feed(delta)]
