"""The Responses adapter: the response, errors, and odd types at every place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.provider_streams import ODD, broken_copies, run_bytes
from tests.providers.responses_events import (
    API,
    added,
    args,
    created,
    done,
    ended,
    finished,
    function,
    message,
    raw,
    reasoning,
    response,
    run,
    summary,
    text,
    texts,
)

# --- the response --------------------------------------------------------------------------------


def test_usage_counts_cached_and_reasoning_tokens_once() -> None:
    def summed(read: Any, cached: Any, written: Any, thought: Any, total: Any) -> tuple[Any, ...]:
        usage = {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": thought},
            "total_tokens": total,
        }
        return tuple(run(created(), ended(usage=usage)).usage.values())

    assert summed(10, 6, 8, 5, 18) == (10, 8, 18)
    assert summed(12, 11, 1, 290, 303) == (12, 291, 303)
    assert summed(10, None, 8, None, None) == (10, 8, 18)


@pytest.mark.parametrize("usage", [None, {}, {"output_tokens": 3}, "odd", {"input_tokens": -1}])
def test_usage_that_is_none(usage: Any) -> None:
    """FIN-10."""
    ran = run(created(), ended(usage=usage))
    assert ran.usage is None
    assert bool(ran.rules) == (usage not in (None, {}))


@pytest.mark.parametrize(
    ("event", "code", "text_of"),
    [
        ({"type": "error", "code": "server_error", "message": "m"}, "provider_internal", "m"),
        ({"type": "error", "message": "m", "code": None, "param": None}, "unknown", "m"),
        (
            {"type": "error", "error": {"code": "context_length_exceeded"}},
            *2 * ("context_length_exceeded",),
        ),
        ({"error": {"code": 429, "message": "m"}}, "rate_limited", "m"),
        ({"detail": "m"}, "unknown", "m"),
        (ended(status="failed"), "provider_internal", "The response failed"),
        (
            ended(status="failed", error={"code": "vector_store_timeout"}),
            "timeout",
            "vector_store_timeout",
        ),
        (
            ended(status="failed", error={"code": "bio_policy", "message": "m"}),
            "content_filtered",
            "m",
        ),
        (
            ended(status="failed", error={"code": "invalid_prompt", "message": "m"}),
            "invalid_request",
            "m",
        ),
        (
            ended(status="failed", error={"code": "image_too_large", "message": "m"}),
            "invalid_request",
            "m",
        ),
        (ended(error="gone"), "unknown", "gone"),
        (ended(status="cancelled"), "cancelled", "The response was cancelled"),
    ],
)
def test_errors_come_in_many_forms(event: dict[str, Any], code: str, text_of: str) -> None:
    """FIN-17, SSE-03."""
    ran = run(created(), text(0, "a"), event)
    assert (ran.end["errorCode"], ran.end["message"]) == (code, text_of)
    assert texts(ran) == "a"


def test_the_error_event_and_the_failed_response_are_one_error() -> None:
    error = {"type": "error", "error": {"code": "insufficient_quota", "message": "m"}}
    ran = run(created(), error, ended(status="failed", error={"code": "insufficient_quota"}))
    assert ran.end["errorCode"] == "quota_exceeded"
    assert (ran.adapter.finish_reason, ran.rules) == ("failed", [])
    assert run(created(), ended(), ended(status="failed")).rules == ["adapter/after-end"]


@pytest.mark.parametrize(
    ("reason", "due"),
    [
        ("max_output_tokens", "length"),
        ("max_messages", "length"),
        ("content_filter", "content_filter"),
        ("steered", "pause"),
        ("other", "unknown"),
        (None, "unknown"),
        (["x"], "unknown"),
    ],
)
def test_reasons_of_incomplete_responses(reason: Any, due: str) -> None:
    """FIN-14, FIN-17: never stop, also where calls came."""
    call = done(0, function("f", "c", "n", "{}"))
    ran = run(created(), call, ended(status="incomplete", incomplete_details={"reason": reason}))
    assert ran.end == {"finishReason": due}
    assert ran.adapter.finish_reason == "incomplete"
    assert run(ended(status="incomplete", incomplete_details=reason)).end == {"finishReason": due}


def test_a_status_that_nobody_sent_is_no_word_of_the_provider() -> None:
    for told, said in (({"status": "completed"}, "completed"), ({}, None), ({"status": 7}, None)):
        response = {"id": "r", "model": "m", **told}
        ran = run({"type": "response.completed", "response": response})
        assert (ran.end, ran.said) == ({"finishReason": "stop"}, said)
    details: Any
    for details, said in (({"reason": "budget"}, "budget"), ("budget", "budget"), (7, None)):
        response = {"id": "r", "status": "incomplete", "incomplete_details": details}
        ran = run({"type": "response.incomplete", "response": response})
        assert (ran.end, ran.said) == ({"finishReason": "unknown"}, said)


def test_the_status_of_the_response_counts_before_the_name_of_the_event() -> None:
    details = {"reason": "max_output_tokens"}
    body = response("incomplete", incomplete_details=details)
    for kind in ("response.completed", "response.done"):
        assert run({"type": kind, "response": body}).end == {"finishReason": "length"}


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_a_response_that_ends_while_it_runs_is_no_finished_answer(status: str) -> None:
    ends = {"type": "response.completed", "response": response(status)}
    begins = added(0, "message", id="m")
    for before in ((), (created(),), (created(), begins), (created(), begins, text(0, "a"))):
        cut = run(*before, ends)
        assert (cut.end["errorCode"], cut.rules) == ("truncated_stream", ["adapter/invalid-event"])
    whole = done(0, message("m", "a"))
    ran = run(created(), begins, text(0, "a"), whole, ends)
    assert (ran.end, ran.said) == ({"finishReason": "unknown"}, status)
    assert (ran.rules, ran.adapter.finish_reason) == (["adapter/invalid-event"], status)


@pytest.mark.parametrize("kind", ["response.completed", "response.done", "response.incomplete"])
@pytest.mark.parametrize("said", [{}, {"response": None}, {"response": {}}])
def test_an_end_alone_is_no_message(kind: str, said: dict[str, Any]) -> None:
    ran = run({"type": kind, **said})
    assert ran.end["errorCode"] == "truncated_stream"
    assert ran.end["message"] == "The stream stopped before any message"
    done_ = run(created(), {"type": "response.completed", "response": {}})
    assert done_.end == {"finishReason": "stop"}


def test_a_response_that_ends_in_the_middle_of_a_call_is_a_finding() -> None:
    begins = added(0, "function_call", id="f", call_id="c", name="n", arguments="")
    piece = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a":'}
    assert run(created(), begins, piece, ended()).rules == ["adapter/block-order"]
    rest = {**piece, "delta": "1}"}
    assert run(created(), begins, piece, rest, ended()).rules == []
    given = {"type": "function_call", "id": "f", "call_id": "c", "name": "n", "arguments": '{"a":'}
    assert run(created(), begins, piece, ended(given)).rules == []
    custom = added(0, "custom_tool_call", id="f", call_id="c", name="n", input="")
    put = {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "x"}
    rules = run(created(), custom, put, ended()).rules
    assert rules == ["adapter/unsupported-content", "adapter/block-order"]


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_a_body_that_has_not_ended_is_truncated(status: str) -> None:
    ran = run(response(status, output=[]))
    assert ran.end["errorCode"] == "truncated_stream"
    assert ran.start["requestId"] == "r1"


def test_a_body_that_failed_says_why() -> None:
    ran = run(response("failed", error={"code": "server_error", "message": "m"}))
    assert (ran.end["errorCode"], ran.end["message"]) == ("provider_internal", "m")


def test_names_come_with_the_first_response_and_need_not() -> None:
    ran = run({"type": "response.queued", "response": response("queued")}, text(0, "a"), ended())
    assert ran.start == {"modelId": "gpt-5", "requestId": "r1"}
    assert run(text(0, "a"), ended()).start == {"modelId": "unknown", "requestId": "unknown"}


def test_the_name_of_the_framing_completes_an_event() -> None:
    data = b'event: response.output_text.delta\ndata: {"output_index":0,"delta":"a"}\n\n'
    assert texts(run_bytes(API, [data])) == "a"


def test_a_response_that_begins_again_before_any_text_is_no_second_one() -> None:
    other = {"type": "response.created", "response": response("in_progress", id="r2")}
    begins = added(0, "message", id="m")
    assert run(created(), other, begins, text(0, "a"), ended()).rules == []


def test_a_response_that_begins_again_behind_content_is_a_second_one() -> None:
    begins = added(0, "message", id="m")
    for again in (
        created(),
        {"type": "response.created"},
        {"type": "response.created", "response": {}},
    ):
        ran = run(created(), begins, text(0, "a"), again, ended())
        assert ran.rules[0] == "adapter/spliced-message"
        assert ran.end["errorCode"] == "provider_internal"
    bare = {"type": "response.created", "response": {"model": "m"}}
    assert run(bare, begins, text(0, "a"), bare, ended()).rules[0] == "adapter/spliced-message"


def test_a_response_in_progress_behind_content_may_only_be_the_same() -> None:
    begins = added(0, "message", id="m")
    for said in ({"id": "r1"}, {"model": "m"}, {}):
        again = {"type": "response.in_progress", "response": said}
        assert run(created(), begins, text(0, "a"), again, ended()).rules == []
    other = {"type": "response.in_progress", "response": {"id": "r2"}}
    ran = run(created(), begins, text(0, "a"), other, ended())
    assert ran.rules == ["adapter/spliced-message", "adapter/after-end"]


@pytest.mark.parametrize(
    "kind",
    [
        "response.web_search_call.searching",
        "response.file_search_call.completed",
        "response.image_generation_call.generating",
        "response.mcp_call.failed",
        "response.mcp_list_tools.in_progress",
        "response.shell_call_command.delta",
        "response.shell_call_output_content.done",
        "response.apply_patch_call_operation_diff.delta",
        "response.compaction.compacting",
        "response.steer.accepted",
        "response.output_text.annotation.added",
        "ping",
        "keepalive",
    ],
)
def test_progress_is_no_surprise_and_no_content(kind: str) -> None:
    ran = finished({"type": kind, "output_index": 0, "item_id": "x", "delta": "x"})
    assert (ran.rules, ran.parts) == ([], [])


def test_an_empty_stream_is_truncated() -> None:
    assert run_bytes(API, []).end["errorCode"] == "truncated_stream"
    assert run_bytes(API, [b"data: [DONE]\n\n"]).end["errorCode"] == "truncated_stream"


def test_another_dialect_is_told_by_its_first_event() -> None:
    assert run({"type": "message_start", "message": {}}).rules == ["adapter/wrong-dialect"]
    assert run({"choices": []}).rules == ["adapter/wrong-dialect"]
    assert finished({"type": "message_start"}).rules == ["adapter/unknown-event"]


# --- types ---------------------------------------------------------------------------------------

GOOD = [
    created(tools=[{"type": "custom", "name": "q"}, {"type": "namespace", "tools": []}]),
    added(0, "reasoning", id="r", summary=[]),
    summary(0, "s"),
    raw(0, "t"),
    done(0, reasoning("r", "s", content=[{"type": "reasoning_text", "text": "t"}])),
    added(1, "message", id="m", content=[]),
    {
        "type": "response.content_part.added",
        "output_index": 1,
        "content_index": 0,
        "part": {"type": "output_text", "text": ""},
    },
    text(1, "a"),
    {"type": "response.output_text.done", "output_index": 1, "content_index": 0, "text": "a"},
    done(1, message("m", "a")),
    added(2, "function_call", id="f", call_id="c", name="n", arguments=""),
    args(2, "{}"),
    done(2, function("f", "c", "n", "{}")),
    added(3, "custom_tool_call", id="u", call_id="d", name="q", input=""),
    {"type": "response.custom_tool_call_input.done", "output_index": 3, "input": "x"},
    done(3, {"type": "web_search_call", "id": "w", "action": {"type": "search"}}),
    ended(
        message("m", "a"),
        function("f", "c", "n", "{}"),
        usage={"input_tokens": 1, "output_tokens": 1, "input_tokens_details": {}},
        incomplete_details=None,
        error=None,
    ),
]


@pytest.mark.parametrize("odd", ODD)
def test_no_type_at_any_place_breaks_the_stream(odd: Any) -> None:
    for events in broken_copies(GOOD, odd):
        assert run(*events).kinds[-1] in ("done", "error")  # check_stream holds inside
    assert run(ended(), {"type": odd}).rules == ["adapter/after-end"]


def test_the_good_stream_is_good() -> None:
    ran = run(*GOOD)
    assert ran.end == {"finishReason": "tool_calls"}
    assert set(ran.rules) == {"adapter/unsupported-content"}
    assert set(run(*GOOD, version="v0.2").rules) == {
        "adapter/unsupported-content",
        "adapter/server-tool-call",
    }
