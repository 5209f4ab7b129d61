"""Words of the UI message stream, and how it is framed as server-sent events."""

from __future__ import annotations

from typing import Final

from ..core.sse import sse, sse_data

__all__ = ["DONE", "HEADERS", "OUR_REASONS", "REASONS", "sse", "sse_data", "sse_end"]

DONE: Final = b"[DONE]"
"""The data of the last event of a stream."""

HEADERS: Final = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "connection": "keep-alive",
    "x-vercel-ai-ui-message-stream": "v1",
    "x-accel-buffering": "no",
}
"""The headers of a response that is a UI message stream."""

REASONS: Final = {
    "tool-calls": "tool_calls",
    "content-filter": "content_filter",
    "other": "unknown",
}
"""Why the SDK says that the model stopped, where a message has another word for it."""

OUR_REASONS: Final = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool-calls",
    "content_filter": "content-filter",
    "refusal": "content-filter",
    "error": "error",
}
"""The SDK's words for ours; all others are ``other``."""


def sse_end() -> str:
    """Return the event that ends the stream."""
    return f"data: {DONE.decode()}\n\n"
