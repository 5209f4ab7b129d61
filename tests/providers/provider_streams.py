"""Run adapters in tests: from events or bytes to deltas, and the laws of every stream."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from partwire import MessageAssembler, to_wire, validate
from partwire.contract.current.message import Message, MessageDelta
from partwire.providers import ByteAdapter, Framing, ProviderAdapter, open_adapter
from partwire.providers.core.opaque import storable, well_formed

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
    """What an adapter gave, and the adapter itself.

    ``kinds``, ``parts``, ``end`` and ``usage`` leave out what the provider alone wants or says
    (``opaque``, its own finish reason, which tokens were cached): that has ``sent``, ``whole``,
    ``said`` and ``counted``.
    """

    deltas: list[MessageDelta]
    adapter: ProviderAdapter

    @property
    def sent(self) -> list[str]:
        """Kinds of all deltas."""
        return [delta.kind for delta in self.deltas]

    @property
    def kinds(self) -> list[str]:
        """Kinds of the deltas, but for those that carry provider state alone."""
        return [d.kind for d in self.deltas if to_wire(d)["payload"].get("textDelta") != ""]

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
        """Payload of the last delta, as JSON, without the provider's own word."""
        end = to_wire(self.deltas[-1])["payload"]
        return {name: value for name, value in end.items() if name != "providerFinishReason"}

    @property
    def said(self) -> str | None:
        """The provider's own finish reason."""
        said: str | None = to_wire(self.deltas[-1])["payload"].get("providerFinishReason")
        return said

    @property
    def whole(self) -> list[Any]:
        """Parts of the message, final or partial, as JSON."""
        parts: list[Any] = to_wire(assembled(self.deltas))["parts"]
        return parts

    @property
    def parts(self) -> list[Any]:
        """The parts without provider state, and without one that is there for that alone."""
        parts = self.whole
        for part in parts:
            part["payload"].pop("opaque", None)
        return [part for part in parts if part["payload"].get("text") != ""]

    @property
    def counted(self) -> Any:
        """The last usage, None if there is none."""
        found = [to_wire(d)["payload"] for d in self.deltas if d.kind == "usage"]
        return found[-1] if found else None

    @property
    def usage(self) -> Any:
        """The last usage without the parts of its figures, None if there is none."""
        found = self.counted
        return found and {name: value for name, value in found.items() if name not in _PARTS}


_PARTS = frozenset({"reasoningTokens", "cacheReadTokens", "cacheWriteTokens"})


def run_events(dialect: str, events: Iterable[object], **options: Any) -> Ran:
    """Feed raw events (JSON values, or text as it was on the wire) and close."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock, **options)
    deltas: list[MessageDelta] = []
    for event in events:
        deltas += adapter.feed_text(event) if isinstance(event, str) else adapter.feed(event)
    deltas += adapter.close()
    return _checked(Ran(deltas, adapter))


def run_bytes(
    dialect: str, chunks: Iterable[bytes], framing: Framing = "auto", **options: Any
) -> Ran:
    """Feed bytes and close."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock, **options)
    reader = ByteAdapter(adapter, framing)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)]
    deltas += reader.close()
    return _checked(Ran(deltas, adapter))


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
        # Empty text carries what the provider wants back with the part that it ends.
        assert payload.get("textDelta") != "" or payload["opaque"]["data"]["items"]
        assert payload.get("argsTextDelta") != ""
    assembled(deltas)


def _checked(ran: Ran) -> Ran:
    check_stream(ran.deltas)
    check_state(ran)
    return ran


_BEGIN = {
    "tool_call_start": "toolCallId",
    "server_tool_call_start": "toolCallId",
    "media_start": "mediaId",
}
_WHOLE = frozenset({"server_tool_result", "approval_request"})
_END = {kind.replace("_start", "_end"): name for kind, name in _BEGIN.items()}
"""Deltas that begin and end parts which a partial message may leave out, and their ids."""


def check_state(ran: Ran) -> None:
    """Assert that the message has all that the adapter kept, each item where it belongs.

    Nothing of it is left but what belongs to a call that a partial message leaves out.
    """
    ids: dict[str, int] = {}
    kinds: list[str] = []
    for delta in ran.deltas:
        wire = to_wire(delta)
        kind, payload = wire["kind"], wire["payload"]
        if kind in _BEGIN:
            ids[payload[_BEGIN[kind]]] = len(kinds)
            kinds.append(kind)
        elif kind in _WHOLE or (
            kind in ("text", "thinking") and payload["textDelta"] and kinds[-1:] != [kind]
        ):
            kinds.append(kind)
        elif kind.endswith(("tool_call_args", "tool_call_end")):
            kinds += [""] if kinds[-1:] in (["text"], ["thinking"]) else []
    parts = [at for at, kind in enumerate(kinds) if kind]  # as the adapter counts them: no breaks
    closed = {to_wire(d)["payload"][_END[d.kind]] for d in ran.deltas if d.kind in _END}
    left_out = {parts.index(at) for call_id, at in ids.items() if call_id not in closed}
    due: list[str] = []
    for item in ran.adapter.opaque:
        if item.start is None and item.part in left_out:
            continue
        place = item.part - sum(gone < item.part for gone in left_out)
        due.append(_said(place, item.kind, storable(item.data), item.start, item.end))
    state = state_of(assembled(ran.deltas))
    said = [
        _said(place, item["kind"], item["data"], item.get("start"), item.get("end"))
        for place, items in state.items()
        for item in items
    ]
    assert sorted(said) == sorted(due)


def _said(place: int, kind: str, data: object, start: object, end: object) -> str:
    return json.dumps([place, well_formed(kind), data, start, end], sort_keys=True)


def state_of(message: Message) -> dict[int, list[Any]]:
    """Return what the provider wants back, by the index of the part that it belongs to.

    What is behind the last part has the number of parts, but for an empty one at the end.
    """
    found: dict[int, list[Any]] = {}
    for at, part in enumerate(to_wire(message)["parts"]):
        for holder in (part["payload"], *part["payload"].get("citations", ())):
            for item in holder.get("opaque", {"data": {"items": []}})["data"]["items"]:
                bare = {name: value for name, value in item.items() if name != "partOffset"}
                found.setdefault(at + item.get("partOffset", 0), []).append(bare)
    return found


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
