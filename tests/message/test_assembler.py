"""The assembler's rules, one by one; failures of others by the id that they have in a catalogue.

An id such as ARG-14 names a way in which other people's accumulators were seen to fail.
"""

from __future__ import annotations

from typing import Any

import pytest

from partwire import (
    Limits,
    MessageAssembler,
    StreamFailed,
    StreamProtocolError,
    UsageError,
    to_wire,
)
from partwire.contract.current.message import UsageSummary
from tests.message.delta_streams import (
    CALL,
    KINDS,
    PAYLOADS,
    THEN,
    call,
    delta,
    fed,
    outcome,
    refused,
    stream,
    struct,
    text,
    thinking,
)

# --- the state machine ---------------------------------------------------------------------------

STARTED = dict.fromkeys(KINDS, "started") | {
    "start": "stream/duplicate-start",
    "done": "stream/tool-call-open",
    "error": "error",
}
TABLE = {
    "idle": dict.fromkeys(KINDS, "stream/start-expected") | {"start": "started"},
    "started": STARTED,
    "done": dict.fromkeys(KINDS, "stream/after-terminal"),
    "error": dict.fromkeys(KINDS, "stream/after-terminal"),
}


@pytest.mark.parametrize(
    ("status", "kind", "result"),
    [(status, kind, result) for status, row in TABLE.items() for kind, result in row.items()],
)
def test_every_status_and_kind(status: str, kind: str, result: str) -> None:
    rows = {
        "idle": [],
        "started": ["start", CALL],
        "done": ["start", CALL, ("tool_call_end", "a"), "done"],
        "error": ["start", CALL, ("error", "timeout")],
    }
    assembler = fed(*rows[status])
    each = delta(kind, 9, PAYLOADS[kind])
    if "/" in result:
        assert refused(assembler, each).rule == result
        assert (assembler.status, assembler.last_seq) == (status, len(rows[status]) - 1)
    else:
        assembler.consume(struct(each))
        assert (assembler.status, assembler.last_seq) == (result, 9)


def test_idle() -> None:
    assembler = MessageAssembler()
    seen = (assembler.status, assembler.run_id, assembler.last_seq, assembler.parts)
    assert seen == ("idle", None, -1, [])
    assert (assembler.tool_calls, assembler.usage, assembler.error) == ({}, None, None)
    assert assembler.get_error() is None


def test_a_given_run_id_is_the_only_one() -> None:
    assembler = MessageAssembler("run_7")
    start = delta("start", 0, PAYLOADS["start"])
    error = refused(assembler, start)
    assert (error.rule, error.expected, error.actual) == (
        *("stream/run-id-mismatch", '"run_7"', '"run_1"'),
    )
    assembler.consume(struct(start | {"runId": "run_7"}))
    assert refused(assembler, delta("text", 1, PAYLOADS["text"])).rule == "stream/run-id-mismatch"
    assembler.reset()
    assert assembler.run_id == "run_7"


