"""Payloads that come whole, checked by the schema itself, and what they count."""

from __future__ import annotations

from copy import deepcopy
from math import isfinite
from typing import Any, Final, NamedTuple

from ...errors import ReadError, StreamProtocolError
from ...reading.plain import plain_value
from ...tables.limits import VALUE_BYTES
from .checks import invalid_delta, limit_exceeded
from .limits import Limits
from .lines import read_delta
from .text import utf8_length

__all__ = ["Bounds", "Kept", "checked", "no_json", "payload_size", "size_of"]

_PLAIN: Final = frozenset({int, bool, type(None)})
_POINTER: Final = "/payload"


class Kept(NamedTuple):
    """A citation, a part or a warning as it came: since when, and what it is."""

    seq: int
    value: Any

    def copy(self) -> Any:
        """Return a new value: what is free in it can be changed."""
        return deepcopy(self.value)


class Bounds(NamedTuple):
    """What data may count and how deep it may be, and the limits that say so."""

    bytes_name: str
    depth_name: str
    left: int
    """How many bytes may still come."""
    pointer: str
    """To what passes them."""


def checked(delta: Any) -> Any:
    """Return a delta, in separate values, that the schema finds nothing wrong with.

    Deltas of these kinds are few, so that no code is made to look at them fast. Raises
    StreamProtocolError ``stream/invalid-delta``.
    """
    try:
        return read_delta(delta, "tolerant")  # what that lets through has been read so before
    except ReadError as error:
        seq = getattr(delta, "seq", None)
        finding = error.findings[0]._replace(rule="stream/invalid-delta")
        raise StreamProtocolError(finding, seq=seq if type(seq) is int else None) from None


def payload_size(payload: Any, left: int, limits: Limits, seq: int, *apart: str) -> int:
    """Return what a payload counts without the members ``apart``, which have separate limits.

    ``left`` is how much may still come. Raises StreamProtocolError ``stream/limit-exceeded``.
    """
    document = plain_value(payload)[0]
    counted = {name: value for name, value in document.items() if name not in apart}
    bounds = Bounds("payload_bytes", "payload_depth", left, _POINTER)
    return size_of(counted, bounds, limits, seq, _POINTER)


def size_of(data: dict[str, Any], bounds: Bounds, limits: Limits, seq: int, pointer: str) -> int:
    """Return what a JSON object counts: its strings and names in UTF-8, and 8 bytes for each value.

    It is the same in every language, however it writes numbers. Raises StreamProtocolError
    ``stream/limit-exceeded``, and ``stream/invalid-delta`` for what no reader lets pass.
    """
    most = getattr(limits, bounds.depth_name)
    size = VALUE_BYTES
    level: list[Any] = [data]
    depth = 0
    while level:
        depth += 1
        if depth > most:
            raise limit_exceeded(bounds.depth_name, most, seq, bounds.pointer)
        below: list[Any] = []
        for container in level:
            size += VALUE_BYTES * len(container) + _size_inside(container, below, seq, pointer)
            if size > bounds.left:
                name = bounds.bytes_name
                raise limit_exceeded(name, getattr(limits, name), seq, bounds.pointer)
        level = below
    return size


def _size_inside(container: Any, below: list[Any], seq: int, pointer: str) -> int:
    """Return the bytes of the strings and names right in ``container``; add what is nested."""
    size = 0
    members = container
    if type(container) is dict:
        members = container.values()
        for name in container:
            if type(name) is not str:
                raise no_json(name, seq, pointer)
            size += utf8_length(name)
    for member in members:
        kind = type(member)
        if kind is str:
            size += utf8_length(member)
        elif kind is dict or kind is list:
            below.append(member)
        elif kind not in _PLAIN and not (kind is float and isfinite(member)):
            raise no_json(member, seq, pointer)
    return size


def no_json(value: Any, seq: int, pointer: str) -> StreamProtocolError:
    """Return the error for what stands among JSON values and is not one."""
    return invalid_delta(pointer, "a JSON value", value, seq)
