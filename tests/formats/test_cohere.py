"""Histories of Cohere Chat v2: messages, requests and answers."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.errors import ReadError
from partwire.formats import sniff
from partwire.reading.pipeline import to_wire
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.encoded import Json, joined, sent_back
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.oracles import items_of, wanted_items

FORMAT = "cohere-v2"
SAMPLES = samples.ids(FORMAT)
PNG = "data:image/png;base64,iVBORw0KGgo="


def read(document: Any) -> list[Json]:
    return [to_wire(message) for message in read_given(FORMAT, document).messages]


def lost(document: Any) -> list[tuple[str, str]]:
    """Return what is lost: code and place."""
    losses = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in losses if loss.code != "given"]


def call(call_id: str, name: str = "f", arguments: Any = "{}", **members: Any) -> Json:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **members}


def calls(*given: Json, **members: Any) -> Json:
    return {"role": "assistant", "tool_calls": list(given), **members}


def result(call_id: str, content: Any) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


# --- what is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        {"messages": [{"role": "user", "content": "Hi"}]},
        [{"role": "user", "content": "Hi"}],
        {"role": "user", "content": "Hi"},
        [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
    ],
)
def test_whatever_people_store_is_read(source: Any) -> None:
    (message,) = read(source)
    assert (message["role"], message["parts"]) == (
        "user",
        [{"kind": "text", "payload": {"text": "Hi"}}],
    )
    assert lost(source) == []


def test_a_request_says_more_than_its_messages() -> None:
    body = {"model": "m", "messages": [{"role": "system", "content": "s"}], "documents": ["d"]}
    assert [message["role"] for message in read(body)] == ["system"]
    assert lost(body) == [("request-member", "/documents"), ("request-member", "/model")]


def test_results_in_a_row_are_one_message() -> None:
    messages = [
        calls(call("a"), call("b", "g", '{"x":1}'), tool_plan="I will look."),
        result("a", [{"type": "text", "text": "1"}]),
        result("b", [{"type": "text", "text": "2"}, {"type": "text", "text": "3"}]),
    ]
    answer, tool = read(messages)
    assert [part["payload"]["arguments"] for part in answer["parts"]] == [{}, {"x": 1}]
    assert [part["payload"]["toolCallId"] for part in tool["parts"]] == ["a", "b"]
    assert tool["parts"][0]["payload"]["content"] == "1"
    assert sent_back(FORMAT, messages)["messages"] == messages
    assert lost(messages) == []


def test_ids_that_are_used_again_are_told_apart() -> None:
    messages = [calls(call("a")), result("a", "1"), calls(call("a")), result("a", "2")]
    ids = [message["parts"][0]["payload"]["toolCallId"] for message in read(messages)]
    assert ids == ["a", "a", ids[2], ids[2]]
    assert ids[2] != "a"


def test_a_result_without_an_id_answers_the_first_call_that_waits() -> None:
    messages = [calls(call("a"), call("b")), {"role": "tool", "content": "1"}]
    assert read(messages)[1]["parts"][0]["payload"]["toolCallId"] == "a"
    assert lost(messages) == [("call-id-invented", "/1")]


def test_a_plan_alone_is_kept() -> None:
    messages = [{"role": "assistant", "tool_plan": "I will look."}]
    (message,) = read(messages)
    assert "I will look." in str(message["parts"])


def test_what_an_assistant_said_goes_back_as_it_came() -> None:
    citation = {
        "start": 0,
        "end": 2,
        "text": "So",
        "sources": [{"type": "tool", "id": "a:0", "tool_output": {"x": 1}}],
        "type": "TEXT_CONTENT",
    }
    messages = [
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "So"}],
            "citations": [citation],
        }
    ]
    (message,) = read(messages)
    assert [part["kind"] for part in message["parts"]] == ["thinking", "text"]
    assert message["parts"][1]["payload"]["citations"][0]["source"]["kind"] == "tool_result"
    assert sent_back(FORMAT, messages)["messages"] == messages
    assert lost(messages) == []


def test_images_are_inline_or_by_url() -> None:
    for url in (PNG, "https://example.org/a.png"):
        content = [{"type": "image_url", "image_url": {"url": url}}]
        assert sent_back(FORMAT, [{"role": "user", "content": content}])["messages"] == [
            {"role": "user", "content": content}
        ]


def test_documents_of_results_are_their_data() -> None:
    content = [
        {"type": "document", "document": {"id": "d", "data": {"a": 1}}},
        {"type": "document", "document": {"data": "text"}},
        {"type": "document", "document": "more"},
    ]
    payload = read([result("a", content)])[0]["parts"][0]["payload"]
    assert [part["payload"]["text"] for part in payload["content"]] == ['{"a":1}', "text", "more"]
    assert lost([result("a", content)]) == [
        ("content-form", "/0/content/0/document/data"),
        ("foreign-member", "/0/content/0/document/id"),
        ("content-form", "/0/content/1/document/data"),
        ("content-form", "/0/content/2/document"),
    ]


def test_an_answer_says_its_usage_and_why_it_ended() -> None:
    answer = {
        "id": "response-1",
        "finish_reason": "MAX_TOKENS",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]},
        "usage": {
            "billed_units": {"input_tokens": 1},
            "tokens": {"input_tokens": 3, "output_tokens": 4},
            "cached_tokens": 2,
        },
    }
    (message,) = read(answer)
    assert message["meta"] == {
        "requestId": "response-1",
        "finishReason": "length",
        "providerFinishReason": "MAX_TOKENS",
        "usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7, "cacheReadTokens": 2},
    }
    assert lost(answer) == [("foreign-member", "/usage/billed_units")]


def test_an_answer_that_failed_says_so() -> None:
    answer = {"finish_reason": "ERROR", "message": {"content": [{"type": "text", "text": "Hi"}]}}
    (message,) = read(answer)
    assert message["meta"]["incomplete"]["ending"] == "error"
    assert message["parts"][0]["payload"]["text"] == "Hi"
    assert lost(answer) == [("content-form", "/finish_reason")]


# --- what is not read -----------------------------------------------------------------------------


def test_what_a_message_has_no_place_for_is_named() -> None:
    messages = [
        {"role": "system", "content": [{"type": "image_url", "image_url": {"url": PNG}}], "x": 1},
        {"role": "user", "content": [{"type": "odd"}, {"type": "text", "text": "a", "y": 1}]},
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": PNG, "detail": 1}}],
        },
        {"role": "critic", "content": "x"},
        calls(call("a", z=1), name="n"),
        calls({"id": "b", "function": {"arguments": "{}"}}),
        {"role": "assistant", "content": 5},
    ]
    assert lost(messages) == [
        ("foreign-part", "/0/content/0"),
        ("foreign-member", "/0/x"),
        ("foreign-part", "/1/content/0"),
        ("foreign-member", "/1/content/1/y"),
        ("foreign-member", "/2/content/0/image_url/detail"),
        ("foreign-message", "/3"),
        ("foreign-member", "/4/name"),
        ("foreign-member", "/4/tool_calls/0/z"),
        ("malformed-part", "/5"),
        ("malformed-part", "/6"),
    ]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (5, ""),
        ({}, "/role"),
        ([5], "/0"),
        ([{"role": 5}], "/0/role"),
        ([{"role": "user"}], "/0/content"),
        ([{"role": "user", "content": [5]}], "/0/content/0"),
        ([{"role": "assistant", "content": [5]}], "/0/content/0"),
        ({"messages": 5}, "/messages"),
        ({"message": 5}, "/message"),
    ],
)
def test_what_is_not_of_the_format_is_refused(source: Any, place: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(source)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.pointer) == ("format/wrong-shape", place)


# --- laws -----------------------------------------------------------------------------------------

DOCUMENTS: dict[str, Any] = {
    "messages": {
        "model": "m",
        "documents": [{"id": "d"}],
        "messages": [
            {"role": "system", "content": "s", "x": 1},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a", "y": 1},
                    {"type": "image_url", "image_url": {"url": PNG, "detail": "low"}},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a"}},
                    {"type": "document", "document": {"id": "d", "data": {"t": 1}}},
                    {"type": "odd", "z": [1]},
                ],
            },
            {
                "role": "assistant",
                "tool_plan": "plan",
                "content": [
                    {"type": "thinking", "thinking": "th"},
                    {"type": "text", "text": "text", "q": 1},
                    {"type": "odd", "r": [1]},
                ],
                "tool_calls": [call("a", arguments='{"a":1}', w=2), call("b", "g", "not JSON")],
                "citations": [
                    {
                        "start": 0,
                        "end": 4,
                        "text": "text",
                        "sources": [{"type": "document", "id": "d", "document": {"title": "T"}}],
                        "type": "TEXT_CONTENT",
                    },
                    {"start": 0, "end": 2, "text": "pl", "sources": [], "type": "PLAN"},
                    {"start": 0, "end": 2, "text": "th", "type": "THINKING_CONTENT"},
                ],
                "extra": 1,
            },
            result("a", "x"),
            result("b", [{"type": "document", "document": {"id": "d", "data": {"a": 1}}}]),
            {"role": "tool", "content": "x"},
            {"role": "assistant", "tool_plan": "only"},
            {"role": "critic", "content": "x"},
        ],
    },
    "answer": {
        "id": "i",
        "finish_reason": "COMPLETE",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "x"}], "z": 1},
        "usage": {
            "billed_units": {"input_tokens": 1},
            "tokens": {"input_tokens": 3, "output_tokens": 4, "image_tokens": 3},
            "cached_tokens": 1,
        },
        "logprobs": [{"x": 1}],
    },
    "failed": {
        "finish_reason": "ERROR",
        "message": {"content": "x"},
        "usage": {"tokens": {"input_tokens": 3}},
    },
}


@pytest.mark.parametrize("name", ["messages", "answer"])
def test_the_format_shows(name: str) -> None:
    assert [found.format for found in sniff(DOCUMENTS[name])] == [FORMAT]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, DOCUMENTS[name])
    losses_are_real(FORMAT, DOCUMENTS[name])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_stands_in_a_document(name: str) -> None:
    survives(FORMAT, DOCUMENTS[name])


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(FORMAT, lambda odd: [{"role": "user", "content": "x", "y": odd}])


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, samples.load(name).document)


def test_samples_agree_with_others() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        sample = samples.load(name)
        got = items_of(read_given(FORMAT, sample.document).messages)
        got = [item for item in got if item[1] != "thinking"]  # it is opaque to the others
        agreement.sample(name, got, wanted_items(sample.expected))
    agreement.check()


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_go_back_as_they_came(name: str) -> None:
    document = samples.load(name).document
    ours, theirs = (
        joined(body["messages"], "content", lambda block: block)
        for body in (sent_back(FORMAT, document), document)
    )
    assert ours == theirs
