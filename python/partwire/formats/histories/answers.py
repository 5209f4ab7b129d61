"""What an assistant said, stored: read by the adapter of its dialect, as the answer that it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from partwire.message.assemble import assemble
from partwire.providers.core.adapter import ProviderAdapter
from partwire.providers.registry import open_adapter

from ..core.reading import Json, Members, Reading
from ..core.source import is_nested

__all__ = ["Answers", "add_spoken", "figures"]

_PARTS_LOST: Final = frozenset(
    {"adapter/invalid-event", "adapter/unnamed-tool-call", "adapter/tool-call-mismatch"}
)
"""Findings of an adapter behind which something of the answer is not in the message."""
_MOST_LEVELS: Final = 64
"""Adapters keep state that is nested no deeper."""


class Answers:
    """The answers of one history: ids of calls are unique among all of them."""

    def __init__(self, dialect: str, reading: Reading) -> None:
        self._dialect = dialect
        self._reading = reading
        self._number = 0
        self._used: set[str] = set()
        self._of_id: dict[str, deque[str]] = {}  # the provider's id → ids of calls
        self._of_name: dict[str, deque[str]] = {}
        self._names: dict[str, str] = {}
        self._answered: set[str] = set()

    def add(
        self, body: Json, place: str, meta: Mapping[str, str] | None = None, **members: Any
    ) -> Json:
        """Add the message of a whole answer that stands at ``place``, and return it.

        ``meta`` names what the answer says of itself: member of the message's meta → place of it
        in the source. What stands in no message after all is reported there.
        """
        reading = self._reading
        self._number += 1
        if is_nested(body, _MOST_LEVELS):
            reading.note("malformed-part", place)
        message, adapter = self._read(body)
        if any(each.rule in _PARTS_LOST for each in adapter.findings):
            reading.note("malformed-part", place)
        said = message["meta"]
        kept = {"incomplete": said["incomplete"]} if "incomplete" in said else {}
        for name, at in (meta or {}).items():
            if name in said:
                kept[name] = said[name]
            else:
                reading.note("foreign-member", at)
        self._remember(message["parts"], adapter.provider_ids)
        return reading.add("assistant", message["parts"], meta=kept or None, **members)

    def answered(self, own: str | None, name: str | None = None) -> str | None:
        """Return the id of the call that a result answers: the first that waits, of the provider's
        id, or without one of the tool's name. None where there is no such call.
        """
        calls = self._of_name.get(name or "") if own is None else self._of_id.get(own)
        while calls and calls[0] in self._answered and (own is None or len(calls) > 1):
            calls.popleft()
        if not calls:
            return None
        self._answered.add(calls[0])
        return calls[0]

    def name_of(self, call_id: str) -> str | None:
        """Return the name of the tool that a call of this history calls."""
        return self._names.get(call_id)

    def made_id(self) -> str:
        """Return an id for a call that the history does not have."""
        number = len(self._used)
        while (made := f"call_{number}") in self._used:
            number += 1
        self._used.add(made)
        return made

    def _read(self, body: Json) -> tuple[Json, ProviderAdapter]:
        """Read an answer; ids that other answers have used make way. All of them would be many."""
        reading = self._reading
        taken: frozenset[str] = frozenset()
        while True:
            adapter = open_adapter(
                self._dialect,
                reading.run_id,
                clock=lambda: reading.timestamp,
                used_tool_call_ids=taken,
            )
            deltas = adapter.identify(request_id=f"{reading.run_id}.{self._number}")
            deltas += adapter.feed(body)
            deltas += adapter.close()
            message = msgspec.to_builtins(assemble(deltas))
            ids = {call["toolCallId"] for call in _calls(message["parts"])}
            if ids.isdisjoint(self._used):
                self._used |= ids
                return message, adapter
            taken |= ids & self._used

    def _remember(self, parts: list[Json], own_ids: Mapping[str, str | None]) -> None:
        for call in _calls(parts, "tool_call"):
            call_id, name = call["toolCallId"], call["toolName"]
            own = own_ids.get(call_id, call_id)
            self._names[call_id] = name
            self._of_name.setdefault(name, deque()).append(call_id)
            if own is not None:
                self._of_id.setdefault(own, deque()).append(call_id)


def _calls(parts: list[Json], *kinds: str) -> list[Json]:
    wanted = kinds or ("tool_call", "server_tool_call")
    return [part["payload"] for part in parts if part["kind"] in wanted]


def add_spoken(role: str, parts: list[Json], reading: Reading) -> None:
    """Add what a user, or the system, said; results among it are messages of the role tool.

    A message has one result of each call: another one begins a message of its own.
    """
    run: list[Json] = []
    answered: set[str] = set()
    is_tool = False
    for part in parts:
        is_result = part["kind"] == "tool_result"
        call_id = part["payload"]["toolCallId"] if is_result else ""
        if run and (is_result != is_tool or call_id in answered):
            reading.add("tool" if is_tool else role, run)
            run, answered = [], set()
        is_tool = is_result
        run.append(part)
        if is_result:
            answered.add(call_id)
    if run or not parts:
        reading.add("tool" if is_tool else role, run)


def figures(usage: Members, names: tuple[str, ...]) -> Json:
    """Take the counts of these names; what is not a count stays, and is reported."""
    found: Json = {}
    for name in names:
        count = usage.count(name)
        if count is not None:
            found[name] = count
    return found
