"""Frames of AWS event streams for tests: its own writer, after the format's description."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterable
from typing import Any

Header = tuple[str, int, bytes]
"""Name, type, and the value as it is behind them."""


def text_header(name: str, value: str) -> Header:
    """Return a header of type string."""
    data = value.encode()
    return name, 7, struct.pack(">H", len(data)) + data


def frame(headers: Iterable[Header], payload: bytes = b"") -> bytes:
    """Return one frame."""
    raw = b"".join(
        struct.pack(">B", len(name.encode())) + name.encode() + bytes([kind]) + value
        for name, kind, value in headers
    )
    return sealed(len(raw), raw + payload)


def sealed(header_bytes: int, body: bytes, size: int | None = None) -> bytes:
    """Return a frame of these bytes with checksums that fit, whatever its lengths say."""
    total = len(body) + 16 if size is None else size
    prelude = struct.pack(">II", total, header_bytes)
    head = prelude + struct.pack(">I", binascii.crc32(prelude))
    return head + body + struct.pack(">I", binascii.crc32(head + body))


def event_frame(name: str, payload: bytes | dict[str, Any]) -> bytes:
    """Return the frame of an event, its headers in the order in which AWS writes them."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    headers = ((":event-type", name), (":content-type", "application/json"))
    return frame(
        [text_header(*pair) for pair in (*headers, (":message-type", "event"))],
        body,
    )


def chunk_frame(event: str | dict[str, Any]) -> bytes:
    """Return the frame in which InvokeModel carries an event of the model's own format."""
    text = event if isinstance(event, str) else json.dumps(event)
    return event_frame("chunk", {"bytes": base64.b64encode(text.encode()).decode(), "p": "abc"})


def exception_frame(name: str, payload: bytes | dict[str, Any]) -> bytes:
    """Return the frame of an exception."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    headers = ((":exception-type", name), (":content-type", "application/json"))
    return frame(
        [text_header(*pair) for pair in (*headers, (":message-type", "exception"))],
        body,
    )


def converse_frames(events: Iterable[dict[str, Any]]) -> bytes:
    """Return Converse events, one member each, as a stream."""
    return b"".join(event_frame(name, body) for event in events for name, body in event.items())
