"""Bytes of the Converse format: Base64 in JSON, ``bytes`` as AWS's Python client gives them."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

__all__ = ["as_base64", "join_base64"]


def as_base64(value: Any) -> Any:
    """Return a value whose bytes, wherever they stand in it, are Base64 text."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {name: as_base64(member) for name, member in value.items()}
    if isinstance(value, list):
        return [as_base64(item) for item in value]
    return value


def join_base64(pieces: Iterable[str]) -> str:
    """Return the Base64 of bytes that came in pieces, each of them Base64 on its own.

    A single piece stays as it is; pieces that are no Base64 are put one behind the other.
    """
    texts = list(pieces)
    if len(texts) < 2:
        return "".join(texts)
    try:
        data = b"".join(base64.b64decode(text, validate=True) for text in texts)
    except ValueError:
        return "".join(texts)
    return base64.b64encode(data).decode()
