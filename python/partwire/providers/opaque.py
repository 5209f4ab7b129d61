"""What a provider wants back unchanged, and what of a raw event may be shown.

Signatures, encrypted reasoning, server-side tool blocks and citations have no field in the
contract, yet some providers refuse a history that lacks them. Adapters collect them here, with
the place that each belongs to.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

__all__ = ["OpaqueItem", "without_secrets"]


class OpaqueItem(NamedTuple):
    """One piece of provider state beside the message.

    ``kind`` names it (``signature``, ``redacted_thinking``, ``citation`` …), ``data`` is the
    provider's JSON value as it came. ``part`` is the 0-based index of the message part that it
    belongs to, and ``start``, ``end`` the range of characters of that part which it covers; for
    an item that stands between parts the range is empty and ``part`` is the index of the part
    that would come next.
    """

    kind: str
    data: Any
    part: int
    start: int = 0
    end: int = 0


_SECRET_NAMES: Final = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
        "x-goog-api-key",
        "api-key",
        "api_key",
        "apikey",
        "access_token",
        "client_secret",
    }
)
_SECRET_QUERY: Final = re.compile(
    r"(?i)([?&](?:key|api[-_]?key|access_token|sig|token)=)[^&#\s\"']+"
)
_HIDDEN: Final = "[redacted]"
_MAX_DEPTH: Final = 64


def without_secrets(value: Any, depth: int = 0) -> Any:
    """Return a copy of a JSON value without credentials: headers and query parameters.

    What is nested deeper than 64 levels is left out: it is of no use to a reader either.
    """
    if isinstance(value, str):
        return _SECRET_QUERY.sub(rf"\1{_HIDDEN}", value) if "=" in value else value
    if isinstance(value, (dict, list)) and depth >= _MAX_DEPTH:
        return None
    if isinstance(value, list):
        return [without_secrets(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {
            str(name): _HIDDEN
            if str(name).lower() in _SECRET_NAMES
            else without_secrets(member, depth + 1)
            for name, member in value.items()
        }
    return value
