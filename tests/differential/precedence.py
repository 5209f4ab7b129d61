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
from tests.message.delta_streams import PAYLOADS, delta

__all__ = ["FAULTS", "Fault", "broken_pairs", "order", "precedence_requests"]

_SEMANTICS: Final[Path] = ROOT / "docs" / "semantics.md"
_IDS: Final = {"messageId": "msg_1", "turnId": "turn_1"}
_STARTS: Final = ("tool_call_start", "server_tool_call_start")
_ARGS: Final = ("tool_call_args", "server_tool_call_args")
_ENDS: Final = ("tool_call_end", "server_tool_call_end")
_MEDIA: Final = ("media_data", "media_end")
_OPAQUE: Final = ("text", "thinking", *_STARTS, *_ARGS, *_ENDS, "media_start", "media_end")
_RIGHT: Final[dict[str, Json]] = {
    **PAYLOADS,
    "text_citation": {"citation": {"source": {"kind": "url"}}},
    "server_tool_call_start": {"toolCallId": "b", "toolName": "tool"},
    "server_tool_call_args": {"toolCallId": "s", "argsTextDelta": "{}"},
    "server_tool_call_end": {"toolCallId": "s"},
    "server_tool_result": {"toolCallId": "b", "isError": False, "content": ""},
    "approval_request": {"approvalId": "new", "toolCallId": "closed"},
    "media_start": {"mediaId": "new", "mimeType": "audio/wav"},
    "media_data": {"mediaId": "m", "dataDelta": "QQ=="},
    "media_end": {"mediaId": "m"},
    "warning": {"code": "other"},
}
_BEFORE: Final[tuple[tuple[str, Json], ...]] = (
    ("start", {"modelId": "model-1", "requestId": "req_1"}),
    ("text", {"textDelta": "x"}),
    ("tool_call_start", {"toolCallId": "closed", "toolName": "tool"}),
    ("tool_call_end", {"toolCallId": "closed"}),
    ("server_tool_call_start", {"toolCallId": "over", "toolName": "tool"}),
    ("server_tool_call_end", {"toolCallId": "over"}),
    ("server_tool_result", {"toolCallId": "over", "isError": False, "content": ""}),
    ("approval_request", {"approvalId": "used", "toolCallId": "closed"}),
    ("media_start", {"mediaId": "shut", "mimeType": "audio/wav"}),
    ("media_data", {"mediaId": "shut", "dataDelta": "QQ=="}),
    ("media_end", {"mediaId": "shut"}),
)
"""What has come, and is over."""
_OPEN: Final[tuple[tuple[str, Json], ...]] = (
    ("media_start", {"mediaId": "hollow", "mimeType": "audio/wav"}),
    ("media_start", {"mediaId": "m", "mimeType": "audio/wav"}),
    ("media_data", {"mediaId": "m", "dataDelta": "QQ=="}),
    ("server_tool_call_start", {"toolCallId": "s", "toolName": "tool"}),
    ("server_tool_call_args", {"toolCallId": "s", "argsTextDelta": '{"k":[1]}'}),
    ("tool_call_start", {"toolCallId": "a", "toolName": "tool"}),
    ("tool_call_args", {"toolCallId": "a", "argsTextDelta": '{"k":[1]}'}),
)
"""What is open, but before done."""
_LAST: Final = 99
_LONG: Final = "x" * 9000


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
    place.delta["payload"][_OWN_ID.get(place.delta["kind"], "toolCallId")] = "x" * 9


_OWN_ID: Final = {"start": "modelId", "approval_request": "approvalId", "media_start": "mediaId"}


def _opaque(name: str, most: int, data: Json) -> Callable[[Place], None]:
    def breaks(place: Place) -> None:
        place.limits[name] = most
        place.delta["payload"]["opaque"] = {"provider": "p", "data": data}

    return breaks


def _deep_arguments(place: Place) -> None:
    place.limits["arguments_depth"] = 1


def _closed(place: Place) -> None:
    is_server = place.delta["kind"].startswith("server_")
    place.delta["payload"]["toolCallId"] = "over" if is_server else "closed"


def _call_open(place: Place) -> None:
    if place.delta["kind"] == "done":
        _begin(place, _OPEN[-2])
    else:
        place.delta["payload"]["toolCallId"] = "a"


def _media_open(place: Place) -> None:
    _begin(place, _OPEN[0])


def _begin(place: Place, row: tuple[str, Json]) -> None:
    """Let something be open, but behind the end."""
    before = place.before
    if not before:
        return
    at = len(before) - (before[-1]["kind"] == "error")
    before.insert(at, delta(row[0], before[at - 1]["seq"] + 1, deepcopy(row[1])))


def _hollow(place: Place) -> None:
    place.delta["payload"]["mediaId"] = "hollow"
    place.delta["payload"].pop("source", None)


def _many_agents(place: Place) -> None:
    place.limits["agents"] = 1
    place.delta["payload"]["author"] = {"agentPath": ["a", "b"]}


_LONG_MEMBERS: Final = {
    "server_tool_result": "content",
    "approval_request": "reason",
    "media_start": "name",
    "media_end": "mimeType",
    "warning": "message",
}


