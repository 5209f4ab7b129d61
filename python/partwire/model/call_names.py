"""Ids of recorded tool calls, in a run that may have used them already."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from ..errors import Finding, clip
from ..v0_2.structs.message import (
    MessageDelta,
    Opaque,
    ToolCallArgsDelta,
    ToolCallEndDelta,
    ToolCallEndDeltaPayload,
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
        self._provider: str | None = None

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
        opaque = getattr(delta.payload, "opaque", UNSET)
        if isinstance(opaque, Opaque):
            self._provider = opaque.provider
        if not self._new:
            return delta
        if isinstance(delta, (ToolCallStartDelta, ToolCallArgsDelta, ToolCallEndDelta)):
            name = delta.payload.tool_call_id
            if name not in self._new:
                return delta
            payload = replace(delta.payload, tool_call_id=self._new[name])
            if isinstance(payload, ToolCallEndDeltaPayload):
                payload = self._with_own_id(payload, name)
            return replace(delta, payload=payload)
        return delta

    def _with_own_id(self, end: ToolCallEndDeltaPayload, name: str) -> ToolCallEndDeltaPayload:
        """Return the end of a renamed call with the id that its provider knows.

        Nothing tells whose id it is where the stream has no state of a provider so far.
        """
        if isinstance(end.opaque, Opaque):
            data = {"toolCallId": name, **end.opaque.data}
            return replace(end, opaque=replace(end.opaque, data=data))
        if self._provider is None:
            return end
        data = {"items": [], "toolCallId": name}
        return replace(end, opaque=Opaque(provider=self._provider, data=data))

    def _free(self, name: str) -> str:
        number = 2
        while f"{name}-{number}" in self._used:
            number += 1
        free = f"{name}-{number}"
        self._used.add(free)
        return free
