"""The step between v0.1 and v0.2: up without loss, down with what v0.1 cannot say reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .media import downgrade_media
from .members import Hook, Hooks, Json, Walk
from .message_down import downgrade_message
from .opaque_state import lift_state

__all__ = ["DOWN", "NEW", "OLD", "QUEUE_MESSAGES", "UP", "changes", "keeps"]

OLD: Final = "v0.1"
NEW: Final = "v0.2"

QUEUE_MESSAGES: Final = (
    "TaskEvent",
    "GetContextRequest",
    "PromptBlocksResponse",
    "ToolCallRequest",
    "ToolCallResponse",
    "ReportResultRequest",
    "EvaluationRequest",
    "EvaluationResponse",
    "RetryEvent",
)


def _declared_up(name: str | None) -> Callable[[Json], Json]:
    def up(message: Json) -> Json:
        made = {**message, "schema_version": NEW}
        return made if name is None else {**made, "message_type": name}

    return up


def _declared_down(name: str) -> Hook:
    def down(walk: Walk, message: Json, pointer: str) -> Json:
        if name == "Envelope" and "message_type" in message:  # here, nothing else tells it
            walk.log.note("message-type-lost", f"{pointer}/message_type")
            message = {key: each for key, each in message.items() if key != "message_type"}
        return {**walk.members(message, name, pointer), "schema_version": OLD}

    return down


def _part_down(name: str) -> Hook:
    def down(walk: Walk, part: Json, pointer: str) -> Any:
        if part["kind"] == "media":
            return downgrade_media(walk, part, pointer)
        return walk.variant(part, name, pointer)

    return down


UP: Final[Mapping[str, Callable[[Any], Any]]] = {
    "message.Message": lift_state,
    "envelope.Envelope": _declared_up(None),
    **{f"envelope.{name}": _declared_up(name) for name in QUEUE_MESSAGES},
}
"""What is done with a document of a type beside taking over its members."""

DOWN: Final[Mapping[str, Hooks]] = {
    "message": {
        "Message": downgrade_message,
        "MessagePart": _part_down("MessagePart"),
        "ToolResultContentPart": _part_down("ToolResultContentPart"),
    },
    "envelope": {name: _declared_down(name) for name in ("Envelope", *QUEUE_MESSAGES)},
}
"""By family, what is done at a definition beside taking over its members."""


def changes(family: str, value: Any) -> bool:
    """Tell whether either way may change a document, or struct, that v0.1 takes as it is."""
    if family == "envelope":
        return True
    # Only the meta of a message is known to be an object: in a ModelConfig it is a free member.
    meta = value.get("meta") if isinstance(value, dict) else getattr(value, "meta", None)
    return isinstance(meta, dict) and "opaque" in meta


def keeps(family: str, text: bytes) -> bool:
    """Tell whether neither way changes a document that v0.1 takes as it is: it has no place where
    state may be. False may be wrong.
    """
    return family != "envelope" and b"opaque" not in text and b"\\u" not in text
