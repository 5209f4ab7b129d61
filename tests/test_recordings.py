"""Recorded streams: the deltas say what other people's accumulators say, whole or cut.

Where our rule differs from the way the index counts, the field's row in DIFFERENCES says how and
why; anything else that differs is a failure.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from partwire import to_wire
from partwire.providers import ByteAdapter, finish_reasons, open_adapter
from partwire.v0_1.structs.message import MessageDelta
from tests import recordings as recorded
from tests.provider_streams import RUN, Ran, fixed_clock, run_events
from tests.recordings import Recording

DIALECTS: Final = ("anthropic-messages", "openai-chat")
IDS: Final = recorded.ids(*DIALECTS)
UNCOMPARED: Final = object()
"""The field has no value of ours that could be compared."""


class Difference(NamedTuple):
    """One field in which our rule differs from the index's.

    ``applies`` says to which recordings, ``ours`` gives the value that we must have.
    """

    field: str
    reason: str
    applies: Callable[[Recording], Any]
    ours: Callable[[Recording], Any]


def _detail(recording: Recording, name: str) -> int:
    return int(recording.expected.get("usageDetail", {}).get(name, 0))


def _usage(recording: Recording, name: str) -> int:
    return int((recording.expected["usage"] or {}).get(name, 0))


def _cached(recording: Recording) -> int:
    return _detail(recording, "cacheReadTokens") + _detail(recording, "cacheWriteTokens")


def _is_anthropic_cached(recording: Recording) -> bool:
    return recording.dialect == "anthropic-messages" and _cached(recording) > 0


def _has_apart_reasoning(recording: Recording) -> bool:
    reasoning = _detail(recording, "reasoningTokens")
    figures = [_usage(recording, name) for name in ("inputTokens", "outputTokens", "totalTokens")]
    return reasoning > 0 and figures[2] == figures[0] + figures[1] + reasoning


def _is_spliced(recording: Recording) -> bool:
    return "second message_start" in recording.entry["quirks"]


def _has_no_reason(recording: Recording) -> bool:
    return recording.expected["finishReason"] is None and not recording.expected["error"]


def _is_cut(recording: Recording) -> bool:
    return _has_no_reason(recording) and recording.texts[-1] != "[DONE]"


DIFFERENCES: Final = (
    Difference(
        "text",
        "The index keeps a refusal apart. The contract has no part for it; a reader must see it.",
        lambda r: r.expected.get("refusal"),
        lambda r: r.expected["text"] + r.expected["refusal"],
    ),
    Difference(
        "finishReason",
        "A refusal that the provider ends with stop is a refusal.",
        lambda r: r.expected.get("refusal"),
        lambda r: "refusal",
    ),
    Difference(
        "finishReason",
        "A stream that [DONE] ends without a finish reason ends for an unknown reason.",
        lambda r: _has_no_reason(r) and not _is_cut(r),
        lambda r: "unknown",
    ),
    Difference(
        "error",
        "A stream with neither a finish reason nor [DONE] is cut, not finished.",
        _is_cut,
        lambda r: "truncated_stream",
    ),
    Difference(
        "inputTokens",
        "The index gives input_tokens alone; ours count what the cache read and wrote.",
        _is_anthropic_cached,
        lambda r: _usage(r, "inputTokens") + _cached(r),
    ),
    Difference(
        "totalTokens",
        "Anthropic gives no total; ours is the sum of our figures.",
        _is_anthropic_cached,
        lambda r: _usage(r, "totalTokens") + _cached(r),
    ),
    Difference(
        "inputTokens",
        "More cached than prompt tokens: they are counted apart, and ours count both.",
        lambda r: r.dialect == "openai-chat" and _cached(r) > _usage(r, "inputTokens"),
        lambda r: _usage(r, "inputTokens") + _cached(r),
    ),
    Difference(
        "outputTokens",
        "The total says that reasoning is counted apart; ours count it as output.",
        _has_apart_reasoning,
        lambda r: _usage(r, "outputTokens") + _detail(r, "reasoningTokens"),
    ),
    Difference(
        "argsText",
        "The index has no text for arguments that come as an object; ours is their JSON text.",
        lambda r: any(c["argsText"] == "" and c["arguments"] for c in r.expected["toolCalls"]),
        lambda r: [_compact(call["arguments"]) for call in r.expected["toolCalls"]],
    ),
    *(
        Difference(
            field,
            "The index lets a second message_start replace the first message. What has been "
            "emitted cannot be taken back: ours is an error.",
            _is_spliced,
            lambda r: UNCOMPARED,
        )
        for field in (
            *("text", "thinking", "toolCalls", "argsText", "finishReason"),
            *("inputTokens", "outputTokens", "totalTokens"),
        )
    ),
    Difference("error", "As above.", _is_spliced, lambda r: "provider_internal"),
)

ERROR_CODES: Final = {"tool_use_failed": "provider_internal"}
"""What the errors that the index names are called in the contract."""


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def expectation(recording: Recording) -> dict[str, Any]:
    """Return what our deltas have to say, field by field."""
    given = recording.expected
    reasons = finish_reasons.ANTHROPIC if "anthropic" in recording.dialect else finish_reasons.CHAT
    error = given["error"]
    calls = given["toolCalls"]
    fields = {
        "text": given["text"],
        "thinking": given["thinking"],
        "toolCalls": [(call["id"], call["name"], call["arguments"]) for call in calls],
        "argsText": [call["argsText"] for call in calls],
        "finishReason": reasons.get(given["finishReason"]),
        "error": error and ERROR_CODES[error["code"]],
        **(given["usage"] or dict.fromkeys(("inputTokens", "outputTokens", "totalTokens"))),
    }
    for difference in DIFFERENCES:
        if difference.applies(recording):
            fields[difference.field] = difference.ours(recording)
    return {name: value for name, value in fields.items() if value is not UNCOMPARED}


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
        assert ran.adapter.error.code == error["code"]
        assert ran.end["message"] == error["message"]


@pytest.mark.parametrize("name", IDS)
def test_server_side_calls_are_kept_whole(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    kept = [item.data for item in _ran(recording).adapter.opaque if "tool_use" in item.kind]
    due = [c for c in recording.expected["serverToolCalls"] if recording.dialect == DIALECTS[0]]
    seen = [(call["id"], call["name"], call["input"]) for call in kept]
    assert seen == [(call["id"], call["name"], call["arguments"]) for call in due]


def test_every_difference_is_one(recordings: Path) -> None:
    """A row that applies to no recording, or changes nothing, is stale."""
    for difference in DIFFERENCES:
        rows = [recorded.load()[name] for name in IDS if difference.applies(recorded.load()[name])]
        assert rows, difference
    assert len(IDS) == 59


# --- cuts ----------------------------------------------------------------------------------------


def _deltas(recording: Recording, chunks: Iterator[bytes]) -> list[MessageDelta]:
    reader = ByteAdapter(open_adapter(recording.dialect, RUN, clock=fixed_clock))
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)]
    return deltas + reader.close()


def _cut(data: bytes, at: list[int]) -> Iterator[bytes]:
    edges = [0, *sorted(at), len(data)]
    return (data[a:b] for a, b in pairwise(edges))


@pytest.mark.parametrize("name", IDS)
def test_cutting_the_bytes_anywhere_changes_nothing(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    lines = "".join(f"{text}\n" for text in recording.texts).encode()
    due = _ran(recording).deltas
    rng = random.Random(name)
    inputs = [recording.sse, lines, recording.sse.replace(b"\n", b"\r\n")]
    if recording.raw_sse is not None:
        inputs.append(recording.raw_sse)
    for data in inputs:
        assert _deltas(recording, iter([data])) == due
        for count in (1, 1, 1, 2, 3, 8, 40):
            cuts = [rng.randrange(len(data) + 1) for _ in range(count)]
            assert _deltas(recording, _cut(data, cuts)) == due, cuts
    data = recording.raw_sse or recording.sse
    assert _deltas(recording, (data[at : at + 1] for at in range(len(data)))) == due


# --- prefixes ------------------------------------------------------------------------------------


def _ends(text: str, dialect: str) -> bool:
    """Return whether an event is the provider's end marker, or an error: read from the JSON."""
    if text == "[DONE]":
        return True
    event = json.loads(text)
    if event.get("error"):
        return True
    if dialect == "anthropic-messages":
        return bool(event.get("type") == "message_stop")
    return any(c.get("index") == 0 and c.get("finish_reason") for c in event.get("choices") or ())


