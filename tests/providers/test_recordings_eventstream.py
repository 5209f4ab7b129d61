"""Recorded AWS event streams: the frames say what the recorded events say, whole or cut."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from partwire_testing.conformance.drawn.aws_frames import chunk_frame, converse_frames
from tests.differences import DIALECTS
from tests.providers import recordings as recorded
from tests.providers.converse_events import START, ends, metadata, text
from tests.providers.provider_streams import Ran, run_bytes, run_events
from tests.providers.recordings import Recording
from tests.providers.test_recordings import expectation, observation
from tests.reference.framing_reference import by_bytes, cut_at

BEDROCK = "bedrock-converse"
RAW = [
    name
    for name, recording in recorded.load().items()
    if str(recording.entry.get("raw", "")).endswith(".eventstream")
] or ["no-recordings"]
_END_MARKS = ("message_stop", "messageStop")


def raw_bytes(recording: Recording) -> bytes:
    """Return the bytes as they came."""
    path = recording.folder / str(recording.entry["raw"])
    return path.read_bytes()


def _ran(recording: Recording) -> Ran:
    return run_events(recording.dialect, recording.texts)


def test_there_are_frames_of_every_kind(recordings: Path) -> None:
    dialects = {recorded.load()[name].dialect for name in RAW}
    assert dialects == {"anthropic-messages", BEDROCK}
    assert len(RAW) >= 5


@pytest.mark.parametrize("name", RAW)
def test_the_frames_say_what_the_events_say(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    data = raw_bytes(recording)
    due = _ran(recording)
    rng = random.Random(name)
    cuts = [[rng.randrange(len(data) + 1) for _ in range(n)] for n in (1, 1, 2, 3, 8, 40)]
    for chunks in ([data], list(by_bytes(data)), *(cut_at(data, at) for at in cuts)):
        ran = run_bytes(recording.dialect, chunks)
        assert ran.deltas == due.deltas
        assert ran.adapter.findings == due.adapter.findings
        assert ran.adapter.opaque == due.adapter.opaque


@pytest.mark.parametrize("name", RAW)
def test_every_prefix_of_the_frames_is_truncated(name: str, recordings: Path) -> None:
    """SSE-07: a stream that ends inside a frame, or behind any but the last, is cut."""
    recording = recorded.load()[name]
    data = raw_bytes(recording)
    sizes = _frame_sizes(data)
    texts = recording.texts
    last = next(at for at, text in enumerate(texts) if any(mark in text for mark in _END_MARKS))
    body = sum(sizes[: last + 1])
    lengths = list(range(body))
    if body > 4000:
        lengths = sorted({*random.Random(name).sample(lengths, 200), *lengths[-100:]})
    for length in lengths:
        end = run_bytes(recording.dialect, [data[:length]]).end
        assert end["errorCode"] == "truncated_stream", length
    assert run_bytes(recording.dialect, [data[:body]]).deltas[-1].kind == "done"


def _frame_sizes(data: bytes) -> list[int]:
    sizes: list[int] = []
    while sum(sizes) < len(data):
        at = sum(sizes)
        sizes.append(int.from_bytes(data[at : at + 4], "big"))
    return sizes


@pytest.mark.parametrize("name", recorded.ids(BEDROCK))
def test_frames_written_from_the_events_say_the_same(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    due = _ran(recording).deltas
    events = [json.loads(text) for text in recording.texts]
    if all(len(event) == 1 for event in events):
        assert run_bytes(BEDROCK, [converse_frames(events)]).deltas == due
    chunks = b"".join(map(chunk_frame, recording.texts))
    assert run_bytes(BEDROCK, [chunks]).deltas == due


@pytest.mark.parametrize("name", recorded.ids("anthropic-messages"))
def test_chunks_carry_other_dialects(name: str, recordings: Path) -> None:
    """InvokeModel gives every vendor's own events, each in a frame."""
    recording = recorded.load()[name]
    ran = run_bytes(recording.dialect, [b"".join(map(chunk_frame, recording.texts))])
    assert ran.deltas == _ran(recording).deltas


def test_differences_that_no_recording_shows(tmp_path: Path) -> None:
    """What the table says of cached tokens and of cuts is what the adapter does."""
    usage = {"inputTokens": 4, "outputTokens": 2, "totalTokens": 1036}
    cache = {"cacheReadInputTokens": 1000, "cacheWriteInputTokens": 30}
    events = [START, text(0, "Hi"), ends(), metadata({**usage, **cache})]
    expected: dict[str, Any] = {
        "text": "Hi",
        "thinking": "",
        "toolCalls": [],
        "usage": usage,
        "usageDetail": {"cacheReadTokens": 1000, "cacheWriteTokens": 30},
        "finishReason": "end_turn",
        "error": None,
    }
    cut = {**expected, "usage": None, "usageDetail": {}, "finishReason": None}
    for given, due in ((events, expected), (events[:2], cut)):
        path = tmp_path / "events.jsonl"
        path.write_text("".join(f"{json.dumps(event)}\n" for event in given))
        recording = Recording({"dialect": BEDROCK, "file": path.name, "expected": due}, tmp_path)
        assert observation(_ran(recording)) == expectation(recording)
    for difference in DIALECTS[BEDROCK].differences:
        assert difference.seen or difference.rule in ("cached-input-counts", "cut-is-an-error")


@pytest.mark.parametrize("name", recorded.ids(BEDROCK))
def test_server_side_calls_are_kept_as_blocks(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    kept = [
        item.data["toolUse"] for item in _ran(recording).adapter.opaque if item.kind == "toolUse"
    ]
    due = recording.expected["serverToolCalls"]
    seen = [(call["toolUseId"], call["name"], call["input"]) for call in kept]
    assert seen == [(call["id"], call["name"], call["arguments"]) for call in due]


@pytest.mark.parametrize("name", recorded.ids(BEDROCK))
def test_signatures_cover_the_thinking_that_they_sign(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    ran = _ran(recording)
    signatures = [item for item in ran.adapter.opaque if item.kind == "signature"]
    assert bool(signatures) == ("reasoningContent.signature" in recording.entry["quirks"])
    for item in signatures:
        part = ran.parts[item.part]
        assert part["kind"] == "thinking"
        assert (item.start, item.end) == (0, len(part["payload"]["text"]))
