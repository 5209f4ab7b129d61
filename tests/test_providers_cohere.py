"""The Cohere adapter: what the fixtures cannot say (provider state, ids, odd types)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cohere.v2.types import V2ChatStreamResponse
from pydantic import TypeAdapter

from partwire import to_wire
from partwire.providers import OpaqueItem
from partwire.providers.cohere import _EVENTS
from partwire.providers.sniff import dialect_of
from tests.provider_streams import ODD, Ran, assembled, broken_copies, run_bytes, run_events

API = "cohere-v2"
THINKING = {"type": "thinking"}
START = {"id": "gen_1", "type": "message-start", "delta": {"message": {"role": "assistant"}}}
TOKENS = {"tokens": {"input_tokens": 3, "output_tokens": 2}}


def event(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    base = {"type": kind} if index is None else {"type": kind, "index": index}
    return {**base, "delta": {"message": message}}


def begin(index: int, kind: str = "text", text: str = "") -> dict[str, Any]:
    return event("content-start", index, content={"type": kind, kind: text})


def piece(index: int, text: Any, kind: str = "text") -> dict[str, Any]:
    return event("content-delta", index, content={kind: text})


def stop(index: int) -> dict[str, Any]:
    return {"type": "content-end", "index": index}


def block(index: int, text: str, kind: str = "text") -> list[dict[str, Any]]:
    return [begin(index, kind), piece(index, text, kind), stop(index)]


def plan(text: Any) -> dict[str, Any]:
    return event("tool-plan-delta", tool_plan=text)


def call_start(index: int, call_id: str = "t", name: Any = "f", args: Any = "") -> dict[str, Any]:
    function = {"name": name, "arguments": args}
    return event(
        "tool-call-start",
        index,
        tool_calls={"id": call_id, "type": "function", "function": function},
    )


def call_piece(index: int, args: Any) -> dict[str, Any]:
    return event("tool-call-delta", index, tool_calls={"function": {"arguments": args}})


def call_stop(index: int) -> dict[str, Any]:
    return {"type": "tool-call-end", "index": index}


def cite(**citation: Any) -> dict[str, Any]:
    return event("citation-start", 0, citations=citation)


def ends(reason: Any = "COMPLETE", **delta: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": reason, **delta}}


def run(*events: Any, **options: Any) -> Ran:
    return run_events(API, events, **options)


# --- provider state ------------------------------------------------------------------------------


def test_the_plan_is_kept_whole_before_the_calls() -> None:
    """FIN-22: neither text nor thinking, and the next request repeats it."""
    ran = run(
        START,
        *block(0, "Hm.", "thinking"),
        plan("I "),
        plan("will."),
        call_start(0),
        call_stop(0),
        ends("TOOL_CALL"),
    )
    assert [part["kind"] for part in ran.parts] == ["thinking", "tool_call"]
    assert ran.adapter.opaque == [
        OpaqueItem("thinking", THINKING, 0, 0, 3),
        OpaqueItem("tool_plan", "I will.", 0, 3, 3),
    ]


def test_a_plan_in_two_places_is_two_items() -> None:
    ran = run(
        START, plan("One."), call_start(0), call_stop(0), plan("Two."), call_start(1, "u"), ends()
    )
    assert ran.adapter.opaque == [
        OpaqueItem("tool_plan", "One.", 0, 0, 0),
        OpaqueItem("tool_plan", "Two.", 1, 0, 0),
    ]


def test_blocks_that_become_one_part_are_told_apart() -> None:
    """BLK-03: each goes back as the block that it was; a sole text needs no mark."""
    ran = run(
        START, *block(0, "a", "thinking"), *block(1, "b", "thinking"), begin(2, "thinking"), stop(2)
    )
    assert ran.parts == [{"kind": "thinking", "payload": {"text": "ab"}}]
    assert ran.adapter.opaque == [
        OpaqueItem("thinking", THINKING, 0, 0, 1),
        OpaqueItem("thinking", THINKING, 0, 1, 2),
    ]
    assert run(START, *block(0, "a"), ends()).adapter.opaque == []


def test_thinking_that_never_ends_is_marked_too() -> None:
    for last in ([], [ends("MAX_TOKENS")], [ends("ERROR")]):
        ran = run(START, begin(0, "thinking"), piece(0, "ab", "thinking"), *last)
        assert ran.adapter.opaque == [OpaqueItem("thinking", THINKING, 0, 0, 2)]


@pytest.mark.parametrize("last", [[], [ends("ERROR")], [ends()]])
def test_a_plan_without_calls_is_kept_however_the_stream_ends(last: list[Any]) -> None:
    """FIN-22."""
    ran = run(START, plan("I will."), *last)
    assert ran.adapter.opaque == [OpaqueItem("tool_plan", "I will.", 0, 0, 0)]


def test_the_message_carries_the_plan_and_the_ids() -> None:
    ran = run(START, plan("I will."), call_start(0, ""), call_stop(0), ends("TOOL_CALL"))
    message = to_wire(ran.adapter.complete(assembled(ran.deltas)))
    assert message["meta"]["opaque"] == {
        "dialect": API,
        "parts": {"0": [{"kind": "tool_plan", "data": "I will.", "start": 0, "end": 0}]},
        "toolCallIds": {"call_gen_1_0": None},
    }


def test_citations_say_which_characters_they_are_about() -> None:
    """BLK-24: during the text, or after all of it; offsets count from the block's beginning."""
    first = {"start": 0, "end": 3, "text": "Low", "type": "TEXT_CONTENT"}
    late = {"start": 0, "end": 3, "text": "Six", "content_index": 2, "type": "TEXT_CONTENT"}
    thought = {"start": 1, "end": 2, "content_index": 0, "type": "THINKING_CONTENT"}
    ran = run(
        START,
        *block(0, "abc", "thinking"),
        begin(1),
        piece(1, "Low."),
        cite(**first),
        stop(1),
        *block(2, "Six."),
        cite(**late),
        cite(**thought),
        ends(),
    )
    assert [part["payload"]["text"] for part in ran.parts] == ["abc", "Low.Six."]
    assert ran.adapter.opaque == [
        OpaqueItem("thinking", THINKING, 0, 0, 3),
        OpaqueItem("citation", first, 1, 0, 3),
        OpaqueItem("text", {"type": "text"}, 1, 4, 8),
        OpaqueItem("citation", late, 1, 4, 7),
        OpaqueItem("citation", thought, 0, 1, 2),
    ]


