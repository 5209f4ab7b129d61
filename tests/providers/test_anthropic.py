"""The Anthropic adapter: what the fixtures cannot say (ids, order, odd types)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.anthropic_events import API, begin, ends, piece, run, start, stop, text
from tests.providers.provider_streams import ODD, broken_copies, run_bytes

# --- tool calls ----------------------------------------------------------------------------------


def test_minted_ids_lead_back_to_the_providers_own() -> None:
    """TCI-06, TCI-09."""
    ran = run(
        start(),
        begin(0, "tool_use", id="t", name="f", input={}),
        begin(1, "tool_use", id="t", name="g", input={}),
        begin(2, "tool_use", id="", name="h", input={}),
        begin(3, "tool_use", id="x" * 600, name="h", input={}),
        *ends("tool_use"),
        used_tool_call_ids=frozenset({"call_msg_1_1"}),
    )
    names = [part["payload"]["toolCallId"] for part in ran.parts]
    assert names == ["t", "call_msg_1_1-2", "call_msg_1_2", "call_msg_1_3"]
    assert ran.adapter.provider_ids == {
        "call_msg_1_1-2": "t",
        "call_msg_1_2": None,
        "call_msg_1_3": "x" * 600,
    }


@pytest.mark.parametrize(
    ("request_id", "minted"),
    [
        ("msg_1", "call_msg_1_0"),
        ("", "call_run_1_0"),
        ("req:1/ø", "call_req_1_-51de2b0c_0"),
        ("r" * 40, "call_rrrrrrrrrrrrrrr-ee1c0118_0"),
    ],
)
def test_minted_ids_are_short_and_plain_and_always_the_same(request_id: str, minted: str) -> None:
    """TCI-19: any provider takes the id back."""
    ran = run(start(id=request_id), begin(0, "tool_use", name="f"), *ends("tool_use"))
    (call_id,) = ran.adapter.provider_ids
    assert call_id == minted


def test_an_id_with_half_a_character_is_replaced() -> None:
    ran = run(start(), begin(0, "tool_use", id="t\ud83d", name="f\ud83d"), *ends("tool_use"))
    assert ran.parts[0]["payload"]["toolCallId"] == "call_msg_1_0"
    assert ran.parts[0]["payload"]["toolName"] == "f\ufffd"


def test_input_that_is_no_object_is_written_as_it_is() -> None:
    """ARG-16: a string is argument text, anything else its JSON text."""
    ran = run(
        start(),
        begin(0, "tool_use", id="a", name="f", input='{"city":'),
        stop(0),
        begin(1, "tool_use", id="b", name="f", input=[1]),
        stop(1),
        begin(2, "tool_use", id="c", name="f", input={}),
        piece(2, "input_json_delta", partial_json={"x": 1}),
        piece(2, "input_json_delta", partial_json=None),
        stop(2),
        begin(3, "tool_use", id="d", name="f", input={"s": "\ud83d"}),
        stop(3),
        begin(4, "tool_use", id="e", name="f", input={"s": {1, 2}}),
        stop(4),
        *ends("tool_use"),
    )
    args = [part["payload"].get("rawArgsText", part["payload"]["arguments"]) for part in ran.parts]
    assert args[:3] == ['{"city":', "[1]", {"x": 1}]
    assert args[4] == {}
    written = [d for d in ran.deltas if d.kind == "tool_call_args"]
    assert written[3].payload.args_text_delta == '{"s":"\\ud83d"}'
    assert set(ran.rules) == {"adapter/invalid-event"}


def test_given_input_is_not_written_beside_pieces() -> None:
    ran = run(
        start(),
        begin(0, "tool_use", id="a", name="f", input={"x": 1}),
        piece(0, "input_json_delta", partial_json='{"x":1}'),
        stop(0),
        *ends("tool_use"),
    )
    assert ran.parts[0]["payload"]["arguments"] == {"x": 1}
    assert ran.kinds.count("tool_call_args") == 1


# --- order and ends ------------------------------------------------------------------------------


def test_a_repeated_message_start_before_content_is_passed_over() -> None:
    """ORD-08: the same id, nothing lost."""
    ran = run(start(), start(), begin(0, "text", text="a"), stop(0), *ends())
    assert ran.end == {"finishReason": "stop"}
    assert ran.rules == ["adapter/block-order"]


def test_the_same_message_started_again_after_content_is_spliced() -> None:
    for content in ([begin(0, "text", text="a")], [begin(0, "text", text="a"), stop(0)]):
        ran = run(start(), *content, start(), *ends())
        assert ran.end["errorCode"] == "provider_internal"
        assert ran.rules[0] == "adapter/spliced-message"


def test_a_stream_without_message_start_is_read() -> None:
    ran = run(text(0, "a"), *ends())
    assert ran.parts == [{"kind": "text", "payload": {"text": "a"}}]
    assert ran.start["modelId"] == "unknown"
    assert ran.rules == ["adapter/block-order"]


def test_without_an_index_the_last_block_goes_on() -> None:
    ran = run(
        start(),
        {
            "type": "content_block_start",
            "content_block": {"type": "tool_use", "name": "f", "id": "t"},
        },
        {
            "type": "content_block_delta",
            "delta": {"type": "input_json_delta", "partial_json": "{}"},
        },
        {"type": "content_block_stop"},
        *ends("tool_use"),
    )
    assert ran.kinds == [
        "start",
        "usage",
        "tool_call_start",
        "tool_call_args",
        "tool_call_end",
        "done",
    ]


def test_a_ping_may_follow_the_end_and_nothing_else() -> None:
    ran = run(start(), *ends(), {"type": "ping"}, text(0, "late"), "[DONE]")
    assert ran.kinds[-1] == "done"
    assert ran.rules == ["adapter/after-end"]


def test_a_stop_without_a_reason_is_unknown() -> None:
    ran = run(start(), {"type": "message_stop"})
    assert ran.end == {"finishReason": "unknown"}
    assert ran.rules == ["adapter/unknown-finish-reason"]


def test_a_whole_message_without_a_stop_reason_is_truncated() -> None:
    body = {"type": "message", "id": "m", "model": "c", "content": "Hi", "stop_reason": None}
    ran = run(body)
    assert ran.parts == [{"kind": "text", "payload": {"text": "Hi"}}]
    assert ran.end["errorCode"] == "truncated_stream"


def test_a_whole_message_inside_a_stream_is_an_unknown_event() -> None:
    ran = run(start(), {"type": "message", "content": "Hi"}, *ends())
    assert ran.parts == []
    assert ran.rules == ["adapter/unknown-event"]


def test_invocation_metrics_stand_in_for_usage() -> None:
    metrics = {"inputTokenCount": 14, "outputTokenCount": 10}
    event = {"type": "message_stop", "amazon-bedrock-invocationMetrics": metrics}
    assert run(start(usage=None), event).usage == {
        "inputTokens": 14,
        "outputTokens": 10,
        "totalTokens": 24,
    }
    assert (
        run(start(usage={"input_tokens": 3, "output_tokens": 2}), event).usage["totalTokens"] == 5
    )


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"type": "error", "error": {"type": "rate_limit_error", "message": "m"}}, "rate_limited"),
        ({"type": "error"}, "unknown"),
        ({"error": {"type": "api_error", "message": "m"}}, "provider_internal"),
        ({"type": "error", "error": "gone"}, "unknown"),
    ],
)
def test_errors_come_in_several_forms(event: dict[str, Any], code: str) -> None:
    """SSE-04."""
    ran = run(start(), event)
    assert ran.end["errorCode"] == code
    assert ran.adapter.error is not None


def test_an_error_event_of_the_framing_is_an_error() -> None:
    ran = run_bytes(API, [b'event: error\ndata: {"type":"overloaded_error","message":"m"}\n\n'])
    assert ran.end == {"errorCode": "overloaded", "message": "m", "retryable": True}


def test_the_framings_name_stands_in_for_a_missing_type() -> None:
    events = [
        b'event: message_start\ndata: {"message":{"id":"m","model":"c"}}\n\n',
        b"event: banana\ndata: {}\n\n",
        b"event: message_stop\ndata: {}\n\n",
    ]
    ran = run_bytes(API, events)
    assert ran.kinds == ["start", "done"]
    assert ran.rules == ["adapter/unknown-event", "adapter/unknown-finish-reason"]


def test_responses_events_are_another_dialect() -> None:
    """SSE-20."""
    ran = run({"type": "response.created", "response": {}})
    assert ran.rules == ["adapter/wrong-dialect"]
    assert ran.end["errorCode"] == "unknown"


# --- types ---------------------------------------------------------------------------------------

GOOD = [
    start(content=[{"type": "text", "text": "x", "citations": []}], stop_reason=None),
    begin(0, "text", text="a", citations=[{}]),
    text(0, "b"),
    piece(0, "citations_delta", citation={}),
    stop(0),
    begin(1, "thinking", thinking="c", signature="s"),
    piece(1, "thinking_delta", thinking="d"),
    piece(1, "signature_delta", signature="s"),
    stop(1),
    begin(2, "tool_use", id="t", name="f", input={}),
    piece(2, "input_json_delta", partial_json="{}"),
    stop(2),
    begin(3, "server_tool_use", id="s", name="g", input={}),
    piece(3, "input_json_delta", partial_json="{}"),
    stop(3),
    begin(4, "compaction", content=None),
    piece(4, "compaction_delta", content="x"),
    stop(4),
    *ends(),
]


@pytest.mark.parametrize("odd", ODD)
def test_no_type_at_any_place_breaks_the_stream(odd: Any) -> None:
    for events in broken_copies(GOOD, odd):
        assert run(*events).kinds[-1] in ("done", "error")  # check_stream holds inside


def test_an_end_alone_is_no_message() -> None:
    alone = {"type": "message_stop"}
    for before in ((), ({"type": "ping"},), (ends(None)[0],)):
        ran = run(*before, alone)
        assert (ran.end["errorCode"], ran.rules) == ("truncated_stream", [])
    assert run(start(), alone).end == {"finishReason": "unknown"}
    assert run(text(0, "a"), alone).end == {"finishReason": "unknown"}
    assert run(begin(0, "redacted_thinking", data="x"), alone).end == {"finishReason": "unknown"}
    assert run(*ends("end_turn")).end == {"finishReason": "stop"}


def test_a_reason_that_never_came_is_not_one_that_nobody_knows() -> None:
    [none] = run(start(), *ends(None)).adapter.findings
    assert (none.expected, none.actual) == ("a finish reason", None)
    assert none.message == "No finish reason came; it counts as unknown"
    [other] = run(start(), *ends("odd")).adapter.findings
    assert other.message == "The finish reason is not known; it counts as unknown"
    assert other.actual == '"odd"'
