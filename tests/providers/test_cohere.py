"""The Cohere adapter: tool calls, other dialects, odd types."""

from __future__ import annotations

from typing import Any

import pytest
from cohere.v2.types import V2ChatStreamResponse
from pydantic import TypeAdapter

from partwire.providers.cohere.stream import _EVENTS
from partwire.providers.core.sniff import dialect_of
from tests.providers.cohere_events import (
    API,
    START,
    TOKENS,
    begin,
    call_piece,
    call_start,
    call_stop,
    cite,
    ends,
    event,
    piece,
    plan,
    run,
    stop,
)
from tests.providers.provider_streams import ODD, broken_copies

# --- tool calls ----------------------------------------------------------------------------------


def test_arguments_that_come_as_a_value_are_written_as_text() -> None:
    """ARG-16."""
    ran = run(
        START,
        call_start(0, "a", args={"x": 1}),
        call_stop(0),
        call_start(1, "b"),
        call_piece(1, {"y": 2}),
        call_stop(1),
        ends("TOOL_CALL"),
    )
    assert [part["payload"]["arguments"] for part in ran.parts] == [{"x": 1}, {"y": 2}]
    assert ran.rules == ["adapter/invalid-event"]


def test_arguments_that_are_no_object_stay_as_they_are() -> None:
    """ARG-15: nothing is repaired, not even null."""
    ran = run(START, call_start(0), call_piece(0, "null"), call_stop(0), ends("TOOL_CALL"))
    assert ran.parts[0]["payload"]["rawArgsText"] == "null"


def test_a_call_in_an_array_of_one_is_read() -> None:
    entry = {"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    ran = run(
        START,
        event("tool-call-start", 0, tool_calls=[entry]),
        event("tool-call-delta", 0, tool_calls=[entry, entry]),
        call_stop(0),
        ends("TOOL_CALL"),
    )
    assert ran.parts[0]["payload"] == {"toolCallId": "t", "toolName": "f", "arguments": {}}
    assert ran.rules == ["adapter/invalid-event"] * 2


def test_without_an_index_the_last_one_goes_on() -> None:
    """TCI-11."""
    events = [START, begin(0), piece(0, "a"), stop(0), call_start(0), call_piece(0, "{}")]
    events += [call_stop(0), call_start(0, "u"), call_stop(0), ends("TOOL_CALL")]
    bare = [{k: v for k, v in e.items() if k != "index"} for e in events]
    ran = run(*bare)
    assert ran.kinds == run(*events).kinds
    assert set(ran.rules) == {"adapter/invalid-event"}


def test_a_call_that_never_gets_a_name_is_kept_beside() -> None:
    ran = run(START, call_start(0, "t", ""), call_piece(0, '{"a"'), call_piece(0, ":1}"), ends())
    assert ran.parts == []
    data = {"id": "t", "arguments": '{"a":1}'}
    assert [(item.kind, item.data) for item in ran.adapter.opaque] == [("unnamed_tool_call", data)]
    assert ran.rules == ["adapter/block-order", "adapter/unnamed-tool-call"]


def test_a_piece_after_the_end_of_its_call_is_kept_beside() -> None:
    """BLK-28: what has ended cannot grow."""
    ran = run(START, call_start(0), call_stop(0), call_piece(0, "{}"), ends("TOOL_CALL"))
    assert ran.rules == ["adapter/block-order"]
    assert ran.adapter.opaque[0].data == {"function": {"arguments": "{}"}}


# --- dialects ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("foreign", "dialect"),
    [
        ({"type": "message_start", "message": {}}, "anthropic-messages"),
        ({"type": "response.created", "response": {}}, "openai-responses"),
        ({"object": "response", "id": "r"}, "openai-responses"),
        ({"object": "chat.completion.chunk", "id": "c"}, "openai-chat"),
        ({"choices": []}, "openai-chat"),
        ({"candidates": []}, "gemini"),
        ({"messageStart": {"role": "assistant"}}, "bedrock-converse"),
        ({"event_type": "stream-start", "is_finished": False}, "cohere-v1"),
        ({"text": "Six", "generation_id": "g"}, "cohere-v1"),
    ],
)
def test_other_dialects_are_told(foreign: dict[str, Any], dialect: str) -> None:
    """SSE-20; inside a stream the same event is only an unknown one (SSE-21)."""
    ran = run(foreign)
    assert ran.rules == ["adapter/wrong-dialect"]
    assert ran.end["errorCode"] == "unknown"
    assert ran.adapter.findings[0].actual == dialect
    assert run(START, foreign, ends()).rules == ["adapter/unknown-event"]


def test_its_own_events_are_told_from_others() -> None:
    for kind in (*_EVENTS, "content-delta"):
        told = dialect_of({"type": kind})
        assert told == (None if kind == "debug" else (API, "/type"))
    assert dialect_of({"type": "ping"}) is None
    assert dialect_of({"event_type": "keep-alive"}) is None
    assert dialect_of({"type": ["x"], "object": 1}) is None


def test_every_published_event_is_read() -> None:
    """The official client's union of events is the list of ours."""
    schema = TypeAdapter(V2ChatStreamResponse).json_schema()
    published = {
        definition["properties"]["type"]["const"]
        for definition in schema["$defs"].values()
        if "const" in definition.get("properties", {}).get("type", {})
    }
    assert published >= set(_EVENTS)
    assert {kind for kind in published if kind.count("-") or kind == "debug"} == {
        *_EVENTS,
        "content-delta",
    }


# --- types ---------------------------------------------------------------------------------------

GOOD = [
    {
        "id": "gen_1",
        "type": "message-start",
        "delta": {
            "message": {
                "role": "assistant",
                "content": [{"type": "text", "text": "x"}],
                "tool_plan": "p",
                "tool_calls": [
                    {"id": "w", "type": "function", "function": {"name": "g", "arguments": "{}"}}
                ],
                "citations": [{"start": 0, "end": 1, "type": "TEXT_CONTENT"}],
            }
        },
    },
    begin(1, "thinking", "a"),
    piece(1, "b", "thinking"),
    stop(1),
    plan("I will."),
    begin(2),
    piece(2, "c"),
    cite(start=0, end=1, content_index=2, type="TEXT_CONTENT", sources=[{"type": "tool"}]),
    {"type": "citation-end", "index": 0},
    cite(start=0, end=1, type="PLAN"),
    stop(2),
    call_start(0),
    call_piece(0, "{}"),
    call_stop(0),
    {"type": "debug", "prompt": "p"},
    ends("TOOL_CALL", error=None, usage={**TOKENS, "billed_units": {}, "cached_tokens": 1}),
]


@pytest.mark.parametrize("odd", ODD)
def test_no_type_at_any_place_breaks_the_stream(odd: Any) -> None:
    for events in broken_copies(GOOD, odd):
        assert run(*events).kinds[-1] in ("done", "error")  # check_stream holds inside


def test_whole_answers_of_any_type_are_one_stream() -> None:
    body = {"id": "g", "finish_reason": "COMPLETE", **GOOD[0]["delta"], "usage": TOKENS}
    assert run(body).kinds[-1] == "done"
    for odd in ODD:
        for events in broken_copies([body], odd):
            assert run(*events).kinds[-1] in ("done", "error")
