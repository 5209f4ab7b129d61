# Generated from schemas/tables/event-dialects.json. Do not edit: change that, then
# run `python -m codegen`.

"""Dialects of events: what else they are called, and which one an event speaks, as far as one event
alone says it.

The first row that an event fits counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["ALIASES", "Dialect", "SIGNS", "Sign"]


Dialect = Literal["anthropic-messages", "bedrock-converse", "cohere-v1", "cohere-v2", "gemini", "openai-chat", "openai-responses"]
"""A dialect; there is no adapter for cohere-v1, which is known so that it can be refused by name.
"""

class Sign(NamedTuple):
    """A member of an event that says its dialect: by its value where values or a prefix are given, else
    by being there.
    """

    member: str
    values: tuple[str, ...] | None
    """What its text is one of."""
    prefix: str | None
    """What its text begins with."""
    dialect: Dialect


ALIASES: Final[Mapping[str, Dialect]] = {
    "anthropic": "anthropic-messages",
    "bedrock": "bedrock-converse",
    "cohere": "cohere-v2",
    "google": "gemini",
    "openai": "openai-chat",
}
"""Another name of a dialect → its name."""

SIGNS: Final[tuple[Sign, ...]] = (
    Sign(
        "type",
        (
            "message",
            "message_start",
            "message_delta",
            "message_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
        ),
        None,
        "anthropic-messages",
    ),
    Sign(
        "type",
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
        None,
        "cohere-v2",
    ),
    Sign("type", None, "response.", "openai-responses"),
    Sign("event_type", ("stream-start",), None, "cohere-v1"),
    Sign("object", ("response",), None, "openai-responses"),
    Sign("object", None, "chat.completion", "openai-chat"),
    Sign("choices", None, None, "openai-chat"),
    Sign("candidates", None, None, "gemini"),
    Sign("promptFeedback", None, None, "gemini"),
    Sign("usageMetadata", None, None, "gemini"),
    Sign("messageStart", None, None, "bedrock-converse"),
    Sign("messageStop", None, None, "bedrock-converse"),
    Sign("contentBlockStart", None, None, "bedrock-converse"),
    Sign("contentBlockDelta", None, None, "bedrock-converse"),
    Sign("contentBlockStop", None, None, "bedrock-converse"),
    Sign("generation_id", None, None, "cohere-v1"),
)
"""Signs of a dialect, in the order in which they count."""
