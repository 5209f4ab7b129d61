"""Run adapters in tests: from events or bytes to deltas, and the laws of every stream."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from partwire import MessageAssembler, to_wire, validate
from partwire.providers import ByteAdapter, Framing, ProviderAdapter, open_adapter
from partwire.v0_2.structs.message import Message, MessageDelta

NOW = "2026-01-02T03:04:05Z"
RUN = "run_1"
ODD: tuple[Any, ...] = (None, True, 7, -1.5, "", "odd", [], [None], {}, {"type": []})
"""Values of every type, none of which belongs where it is put."""


def fixed_clock() -> str:
    """Return the same instant always."""
    return NOW


def step_clock(start: str, step_ms: int) -> Callable[[], str]:
    """Return a clock whose first reading is ``start``, and each further one ``step_ms`` later."""
    at = datetime.fromisoformat(start)

    def read() -> str:
        nonlocal at
        now, at = at, at + timedelta(milliseconds=step_ms)
        return now.strftime("%Y-%m-%dT%H:%M:%SZ")

    return read


class Ran(NamedTuple):
    """What an adapter gave, and the adapter itself."""

    deltas: list[MessageDelta]
    adapter: ProviderAdapter

    @property
    def kinds(self) -> list[str]:
        """Kinds of the deltas."""
        return [delta.kind for delta in self.deltas]

    @property
    def rules(self) -> list[str]:
        """Rules of the findings."""
        return [finding.rule for finding in self.adapter.findings]

    @property
    def start(self) -> Any:
        """Payload of the first delta, as JSON."""
        return to_wire(self.deltas[0])["payload"]

    @property
    def end(self) -> Any:
        """Payload of the last delta, as JSON."""
        return to_wire(self.deltas[-1])["payload"]

    @property
    def parts(self) -> list[Any]:
        """Parts of the message, final or partial, as JSON."""
        parts: list[Any] = to_wire(assembled(self.deltas))["parts"]
        return parts

    @property
    def usage(self) -> Any:
        """The last usage, None if there is none."""
        found = [to_wire(d)["payload"] for d in self.deltas if d.kind == "usage"]
        return found[-1] if found else None


def run_events(dialect: str, events: Iterable[object], **options: Any) -> Ran:
    """Feed raw events (JSON values, or text as it stood on the wire) and close."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock, **options)
    deltas: list[MessageDelta] = []
    for event in events:
        deltas += adapter.feed_text(event) if isinstance(event, str) else adapter.feed(event)
    deltas += adapter.close()
    check_stream(deltas)
    return Ran(deltas, adapter)


def run_bytes(
    dialect: str, chunks: Iterable[bytes], framing: Framing = "auto", **options: Any
) -> Ran:
    """Feed bytes and close."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock, **options)
    reader = ByteAdapter(adapter, framing)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)]
    deltas += reader.close()
    check_stream(deltas)
    return Ran(deltas, adapter)


def assembled(deltas: Sequence[MessageDelta]) -> Message:
    """Return what the assembler makes of the deltas: the final message, or the partial one."""
    assembler = MessageAssembler()
    for delta in deltas:
        assembler.consume(delta)
    if deltas[-1].kind == "done":
        return assembler.build_final_message()
    return assembler.build_partial()


def check_stream(deltas: Sequence[MessageDelta]) -> None:
    """Assert what holds for every stream, whatever the provider sent."""
    kinds = [delta.kind for delta in deltas]
    assert kinds[0] == "start"
    assert kinds.count("start") == 1
    assert kinds[-1] in ("done", "error")
    assert sum(kind in ("done", "error") for kind in kinds) == 1
    assert [delta.seq for delta in deltas] == list(range(len(deltas)))
    for delta in deltas:
        wire = to_wire(delta)
        assert validate(wire, "message.MessageDelta") == []
        payload = wire["payload"]
        assert payload.get("textDelta") != ""
        assert payload.get("argsTextDelta") != ""
    assembled(deltas)


def broken_copies(events: Sequence[Any], odd: Any) -> Iterator[list[Any]]:
    """Yield copies of ``events``, each with ``odd`` at another place of the JSON."""
    for number, event in enumerate(events):
        for path in _places(event):
            broken = copy.deepcopy(list(events))
            holder: Any = broken
            for key in (number, *path)[:-1]:
                holder = holder[key]
            holder[(number, *path)[-1]] = copy.deepcopy(odd)
            yield broken


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else ()
    below = [p for key, member in (*members, *items) for p in _places(member, (*path, key))]
    return [path, *below]
