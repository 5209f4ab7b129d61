"""Histories of Cohere Chat v2: messages, requests and answers."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.formats import sniff
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.encoded import Json, joined, sent_back
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.oracles import items_of, wanted_items

FORMAT = "cohere-v2"
SAMPLES = samples.ids(FORMAT)
PNG = "data:image/png;base64,iVBORw0KGgo="


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


# --- what goes back -------------------------------------------------------------------------------


def test_results_go_back_as_they_came() -> None:
    messages = [
        calls(call("a"), call("b", "g", '{"x":1}'), tool_plan="I will look."),
        result("a", [{"type": "text", "text": "1"}]),
        result("b", [{"type": "text", "text": "2"}, {"type": "text", "text": "3"}]),
    ]
    assert sent_back(FORMAT, messages)["messages"] == messages
    assert lost(messages) == []


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
    assert sent_back(FORMAT, messages)["messages"] == messages
    assert lost(messages) == []


def test_images_go_back_as_they_came() -> None:
    for url in (PNG, "https://example.org/a.png"):
        content = [{"type": "image_url", "image_url": {"url": url}}]
        assert sent_back(FORMAT, [{"role": "user", "content": content}])["messages"] == [
            {"role": "user", "content": content}
        ]


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
