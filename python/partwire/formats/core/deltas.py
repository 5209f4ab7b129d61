"""Deltas of one stream after the other, as a reader of a run writes them."""

from __future__ import annotations

from typing import Any

from partwire.message.assembler.lines import read_item

from .reading import Json

__all__ = ["DeltaStream"]


class DeltaStream:
    """Writes the deltas of one message: numbered, with the ids that all of them have."""

    def __init__(self, run_id: str, timestamp: str, **ids: str | None) -> None:
        self._head: Json = {"runId": run_id, "timestamp": timestamp}
        self._head |= {name: value for name, value in ids.items() if value}
        self._seq = 0

    def delta(self, kind: str, payload: Json, timestamp: str | None = None) -> Any:
        """Return the next delta as a struct; raises ReadError where it would not be valid."""
        head = {**self._head, "timestamp": timestamp} if timestamp else self._head
        delta = {**head, "seq": self._seq, "kind": kind, "payload": payload}
        made = read_item(delta, "strict", is_first=False)
        self._seq += 1
        return made