def _body_length(recording: Recording) -> int:
    """Return how many events come before the first that ends the stream."""
    texts = recording.texts
    marks = [at for at, text in enumerate(texts) if _ends(text, recording.dialect)]
    if _is_spliced(recording):
        marks.append([i for i, text in enumerate(texts) if '"message_start"' in text][1])
    return min(marks, default=len(texts))


@pytest.mark.parametrize("name", IDS)
def test_every_prefix_of_events_without_an_end_is_truncated(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    events = [json.loads(text) for text in recording.texts[: _body_length(recording)]]
    for length in range(len(events) + 1):
        adapter = open_adapter(recording.dialect, RUN, clock=fixed_clock)
        for event in events[:length]:
            adapter.feed(event)
        (*_, end) = adapter.close()
        assert end.kind == "error", length
        assert end.payload.error_code == "truncated_stream", length


@pytest.mark.parametrize("name", IDS)
def test_every_prefix_of_bytes_without_an_end_is_truncated(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    head = "".join(f"data: {text}\n\n" for text in recording.texts[: _body_length(recording)])
    rest = recording.texts[_body_length(recording) :][:1]
    data = head.encode() + "".join(f"data: {text}" for text in rest).encode()
    lengths: list[int] = list(range(len(data)))
    if len(data) > 4000:
        near = range(len(head.encode()) - 10, len(data))
        lengths = [*random.Random(name).sample(lengths, 100), *near[:: max(1, len(near) // 100)]]
    for length in lengths:
        end = _deltas(recording, iter([data[:length]]))[-1]
        assert end.kind == "error", length
        assert end.payload.error_code == "truncated_stream", length
