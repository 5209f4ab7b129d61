"""What an assistant said, stored: read by the adapter of its dialect, as the answer that it was."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from partwire.message.assemble import assemble
from partwire.providers.registry import open_adapter

from ..core.reading import Json, Reading

__all__ = ["Answers"]

_PARTS_LOST: Final = frozenset(
    {"adapter/invalid-event", "adapter/unnamed-tool-call", "adapter/tool-call-mismatch"}
)
"""Findings of an adapter behind which something of the answer is not in the message."""


class Answers:
    """The answers of one history: ids of calls are unique among all of them."""

    def __init__(self, dialect: str, reading: Reading) -> None:
        self._dialect = dialect
        self._reading = reading
        self._used: set[str] = set()
        self._number = 0

    def add(self, body: Json, place: str, **members: Any) -> Json:
        """Add the message of a whole answer that stands at ``place``, and return it."""
        reading = self._reading
        self._number += 1
        adapter = open_adapter(
            self._dialect,
            reading.run_id,
            clock=lambda: reading.timestamp,
            used_tool_call_ids=frozenset(self._used),
        )
        deltas = adapter.identify(request_id=f"{reading.run_id}.{self._number}")
        deltas += adapter.feed(body)
        deltas += adapter.close()
        message = msgspec.to_builtins(assemble(deltas))
        parts = message["parts"]
        for part in parts:
            if part["kind"] in {"tool_call", "server_tool_call"}:
                self._used.add(part["payload"]["toolCallId"])
        if any(each.rule in _PARTS_LOST for each in adapter.findings):
            reading.note("malformed-part", place)
        return reading.add("assistant", parts, **members)
