"""Which dialect an event speaks, as far as one event alone tells."""

from __future__ import annotations

from typing import Any

from partwire.tables.event_dialects import SIGNS, Sign

__all__ = ["dialect_of"]


def dialect_of(event: dict[str, Any]) -> tuple[str, str] | None:
    """Return the dialect of an event, and the place in it that tells; None if nothing does."""
    for sign in SIGNS:
        if sign.member in event and _fits(sign, event[sign.member]):
            return sign.dialect, f"/{sign.member}"
    return None


def _fits(sign: Sign, value: object) -> bool:
    if sign.values is not None:
        return value in sign.values
    return sign.prefix is None or (isinstance(value, str) and value.startswith(sign.prefix))
