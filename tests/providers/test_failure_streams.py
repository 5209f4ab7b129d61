"""Stored streams and the lines that we write: failures seen in the wild, by their ids.

Ids such as ORD-07 name entries of the failure catalogue.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import MessageAssembler, StreamFailed, dump, read, to_wire
from partwire.providers import ADAPTERS
from partwire.providers.framing import JSONLinesDecoder, SSEDecoder
from tests.message.delta_streams import stream, struct, text
from tests.providers.provider_streams import run_events

STEAL = 'one\revent: steal\r\ndata: {"a":1}\n\nid: 7\n\ndata: two'
SEPARATORS = "a\u2028b\u2029c\u0085d\v\f\x1c\x1d\x1ee"


def test_a_log_with_a_failed_run_keeps_the_runs_around_it() -> None:
    """ORD-07: an error ends its own run, and the reader goes on with the next start."""
    log = [
        *stream("start", ("text", "a"), "done"),
        *[each | {"runId": "run_2"} for each in stream("start", ("error", "overloaded"))],
        *[each | {"runId": "run_3"} for each in stream("start", ("text", "c"), "done")],
    ]
    made: list[Any] = []
    assembler = MessageAssembler()
    for each in log:
        assembler.consume(struct(each))
        if assembler.status not in ("done", "error"):
            continue
        try:
            made.append(to_wire(assembler.build_final_message())["parts"])
        except StreamFailed as failed:
            made.append(failed.error.error_code)
        assembler.reset()
    assert made == [[text("a")], "overloaded", [text("c")]]


@pytest.mark.parametrize("value", [STEAL, SEPARATORS], ids=["line breaks", "separators"])
def test_what_we_write_stands_on_one_line(value: str) -> None:
    """SSE-11, SSE-12, SSE-18: in an event or its own line, it is read back as it was."""
    deltas = stream("start", ("text", value), "done")
    written = [dump(struct(each)) for each in deltas]
    assert not any(mark in each for each in written for mark in (b"\r", b"\n"))
    assert [json.loads(each) for each in written] == deltas

    events = SSEDecoder().feed(b"".join(b"data: " + each + b"\n\n" for each in written))
    assert [json.loads(event.data) for event in events] == deltas
    assert {(event.event, event.id) for event in events} == {("message", "")}

    decoder = JSONLinesDecoder()
    found = decoder.feed(b"".join(each + b"\n" for each in written))
    assert [json.loads(line.data) for line in found] == deltas


def test_a_result_has_no_arguments_of_its_own() -> None:
    """ARG-22: what a call was given is at the call alone; a copy at its result is not kept."""
    payload = {"toolCallId": "t", "isError": False, "content": "1", "arguments": {}}
    part = read({"kind": "tool_result", "payload": payload}, "message.MessagePart")
    assert to_wire(part) == {
        "kind": "tool_result",
        "payload": {"toolCallId": "t", "isError": False, "content": "1"},
    }


@pytest.mark.parametrize("field", ["runId", "modelId", "requestId"])
def test_a_message_has_the_names_of_its_start(field: str) -> None:
    """ORD-12: snapshot, partial and final message agree, and nothing is made up on the way."""
    assembler = MessageAssembler()
    for each in stream("start", ("text", "a"), "done"):
        assembler.consume(struct(each))
        seen = [assembler.snapshot().to_message()]
        if assembler.status != "done":
            seen.append(assembler.build_partial())
        else:
            seen.append(assembler.build_final_message())
        due = {"runId": "run_1", "modelId": "model-1", "requestId": "req_1"}[field]
        for message in map(to_wire, seen):
            assert {**message["meta"], **message}[field] == due


FIRST_EVENTS: dict[str, dict[str, Any]] = {
    "anthropic-messages": {"type": "message_start", "message": {"id": "m"}},
    "openai-chat": {"object": "chat.completion.chunk", "choices": []},
    "openai-responses": {"type": "response.created", "response": {"id": "r"}},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "a"}]}}]},
    "bedrock-converse": {"messageStart": {"role": "assistant"}},
    "cohere-v2": {"type": "message-start", "id": "c", "delta": {}},
}


@pytest.mark.parametrize("spoken", FIRST_EVENTS)
@pytest.mark.parametrize("dialect", ADAPTERS)
def test_the_wrong_dialect_is_named_at_its_first_event(dialect: str, spoken: str) -> None:
    """SSE-20: and not left to look like a cut stream, which would be tried again for ever."""
    ran = run_events(dialect, [FIRST_EVENTS[spoken]])
    if dialect == spoken:
        assert "adapter/wrong-dialect" not in ran.rules
        return
    assert ran.rules == ["adapter/wrong-dialect"]
    assert ran.kinds == ["start", "error"]
    assert spoken in ran.end["message"]
    assert ran.end["retryable"] is False


@pytest.mark.parametrize("dialect", ADAPTERS)
def test_events_of_vendors_end_nothing(dialect: str) -> None:
    """SSE-21: each is one finding, and the stream goes on to its own end, here a missing one."""
    foreign = [{"object": "billing.summary", "cost": 1}, {"type": "x-heartbeat"}, {"meter": 5}]
    ran = run_events(dialect, [*foreign, FIRST_EVENTS[dialect], *foreign])
    assert set(ran.rules) <= {"adapter/unknown-event", "adapter/invalid-event"}
    assert ran.kinds.count("error") == 1
    assert ran.end["errorCode"] == "truncated_stream"


def test_every_adapter_has_a_first_event() -> None:
    assert set(ADAPTERS) <= set(FIRST_EVENTS)
