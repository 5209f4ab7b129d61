"""Streams of providers, whole ones and broken ones, from the fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.fixture_cases import cases

__all__ = ["BODIES"]

_TYPES: Final = {
    ".sse": "text/event-stream",
    ".eventstream": "application/vnd.amazon.eventstream",
}
_LARGEST: Final = 20_000


def _bodies() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {each: [] for each in _TYPES.values()}
    for case in cases("providers"):
        for path in sorted(case.path.glob("input.*")):
            data = path.read_bytes()
            if path.suffix in _TYPES and len(data) <= _LARGEST:
                found[_TYPES[path.suffix]].append((case.path.parent.name, data.decode("latin-1")))
    return found


BODIES: Final[Mapping[str, list[tuple[str, str]]]] = _bodies()
"""Content type → dialect and body of every small fixture, its bytes as characters."""
