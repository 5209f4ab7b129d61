"""Events of a stream as server-sent events."""

from __future__ import annotations

from typing import Any

from partwire.json.text import json_text

__all__ = ["sse", "sse_data"]


def sse(event: Any) -> str:
    """Return a JSON value as a server-sent event."""
    return f"data: {json_text(event)}\n\n"


def sse_data(text: bytes) -> bytes | None:
    """Return the data of an event; text without ``data:`` as it is, None where there is none."""
    line = text.strip()
    if line.startswith(b"data:"):
        line = line[5:].strip()
    elif line.startswith((b":", b"event:", b"id:", b"retry:")):
        return None
    return line or None
