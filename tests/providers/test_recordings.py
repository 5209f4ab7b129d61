"""Recorded streams: the deltas say what other people's accumulators say, whole or cut.

Where our rule differs from the way the index counts, the field's row in ``tests/differences``
says how and why; anything else that differs is a failure.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from string import ascii_letters, digits
from typing import Any, Final

import pytest

from partwire import to_wire
from partwire.contract.current.message import MessageDelta
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from partwire.providers.core.errors import error_code, read_error
from tests.differences import DIALECTS, UNCOMPARED, Dialect
from tests.providers import recordings as recorded
from tests.providers.provider_streams import RUN, Ran, fixed_clock, run_events
from tests.providers.recordings import Recording

IDS: Final = recorded.ids(*DIALECTS)

pytestmark = pytest.mark.early


def _is_spliced(recording: Recording) -> bool:
    return "second message_start" in recording.entry["quirks"]


def expectation(recording: Recording) -> dict[str, Any]:
    """Return what our deltas have to say, field by field."""
    given = recording.expected
    dialect = DIALECTS[recording.dialect]
    error = given["error"]
    calls = given["toolCalls"]
    fields = {
        "text": given["text"],
        "thinking": given["thinking"],
        "toolCalls": [(call["id"], call["name"], call["arguments"]) for call in calls],
        "argsText": [call["argsText"] for call in calls],
        "finishReason": dialect.reasons.get(given.get("incompleteReason", given["finishReason"])),
        "error": error and _error(dialect, error),
        **(given["usage"] or dict.fromkeys(("inputTokens", "outputTokens", "totalTokens"))),
    }
    for difference in dialect.differences:
        if difference.applies(recording):
            fields[difference.field] = difference.ours(recording)
    return {name: value for name, value in fields.items() if value is not UNCOMPARED}


def _error(dialect: Dialect, error: dict[str, Any]) -> str:
    """Return our code of an error of the index; of one without a row, what its words say."""
    return dialect.errors.get(error["code"]) or error_code(read_error(error))


def observation(ran: Ran) -> dict[str, Any]:
    """Return what the deltas and the assembled message say, field by field."""
    parts = ran.parts
    args: dict[str, str] = {}
    for delta in ran.deltas:
        payload = to_wire(delta)["payload"]
        if delta.kind == "tool_call_start":
            args[payload["toolCallId"]] = ""
        elif delta.kind == "tool_call_args":
            args[payload["toolCallId"]] += payload["argsTextDelta"]
    calls = [part["payload"] for part in parts if part["kind"] == "tool_call"]
    none = dict.fromkeys(("inputTokens", "outputTokens", "totalTokens"))
    return {
        "text": "".join(p["payload"]["text"] for p in parts if p["kind"] == "text"),
        "thinking": "".join(p["payload"]["text"] for p in parts if p["kind"] == "thinking"),
        "toolCalls": [(c["toolCallId"], c["toolName"], c["arguments"]) for c in calls],
        "argsText": list(args.values()),
        "finishReason": ran.end.get("finishReason"),
        "error": ran.end.get("errorCode"),
        **(ran.usage or none),
    }


def _ran(recording: Recording) -> Ran:
    return run_events(recording.dialect, recording.texts)


@pytest.mark.parametrize("name", IDS)
def test_a_recording_says_what_the_index_says(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    ran = _ran(recording)
    seen, due = observation(ran), expectation(recording)
    assert {field: seen[field] for field in due} == due
    if recording.expected["finishReason"] is not None and not _is_spliced(recording):
        assert ran.adapter.finish_reason == recording.expected["finishReason"]
    if error := recording.expected["error"]:
        assert ran.adapter.error is not None
        assert str(error["code"]) in (ran.adapter.error.code, ran.adapter.error.type)
        assert ran.end["message"] == error["message"]


@pytest.mark.parametrize("name", IDS)
def test_server_side_calls_are_kept_whole(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    kept = [item.data for item in _ran(recording).adapter.opaque if "tool_use" in item.kind]
    due = [c for c in recording.expected["serverToolCalls"] if "anthropic" in recording.dialect]
    seen = [(call["id"], call["name"], call["input"]) for call in kept]
    assert seen == [(call["id"], call["name"], call["arguments"]) for call in due]


@pytest.mark.parametrize("name", recorded.ids("anthropic-messages", "bedrock-converse"))
def test_server_side_calls_are_parts_and_have_their_results(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    parts = _ran(recording).parts
    calls = [part["payload"] for part in parts if part["kind"] == "server_tool_call"]
    results = {p["payload"]["toolCallId"] for p in parts if p["kind"] == "server_tool_result"}
    due = recording.expected["serverToolCalls"]
    assert [(call["toolCallId"], call["toolName"], call["arguments"]) for call in calls] == [
        (call["id"], call["name"], call["arguments"]) for call in due
    ]
    assert {call["id"] for call in due} <= results


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_difference_is_one(dialect: str, recordings: Path) -> None:
    """A row that applies to no recording, or changes nothing, is stale."""
    mine = [recorded.load()[name] for name in recorded.ids(dialect)]
    for difference in DIALECTS[dialect].differences:
        if not difference.seen:
            continue
        assert any(difference.applies(recording) for recording in mine), difference


def test_every_dialect_has_its_recordings(recordings: Path) -> None:
    assert set(DIALECTS) == set(ADAPTERS)
    assert len(IDS) >= 124


# --- cuts ----------------------------------------------------------------------------------------


def _deltas(recording: Recording, chunks: Iterator[bytes]) -> list[MessageDelta]:
    reader = ByteAdapter(open_adapter(recording.dialect, RUN, clock=fixed_clock))
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)]
    return deltas + reader.close()


def _cut(data: bytes, at: list[int]) -> Iterator[bytes]:
    edges = [0, *sorted(at), len(data)]
    return (data[a:b] for a, b in pairwise(edges))


FEW: Final = 32
few_or_many = pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.slow)])
"""Whether something is tried at FEW places of a stream, or at one of each kind besides."""

_ALIKE: Final = bytes.maketrans(
    bytes(range(0x80, 0x100)) + ascii_letters.encode() + digits.encode(),
    b"\x80" * 0x40 + b"\xc0" * 0x40 + b"a" * 52 + b"0" * 10,
)
"""What no reader of lines tells apart: letters, digits, bytes that begin a character or go on."""


def _places(many: bool, kinds: Sequence[Any], name: str) -> list[int]:
    """Return places of a stream, in order: drawn ones, and if many one of each kind.

    Of an answer of 100 KB nearly all places are in the midst of a word: drawn ones would seldom be
    between the halves of a line end, of a character or of a field's name.
    """
    drawn = random.Random(name).sample(range(len(kinds)), len(kinds))
    of_each = {kinds[at]: at for at in drawn}.values() if many else ()
    return sorted({*drawn[:FEW], *of_each})


def _kinds_of_bytes(data: bytes) -> list[bytes]:
    """Return the kind of each place, the end included: the two bytes before and behind it."""
    shape = b"  " + data.translate(_ALIKE) + b"  "
    return [shape[at : at + 4] for at in range(len(data) + 1)]


def _kinds_of_events(events: Sequence[Any]) -> list[tuple[str, ...]]:
    """Return the kind of each place, the end included: the forms of the events around it."""
    return list(pairwise(["", *(str(_form(event)) for event in events), ""]))


def _form(value: Any) -> Any:
    """Return a value of JSON without its texts and numbers, but for what names a type."""
    if isinstance(value, list):
        return [_form(each) for each in value]
    if isinstance(value, dict):
        return {k: v if k == "type" else _form(v) for k, v in value.items()}
    return type(value).__name__


@few_or_many
@pytest.mark.parametrize("name", IDS)
@pytest.mark.usefixtures("untraced")
def test_cutting_the_bytes_anywhere_changes_nothing(
    name: str, many: bool, recordings: Path
) -> None:
    recording = recorded.load()[name]
    due = _ran(recording).deltas
    data = recording.raw_sse or recording.sse
    for at in _places(many, _kinds_of_bytes(data), name):
        assert _deltas(recording, iter([data[:at], data[at:]])) == due, at
    assert _deltas(recording, (data[at : at + 1] for at in range(len(data)))) == due


@pytest.mark.parametrize("name", IDS)
@pytest.mark.usefixtures("untraced")
def test_many_cuts_in_any_framing_change_nothing(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    lines = "".join(f"{text}\n" for text in recording.texts).encode()
    due = _ran(recording).deltas
    rng = random.Random(name)
    inputs = [recording.sse, lines, recording.sse.replace(b"\n", b"\r\n")]
    if recording.raw_sse is not None:
        inputs.append(recording.raw_sse)
    for data in inputs:
        assert _deltas(recording, iter([data])) == due
        for count in (1, 2, 3, 8, 40):
            cuts = [rng.randrange(len(data) + 1) for _ in range(count)]
            assert _deltas(recording, _cut(data, cuts)) == due, cuts


# --- prefixes ------------------------------------------------------------------------------------


def _ends(text: str, dialect: str) -> bool:
    return text == "[DONE]" or DIALECTS[dialect].ends(json.loads(text))


def _body_length(recording: Recording) -> int:
    """Return how many events come before the first that ends the stream."""
    texts = recording.texts
    marks = [at for at, text in enumerate(texts) if _ends(text, recording.dialect)]
    if _is_spliced(recording):
        marks.append([i for i, text in enumerate(texts) if '"message_start"' in text][1])
    return min(marks, default=len(texts))


@few_or_many
@pytest.mark.parametrize("name", IDS)
@pytest.mark.usefixtures("untraced")
def test_a_prefix_of_events_without_an_end_is_truncated(
    name: str, many: bool, recordings: Path
) -> None:
    recording = recorded.load()[name]
    events = [json.loads(text) for text in recording.texts[: _body_length(recording)]]
    for length in _places(many, _kinds_of_events(events), name):
        adapter = open_adapter(recording.dialect, RUN, clock=fixed_clock)
        for event in events[:length]:
            adapter.feed(event)
        (*_, end) = adapter.close()
        assert end.kind == "error", length
        assert end.payload.error_code == "truncated_stream", length


@few_or_many
@pytest.mark.parametrize("name", IDS)
@pytest.mark.usefixtures("untraced")
def test_a_prefix_of_bytes_without_an_end_is_truncated(
    name: str, many: bool, recordings: Path
) -> None:
    recording = recorded.load()[name]
    head = "".join(f"data: {text}\n\n" for text in recording.texts[: _body_length(recording)])
    rest = recording.texts[_body_length(recording) :][:1]
    data = head.encode() + "".join(f"data: {text}" for text in rest).encode()
    kinds = _kinds_of_bytes(data)[:-1]
    last = max(0, len(head.encode()) - 10)  # where the end begins
    near = [last + at for at in _places(many, kinds[last:], name)]
    lengths = [*_places(many, kinds, name), *near]
    for length in lengths:
        end = _deltas(recording, iter([data[:length]]))[-1]
        assert end.kind == "error", length
        assert end.payload.error_code == "truncated_stream", length
