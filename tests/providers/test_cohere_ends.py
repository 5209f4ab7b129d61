"""The Cohere adapter: finish reasons, failures, and where a stream begins and ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire.providers import OpaqueItem
from tests.providers.cohere_events import (
    API,
    START,
    TOKENS,
    begin,
    block,
    call_start,
    call_stop,
    ends,
    piece,
    plan,
    run,
    stop,
)
from tests.providers.provider_streams import run_bytes


@pytest.mark.parametrize(
    ("reason", "due"),
    [
        ("COMPLETE", "stop"),
        ("STOP_SEQUENCE", "stop"),
        ("MAX_TOKENS", "length"),
        ("ERROR_LIMIT", "length"),
        ("TOOL_CALL", "tool_calls"),
        ("max_tokens", "length"),
        ("NEW", "unknown"),
        (None, "unknown"),
        ("", "unknown"),
    ],
)
def test_finish_reasons(reason: Any, due: str) -> None:
    ran = run(START, *block(0, "a"), ends(reason))
    assert ran.end == {"finishReason": due}
    assert ran.adapter.finish_reason == (reason or None)
    assert ran.rules == (["adapter/unknown-finish-reason"] if due == "unknown" else [])


@pytest.mark.parametrize(
    ("delta", "code", "message"),
    [
        ({"finish_reason": "ERROR"}, "provider_internal", "ERROR"),
        ({"finish_reason": "ERROR", "error": "too many tokens: 9"}, "context_length_exceeded", ""),
        ({"finish_reason": "ERROR", "error_type": "NEW"}, "provider_internal", "NEW"),
        ({"finish_reason": "ERROR_TOXIC"}, "content_filtered", "ERROR_TOXIC"),
        ({"finish_reason": "TIMEOUT"}, "timeout", "TIMEOUT"),
        ({"finish_reason": "USER_CANCEL"}, "cancelled", "USER_CANCEL"),
        ({"finish_reason": "ERROR_LIMIT", "error": "full"}, "context_length_exceeded", "full"),
        ({"finish_reason": "COMPLETE", "error": "odd"}, "unknown", "odd"),
        ({"error": {"message": "slow", "type": "timeout"}}, "timeout", "slow"),
        ({"finish_reason": "ERROR", "error": 7}, "provider_internal", "ERROR"),
    ],
)
def test_failures(delta: dict[str, Any], code: str, message: str) -> None:
    """FIN-18: no answer, and the provider's own words."""
    ran = run(START, *block(0, "a"), {"type": "message-end", "delta": {**delta, "usage": TOKENS}})
    assert ran.end["errorCode"] == code
    assert ran.end["message"] == (message or delta["error"])
    assert ran.usage == {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}
    assert ran.adapter.error is not None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"message": "invalid api token"}, "authentication"),
        ({"message": "no api key supplied"}, "authentication"),
        ({"message": "limited to 1000 API calls / month for a Trial key"}, "quota_exceeded"),
        ({"message": "You are using a Trial key"}, "rate_limited"),
        ({"message": "invalid request: no messages", "id": "r"}, "invalid_request"),
        ({"message": "gone"}, "unknown"),
        ({"error": {"message": "busy", "type": "overloaded"}}, "overloaded"),
        ({"type": "error", "message": "m", "status_code": 503}, "overloaded"),
        ({"type": "stream-error", "error": "m"}, "unknown"),
        ({"detail": "invalid request: no"}, "invalid_request"),
    ],
)
def test_errors_come_in_several_forms(body: dict[str, Any], code: str) -> None:
    """SSE-03, SSE-04: in place of the stream, or inside it."""
    for events in ([body], [START, *block(0, "a"), body]):
        ran = run(*events)
        assert ran.end["errorCode"] == code
        assert ran.adapter.error is not None


def test_an_error_event_of_the_framing_is_an_error() -> None:
    ran = run_bytes(API, [b'event: error\ndata: {"message":"no api key supplied"}\n\n'])
    assert ran.end["errorCode"] == "authentication"


def test_the_framings_name_stands_in_for_a_missing_type() -> None:
    """SSE-04."""
    named = [START, begin(0), piece(0, "a"), stop(0), ends()]
    lines = [
        f"event: {e['type']}\ndata: {json.dumps({k: v for k, v in e.items() if k != 'type'})}\n\n"
        for e in named
    ]
    ran = run_bytes(API, ["".join([*lines[:4], "event: new\ndata: {}\n\n", lines[4]]).encode()])
    assert ran.kinds == ["start", "text", "done"]
    assert ran.rules == ["adapter/unknown-event"]