@pytest.mark.parametrize("run_id", ["", "x" * 513, 7, b"run"])
def test_an_impossible_run_id_is_refused_at_once(run_id: Any) -> None:
    with pytest.raises(UsageError) as caught:
        MessageAssembler(run_id)
    assert caught.value.rule == "usage/invalid-argument"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("parts", 0), ("text_bytes", -1), ("id_chars", 1.5), ("tool_calls", True)),
        *(("arguments_depth", 501), ("arguments_bytes", None)),
    ],
)
def test_an_impossible_limit_is_refused_at_once(name: str, value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        Limits(**{name: value})
    assert caught.value.rule == "usage/invalid-argument"


def test_limits_are_limits() -> None:
    with pytest.raises(UsageError):
        MessageAssembler(limits={"parts": 3})  # type: ignore[arg-type]


@pytest.mark.parametrize("seq", [0, 1, 2])
def test_seq_has_to_increase(seq: int) -> None:
    assembler = fed("start", ("text", "a"), ("text", "b"))
    error = refused(assembler, delta("text", seq, {"textDelta": "c"}))
    assert (error.rule, error.expected, error.actual) == (
        *("stream/seq-not-increasing", "more than 2", str(seq)),
    )
    assert assembler.parts[0].payload.text == "ab"  # type: ignore[union-attr]


def test_gaps_of_seq_are_legal() -> None:
    seqs = [3, 4, 5, 700, 701, 10**6, 10**15, 2**53 - 1]
    deltas = stream("start", *[("text", "a")] * 6, "done")
    made = [each | {"seq": seq} for each, seq in zip(deltas, seqs, strict=True)]
    assert outcome(made)["message"]["parts"] == [text("aaaaaa")]


@pytest.mark.parametrize("call_id", ["b", "A", "a "])
@pytest.mark.parametrize("kind", ["tool_call_args", "tool_call_end"])
def test_a_call_that_was_never_started(kind: str, call_id: str) -> None:
    """ORD-19."""
    assembler = fed("start", CALL)
    error = refused(assembler, delta(kind, 9, PAYLOADS[kind] | {"toolCallId": call_id}))
    assert error.rule == "stream/unknown-tool-call"
    assert (error.expected, error.actual) == ('an open tool call: "a"', f'"{call_id}"')


@pytest.mark.parametrize("kind", ["tool_call_args", "tool_call_end"])
def test_a_closed_call_takes_nothing_more(kind: str) -> None:
    assembler = fed("start", CALL, ("tool_call_args", "a", '{"n":1}'), ("tool_call_end", "a"))
    error = refused(assembler, delta(kind, 9, PAYLOADS[kind]))
    assert (error.rule, error.actual) == ("stream/tool-call-closed", '"a" (closed by seq 3)')
    assert error.expected == "an open tool call"
    assert [to_wire(part) for part in assembler.parts] == [call("a", {"n": 1})]


@pytest.mark.parametrize("closed", [False, True])
def test_an_id_is_used_once(closed: bool) -> None:
    assembler = fed("start", CALL, *([("tool_call_end", "a")] if closed else []))
    error = refused(
        assembler, delta("tool_call_start", 9, PAYLOADS["tool_call_args"] | {"toolName": "other"})
    )
    assert (error.rule, error.actual) == ("stream/duplicate-tool-call", '"a"')


# --- meta, usage, terminals ----------------------------------------------------------------------


def test_the_whole_message() -> None:
    result = outcome(stream("start", ("text", "Hi"), ("usage", 1, 2, 3, 0.5), ("done", "length")))
    assert result["message"] == {
        "runId": "run_1",
        "role": "assistant",
        "parts": [text("Hi")],
        "timestamp": "2026-01-02T03:04:05Z",
        "meta": {
            "modelId": "model-1",
            "requestId": "req_1",
            "finishReason": "length",
            "completedAt": THEN,
            "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3, "cost": 0.5},
        },
    }


def test_usage_is_the_last_value_of_each_field() -> None:
    assembler = fed("start", ("usage", 9, 1, 10, 0.5), ("usage", 9, 4, 13))
    assert assembler.usage == UsageSummary(
        input_tokens=9, output_tokens=4, total_tokens=13, cost=0.5
    )


def test_provider_raw_is_neither_kept_nor_looked_at() -> None:
    """PRF-08."""
    plain = stream("start", ("text", "a"), "done")
    raw = [each | {"providerRaw": {"big": "…"}} for each in plain]
    assert outcome(raw) == outcome(plain)


def test_first_terminal_stands() -> None:
    """ORD-01."""
    assembler = fed("start", ("text", "a"), ("error", "overloaded", "boom"))
    assert refused(assembler, delta("done", 9, PAYLOADS["done"])).rule == "stream/after-terminal"
    error = assembler.get_error()
    assert error is not None
    assert error is assembler.error
    assert (error.error_code, error.message) == ("overloaded", "boom")


def test_after_an_error_there_is_no_message_but_what_arrived() -> None:
    """ARG-11, BLK-04, ORD-16."""
    assembler = fed(
        "start",
        ("thinking", "plan"),
        CALL,
        ("tool_call_args", "a", '{"host":"h"'),
        ("error", "truncated_stream"),
    )
    with pytest.raises(StreamFailed) as caught:
        assembler.build_final_message()
    assert caught.value.rule == "stream/failed"
    assert caught.value.error.error_code == "truncated_stream"
    partial = to_wire(caught.value.partial)
    assert partial["parts"] == [thinking("plan")]
    assert partial["meta"] == {
        "modelId": "model-1",
        "requestId": "req_1",
        "completedAt": THEN,
        "incomplete": {"ending": "error", "openToolCallIds": ["a"]},
    }
    assert assembler.close() is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("rows", [[], ["start"], ["start", ("text", "a")]], ids=len)
def test_a_cut_stream_is_no_message(rows: list[Any]) -> None:
    """ORD-02, ORD-07."""
    assembler = fed(*rows)
    with pytest.raises(StreamProtocolError) as closed:
        assembler.close()
    with pytest.raises(StreamProtocolError) as built:
        assembler.build_final_message()
    assert (closed.value.rule, built.value.rule) == ("stream/truncated", "stream/not-done")


def test_partial_messages_say_how_it_ended() -> None:
    assembler = fed("start", ("text", "a"))
    endings = [assembler.build_partial(), assembler.build_partial("truncated")]
    with pytest.raises(StreamProtocolError):
        assembler.close()
    endings += [assembler.build_partial(), assembler.build_partial("cancelled")]
    found = [to_wire(each)["meta"]["incomplete"]["ending"] for each in endings]
    assert found == ["cancelled", "truncated", "truncated", "cancelled"]
    assembler.consume(struct(delta("text", 2, {"textDelta": "b"})))
    assert [to_wire(part) for part in assembler.parts] == [text("ab")]
    with pytest.raises(UsageError):
        assembler.build_partial("error")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "rule"), [([], "stream/not-started"), (["start", "done"], "stream/already-done")]
)
def test_partial_messages_of_streams_that_have_none(rows: list[Any], rule: str) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        fed(*rows).build_partial()
    assert caught.value.rule == rule


@pytest.mark.parametrize("read", ["snapshot", "progress"])
def test_nothing_to_show_before_start(read: str) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        getattr(MessageAssembler(), read)()
    assert caught.value.rule == "stream/not-started"


def test_retry_is_no_continuation() -> None:
    """ORD-08, ORD-09, ORD-12: a second start splices nothing, and a reset keeps nothing."""
    assembler = fed("start", ("text", "Hel"), CALL)
    again = delta("start", 9, PAYLOADS["start"], runId="run_2")
    assert refused(assembler, again).rule == "stream/duplicate-start"
    assembler.reset()
    assert (assembler.status, assembler.last_seq, assembler.run_id) == ("idle", -1, None)
    assembler.consume(struct(again | {"seq": 0}))
    assert (assembler.parts, assembler.tool_calls, assembler.run_id) == ([], {}, "run_2")
