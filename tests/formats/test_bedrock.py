"""Histories of Bedrock Converse: messages, requests and answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from partwire.formats import sniff
from partwire.json.text import json_text
from partwire.reading.pipeline import to_wire
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.encoded import Json, joined, sent_back
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.oracles import items_of, wanted_items

FORMAT = "bedrock-converse"
SAMPLES = samples.ids(FORMAT)
PNG = "iVBORw0KGgo="


def read(document: Any) -> list[Json]:
    return [to_wire(message) for message in read_given(FORMAT, document).messages]


def lost(document: Any) -> list[tuple[str, str]]:
    """Return what is lost: code and place."""
    losses = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in losses if loss.code != "given"]


def user(*content: Any) -> Json:
    return {"role": "user", "content": list(content)}


def assistant(*content: Any) -> Json:
    return {"role": "assistant", "content": list(content)}


def call(call_id: str, name: str = "f", **members: Any) -> Json:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": {}, **members}}


def result(call_id: str, *content: Any, **members: Any) -> Json:
    return {"toolResult": {"toolUseId": call_id, "content": list(content), **members}}


# --- what goes back -------------------------------------------------------------------------------


def test_results_go_back_as_they_came() -> None:
    messages = [
        assistant(call("a"), call("b")),
        user(
            result("a", {"json": {"x": 1}}),
            result("b", {"text": "no"}, status="error"),
            {"text": "t"},
        ),
    ]
    assert sent_back(FORMAT, messages)["messages"] == messages


def test_bytes_may_be_bytes() -> None:
    data = base64.b64decode(PNG)
    given = {"image": {"format": "png", "source": {"bytes": data}}}
    (message,) = read([user(given)])
    assert message["parts"][0]["payload"]["data"] == PNG
    redacted = assistant({"reasoningContent": {"redactedContent": data}}, {"text": "x"})
    body = sent_back(FORMAT, [redacted])
    assert body["messages"][0]["content"][0]["reasoningContent"]["redactedContent"] == PNG


def test_what_is_in_s3_goes_back_as_it_came() -> None:
    for kind, form in (("image", "png"), ("video", "mp4"), ("document", "pdf")):
        name = {"name": "doc"} if kind == "document" else {}
        block = {kind: {"format": form, "source": {"s3Location": {"uri": "s3://buc/k"}}, **name}}
        assert lost([user(block)]) == []
        assert sent_back(FORMAT, [user(block)])["messages"] == [user(block)]


def test_an_answer_in_several_messages_goes_back_as_one() -> None:
    results = user(result("a", {"text": "1"}), result("b", {"text": "2"}))
    apart = [assistant(call("a")), assistant(call("b"), {"text": 5}), results]
    assert sent_back(FORMAT, apart)["messages"] == [assistant(call("a"), call("b")), results]


def test_what_an_assistant_said_goes_back_as_it_came() -> None:
    cited = {"location": {"web": {"url": "https://example.org"}}, "title": "T"}
    messages = [
        assistant(
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
            {"reasoningContent": {"redactedContent": PNG}},
            {"text": "So"},
            {"citationsContent": {"content": [{"text": "cited"}], "citations": [cited]}},
            call("s", "search", type="server_tool_use"),
            result("s", {"json": {"a": 1}}, type="search_result", status="success"),
            {"cachePoint": {"type": "default"}},
            call("c"),
        ),
        user(result("c", {"text": "x"})),
    ]
    assert sent_back(FORMAT, messages)["messages"] == messages
    assert lost(messages) == []


# --- laws -----------------------------------------------------------------------------------------

DOCUMENTS: dict[str, Any] = {
    "messages": {
        "modelId": "m",
        "system": [
            {"text": "s"},
            {"cachePoint": {"type": "default"}},
            {"image": {"format": "png"}},
        ],
        "messages": [
            user(
                {"text": "a", "extra": 1},
                {"image": {"format": "png", "source": {"bytes": PNG}, "x": 1}},
                {
                    "image": {
                        "format": "jpeg",
                        "source": {"s3Location": {"uri": "s3://b", "z": "1"}},
                    }
                },
                {
                    "document": {
                        "format": "pdf",
                        "name": "d",
                        "source": {"bytes": PNG},
                        "context": "",
                    }
                },
                {"document": {"format": "txt", "name": "e", "source": {"text": "t"}}},
                {"document": {"format": "md", "name": "f", "source": {"content": [{"text": "t"}]}}},
                {"document": {"format": "new", "name": "g", "source": {"bytes": PNG}}},
                {"audio": {"format": "wav", "source": {"bytes": PNG}}},
                {"guardContent": {"text": {"text": "g", "qualifiers": ["query"]}}},
                {"guardContent": {"image": {"format": "png", "source": {"bytes": PNG}}}},
                {"searchResult": {"source": "s", "title": "t", "content": [{"text": "r"}]}},
                {"new": [1, {"x": None}]},
            ),
            assistant(
                {"text": "t"},
                {"reasoningContent": {"reasoningText": {"text": "r", "signature": "s", "z": 1}}},
                {"reasoningContent": {"redactedContent": PNG}},
                {"reasoningContent": {"other": PNG}},
                {
                    "citationsContent": {
                        "content": [{"text": "c", "w": 1}],
                        "citations": [
                            {"title": "D", "location": {"web": {"url": "https://e.org"}}}
                        ],
                        "z": 2,
                    }
                },
                call("c", type="odd", x=2),
                call("s", "search", type="server_tool_use", x=2),
                result("s", {"json": {"o": 1}}, type="search_result"),
                {"image": {"format": "png", "source": {"bytes": PNG, "y": 1}, "x": 1}},
                {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/k"}}}},
                {"document": {"format": "pdf", "name": "n", "source": {"bytes": PNG}}},
                {"new": [1, {"x": None}]},
            )
            | {"id": "x"},
            user(
                result("c", {"json": [1, {"a": None}]}, status="error", type="x"),
                result("d", {"text": "a"}, {"json": {"x": 1}}, {"new": 1}, status="odd"),
                result("e", {"image": {"format": "png", "source": {"bytes": PNG}}, "text": None}),
                {"text": "t"},
            ),
        ],
    },
    "answer": {
        "output": {"message": assistant({"text": "x"}) | {"y": 1}, "z": 1},
        "stopReason": "end_turn",
        "usage": {
            "inputTokens": 3,
            "outputTokens": 4,
            "totalTokens": 7,
            "cacheReadInputTokens": 0,
            "serverToolUsage": {},
        },
        "metrics": {"latencyMs": 3},
        "additionalModelResponseFields": {"a": {"b": 1}},
    },
    "no usage": {"output": {"message": assistant()}, "usage": {"totalTokens": 1}},
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
    refuses_what_is_not_json(FORMAT, lambda odd: [user({"text": odd, "x": odd})])


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, samples.load(name).document)


def test_samples_agree_with_others() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        sample = samples.load(name)
        got = items_of(read_given(FORMAT, sample.document).messages)
        agreement.sample(name, got, wanted_items(sample.expected))
    agreement.check()


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_go_back_as_they_came(name: str) -> None:
    document = samples.load(name).document
    body = sent_back(FORMAT, document)
    for member in ("messages", "system"):
        ours, theirs = body.get(member, []), document.get(member, [])
        if member == "system":
            ours, theirs = ({"role": "system", "content": each} for each in (ours, theirs))
            ours, theirs = [ours], [theirs]
        assert joined(ours, "content", normal) == joined(theirs, "content", normal)


def normal(block: Json) -> Json | None:
    """Return a block as encoders write it: no cache points, no mark of success, JSON as text."""
    if block.keys() == {"cachePoint"}:
        return None
    body = block.get("toolResult")
    if body is not None and "type" not in body:
        if body.get("status") == "success":
            del body["status"]
        content = body["content"]
        if len(content) == 1 and not isinstance(content[0].get("json", {}), dict):
            body["content"] = [{"text": json_text(content[0]["json"])}]
        elif len(content) > 1:
            body["content"] = [
                {"text": json_text(each["json"])} if "json" in each else each for each in content
            ]
    return block
