"""Where our rules differ from the way in which the index of the recordings counts, by dialect.

A field of a recording either has the index's value, or a row here says why it has another one.
"""

from __future__ import annotations

from typing import Final

from . import anthropic_messages, bedrock_converse, cohere, gemini, openai_chat, openai_responses
from .rows import UNCOMPARED, Dialect, Difference

__all__ = ["DIALECTS", "UNCOMPARED", "Dialect", "Difference"]

DIALECTS: Final[dict[str, Dialect]] = {
    "anthropic-messages": anthropic_messages.DIALECT,
    "bedrock-converse": bedrock_converse.DIALECT,
    "cohere-v2": cohere.DIALECT,
    "gemini": gemini.DIALECT,
    "openai-chat": openai_chat.DIALECT,
    "openai-responses": openai_responses.DIALECT,
}
"""Dialect → how its recordings are read."""
