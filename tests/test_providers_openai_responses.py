"""The Responses adapter: text, reasoning, the response, and odd types at every place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.provider_streams import ODD, broken_copies, run_bytes
from tests.responses_events import (
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

# --- text ----------------------------------------------------------------------------------------


def test_deltas_without_any_index_belong_to_the_last_item_of_their_kind() -> None:
    ran = finished(
        added(None, "message", id="m"),
        {"type": "response.output_text.delta", "delta": "a"},
        added(None, "function_call", id="f", call_id="c", name="n", arguments=""),
        {"type": "response.function_call_arguments.delta", "delta": "{}"},
    )
    assert [part["kind"] for part in ran.parts] == ["text", "tool_call"]
    assert ran.rules == []


def test_deltas_without_an_index_are_found_by_id() -> None:
    ran = finished(
        added(None, "message", id="m1"),
        added(None, "message", id="m2"),
        text(None, "a", item_id="m1"),
        done(None, message("m1", "ab")),
        done(None, message("m2", "c")),
    )
    assert texts(ran) == "abc"
    assert ran.rules == []


@pytest.mark.parametrize("kind", ["response.content_part.delta", "response.output_text.delta"])
def test_a_delta_may_be_an_object(kind: str) -> None:
    ran = finished({"type": kind, "output_index": 0, "delta": {"type": "text", "text": "a"}})
    assert texts(ran) == "a"


def test_a_part_that_begins_with_text_says_it_once() -> None:
    def part(index: int, value: str) -> dict[str, Any]:
        content = {"type": "output_text", "text": value}
        return {
            "type": "response.content_part.added",
            "output_index": index,
            "content_index": 0,
            "part": content,
        }

    ran = finished(
        added(0, "message", id="m1"),
        part(0, "Be"),
        text(0, "rgen "),
        done(0, message("m1", "Bergen ")),
        added(1, "message", id="m2"),
        part(1, "lies "),
        text(1, "lies "),
        done(1, message("m2", "lies ")),
        added(2, "message", id="m3"),
        part(2, "here"),
        done(2, message("m3", "here")),
    )
    assert texts(ran) == "Bergen lies here"
    assert ran.rules == []


def test_text_that_no_delta_said_comes_from_whichever_event_has_it_first() -> None:
    """BLK-26: five times the same text, written once."""
    whole = message("m", "Hi")
    events = [
        {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hi"},
        {
            "type": "response.content_part.done",
            "output_index": 0,
            "content_index": 0,
            "part": whole["content"][0],
        },
        done(0, whole),
        ended(whole),
    ]
    for first in range(len(events)):
        ran = run(created(), added(0, "message", id="m"), *events[first:], ended())
        assert texts(ran) == "Hi", first


def test_content_that_is_a_string_is_text() -> None:
    assert texts(finished(done(0, message("m", content="Hi")))) == "Hi"


def test_parts_of_one_message_and_its_refusal_make_one_text() -> None:
    whole = message("m", "a", "b")
    whole["content"].append({"type": "refusal", "refusal": "No."})
    ran = finished(added(0, "message", id="m"), text(0, "a"), text(0, "b", 1), done(0, whole))
    assert ran.parts == [{"kind": "text", "payload": {"text": "abNo."}}]
    assert ran.end == {"finishReason": "refusal"}


def test_a_refusal_gives_way_to_calls_and_to_reasons() -> None:
    refusal = {"type": "response.refusal.delta", "output_index": 0, "delta": "No"}
    call = function("f", "c", "n", "{}")
    assert finished(refusal, done(1, call)).end == {"finishReason": "tool_calls"}
    cut = ended(status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert run(created(), refusal, cut).end == {"finishReason": "length"}


def test_content_of_other_types_is_a_finding() -> None:
    audio = {"type": "output_audio", "data": "UklG", "transcript": "Hi"}
    ran = finished(done(0, message("m", content=[audio, 5, {"type": "output_text", "text": 7}])))
    assert ran.rules == [
        "adapter/unsupported-content",
        "adapter/invalid-event",
        "adapter/unsupported-content",
    ]


def test_sound_is_kept_beside_the_message() -> None:
    ran = finished({"type": "response.audio.delta", "delta": "UklG"})
    assert ran.rules == ["adapter/unsupported-content"]
    assert [item.kind for item in ran.adapter.opaque] == ["audio"]


def test_halves_of_a_character_join_with_the_whole_text() -> None:
    """HIS-17: the last half may come with the final text only."""
    ran = finished(
        added(0, "message", id="m"),
        text(0, "Sun \ud83c"),
        done(0, message("m", "Sun \U0001f31e!")),
    )
    assert texts(ran) == "Sun \U0001f31e!"
    assert ran.rules == []


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


def test_the_status_of_the_response_counts_before_the_name_of_the_event() -> None:
    details = {"reason": "max_output_tokens"}
    body = response("incomplete", incomplete_details=details)
    for kind in ("response.completed", "response.done"):
        assert run({"type": kind, "response": body}).end == {"finishReason": "length"}
    odd = run({"type": "response.completed", "response": response("in_progress")})
    assert (odd.end, odd.rules) == ({"finishReason": "stop"}, ["adapter/invalid-event"])


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
    assert run(created(), begins, text(0, "a"), created(), ended()).rules == []


@pytest.mark.parametrize(
    "kind",
    [
        "response.web_search_call.searching",
        "response.file_search_call.completed",
        "response.code_interpreter_call_code.delta",
        "response.image_generation_call.partial_image",
        "response.mcp_call.failed",
        "response.mcp_call_arguments.delta",
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
    assert set(ran.rules) == {"adapter/unsupported-content", "adapter/server-tool-call"}
