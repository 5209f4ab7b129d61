"""Histories of Bedrock Converse: messages, requests and answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from partwire.errors import ReadError
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


def payload(block: Any) -> Any:
    (message,) = read([user(block)])
    return message["parts"][0]["payload"]


# --- what is read ---------------------------------------------------------------------------------


def test_a_request_has_a_system_message_and_messages() -> None:
    body = {
        "modelId": "m",
        "system": [{"text": "Be brief."}],
        "messages": [user({"text": "Hi"}), assistant({"text": "Hello"})],
    }
    assert [(m["role"], m["parts"][0]["payload"]["text"]) for m in read(body)] == [
        ("system", "Be brief."),
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]
    assert lost(body) == [("request-member", "/modelId")]


@pytest.mark.parametrize(
    "source",
    [
        {"messages": [user({"text": "Hi"})]},
        {"messages": [user({"text": "Hi"})], "system": []},
        [user({"text": "Hi"})],
        user({"text": "Hi"}),
        [{"role": "user", "content": "Hi"}],
    ],
)
def test_whatever_people_store_is_read(source: Any) -> None:
    (message,) = read(source)
    assert (message["role"], message["parts"]) == (
        "user",
        [{"kind": "text", "payload": {"text": "Hi"}}],
    )
    assert lost(source) == []


def test_results_stand_in_a_message_of_their_own() -> None:
    messages = [
        assistant(call("a"), call("b")),
        user(
            result("a", {"json": {"x": 1}}),
            result("b", {"text": "no"}, status="error"),
            {"text": "t"},
        ),
    ]
    assert [message["role"] for message in read(messages)] == ["assistant", "tool", "user"]
    one, two = (part["payload"] for part in read(messages)[1]["parts"])
    assert one == {"toolCallId": "a", "isError": False, "content": {"x": 1}}
    assert two == {"toolCallId": "b", "isError": True, "content": "no"}
    assert sent_back(FORMAT, messages)["messages"] == messages


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([], ""),
        (None, ""),
        ([{"text": "x"}], "x"),
        ([{"text": ""}], ""),
        ([{"json": {"a": 1}}], {"a": 1}),
        ([{"json": [1]}], "[1]"),
        ([{"json": 1}], "1"),
        ([{"json": "x"}], "x"),
        ("x", [{"kind": "text", "payload": {"text": "x"}}]),
        ([{"text": "x"}, {"json": {"a": 1}}], ["x", '{"a":1}']),
    ],
)
def test_what_a_result_says(content: Any, expected: Any) -> None:
    block = {"toolResult": {"toolUseId": "a", "content": content}}
    (message,) = read([user(block)])
    found = message["parts"][0]["payload"]["content"]
    if isinstance(expected, list) and isinstance(expected[0], str):
        found = [part["payload"]["text"] for part in found]
    assert found == expected


@pytest.mark.parametrize(
    ("block", "mime_type"),
    [
        ({"image": {"format": "png", "source": {"bytes": PNG}}}, "image/png"),
        ({"document": {"format": "txt", "name": "n", "source": {"bytes": PNG}}}, "text/plain"),
        ({"document": {"format": "md", "name": "n", "source": {"bytes": PNG}}}, "text/markdown"),
        ({"audio": {"format": "mp3", "source": {"bytes": PNG}}}, "audio/mpeg"),
        ({"video": {"format": "three_gp", "source": {"bytes": PNG}}}, "video/3gpp"),
        ({"video": {"format": "new", "source": {"bytes": PNG}}}, "video/new"),
    ],
)
def test_a_format_is_a_media_type(block: Any, mime_type: str) -> None:
    assert payload(block)["mimeType"] == mime_type


def test_bytes_may_be_bytes() -> None:
    data = base64.b64decode(PNG)
    given = {"image": {"format": "png", "source": {"bytes": data}}}
    assert payload(given)["data"] == PNG
    redacted = assistant({"reasoningContent": {"redactedContent": data}}, {"text": "x"})
    body = sent_back(FORMAT, [redacted])
    assert body["messages"][0]["content"][0]["reasoningContent"]["redactedContent"] == PNG


def test_what_is_in_s3_is_behind_its_url() -> None:
    for kind, form in (("image", "png"), ("video", "mp4"), ("document", "pdf")):
        name = {"name": "doc"} if kind == "document" else {}
        block = {kind: {"format": form, "source": {"s3Location": {"uri": "s3://buc/k"}}, **name}}
        assert lost([user(block)]) == []
        assert sent_back(FORMAT, [user(block)])["messages"] == [user(block)]


def test_an_answer_goes_on_behind_its_calls() -> None:
    results = user(result("a", {"text": "1"}), result("b", {"text": "2"}))
    apart = [assistant(call("a")), assistant(call("b"), {"text": 5}), results]
    assert [message["role"] for message in read(apart)] == ["assistant", "tool"]
    assert lost(apart) == [("malformed-part", "/1/content")]
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


def test_ids_that_are_used_again_are_told_apart() -> None:
    messages = [
        assistant(call("a")),
        user(result("a", {"text": "1"})),
        assistant(call("a")),
        user(result("a", {"text": "2"}), result("a", {"text": "3"})),
    ]
    ids = [message["parts"][0]["payload"]["toolCallId"] for message in read(messages)]
    assert ids == ["a", "a", ids[2], ids[2], ids[2]]
    assert ids[2] != "a"


def test_an_answer_says_its_usage_and_why_it_ended() -> None:
    answer = {
        "output": {"message": assistant({"text": "Hi"})},
        "stopReason": "max_tokens",
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
        "metrics": {"latencyMs": 5},
    }
    (message,) = read(answer)
    assert message["meta"] == {
        "finishReason": "length",
        "providerFinishReason": "max_tokens",
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
    }
    assert lost(answer) == [("foreign-member", "/metrics")]


# --- what is not read -----------------------------------------------------------------------------


def test_what_a_message_has_no_place_for_is_named() -> None:
    messages = [
        user(
            {"text": "a"},
            {"cachePoint": {"type": "default"}},
            {"guardContent": {"text": {"text": "g", "qualifiers": ["query"]}}},
            {"document": {"format": "pdf", "name": "d", "source": {"bytes": PNG}, "context": "c"}},
            {"document": {"format": "txt", "name": "d", "source": {"content": [{"text": "t"}]}}},
            {"searchResult": {"source": "s", "title": "t", "content": [{"text": "r"}]}},
            call("x"),
            {"image": {"format": "png", "source": {"bytes": "?"}}},
            {},
        ),
        {"role": "critic", "content": []},
        assistant(call("x", type="odd"), {"text": 5}),
    ]
    assert lost(messages) == [
        ("foreign-part", "/0/content/1"),
        ("content-form", "/0/content/2/guardContent"),
        ("foreign-member", "/0/content/2/guardContent/text/qualifiers"),
        ("foreign-member", "/0/content/3/document/context"),
        ("foreign-member", "/0/content/4/document/format"),
        ("foreign-member", "/0/content/4/document/name"),
        ("content-form", "/0/content/4/document/source"),
        ("content-form", "/0/content/5/searchResult"),
        ("foreign-member", "/0/content/5/searchResult/source"),
        ("foreign-member", "/0/content/5/searchResult/title"),
        ("foreign-part", "/0/content/6"),
        ("foreign-part", "/0/content/7"),
        ("foreign-part", "/0/content/8"),
        ("foreign-message", "/1"),
        ("malformed-part", "/2/content"),
        ("foreign-member", "/2/content/0/toolUse/type"),
    ]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (5, ""),
        ({}, "/role"),
        ([5], "/0"),
        ([{"role": 5, "content": []}], "/0/role"),
        ([{"role": "user"}], "/0/content"),
        ([user(5)], "/0/content/0"),
        ([assistant(5)], "/0/content/0"),
        ({"messages": 5}, "/messages"),
        ({"output": 5}, "/output"),
        ({"output": {}}, "/output/message"),
        ({"messages": [], "system": 5}, "/system"),
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
