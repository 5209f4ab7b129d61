"""What MCP has and messages do not, kept for MCP: with a part, or in ``meta`` of its message."""

from __future__ import annotations

from typing import Any, Final

from ..core.reading import Json, Members

__all__ = ["BESIDE", "OWN", "STOPS", "UNNAMED", "kept_in", "own_state", "state_of"]

OWN: Final = "mcp"
BESIDE: Final = ("annotations", "_meta")
"""Members that any content may have."""

UNNAMED: Final = "urn:partwire:unnamed"
"""The address of a resource of ours that has no name: MCP wants one."""

STOPS: Final = {
    "endTurn": "stop",
    "stopSequence": "stop",
    "maxTokens": "length",
    "toolUse": "tool_calls",
}
"""Why a model stopped → the contract's value. Others are a client's own, and unknown."""


def own_state(data: Json) -> Json:
    """Return state of MCP's, for a part."""
    return {"provider": OWN, "data": data}


def state_of(payload: Json) -> Json:
    """Return the state of MCP's that a part has; {} where it has none."""
    opaque: Any = payload.get("opaque")
    return opaque["data"] if opaque and opaque["provider"] == OWN else {}


def kept_in(block: Members, names: tuple[str, ...] = BESIDE) -> Json:
    """Take members as they are, but for those that are not there or null."""
    if block.lacks(*names):
        return {}
    return {name: block.value(name) for name in names if block.peek(name) is not None}
