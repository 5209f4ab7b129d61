"""The chat adapter: how streams end, well and with an error."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.chat_chunks import API, chunk, finished, run, usage
from tests.providers.provider_streams import run_bytes

# --- ends ----------------------------------------------------------------------------------------


def test_text_after_the_finish_reason_is_read() -> None:
    ran = run(chunk({"content": "a"}, "stop"), chunk({"content": "b"}), usage())
    assert ran.parts == [{"kind": "text", "payload": {"text": "ab"}}]
    assert ran.end == {"finishReason": "stop"}


def test_the_last_finish_reason_counts() -> None:
    ran = run(chunk(None, "tool_calls"), chunk(None, "length"), chunk(None, None))
    assert ran.end == {"finishReason": "length"}
    assert ran.adapter.finish_reason == "length"


@pytest.mark.parametrize(
    ("reason", "due"),
    [
        ("MAX_TOKENS", "length"),
        ("content-filter", "content_filter"),
        ("model_length", "length"),
        ("eos", "stop"),
        ("insufficient_system_resource", "error"),
        ("stopped", "unknown"),
    ],
)
def test_vendors_finish_reasons(reason: str, due: str) -> None:
    ran = run(chunk(None, reason))
    assert ran.end == {"finishReason": due}
    assert ran.adapter.finish_reason == reason


@pytest.mark.parametrize("nothing", ["", "null", None, 5, {}])
def test_what_is_no_finish_reason_does_not_end(nothing: Any) -> None:
    assert run(chunk({"content": "a"}, nothing)).end["errorCode"] == "truncated_stream"


@pytest.mark.parametrize(
    ("event", "code", "message"),
    [
        ({"error": {"code": "tool_use_failed", "message": "m"}}, "provider_internal", "m"),
        ({"error": "gone"}, "unknown", "gone"),
        ({"choices": [], "error": {"code": 429}}, "rate_limited", "429"),
        ({"choices": [], "error": {"code": "429", "message": "m"}}, "rate_limited", "m"),
        ({"detail": "Not authenticated"}, "unknown", "Not authenticated"),
        ({"detail": {"code": 401, "message": "m"}}, "authentication", "m"),
        ({"detail": [1, 2]}, "unknown", "array with 2 items"),
        ({"code": "InvalidParameter", "message": "m"}, "invalid_request", "m"),
        ({"base_resp": {"status_code": 1004, "status_msg": "m"}}, "authentication", "m"),
        ({"object": "error", "message": {"message": "m"}, "code": 503}, "overloaded", "m"),
        ({"type": "error", "error": {"type": "server_error"}}, "provider_internal", "server_error"),
        (chunk({}, x_groq={"error": "over capacity"}), "unknown", "over capacity"),
        (
            {"error": {"error": {"code": "insufficient_quota"}}},
            "quota_exceeded",
            "insufficient_quota",
        ),
    ],
)
def test_errors_come_in_many_forms(event: dict[str, Any], code: str, message: str | None) -> None:
    ran = run(chunk({"content": "a"}), event, "[DONE]")
    assert ran.end["errorCode"] == code
    assert ran.end.get("message") == message
    assert ran.kinds.count("error") == 1


def test_two_errors_in_one_chunk_are_one() -> None:
    choice = {"index": 0, "delta": {"content": "a"}, "error": {"code": 502, "message": "one"}}
    event = {"choices": [choice, choice], "error": {"message": "two"}, "x_groq": {"error": "three"}}
    ran = run(event)
    assert ran.end["message"] == "one"
    assert ran.parts == [{"kind": "text", "payload": {"text": "a"}}]


@pytest.mark.parametrize("falsy", [None, {}, "", False, 0, []])
def test_an_empty_error_is_none(falsy: Any) -> None:
    assert finished(chunk({"content": "a"}, error=falsy)).end == {"finishReason": "stop"}


def test_an_error_after_the_finish_reason_is_an_error() -> None:
    assert run(chunk({"content": "a"}, "stop"), {"error": "gone"}).end["errorCode"] == "unknown"


def test_an_empty_stream_is_truncated() -> None:
    ran = run_bytes(API, [])
    assert ran.kinds == ["start", "error"]
    assert ran.end["errorCode"] == "truncated_stream"


def test_responses_events_are_another_dialect() -> None:
    assert run({"type": "response.created"}).rules == ["adapter/wrong-dialect"]
    assert finished(chunk(), {"type": "response.created"}).rules == ["adapter/unknown-event"]
