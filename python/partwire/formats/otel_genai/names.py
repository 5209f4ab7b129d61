"""Names of the conventions: attributes, roles, types of parts, why a model stopped."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ATTRIBUTES",
    "BUILT_IN",
    "FINISH_REASONS",
    "INPUT",
    "INSTRUCTIONS",
    "OUTPUT",
    "OWN",
    "PARTS",
    "ROLE",
    "ROLES",
    "modality_of",
]

OWN: Final = "otel-genai"
"""The member of ``meta`` for what a message has no place for."""
ROLE: Final = "role"
"""The role that the source has, where a message has another."""
PARTS: Final = "parts"
"""Members that parts have no place for, by the number of the part."""

INSTRUCTIONS: Final = "gen_ai.system_instructions"
INPUT: Final = "gen_ai.input.messages"
OUTPUT: Final = "gen_ai.output.messages"
ATTRIBUTES: Final = (INSTRUCTIONS, INPUT, OUTPUT)
"""The attributes of a span that are its messages, in their order."""

ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}

FINISH_REASONS: Final = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_call": "tool_calls",
    "error": "error",
    "refusal": "refusal",
    "pause": "pause",
    "awaiting_approval": "awaiting_approval",
}
"""Their words and ours; they are an open set."""

BUILT_IN: Final = "builtin"
"""Says of calls and results, in what pydantic-ai writes, that the provider ran the tool."""

_MODALITIES: Final = ("image", "audio", "video")


def modality_of(mime: str) -> str:
    """Return what a media type is in general."""
    kind = mime.partition("/")[0]
    return kind if kind in _MODALITIES else "document"
