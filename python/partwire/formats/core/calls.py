"""Which call a result answers, by the ids that the source has, or by name and order."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

__all__ = ["Calls", "OpenCall"]


class OpenCall(NamedTuple):
    """A call of a tool: its id in the messages, its tool, and the id that the source gives it."""

    call_id: str
    name: str
    own: str | None


class Calls:
    """The calls of one history.

    Some sources use an id again, others have no ids: a result is that of the first call that still
    waits and fits, as results come in the order of their calls.
    """

    def __init__(self) -> None:
        self._waiting: set[str] = set()
        self._all: deque[OpenCall] = deque()
        self._by_own: dict[str, OpenCall | deque[OpenCall]] = {}  # nearly all ids are of one call
        self._by_name: dict[str, deque[OpenCall]] = {}

    def add(self, call: OpenCall) -> None:
        """Add a call."""
        self._waiting.add(call.call_id)
        self._all.append(call)
        self._by_name.setdefault(call.name, deque()).append(call)
        if call.own is not None:
            others = self._by_own.setdefault(call.own, call)
            if isinstance(others, deque):
                others.append(call)
            elif others is not call:
                self._by_own[call.own] = deque((others, call))

    def of_id(self, own: str) -> OpenCall | None:
        """Return the call that a result with an id answers; the last one where none waits."""
        queue = self._by_own.get(own)
        if not isinstance(queue, deque):
            return None if queue is None else self._answer(queue)
        while len(queue) > 1 and queue[0].call_id not in self._waiting:
            queue.popleft()
        return self._answer(queue[0])

    def of_name(self, name: str | None) -> OpenCall | None:
        """Return the call that a result without an id answers, None where none waits."""
        queue = self._all if name is None else self._by_name.get(name, deque())
        while queue and queue[0].call_id not in self._waiting:
            queue.popleft()
        return self._answer(queue[0]) if queue else None

    def _answer(self, call: OpenCall) -> OpenCall:
        self._waiting.discard(call.call_id)
        return call
