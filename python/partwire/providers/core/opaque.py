"""What a provider wants back unchanged, and what of a raw event may be shown.

Signatures, encrypted reasoning, server-side tool blocks and citations have no field of their own,
yet some providers refuse a history that lacks them. Adapters collect them, with the place that
each belongs to, and the deltas carry them as ``opaque``.
"""

from __future__ import annotations

import base64
import math
import re
from typing import Any, Final, NamedTuple

import msgspec

from partwire.tables.credentials import EVENT_MEMBERS, EVENT_PARAMETERS

__all__ = ["SECRET_QUERY", "OpaqueItem", "storable", "well_formed", "without_secrets"]

_MAX_DEPTH: Final = 64

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class OpaqueItem(NamedTuple):
    """One piece of provider state.

    ``kind`` names it (``signature``, ``redacted_thinking``, ``citation`` …), ``data`` is the
    provider's JSON value as it came. ``part`` is the 0-based index of the message part that it
    belongs to. ``start`` and ``end`` count characters (code points) of that part's text: an item
    covers them; where both are equal, it stands in between, at 0 before the part; without them
    it belongs to the part as a whole, as what comes with a tool call does.
    """

    kind: str
    data: Any
    part: int
    start: int | None = None
    end: int | None = None


def storable(value: Any) -> Any:
    """Return a copy of provider state as documents may hold it: events are read more widely.

    Halves of characters become U+FFFD, figures that are none null, and so does what is nested
    deeper than 64 levels.
    """
    try:
        text = _encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _storable(value)
    # As many brackets as levels at most, and far fewer in what providers send.
    if text.count(b"{") + text.count(b"[") <= _MAX_DEPTH:
        return _decode(text)
    return _storable(value)


def _storable(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else well_formed(value)
    if isinstance(value, (int, float)):
        return _figure(value)
    if isinstance(value, (dict, list)) and depth >= _MAX_DEPTH:
        return None
    if isinstance(value, list):
        return [_storable(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {well_formed(name): _storable(item, depth + 1) for name, item in value.items()}
    return value


def _figure(value: float) -> float | None:
    try:
        return value if math.isfinite(value) else None
    except OverflowError:  # an integer beyond the largest double
        return None


def well_formed(text: str) -> str:
    """Return ``text`` with surrogate pairs joined and lone halves as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_SECRET_NAMES: Final = frozenset(EVENT_MEMBERS)
SECRET_QUERY: Final = re.compile(rf"(?i)([?&](?:{'|'.join(EVENT_PARAMETERS)})=)[^&#\s\"']+")
_HIDDEN: Final = "[redacted]"


def without_secrets(value: Any, depth: int = 0) -> Any:
    """Return a copy of a JSON value without credentials: headers and query parameters.

    It is storable: halves of characters become U+FFFD, figures that are none null, and so does
    what is nested deeper than 64 levels, which is of no use to a reader either. Bytes, which AWS's
    Python client gives, become Base64.
    """
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, str):
        text = well_formed(value)
        return SECRET_QUERY.sub(rf"\1{_HIDDEN}", text) if "=" in text else text
    if isinstance(value, (int, float)):
        return _figure(value)
    if isinstance(value, (dict, list)) and depth >= _MAX_DEPTH:
        return None
    if isinstance(value, list):
        return [without_secrets(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {
            well_formed(str(name)): _HIDDEN
            if str(name).lower() in _SECRET_NAMES
            else without_secrets(member, depth + 1)
            for name, member in value.items()
        }
    return value
