"""Deltas that break two rules at once, for every pair of rules that one delta can break.

The order is the table's in docs/semantics.md, read from there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

from partwire.contract.current import LATEST_VERSION
from partwire.message.assembler.checks import STEPS, Status
from partwire_testing.conformance.drawn.request import Json, Request
from tests.fixture_cases import ROOT
from tests.message.delta_streams import CALL, PAYLOADS, delta, stream

__all__ = ["FAULTS", "Fault", "broken_pairs", "order", "precedence_requests"]

_SEMANTICS: Final[Path] = ROOT / "docs" / "semantics.md"
_IDS: Final = {"messageId": "msg_1", "turnId": "turn_1"}
_CALLS: Final = ("tool_call_start", "tool_call_args", "tool_call_end")
_OPAQUE: Final = ("text", "thinking", *_CALLS)


@cache
def order() -> tuple[str, ...]:
    """Return the rules in the order of the table, limits by their names."""
    text = _SEMANTICS.read_text("utf-8")
    _, _, table = text.partition("| what is looked at | in this order |\n")
    rows = table.partition("\n\n")[0].splitlines()[1:]
    named = re.findall(r"`([a-z_/-]+)`", "\n".join(rows))
    return tuple(each for each in named if each != "stream/limit-exceeded")


class Place(NamedTuple):
    """A delta that is right in its place: what came before it, and what the assembler is given."""

    before: list[Json]
    delta: Json
    limits: Json
    given: Json


class Fault(NamedTuple):
    """What one rule, or limit, forbids, and how a delta of these kinds comes to break it."""

    name: str
    kinds: tuple[str, ...]
    breaks: Callable[[Place], None]
    place: str = "started"


def _member(name: str, value: Any) -> Callable[[Place], None]:
    return lambda place: place.delta.__setitem__(name, value)


def _payload(name: str, value: Any) -> Callable[[Place], None]:
    return lambda place: place.delta["payload"].__setitem__(name, value)


def _limit(name: str, most: int) -> Callable[[Place], None]:
    return lambda place: place.limits.__setitem__(name, most)


def _other_run(place: Place) -> None:
    place.delta["runId"] = "run_2"
    place.given["run_id"] = "run_1"


def _long_id(place: Place) -> None:
    place.limits["id_chars"] = 8
    payload = place.delta["payload"]
    payload["modelId" if place.delta["kind"] == "start" else "toolCallId"] = "x" * 9


def _opaque(name: str, most: int, data: Json) -> Callable[[Place], None]:
    def breaks(place: Place) -> None:
        place.limits[name] = most
        place.delta["payload"]["opaque"] = {"provider": "p", "data": data}

    return breaks


def _deep_arguments(place: Place) -> None:
    place.limits["arguments_depth"] = 1


_ALL: Final = tuple(PAYLOADS)
_NOT_START: Final = tuple(kind for kind in _ALL if kind != "start")


def _misplaced(rule: str, status: Status, place: str) -> Fault:
    """Return the fault of a delta of a kind that the stream's table refuses in this status."""
    kinds = tuple(kind for kind in _ALL if STEPS[status][kind] == rule)
    return Fault(rule, kinds, lambda place: None, place)


FAULTS: Final = (
    _misplaced("stream/after-terminal", "error", "ended"),
    _misplaced("stream/start-expected", "idle", "idle"),
    _misplaced("stream/duplicate-start", "started", "started"),
    Fault("stream/run-id-mismatch", _ALL, _other_run),
    Fault("stream/message-id-mismatch", _NOT_START, _member("messageId", "msg_2")),
    Fault("stream/turn-id-mismatch", _NOT_START, _member("turnId", "turn_2")),
    Fault("stream/seq-not-increasing", _NOT_START, _member("seq", 0)),
    Fault("id_chars", ("start", "tool_call_start"), _long_id),
    Fault("stream/duplicate-tool-call", _CALLS[:1], _payload("toolCallId", "a")),
    Fault("stream/unknown-tool-call", _CALLS[1:], _payload("toolCallId", "ghost")),
    Fault("stream/tool-call-closed", _CALLS[1:], _payload("toolCallId", "closed")),
    Fault("stream/tool-call-open", ("done",), lambda place: None),
    Fault("tool_calls", _CALLS[:1], _limit("tool_calls", 2)),
    Fault("parts", ("text", "thinking", "tool_call_start"), _limit("parts", 2)),
    Fault("opaque_bytes", _OPAQUE, _opaque("opaque_bytes", 1, {"a": [[1]]})),
    Fault("opaque_depth", _OPAQUE, _opaque("opaque_depth", 2, {"a": [[1]]})),
    Fault("text_bytes", ("text", "thinking"), _payload("textDelta", "xx")),
    Fault("arguments_bytes", _CALLS[1:2], _payload("argsTextDelta", "x" * 20)),
    Fault("arguments_depth", _CALLS[2:], _deep_arguments),
    Fault("stream/invalid-timestamp", ("start", "done", "error"), _member("timestamp", "soon")),
)


def broken_pairs() -> Iterator[tuple[str, str, str, Request]]:
    """Yield kind, the two rules or limits, the first one first, and the stream that breaks them."""
    rank = order().index
    for one, other in combinations(sorted(FAULTS, key=lambda each: rank(each.name)), 2):
        if len(where := {one.place, other.place} - {"started"}) > 1:
            continue
        for kind in one.kinds:
            if kind not in other.kinds:
                continue
            place = _right(kind, next(iter(where), _where(kind, one, other)))
            one.breaks(place)
            other.breaks(place)
            if _does(place, one) and _does(place, other):
                yield kind, one.name, other.name, _request(place)


def precedence_requests() -> Iterator[Request]:
    """Yield a stream for each pair of rules that one delta can break."""
    for _, _, _, request in broken_pairs():
        yield request


def _where(kind: str, *faults: Fault) -> str:
    """Return where a delta is right: a start comes first, unless it is to come twice."""
    if kind != "start" or any(fault.name == "stream/duplicate-start" for fault in faults):
        return "started"
    return "idle"


def _right(kind: str, where: str) -> Place:
    made = delta(kind, 9, deepcopy(PAYLOADS[kind]))
    before: list[Json] = []
    if where != "idle":
        rows: list[str | tuple[Any, ...]] = [
            "start",
            ("tool_call_start", "closed", "tool"),
            ("tool_call_end", "closed"),
            CALL,
        ]
        before = stream(*rows, ("tool_call_args", "a", '{"k":[1]}'))
        before[0] |= _IDS
    if where == "ended":
        before += [delta("error", 5, PAYLOADS["error"])]
    limits: Json = {"text_bytes": 1, "arguments_bytes": 20}
    return Place(before, made, limits, {})


def _does(place: Place, fault: Fault) -> bool:
    """Return whether a delta still breaks a rule although it breaks another: one call, one id."""
    call_id = place.delta["payload"].get("toolCallId")
    ids = {
        "stream/duplicate-tool-call": "a",
        "stream/unknown-tool-call": "ghost",
        "stream/tool-call-closed": "closed",
        "id_chars": "x" * 9 if place.delta["kind"] == "tool_call_start" else None,
    }
    return bool(ids.get(fault.name, call_id) == call_id)


def _request(place: Place) -> Request:
    made = [json.dumps(each) for each in (*place.before, place.delta)]
    given = {"deltas": made, "limits": place.limits, **place.given}
    return Request("assemble", LATEST_VERSION, given)
