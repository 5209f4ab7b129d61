"""What a provider wants back with a part: checked, counted and kept as JSON text.

As text it is small, and every reader gets a value of its own, as with the arguments of a call.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final, NamedTuple

import msgspec

from ...contract.current.message import Opaque
from ...tables.limits import VALUE_BYTES
from .checks import check_name, invalid_delta, limit_exceeded
from .limits import Limits
from .text import utf8_length

__all__ = ["NOTHING", "Packed", "pack_opaque"]

_POINTER: Final = "/payload/opaque"
_PLAIN: Final = frozenset({int, bool, type(None)})
_encode = msgspec.json.Encoder().encode


class Packed(NamedTuple):
    """An opaque member as it is kept: since when, its JSON text, and what it counts."""

    seq: int
    text: bytes
    size: int

    def value(self) -> Opaque:
        """Return a new value."""
        return msgspec.json.decode(self.text, type=Opaque)


NOTHING: Final = Packed(-1, b"", 0)


def pack_opaque(opaque: Any, left: int, limits: Limits, seq: int) -> Packed:
    """Return ``opaque`` as it is kept; ``left`` is how much may still come.

    Its size is that of its strings and names in UTF-8, and 8 bytes for each value: the same in
    every language, however it writes numbers. Raises StreamProtocolError
    ``stream/limit-exceeded``, and ``stream/invalid-delta`` for what no reader lets pass.
    """
    if type(opaque) is not Opaque:
        raise invalid_delta(_POINTER, "an Opaque", opaque, seq)
    provider, data = opaque.provider, opaque.data
    check_name(f"{_POINTER}/provider", provider, seq)
    if type(data) is not dict:
        raise invalid_delta(f"{_POINTER}/data", "a JSON object", data, seq)
    size = utf8_length(provider) + 2 * VALUE_BYTES
    level: list[Any] = [data]
    depth = 0
    while level:
        depth += 1
        if depth > limits.opaque_depth:
            raise limit_exceeded("opaque_depth", limits.opaque_depth, seq, _POINTER)
        below: list[Any] = []
        for container in level:
            size += VALUE_BYTES * len(container) + _size_inside(container, below, seq)
            if size > left:
                raise limit_exceeded("opaque_bytes", limits.opaque_bytes, seq, _POINTER)
        level = below
    try:
        return Packed(seq, _encode(opaque), size)
    except UnicodeEncodeError:
        raise _no_json(opaque, seq) from None


def _size_inside(container: Any, below: list[Any], seq: int) -> int:
    """Return the bytes of the strings and names right in ``container``; add what is nested."""
    size = 0
    members = container
    if type(container) is dict:
        members = container.values()
        for name in container:
            if type(name) is not str:
                raise _no_json(name, seq)
            size += utf8_length(name)
    for member in members:
        kind = type(member)
        if kind is str:
            size += utf8_length(member)
        elif kind is dict or kind is list:
            below.append(member)
        elif kind not in _PLAIN and not (kind is float and isfinite(member)):
            raise _no_json(member, seq)
    return size


def _no_json(value: Any, seq: int) -> Exception:
    return invalid_delta(f"{_POINTER}/data", "a JSON value", value, seq)