def test_an_end_alone_is_no_message() -> None:
    said: dict[str, Any]
    for said in ({"delta": {}}, {"id": "g", "delta": {"usage": TOKENS}}):
        ran = run({"type": "message-end", **said})
        assert (ran.end["errorCode"], ran.rules) == ("truncated_stream", [])
    assert run({"type": "message-end"}).end["errorCode"] == "truncated_stream"
    alone = {"type": "message-end", "delta": {}}
    assert run(START, alone).end == {"finishReason": "unknown"}
    assert run(plan("a"), alone).end == {"finishReason": "unknown"}
    assert run(ends("COMPLETE")).end == {"finishReason": "stop"}


def test_what_may_follow_the_end() -> None:
    """FIN-16."""
    after = [{"type": "debug", "prompt": "p"}, "[DONE]", "[DONE]"]
    ran = run(START, ends(), *after)
    assert ran.rules == []
    assert run(START, ends(), ends(), *after).rules == ["adapter/after-end"]


def test_done_is_no_end() -> None:
    """SSE-01."""
    assert run(START, *block(0, "a"), "[DONE]").end["errorCode"] == "truncated_stream"


def test_a_repeated_start_before_content_is_passed_over() -> None:
    """ORD-08."""
    ran = run(START, START, *block(0, "a"), ends())
    assert ran.end == {"finishReason": "stop"}
    assert ran.rules == ["adapter/block-order"]
    for content in ([plan("I")], [begin(0)], [call_start(0)], [call_start(0), call_stop(0)]):
        assert run(START, *content, START).rules[0] == "adapter/spliced-message"


def test_a_stream_without_a_start_is_read() -> None:
    """The answer's id may be in its last event alone."""
    ran = run(*block(0, "a"), {**ends(usage=TOKENS), "id": "gen_2"})
    assert ran.kinds == ["start", "text", "usage", "done"]
    assert ran.adapter.request_id == "gen_2"


def test_a_start_may_carry_content() -> None:
    message = {"content": "Six.", "tool_plan": "P", "citations": [{"start": 0, "end": 3}]}
    ran = run({"id": "g", "type": "message-start", "delta": {"message": message}}, ends())
    assert [part["payload"]["text"] for part in ran.parts] == ["Six."]
    assert ran.adapter.opaque == [
        OpaqueItem("tool_plan", "P", 0, 0, 0),
        OpaqueItem("citation", {"start": 0, "end": 3}, 0, 0, 3),
    ]


def test_a_whole_answer_without_a_reason_is_truncated() -> None:
    ran = run({"id": "g", "message": {"role": "assistant", "content": "Six."}})
    assert ran.parts == [{"kind": "text", "payload": {"text": "Six."}}]
    assert ran.end["errorCode"] == "truncated_stream"


def test_a_whole_answer_may_be_a_failure() -> None:
    ran = run({"id": "g", "finish_reason": "ERROR", "message": {"role": "assistant"}})
    assert ran.end["errorCode"] == "provider_internal"


def test_a_whole_answer_inside_a_stream_is_an_unknown_event() -> None:
    ran = run(START, {"id": "g", "message": {"content": "Six."}}, ends())
    assert ran.parts == []
    assert ran.rules == ["adapter/unknown-event"]


@pytest.mark.parametrize(
    ("usage", "due", "rules"),
    [
        (TOKENS, (3, 2, 5), []),
        ({"tokens": {"input_tokens": 3.0, "output_tokens": 2.0}}, (3, 2, 5), []),
        ({"tokens": {"input_tokens": 3}}, None, ["adapter/incomplete-usage"]),
        ({"tokens": None, "billed_units": {"input_tokens": 1}}, None, ["adapter/incomplete-usage"]),
        ({}, None, []),
        (None, None, []),
        ("odd", None, ["adapter/invalid-event"]),
        ({"tokens": [1]}, None, ["adapter/invalid-event", "adapter/incomplete-usage"]),
        (
            {"tokens": {"input_tokens": -1, "output_tokens": 2}},
            None,
            ["adapter/invalid-event", "adapter/incomplete-usage"],
        ),
    ],
)
def test_usage(usage: Any, due: tuple[int, int, int] | None, rules: list[str]) -> None:
    """FIN-10: what is absent is not zero."""
    ran = run(START, ends(usage=usage))
    names = ("inputTokens", "outputTokens", "totalTokens")
    assert ran.usage == (due and dict(zip(names, due, strict=True)))
    assert ran.rules == rules
