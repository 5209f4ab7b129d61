"""Names of dialects, and which one an event speaks, as far as one event alone shows it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from partwire.errors import bad_argument
from partwire.tables.event_dialects import ALIASES, SIGNS, Sign

__all__ = ["dialect_named", "dialect_of"]


def dialect_named(name: object, known: Collection[str]) -> str:
    """Return the dialect that a name or an alias (``anthropic``) means, one of ``known``.

    Raises UsageError ``usage/unknown-dialect``.
    """
    dialect = ALIASES.get(name, name) if isinstance(name, str) else name
    if isinstance(dialect, str) and dialect in known:
        return dialect
    raise bad_argument("No such dialect", ", ".join(known), name, "usage/unknown-dialect")


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
