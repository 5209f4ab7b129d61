"""Digests of documents: equal documents have equal ones, however they are written.

Equal are JSON values: the order of members, white space, escapes, and how a number is written make
no difference. They are as in :mod:`partwire.json.canonical`, but for integers beyond 2^53: those
which differ are different documents here, since one of them is to be dropped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from ...errors import bad_argument
from ...json.pointer import names
from ...json.text import decode_json, is_document

__all__ = ["DIGEST_BYTES", "Digester"]

DIGEST_BYTES: Final = 16
_ANY: Final = "*"


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


_decode: Final = msgspec.json.Decoder(float_hook=_number).decode
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class Digester:
    """Returns the digest of a document, of ``DIGEST_BYTES`` bytes.

    ``ignore`` are pointers to members that make no difference, in which ``*`` is any item or
    member. Raises UsageError ``usage/invalid-argument`` for what is not a pointer.
    """

    def __init__(self, ignore: Sequence[str] = ()) -> None:
        for pointer in ignore:
            if not pointer.startswith("/"):
                raise bad_argument("What is ignored is a pointer", "such as /timestamp", pointer)
        self._ignored = [names(pointer) for pointer in ignore]

    def __call__(self, text: bytes) -> bytes:
        """Return the digest of a document; raises ReadError for what is not one."""
        try:
            value = _decode(text)
        except (ValueError, RecursionError, OverflowError):
            value = None
        if value is None or not is_document(text):
            value = decode_json(text)
        for path in self._ignored:
            _leave_out(value, path)
        return hashlib.blake2b(_encode(value), digest_size=DIGEST_BYTES).digest()


def _leave_out(value: Any, path: Sequence[str]) -> None:
    name, rest = path[0], path[1:]
    if isinstance(value, dict):
        if rest:
            for each in value.values() if name == _ANY else [value.get(name)]:
                _leave_out(each, rest)
        elif name == _ANY:
            value.clear()
        else:
            value.pop(name, None)
    elif isinstance(value, list):
        if name == _ANY:
            if rest:
                for each in value:
                    _leave_out(each, rest)
            else:
                value.clear()
        elif name.isdecimal() and int(name) < len(value):
            if rest:
                _leave_out(value[int(name)], rest)
            else:
                value[int(name)] = None
