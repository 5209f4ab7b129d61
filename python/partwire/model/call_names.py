"""Ids of recorded tool calls, in a run that may have used them already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ..errors import Finding, clip
from ..v0_2.structs.message import (
    MessageDelta,
    ToolCallArgsDelta,
    ToolCallEndDelta,
    ToolCallStartDelta,
)

__all__ = ["CallNames"]


class CallNames:
    """Gives a call a new id where the run has used its own: ``<id>-2``, ``<id>-3`` …

    Source: requirements S000-56.
    """

    def __init__(self, used: frozenset[str]) -> None:
        self._used = set(used)
        self._new: dict[str, str] = {}

    def renamed(self, delta: MessageDelta, findings: list[Finding]) -> MessageDelta:
        """Return the delta with the id that its call has in this run; a new one is a finding."""
        if isinstance(delta, ToolCallStartDelta):
            name = delta.payload.tool_call_id
            if name not in self._new and name in self._used:
                self._new[name] = self._free(name)
                findings.append(
                    Finding(
                        "adapter/minted-id",
                        "The recorded tool call has an id that the run has used; it got a new one",
                        severity="info",
                        expected="an id that is unique in the run",
                        actual=clip(name),
                    )
                )
        if not self._new:
            return delta
        if isinstance(delta, (ToolCallStartDelta, ToolCallArgsDelta, ToolCallEndDelta)):
            name = delta.payload.tool_call_id
            payload = replace(delta.payload, tool_call_id=self._new.get(name, name))
            return replace(delta, payload=payload)
        return delta

    def renamed_meta(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Return what completes the message, with the new ids in ``opaque.toolCallIds``."""
        opaque = meta.get("opaque")
        if not self._new or not isinstance(opaque, dict):
            return dict(meta)
        recorded = opaque.get("toolCallIds")
        recorded = recorded if isinstance(recorded, dict) else {}
        kept = {self._new.get(name, name): own for name, own in recorded.items()}
        kept |= {new: name for name, new in self._new.items() if name not in recorded}
        return {**meta, "opaque": {**opaque, "toolCallIds": kept}}

    def _free(self, name: str) -> str:
        number = 2
        while f"{name}-{number}" in self._used:
            number += 1
        free = f"{name}-{number}"
        self._used.add(free)
        return free