def _large_payload(place: Place) -> None:
    place.limits["payload_bytes"] = 8000
    payload, kind = place.delta["payload"], place.delta["kind"]
    if kind == "text_citation":
        payload["citation"]["quotedText"] = _LONG
    else:
        payload[_LONG_MEMBERS[kind]] = _LONG


def _deep_payload(place: Place) -> None:
    place.limits["payload_depth"] = 2
    if place.delta["kind"] != "text_citation":  # which is as deep as that
        place.delta["payload"]["opaque"] = {"provider": "p", "data": {}}


def _large_media(place: Place) -> None:
    place.limits["media_bytes"] = 8
    payload = place.delta["payload"]
    if place.delta["kind"] == "media_data":
        payload["dataDelta"] = "QUJD"
    else:
        payload["source"] = {"kind": "inline", "data": "QUJDRA=="}


_ALL: Final = tuple(_RIGHT)
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
    Fault("id_chars", ("start", *_STARTS, "server_tool_result", *list(_OWN_ID)[1:]), _long_id),
    Fault("agents", ("start",), _many_agents),
    Fault("stream/duplicate-tool-call", _STARTS, _payload("toolCallId", "a")),
    Fault(
        "stream/unknown-tool-call",
        (*_ARGS, *_ENDS, "approval_request"),
        _payload("toolCallId", "ghost"),
    ),
    Fault("stream/tool-call-closed", (*_ARGS, *_ENDS), _closed),
    Fault("stream/tool-call-open", ("done", "server_tool_result", "approval_request"), _call_open),
    Fault("stream/duplicate-tool-result", ("server_tool_result",), _payload("toolCallId", "over")),
    Fault("stream/duplicate-approval", ("approval_request",), _payload("approvalId", "used")),
    Fault("stream/unknown-text-part", ("text_citation",), _payload("partIndex", 1)),
    Fault("stream/duplicate-media", ("media_start",), _payload("mediaId", "m")),
    Fault("stream/unknown-media", _MEDIA, _payload("mediaId", "ghost")),
    Fault("stream/media-closed", _MEDIA, _payload("mediaId", "shut")),
    Fault("stream/media-open", ("done",), _media_open),
    Fault("stream/empty-media", ("media_end",), _hollow),
    Fault("tool_calls", _STARTS, _limit("tool_calls", 4)),
    Fault(
        "parts",
        ("text", "thinking", *_STARTS, "server_tool_result", "approval_request", "media_start"),
        _limit("parts", 10),
    ),
    Fault("payload_bytes", ("text_citation", *_LONG_MEMBERS), _large_payload),
    Fault(
        "payload_depth", ("text_citation", "server_tool_result", "approval_request"), _deep_payload
    ),
    Fault("opaque_bytes", _OPAQUE, _opaque("opaque_bytes", 1, {"a": [[1]]})),
    Fault("opaque_depth", _OPAQUE, _opaque("opaque_depth", 2, {"a": [[1]]})),
    Fault("text_bytes", ("text", "thinking"), _payload("textDelta", "xx")),
    Fault("arguments_bytes", _ARGS, _payload("argsTextDelta", "x" * 20)),
    Fault("arguments_depth", _ENDS, _deep_arguments),
    Fault("media_bytes", _MEDIA, _large_media),
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
    made = delta(kind, _LAST, deepcopy(_RIGHT[kind]))
    before: list[Json] = []
    if where != "idle":
        rows = [*_BEFORE, *(() if kind == "done" else _OPEN)]
        before = [delta(each, seq, deepcopy(body)) for seq, (each, body) in enumerate(rows)]
        before[0] |= _IDS
    if where == "ended":
        before += [delta("error", _LAST - 1, PAYLOADS["error"])]
    limits: Json = {"text_bytes": 1, "arguments_bytes": 20}
    return Place(before, made, limits, {})


def _does(place: Place, fault: Fault) -> bool:
    """Return whether a delta still breaks a rule although it breaks another: one call, one id."""
    kind, payload = place.delta["kind"], place.delta["payload"]
    wanted = {
        "stream/duplicate-tool-call": ("toolCallId", "a"),
        "stream/unknown-tool-call": ("toolCallId", "ghost"),
        "stream/tool-call-closed": (
            "toolCallId",
            "over" if kind.startswith("server_") else "closed",
        ),
        "stream/tool-call-open": ("toolCallId", None if kind == "done" else "a"),
        "stream/duplicate-tool-result": ("toolCallId", "over"),
        "stream/duplicate-approval": ("approvalId", "used"),
        "stream/duplicate-media": ("mediaId", "m"),
        "stream/unknown-media": ("mediaId", "ghost"),
        "stream/media-closed": ("mediaId", "shut"),
        "stream/empty-media": ("mediaId", "hollow"),
        "id_chars": (_OWN_ID.get(kind, "toolCallId"), "x" * 9),
    }
    name, value = wanted.get(fault.name, ("", None))
    if fault.name == "stream/empty-media" and "source" in payload:
        return False
    return bool(payload.get(name) == value)


def _request(place: Place) -> Request:
    made = [json.dumps(each) for each in (*place.before, place.delta)]
    given = {"deltas": made, "limits": place.limits, **place.given}
    return Request("assemble", LATEST_VERSION, given)
