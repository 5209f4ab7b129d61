"""Names of pydantic-ai: kinds of parts, what they keep, how calls come out, why a model stops."""

from __future__ import annotations

from typing import Final

from ..core.reading import Json, Members

__all__ = [
    "FINISH_REASONS",
    "KEPT",
    "OUTCOMES",
    "OWN",
    "PARTS",
    "REQUEST",
    "RESPONSE",
    "STATE",
    "STATES",
    "STEP",
    "take_kept",
]

OWN: Final = "pydantic-ai"
"""The member of ``meta`` for what a message has no place for."""
STEP: Final = "step"
"""Which of the messages of its request a message is, from 0."""
PARTS: Final = "parts"
"""Members that parts have no place for, by the number of the part."""

STATE: Final = ("id", "signature", "provider_name", "provider_details")
"""Members of a part for the provider that wrote it."""

REQUEST: Final = ("conversation_id", "state")
RESPONSE: Final = (
    "model_id",
    "provider_name",
    "provider_url",
    "canonical_system",
    "conversation_id",
    "workspace_ref",
    "history_digest",
    "failed_attempts",
)
"""Members of a response that are kept as they are."""

KEPT: Final[dict[str, tuple[str, ...]]] = {
    "system-prompt": ("dynamic_ref", "context_id", "scope", "metadata"),
    "tool-return": ("tool_kind", "metadata", "retry"),
    "builtin-tool-return": ("tool_kind", "metadata"),
    "tool-call": ("tool_kind",),
    "builtin-tool-call": ("tool_kind",),
    "speech": ("interrupted_at_ms", "timestamps", *STATE),
    "text-content": ("metadata",),
    "structured-content": ("metadata", "value", "tag", "description"),
    "file": ("vendor_metadata", "force_download"),
}
"""Members of parts, and of items of content, that are kept as they are."""

_DEFAULTS: Final[Json] = {"scope": "conversation", "force_download": False, "state": "complete"}

OUTCOMES: Final = {
    "success": "success",
    "failed": "error",
    "denied": "denied",
    "interrupted": "interrupted",
    "retried": "retried",
}
"""How a call came out, in their word and in ours; all but the first are errors."""

FINISH_REASONS: Final = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_call": "tool_calls",
    "error": "error",
}
STATES: Final = {"interrupted": "cancelled", "incomplete": "truncated"}
"""The state of a response that is not whole, and how its stream ended."""


def take_kept(members: Members, names: tuple[str, ...]) -> Json:
    """Take members that are kept as they are; what is the default says nothing."""
    if members.lacks(*names):
        return {}
    for name in names:
        members.skip(name, *([_DEFAULTS[name]] if name in _DEFAULTS else []))
    return {name: members.value(name) for name in names if name in members}
