"""Words of the event stream, and how it is framed as server-sent events."""

from __future__ import annotations

from typing import Final

from ..core.sse import sse, sse_data

__all__ = [
    "APPROVAL",
    "BESIDE_CHUNKS",
    "EVENTS",
    "HEADERS",
    "NOWHERE",
    "USAGE",
    "VERSIONS",
    "sse",
    "sse_data",
]

HEADERS: Final = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "connection": "keep-alive",
    "x-accel-buffering": "no",
}
"""The headers of a response that is an event stream."""

VERSIONS: Final = ("1.0", "1.1")
"""The versions of the protocol that a stream may say it speaks."""

EVENTS: Final = frozenset(
    {
        "RUN_STARTED",
        "RUN_FINISHED",
        "RUN_ERROR",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_CHUNK",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_CHUNK",
        "TOOL_CALL_RESULT",
        "REASONING_START",
        "REASONING_END",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_MESSAGE_CHUNK",
        "REASONING_ENCRYPTED_VALUE",
        "THINKING_START",
        "THINKING_END",
        "THINKING_TEXT_MESSAGE_START",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_END",
        "MESSAGES_SNAPSHOT",
        "CUSTOM",
    }
)
"""The events that say something of messages."""

NOWHERE: Final = frozenset(
    {
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "STEP_STARTED",
        "STEP_FINISHED",
        "RAW",
        "SUBAGENT_STARTED",
        "SUBAGENT_FINISHED",
        "SUBAGENT_ERROR",
    }
)
"""The events that messages have no place for."""

BESIDE_CHUNKS: Final = frozenset(
    {
        "RAW",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "REASONING_ENCRYPTED_VALUE",
        "SUBAGENT_STARTED",
    }
)
"""The events after which a message in chunks goes on; all others end it."""

USAGE: Final = {
    "inputTokens": "inputTokens",
    "outputTokens": "outputTokens",
    "totalTokens": "totalTokens",
    "reasoningTokens": "reasoningTokens",
    "cachedInputTokens": "cacheReadTokens",
    "cacheWriteInputTokens": "cacheWriteTokens",
}
"""The figures of the protocol, and ours."""

APPROVAL: Final = "tool_approval"
"""Why a run that asks for approval of a call is interrupted, as far as nobody says it."""
