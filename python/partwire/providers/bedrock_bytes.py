"""Bytes of the Converse format: Base64 in JSON, ``bytes`` as AWS's Python client gives them."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

__all__ = ["as_base64", "join_base64"]


def as_base64(value: Any) -> Any:
    """Return a copy of a value in which bytes, wherever they stand, are Base64 text.

    Without recursion: events are nested as deep as their reader lets them be.
    """
    root = [value]
    todo: list[Any] = [root]
    for holder in todo:  # it grows meanwhile
        for key, member in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(member, (bytes, bytearray)):
                holder[key] = base64.b64encode(member).decode()
            elif isinstance(member, (dict, list)):
                holder[key] = member.copy()
                todo.append(holder[key])
    return root[0]


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
