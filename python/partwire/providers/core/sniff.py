"""Which dialect an event speaks, as far as one event alone tells."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["dialect_of"]

# Types that two dialects share (``error``, ``ping``) say nothing.
_TYPES: Final = {
    **dict.fromkeys(
        (
            "message",
            "message_start",
            "message_delta",
            "message_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
        ),
        "anthropic-messages",
    ),
    **dict.fromkeys(
        (
            "message-start",
            "message-end",
            "content-start",
            "content-delta",
            "content-end",
            "tool-plan-delta",
            "tool-call-start",
            "tool-call-delta",
            "tool-call-end",
            "citation-start",
            "citation-end",
        ),
        "cohere-v2",
    ),
}
# Members that only one dialect has; all events of it have one, or its first ones do.
_MEMBERS: Final = {
    "choices": "openai-chat",
    "candidates": "gemini",
    "promptFeedback": "gemini",
    "usageMetadata": "gemini",
    "messageStart": "bedrock-converse",
    "messageStop": "bedrock-converse",
    "contentBlockStart": "bedrock-converse",
    "contentBlockDelta": "bedrock-converse",
    "contentBlockStop": "bedrock-converse",
    "generation_id": "cohere-v1",
}


def dialect_of(event: dict[str, Any]) -> tuple[str, str] | None:
    """Return the dialect of an event, and the place in it that tells; None if nothing does."""
    kind = event.get("type")
    if isinstance(kind, str):
        if kind in _TYPES:
            return _TYPES[kind], "/type"
        if kind.startswith("response."):
            return "openai-responses", "/type"
    # Others name their events so too; this one is the first of each stream.
    if event.get("event_type") == "stream-start":
        return "cohere-v1", "/event_type"
    name = event.get("object")
    if name == "response":
        return "openai-responses", "/object"
    if isinstance(name, str) and name.startswith("chat.completion"):
        return "openai-chat", "/object"
    for member, dialect in _MEMBERS.items():
        if member in event:
            return dialect, f"/{member}"
    return None
