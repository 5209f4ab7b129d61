"""Cohere requests: bodies that the official client's types take, and its state put back."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

import cohere
import httpx
import pytest
from cohere.v2.raw_client import RawV2Client
from pydantic import ValidationError

from tests.fixture_cases import Case, cases, provider_cases
from tests.providers.cohere_requests import (
    API,
    ASK,
    CLOCK,
    CONFIG,
    TIDES,
    Json,
    call,
    check,
    item,
    kept,
    message,
    part,
    read_back,
    result,
    rules,
    sent,
    stream_of,
    text,
)
from tests.providers.provider_streams import assembled, run_events

BODIES = [each for each in cases("requests") if API in each.expect.get("bodies", ())]

# --- the official client -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": [{"role": "user", "content": "a", "name": "b"}]},
        {"messages": [{"role": "user", "content": [{"type": "file", "file": {}}]}]},
        {"messages": [{"role": "assistant", "content": [{"type": "thinking", "text": "a"}]}]},
        {"messages": [{"role": "assistant", "citations": [{"start": 0, "cited": "a"}]}]},
        {"messages": [{"role": "tool", "content": "a"}]},
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"tool_choice": "auto"},
        {"top_p": 0.5},
        {"max_tokens": "9"},
    ],
)
def test_the_check_refuses_what_the_client_does_not_publish(wrong: Json) -> None:
    body = {"model": "m", "messages": [], "stream": True}
    check(body)
    with pytest.raises((AssertionError, ValidationError)):
        check({**body, **wrong})


def through_client(body: Json, answer: bytes) -> tuple[Json, list[Any]]:
    """Return what the client sends for a body, and the events that it reads."""
    seen: list[Json] = []

    def respond(request: httpx.Request) -> httpx.Response:
        seen.append(json.loads(request.content))
        return httpx.Response(200, content=answer, headers={"content-type": "text/event-stream"})

    with httpx.Client(transport=httpx.MockTransport(respond)) as http:
        client = cohere.ClientV2(api_key="k", httpx_client=http)
        events = list(client.chat_stream(**{k: v for k, v in body.items() if k != "stream"}))
    return seen[0], events


# --- conversations -------------------------------------------------------------------------------


WHOLE: Json = {
    "model": "command-a",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "When is low water?"},
        {
            "role": "assistant",
            "tool_plan": "I will look up both.",
            "tool_calls": [
                {
                    "id": "tides_a1",
                    "type": "function",
                    "function": {"name": "tides", "arguments": '{"port":"Oban"}'},
                },
                {
                    "id": "wind_b2",
                    "type": "function",
                    "function": {"name": "wind", "arguments": '{"port":"Oban"}'},
                },
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "tides_a1",
            "content": [{"type": "text", "text": "06:10"}],
        },
        {"role": "tool", "tool_call_id": "wind_b2", "content": '{"kn":12}'},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "tides",
                "description": "Tides of a port",
                "parameters": {"type": "object", "properties": {"port": {"type": "string"}}},
            },
        },
        {
            "type": "function",
            "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}},
        },
    ],
    "tool_choice": "REQUIRED",
    "max_tokens": 50,
    "temperature": 0.2,
    "p": 0.9,
    "stop_sequences": ["##"],
    "thinking": {"type": "enabled", "token_budget": 100},
    "documents": [{"id": "d", "data": {"text": "x"}}],
    "stream": True,
}


def test_the_client_sends_the_body_as_it_is() -> None:
    encoded = sent(
        ASK,
        read_back("plan-and-two-calls"),
        message("tool", result("tides_a1", [text("06:10")]), result("wind_b2", {"kn": 12})),
        tools=[TIDES, CLOCK],
        system="Be brief.",
        tool_choice="required",
        config={
            **CONFIG,
            "temperature": 0.2,
            "topP": 0.9,
            "maxTokens": 50,
            "stopSequences": ["##"],
            "thinking": {"type": "enabled", "token_budget": 100},
            "documents": [{"id": "d", "data": {"text": "x"}}],
        },
    )
    assert encoded.findings == []
    answer = stream_of("plan-and-two-calls")
    body, events = through_client(encoded.body, answer)
    assert body == encoded.body
    assert [event.type for event in events[:2]] == ["message-start", "tool-plan-delta"]
    assert encoded.body == WHOLE


def test_thinking_goes_back_as_the_blocks_that_it_came_in() -> None:
    """BLK-12: also over several turns with tools."""
    encoded = sent(
        ASK,
        read_back("whole-answer"),
        message("tool", result("tides_a1", [text("06:10")])),
        read_back("thinking-then-text"),
        message("user", text("And high water?")),
    )
    assert encoded.findings == []
    assert [each["role"] for each in encoded.body["messages"]] == [
        *["user", "assistant", "tool", "assistant", "user"]
    ]
    assert encoded.body["messages"][1] == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Tides?"},
            {"type": "text", "text": "A moment."},
        ],
        "tool_plan": "I will look.",
        "tool_calls": [
            {
                "id": "tides_a1",
                "type": "function",
                "function": {"name": "tides", "arguments": '{"port":"Oban"}'},
            }
        ],
    }
    assert encoded.body["messages"][3]["content"] == [
        {"type": "thinking", "thinking": "Six or seven?"},
        {"type": "text", "text": "Six."},
    ]


def test_citations_go_back_unchanged_and_do_not_cut_the_text() -> None:
    encoded = sent(ASK, read_back("citations"), ASK)
    said = encoded.body["messages"][1]
    assert said["content"] == [{"type": "text", "text": "Low water at six."}]
    assert [(each["start"], each["end"], each["text"]) for each in said["citations"]] == [
        (0, 9, "Low water"),
        (13, 16, "six"),
    ]
    assert said["citations"][0]["sources"][0]["tool_output"] == {"low": "06:10"}
    assert encoded.findings == []


def test_text_in_blocks_goes_back_in_blocks() -> None:
    """BLK-03: what was distinguished stays so, whatever is in between."""
    opaque = kept(
        {
            "0": [
                item("thinking", {"type": "thinking"}, 0, 1),
                item("thinking", {"type": "thinking"}, 1, 2),
            ],
            "1": [
                item("citation", {"start": 0, "end": 1}, 0, 1),
                item("text", {"type": "text"}, 2, 4),
                item("tool_plan", "P", 3, 3),
            ],
        }
    )
    said = message("assistant", part("thinking", text="ab"), text("cdef"), opaque=opaque)
    encoded = sent(ASK, said)
    assert encoded.body["messages"][1] == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "a"},
            {"type": "thinking", "thinking": "b"},
            {"type": "text", "text": "cd"},
            {"type": "text", "text": "ef"},
        ],
        "tool_plan": "P",
        "citations": [{"start": 0, "end": 1}],
    }
    assert encoded.findings == []


def test_a_recorded_turn_comes_back_as_the_whole_format_has_it() -> None:
    """The same answer streamed and whole makes the same request."""
    call_events = [
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": CALL}}},
        {"type": "tool-call-end", "index": 0},
    ]
    start = {"id": "g", "type": "message-start", "delta": {"message": {"role": "assistant"}}}
    plan = {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "P"}}}
    end = {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}
    whole: Json = {
        "id": "g",
        "finish_reason": "TOOL_CALL",
        "message": {"role": "assistant", "tool_plan": "P", "tool_calls": [CALL]},
    }
    bodies = []
    for events in ([start, plan, *call_events, end], [whole]):
        ran = run_events(API, events)
        bodies.append(sent(ASK, assembled(ran.deltas)).body)
    assert bodies[0] == bodies[1]
    assert bodies[0]["messages"][1] == {k: v for k, v in whole["message"].items() if v}


CALL = {"id": "t_1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}


def test_reasoning_and_state_of_others_stay_behind() -> None:
    """BLK-13."""
    opaque = {"dialect": "anthropic-messages", "parts": {"0": [item("signature", "s", 0, 3)]}}
    thought = part("thinking", text="Hm.")
    encoded = sent(ASK, message("assistant", thought, text("Six."), opaque=opaque), ASK)
    assert encoded.body["messages"][1]["content"] == [{"type": "text", "text": "Six."}]
    assert rules(encoded) == [
        ("encode/foreign-state", "/messages/1/meta/opaque"),
        ("encode/thinking-left-out", "/messages/1/parts/0"),
    ]


def test_minted_ids_become_the_providers_own_again() -> None:
    """TCI-06: where there was one; call and result alike."""
    said = read_back("call-ids-missing")
    ids = [each["payload"]["toolCallId"] for each in said["parts"]]
    encoded = sent(ASK, said, message("tool", *(result(each, []) for each in ids)))
    calls = [each["id"] for each in encoded.body["messages"][1]["tool_calls"]]
    assert calls == ["call_gen_01_0", "t_1", "call_gen_01_2"]  # t_1 is another call's
    answers = [each["tool_call_id"] for each in encoded.body["messages"][2:]]
    assert answers == calls


def test_argument_text_goes_back_as_it_was() -> None:
    """ARG-13."""
    encoded = sent(
        ASK, message("assistant", call("a", rawArgsText='{"po'), call("b", arguments={"port": "Ø"}))
    )
    texts = [c["function"]["arguments"] for c in encoded.body["messages"][1]["tool_calls"]]
    assert texts == ['{"po', '{"port":"Ø"}']


def test_state_that_is_not_what_the_adapter_writes_is_said() -> None:
    opaque = kept(
        {
            "0": [
                item("citation", "odd", 0, 1),
                item("tool_plan", 7, 0, 0),
                item("content", {"type": "image"}, 1, 1),
                item("unknown", {"function": {}}, 1, 1),
            ]
        }
    )
    encoded = sent(ASK, message("assistant", text("Six."), opaque=opaque))
    assert encoded.body["messages"][1]["content"] == [{"type": "text", "text": "Six."}]
    assert sorted(rule for rule, _ in rules(encoded)) == [
        "encode/malformed-state",
        "encode/malformed-state",
        "encode/response-only-state",
        "encode/response-only-state",
    ]


# --- laws ----------------------------------------------------------------------------------------


def fixtures() -> list[str]:
    return [case.name.removeprefix(f"{API}/") for case in provider_cases("v0.1", API)]


@pytest.mark.parametrize("name", fixtures())
def test_every_message_of_the_fixtures_can_be_sent(name: str) -> None:
    """Partial ones too; the text, the plan and the calls come back as they were."""
    said = read_back(name)
    made = sent(ASK, said).body["messages"][1:]
    texts = [each["payload"]["text"] for each in said["parts"] if each["kind"] == "text"]
    calls = [each["payload"]["toolName"] for each in said["parts"] if each["kind"] == "tool_call"]

    def back(key: str) -> list[Any]:
        return [value for each in made for value in each.get(key, [])]

    joined = "".join(each["text"] for each in back("content") if each["type"] == "text")
    assert joined == "".join(texts)
    assert [each["function"]["name"] for each in back("tool_calls")] == calls


@pytest.mark.parametrize("case", BODIES, ids=lambda case: f"{case.version}/{case.id}")
def test_the_client_takes_the_bodies_of_the_fixtures(case: Case) -> None:
    """But for the members that extensions bring and the client does not know."""
    body = case.expect["bodies"][API]["body"]
    config = case.value("input")["config"]
    known = signature(RawV2Client.chat_stream).parameters
    check({name: v for name, v in body.items() if name in known or name not in config})


def test_nothing_of_the_callers_is_shared_or_changed() -> None:
    said = read_back("citations")
    before = json.dumps(said)
    config = {**CONFIG, "documents": [{"data": {"a": "b"}}]}
    encoded = sent(ASK, said, config=config)
    encoded.body["messages"][1]["citations"][0]["sources"].clear()
    encoded.body["documents"][0]["data"].clear()
    assert json.dumps(said) == before
    assert config["documents"] == [{"data": {"a": "b"}}]
