"""The present instant, for whoever does not bring a clock: sans-IO rooms are given one."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["now"]


def now() -> str:
    """Return the present instant as the contract writes it: UTC, to the millisecond, with ``Z``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