@pytest.mark.parametrize(
    ("citation", "covers"),
    [
        ({}, (1, 0, 4)),
        ({"start": 2, "end": 99}, (1, 2, 4)),
        ({"start": 4, "end": 9}, (1, 0, 4)),
        ({"start": -2, "end": 2}, (1, 0, 4)),
        ({"start": 3, "end": 3}, (1, 0, 4)),
        ({"start": "0", "end": 2}, (1, 0, 4)),
        ({"content_index": 0, "start": 0, "end": 1}, (0, 0, 1)),
        ({"type": "THINKING_CONTENT", "start": 0, "end": 1}, (0, 0, 1)),
        ({"content_index": 7, "start": 0, "end": 1}, (1, 4, 4)),
        ({"content_index": "1", "start": 0, "end": 1}, (1, 0, 1)),
    ],
)
def test_offsets_that_do_not_fit_cover_the_block(
    citation: dict[str, Any], covers: tuple[int, int, int]
) -> None:
    ran = run(START, *block(0, "Hm.", "thinking"), *block(1, "Six."), cite(**citation), ends())
    assert ran.adapter.opaque[1:] == [OpaqueItem("citation", citation, *covers)]


def test_citations_of_the_plan_follow_it() -> None:
    about = {"start": 0, "end": 1, "text": "I", "type": "PLAN"}
    ran = run(START, plan("I "), cite(**about), plan("will."), call_start(0), ends("TOOL_CALL"))
    assert [(item.kind, item.data) for item in ran.adapter.opaque] == [
        ("tool_plan", "I will."),
        ("citation", about),
    ]


def test_a_citation_before_all_text_stands_there() -> None:
    ran = run(START, begin(0), cite(start=0, end=1), piece(0, "Six."), ends())
    assert ran.adapter.opaque == [OpaqueItem("citation", {"start": 0, "end": 1}, 0, 0, 0)]


def test_citations_after_a_call_still_find_their_text() -> None:
    ran = run(
        START, begin(0), piece(0, "Six."), call_start(0), call_stop(0), cite(start=0, end=3), ends()
    )
    assert ran.adapter.opaque == [OpaqueItem("citation", {"start": 0, "end": 3}, 0, 0, 3)]


def test_text_after_a_call_is_cited_where_it_stands() -> None:
    ran = run(
        START,
        begin(0),
        piece(0, "Six."),
        call_start(0),
        call_stop(0),
        piece(0, "Or so."),
        stop(0),
        cite(start=0, end=2, content_index=0),
        ends(),
    )
    assert [part["kind"] for part in ran.parts] == ["text", "tool_call", "text"]
    assert ran.adapter.opaque == [
        OpaqueItem("citation", {"start": 0, "end": 2, "content_index": 0}, 2, 0, 2)
    ]
    assert ran.rules == ["adapter/block-order"]


def test_content_of_an_unknown_kind_is_kept_beside_and_none_is_nothing() -> None:
    ran = run(
        START, begin(0), piece(0, "a", "sound"), event("content-delta", 0, content={}), ends()
    )
    assert ran.parts == []
    assert ran.adapter.opaque == [OpaqueItem("content", {"sound": "a"}, 0, 0, 0)]
    assert ran.rules == ["adapter/unsupported-content"]


def test_a_citation_of_text_in_two_parts_stands_without_a_range() -> None:
    ran = run(
        START,
        begin(0),
        begin(1, "thinking"),
        piece(0, "a"),
        piece(1, "b", "thinking"),
        piece(0, "c"),
        stop(0),
        cite(start=0, end=1, content_index=0),
        ends(),
    )
    assert [part["kind"] for part in ran.parts] == ["text", "thinking", "text"]
    assert [(item.part, item.start, item.end) for item in ran.adapter.opaque] == [(2, 1, 1)]


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


# --- ends ----------------------------------------------------------------------------------------


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
    """The answer's id may stand in its last event alone."""
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
