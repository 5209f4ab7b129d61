"""Words of the event stream, and how it is framed as server-sent events."""

from __future__ import annotations

from typing import Final

from partwire.tables.format_signs import WORDS

from ..core.sse import sse, sse_data

__all__ = [
    "APPROVAL",
    "BESIDE_CHUNKS",
    "EVENTS",
    "HEADERS",
    "KNOWN",
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

KNOWN: Final = frozenset(WORDS["ag-ui-events"])
"""The types of events that the protocol has."""

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

EVENTS: Final = KNOWN - NOWHERE
"""The events that say something of messages; a reader has a method for each."""

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
