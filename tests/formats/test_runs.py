"""A run becomes a history: streams in their places, cut ones incomplete."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from partwire import formats
from partwire.errors import ReadError, StreamProtocolError, UsageError

Json = dict[str, Any]

_TIME = "2026-01-02T03:04:05Z"


def _delta(seq: int, kind: str, payload: Json) -> Json:
    return {"runId": "r", "seq": seq, "kind": kind, "payload": payload, "timestamp": _TIME}


_START = _delta(0, "start", {"modelId": "m", "requestId": "q"})
_TEXT = _delta(1, "text", {"textDelta": "a"})
_DONE = _delta(2, "done", {"finishReason": "stop"})
_USER = {
    "runId": "r",
    "role": "user",
    "parts": [{"kind": "text", "payload": {"text": "b"}}],
    "timestamp": _TIME,
}


def _texts(run: formats.RunAssembler) -> list[str]:
    plain: list[Json] = msgspec.to_builtins(run.messages)
    return [message["parts"][0]["payload"]["text"] for message in plain]


def test_a_message_has_the_place_at_which_its_stream_began() -> None:
    run = formats.RunAssembler().feed_all([_START, _TEXT, _USER, _DONE])
    assert _texts(run) == ["a", "b"]
    assert run.finish() == run.messages


def test_an_open_stream_has_no_message_yet() -> None:
    run = formats.RunAssembler().feed_all([_START, _TEXT])
    assert run.messages == []
    assert run.open is not None
    assert run.open.status == "started"


@pytest.mark.parametrize("rest", [[], [_START, _TEXT, _DONE]])
def test_a_stream_that_is_cut_gives_an_incomplete_message(rest: list[Json]) -> None:
    run = formats.RunAssembler().feed_all([_START, _TEXT, *rest])
    first = run.finish()[0]
    assert isinstance(first.meta, dict)
    assert first.meta["incomplete"]["ending"] == "truncated"
    assert [cut.rule for cut in run.cuts] == ["stream/truncated"]


def test_a_stream_that_failed_gives_an_incomplete_message_and_says_why() -> None:
    error = _delta(2, "error", {"errorCode": "overloaded"})
    run = formats.RunAssembler().feed_all([_START, _TEXT, error])
    assert [failure.error.error_code for failure in run.failures] == ["overloaded"]
    assert isinstance(run.messages[0].meta, dict)
    assert run.messages[0].meta["incomplete"]["ending"] == "error"


def test_lines_and_structs_are_items_too() -> None:
    lines = [msgspec.json.encode(each) for each in (_START, _TEXT, _DONE)]
    run = formats.RunAssembler().feed_all([*lines, b""])
    again = formats.RunAssembler().feed_all(run.finish())
    assert again.messages == run.messages


def test_what_is_wrong_is_refused() -> None:
    run = formats.RunAssembler()
    with pytest.raises(ReadError):
        run.feed({"role": "nobody"})
    with pytest.raises(StreamProtocolError):
        run.feed(_TEXT)
    run.feed_all([_START, _TEXT])
    with pytest.raises(StreamProtocolError):
        run.feed(_TEXT)
    run.feed(_DONE)
    assert _texts(run) == ["a"]


def test_formats_without_streams_say_so() -> None:
    with pytest.raises(UsageError):
        formats.reader("gemini")
    with pytest.raises(UsageError):
        formats.writer("gemini")
    with pytest.raises(UsageError):
        formats.write("ai-sdk", [], version="8")
    with pytest.raises(UsageError):
        formats.write("gemini", [], version="1")
