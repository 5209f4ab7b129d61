"""Framing: the bytes of a stream → raw events, sans-IO.

    decoder = SSEDecoder()
    for chunk in chunks:
        for event in decoder.feed(chunk):
            ...
    for event in decoder.close():
        ...

Every decoder has ``feed(bytes) -> list`` and ``close() -> list``; cutting the bytes elsewhere
changes nothing. What holds for all of them is written in :mod:`partwire.providers.framing.feeder`.
"""

from __future__ import annotations

from .eventstream import EventStreamDecoder, EventStreamMessage
from .feeder import DEFAULT_LIMIT_BYTES
from .jsonarray import JSONArrayDecoder
from .jsonlines import JSONLinesDecoder, RawLine
from .sse import SSEDecoder, SSEEvent
from .values import RawValue, decode_value
from .whole import join_whole

__all__ = [
    "DEFAULT_LIMIT_BYTES",
    "EventStreamDecoder",
    "EventStreamMessage",
    "JSONArrayDecoder",
    "JSONLinesDecoder",
    "RawLine",
    "RawValue",
    "SSEDecoder",
    "SSEEvent",
    "decode_value",
    "join_whole",
]
