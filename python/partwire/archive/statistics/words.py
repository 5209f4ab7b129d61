"""Figures as people read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from .figures import Distribution
from .plots import short

__all__ = [
    "NOTHING",
    "SHARES",
    "byte_size",
    "duration",
    "percent",
    "percentiles",
    "rounded",
    "sampled",
    "with_share",
]

NOTHING: Final = "–"
SHARES: Final = ("p50", "p90", "p95", "p99", "max")


def percentiles(found: Distribution, form: Callable[[float | None], str]) -> Iterable[str]:
    """Return some percentiles and the largest number as text."""
    return [form(getattr(found, name)) for name in SHARES]


def duration(ms: float | None) -> str:
    """Return milliseconds in the unit that fits."""
    if ms is None:
        return NOTHING
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if ms >= size:
            return f"{ms / size:.3g} {unit}"
    return f"{ms:.3g} ms"


def byte_size(number: float | None) -> str:
    """Return a number of bytes in the unit that fits."""
    if number is None:
        return NOTHING
    told = short(number)
    return f"{told}B" if " " in told else f"{told} B"


def rounded(number: float | None) -> str:
    """Return a number in three digits."""
    return NOTHING if number is None else short(number)


def percent(part: int, whole: int) -> str:
    """Return a part in percent of the whole."""
    return f"{100 * part / whole:.1f} %" if whole else NOTHING


def with_share(part: int, whole: int) -> str:
    """Return a part, and in brackets how much of the whole it is."""
    return f"{part:,} ({percent(part, whole)})" if part else "0"


def sampled(found: Mapping[str, Any]) -> str:
    """Return a sentence on how much of a sample was looked at; empty where it was all."""
    if found["sampled"] == found["count"]:
        return ""
    return f" Of these, {found['sampled']:,} are looked at, chosen by a digest of their names."
