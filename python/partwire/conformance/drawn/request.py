"""One thing that every driver is asked."""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

__all__ = ["Json", "Request", "bytes_of", "text_of"]

Json = dict[str, Any]


class Request(NamedTuple):
    """An operation of the conformance protocol with its input; ``given`` is never changed."""

    operation: str
    version: str
    given: Json


def text_of(data: bytes) -> Any:
    """Return bytes as a Text of the protocol."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def bytes_of(text: Any) -> bytes:
    """Return the bytes of a Text of the protocol."""
    return text.encode("utf-8") if isinstance(text, str) else base64.b64decode(text["base64"])
