"""What a provider wants back with a part: checked, counted and kept as JSON text.

As text it is small, and every reader gets a separate value, as with the arguments of a call.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from ...contract.current.message import Opaque
from ...tables.limits import VALUE_BYTES
from .checks import check_name, invalid_delta
from .limits import Limits
from .payloads import Bounds, no_json, size_of
from .text import utf8_length

__all__ = ["NOTHING", "Packed", "pack_opaque"]

_POINTER: Final = "/payload/opaque"
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

    It counts its ``data``, and its provider as another value. Raises StreamProtocolError
    ``stream/limit-exceeded``, and ``stream/invalid-delta`` for what no reader lets pass.
    """
    if type(opaque) is not Opaque:
        raise invalid_delta(_POINTER, "an Opaque", opaque, seq)
    provider, data = opaque.provider, opaque.data
    check_name(f"{_POINTER}/provider", provider, seq)
    if type(data) is not dict:
        raise invalid_delta(f"{_POINTER}/data", "a JSON object", data, seq)
    apart = utf8_length(provider) + VALUE_BYTES
    bounds = Bounds("opaque_bytes", "opaque_depth", left - apart, _POINTER)
    size = size_of(data, bounds, limits, seq, f"{_POINTER}/data")
    try:
        return Packed(seq, _encode(opaque), apart + size)
    except UnicodeEncodeError:
        raise no_json(opaque, seq, f"{_POINTER}/data") from None
