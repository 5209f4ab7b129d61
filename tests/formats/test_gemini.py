"""Histories of Gemini: contents, requests and answers."""

from __future__ import annotations

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

FORMAT = "gemini"
SAMPLES = samples.ids(FORMAT)
PNG = "iVBORw0KGgo="


def read(document: Any) -> list[Json]:
    return [to_wire(message) for message in read_given(FORMAT, document).messages]


def lost(document: Any) -> list[tuple[str, str]]:
    """Return what is lost: code and place."""
    losses = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in losses if loss.code != "given"]


def user(*parts: Any) -> Json:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> Json:
    return {"role": "model", "parts": list(parts)}


def response(name: str, response: Any, **members: Any) -> Json:
    return {"functionResponse": {"name": name, "response": response, **members}}


def call(name: str, **members: Any) -> Json:
    return {"functionCall": {"name": name, "args": {}, **members}}


# --- what is read ---------------------------------------------------------------------------------


def test_a_request_has_a_system_message_and_contents() -> None:
    body = {
        "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
        "contents": [user({"text": "Hi"}), model({"text": "Hello"})],
        "generationConfig": {"temperature": 0},
    }
    assert [(m["role"], m["parts"][0]["payload"]["text"]) for m in read(body)] == [
        ("system", "Be brief."),
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]
    assert lost(body) == [("request-member", "/generationConfig")]


@pytest.mark.parametrize(
    "source",
    [
        {"contents": [user({"text": "Hi"})]},
        [user({"text": "Hi"})],
        user({"text": "Hi"}),
        {"parts": [{"text": "Hi"}]},
        {"contents": "Hi"},
        {"contents": {"parts": ["Hi"]}},
        ["Hi"],
        [{"role": "user", "parts": "Hi"}],
        [{"role": "user", "parts": {"text": "Hi"}}],
    ],
)
def test_whatever_people_store_is_read(source: Any) -> None:
    (message,) = read(source)
    assert message["role"] == "user"
    assert message["parts"] == [{"kind": "text", "payload": {"text": "Hi"}}]
    assert lost(source) == []


def test_clients_have_the_system_prompt_in_their_configuration() -> None:
    config = {"system_instruction": "Be brief.", "temperature": 0}
    body = {"model": "m", "contents": "Hi", "config": config}
    assert [message["role"] for message in read(body)] == ["system", "user"]
    assert lost(body) == [("request-member", "/config/temperature"), ("request-member", "/model")]


def test_names_in_snake_case_are_the_same_names() -> None:
    arguments = {"some_name": {"inner_name": 1}}
    snake = {
        "system_instruction": "Be brief.",
        "contents": [
            user({"inline_data": {"mime_type": "image/png", "data": PNG}}),
            model({"function_call": {"name": "f", "args": arguments}, "thought_signature": "s"}),
            user({"function_response": {"name": "f", "response": {"some_name": 1}}}),
        ],
    }
    camel = {
        "systemInstruction": "Be brief.",
        "contents": [
            user({"inlineData": {"mimeType": "image/png", "data": PNG}}),
            model({"functionCall": {"name": "f", "args": arguments}, "thoughtSignature": "s"}),
            user(response("f", {"some_name": 1})),
        ],
    }
    assert read(snake) == read(camel)
    assert read(snake)[2]["parts"][0]["payload"]["arguments"] == arguments
    assert sent_back(FORMAT, snake) == sent_back(FORMAT, camel)


def test_a_member_in_both_spellings_is_not_lost_in_silence() -> None:
    part = {"inlineData": {"mimeType": "image/png", "mime_type": "image/gif", "data": PNG}}
    assert lost([user(part)]) == [("foreign-member", "/0/parts/0/inlineData/mime_type")]


def test_results_without_ids_answer_the_calls_of_their_names_in_order() -> None:
    contents = [
        model(call("f"), call("g"), call("f")),
        user(response("f", {"output": "1"}), response("f", {"output": "2"})),
        user(response("g", {"output": "3"})),
    ]
    answer, first, second = read(contents)
    ids = [part["payload"]["toolCallId"] for part in answer["parts"]]
    assert len(set(ids)) == 3
    found = [p["payload"] for message in (first, second) for p in message["parts"]]
    assert [(p["toolCallId"], p["content"]) for p in found] == [
        (ids[0], "1"),
        (ids[2], "2"),
        (ids[1], "3"),
    ]


def test_ids_that_are_used_again_are_told_apart() -> None:
    contents = [
        model(call("f", id="a")),
        user(response("f", {"output": "1"}, id="a")),
        model(call("f", id="a")),
        user(response("f", {"output": "2"}, id="a")),
    ]
    one, _, two, _ = messages = read(contents)
    ids = [message["parts"][0]["payload"]["toolCallId"] for message in messages]
    assert ids == ["a", "a", ids[2], ids[2]]
    assert one != two
    assert ids[2] != "a"


def test_a_result_without_a_call_keeps_its_content() -> None:
    contents = [{"role": "function", "parts": [response("f", {"output": "x"})]}]
    (message,) = read(contents)
    assert message["role"] == "tool"
    assert message["parts"][0]["payload"]["content"] == "x"
    place = "/0/parts/0/functionResponse"
    assert lost(contents) == [("call-id-invented", place), ("foreign-member", f"{place}/name")]


@pytest.mark.parametrize(
    ("given", "content", "is_error"),
    [
        ({"output": "x"}, "x", False),
        ({"output": {"a": 1}}, {"a": 1}, False),
        ({"output": [1]}, "[1]", False),
        ({"output": None}, "", False),
        ({"result": 1}, {"result": 1}, False),
        ({}, {}, False),
        ({"error": "x"}, "x", True),
        ({"error": {"code": 1}}, {"code": 1}, True),
        ({"error": "x", "code": 1}, {"error": "x", "code": 1}, True),
        ({"error": None, "a": 1}, {"error": None, "a": 1}, False),
        ({"error": False, "a": 1}, {"error": False, "a": 1}, False),
        ({"error": "", "a": 1}, {"error": "", "a": 1}, False),
        ({"error": False}, {"error": False}, False),
        ({"error": ""}, "", True),
        ({"output": "x", "error": "y"}, {"output": "x", "error": "y"}, False),
        ("x", "x", False),
        (None, "", False),
    ],
)
def test_what_a_function_said(given: Any, content: Any, is_error: bool) -> None:
    payload = read([model(call("f")), user(response("f", given))])[1]["parts"][0]["payload"]
    assert (payload["content"], payload["isError"]) == (content, is_error)


def test_a_result_may_have_media() -> None:
    media = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    contents = [model(call("f")), user(response("f", {"output": "x"}, parts=[media]))]
    payload = read(contents)[1]["parts"][0]["payload"]
    assert [part["kind"] for part in payload["content"]] == ["text", "image"]
    assert sent_back(FORMAT, contents)["contents"] == contents


def test_bytes_may_be_in_the_alphabet_of_urls_and_may_be_bytes() -> None:
    for data in ("-_8", b"\xfb\xff"):
        (message,) = read([user({"inlineData": {"mimeType": "image/png", "data": data}})])
        assert message["parts"][0]["payload"]["data"] == "+/8="


def test_files_are_media_by_url() -> None:
    file = {"fileData": {"fileUri": "gs://bucket/a.mp4", "mimeType": "video/mp4"}}
    (message,) = read([user(file)])
    source = {"kind": "url", "url": "gs://bucket/a.mp4"}
    assert message["parts"][0]["payload"] == {"mimeType": "video/mp4", "source": source}
    assert sent_back(FORMAT, [user(file)])["contents"] == [user(file)]


def test_contents_of_the_model_behind_calls_are_the_same_answer() -> None:
    contents = [
        model(call("f", id="a")),
        model(call("g", id="b"), {"text": "more"}),
        user(response("f", {"output": "1"}, id="a"), response("g", {"output": "2"}, id="b")),
    ]
    assert [message["role"] for message in read(contents)] == ["assistant", "tool"]
    assert [message["role"] for message in read([model({"text": "a"}), model({"text": "b"})])] == [
        "assistant",
        "assistant",
    ]


def test_what_the_model_said_goes_back_as_it_came() -> None:
    contents = [
        model(
            {"text": "Hm.", "thought": True, "thoughtSignature": "s1"},
            {"text": "So", "thoughtSignature": "s2"},
            {"functionCall": {"name": "f", "args": {"a": 1}, "id": "c"}, "thoughtSignature": "s3"},
            {"executableCode": {"id": "e", "language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"id": "e", "outcome": "OUTCOME_OK", "output": "1"}},
            {"inlineData": {"mimeType": "image/png", "data": PNG}, "thoughtSignature": "s4"},
            {"fileData": {"mimeType": "image/png", "fileUri": "gs://b/c.png"}},
            {"text": "", "thoughtSignature": "s5"},
        ),
        user(response("f", {"a": [1, None]}, id="c")),
    ]
    assert sent_back(FORMAT, contents)["contents"] == contents
    assert lost(contents) == []


def test_an_answer_says_its_model_its_usage_and_why_it_ended() -> None:
    answer = {
        "candidates": [
            {"content": model({"text": "Hi"}), "finishReason": "MAX_TOKENS", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4},
        "modelVersion": "model-1",
        "responseId": "response-1",
    }
    (message,) = read(answer)
    assert message["meta"] == {
        "modelId": "model-1",
        "requestId": "response-1",
        "finishReason": "length",
        "providerFinishReason": "MAX_TOKENS",
        "usage": {"inputTokens": 3, "outputTokens": 1, "totalTokens": 4},
    }
    assert lost(answer) == []


def test_an_answer_in_snake_case_is_cited() -> None:
    grounding = {
        "grounding_chunks": [{"web": {"uri": "https://example.org", "title": "T"}}],
        "grounding_supports": [{"segment": {"end_index": 2}, "grounding_chunk_indices": [0]}],
    }
    answer = {"candidates": [{"content": model({"text": "Hi"}), "grounding_metadata": grounding}]}
    (message,) = read(answer)
    (citation,) = message["parts"][0]["payload"]["citations"]
    assert citation["source"]["url"] == "https://example.org"
    assert "meta" not in message


# --- what is not read -----------------------------------------------------------------------------


def test_what_a_message_has_no_place_for_is_named() -> None:
    contents = [
        user({"text": "a", "thoughtSignature": "s"}, {"executableCode": {"code": "1"}}, {}),
        {"role": "critic", "parts": [{"text": "b"}]},
        model({"text": "c"}) | {"extra": 1},
        model({"functionCall": {"name": "f", "args": {}, "willContinue": True}}),
        model({"functionCall": {"args": {"a": 1}}}),
    ]
    assert lost(contents) == [
        ("foreign-member", "/0/parts/0/thoughtSignature"),
        ("foreign-part", "/0/parts/1"),
        ("foreign-part", "/0/parts/2"),
        ("foreign-message", "/1"),
        ("foreign-member", "/2/extra"),
        ("foreign-member", "/3/parts/0/functionCall/willContinue"),
        ("malformed-part", "/4/parts"),
    ]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (5, ""),
        ("null", ""),
        ({}, ""),
        ({"role": "user"} | {"role": 5}, "/role"),
        ([5], "/0"),
        ([[]], "/0"),
        ([{}], "/0"),
        ([user(5)], "/0/parts/0"),
        ([{"role": "user", "parts": 5}], "/0/parts"),
        ({"contents": 5}, "/contents"),
        ({"candidates": []}, "/candidates"),
        ({"contents": [], "systemInstruction": 5}, "/systemInstruction"),
    ],
)
def test_what_is_not_of_the_format_is_refused(source: Any, place: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(source)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.pointer) == ("format/wrong-shape", place)


# --- laws -----------------------------------------------------------------------------------------

DOCUMENTS: dict[str, Any] = {
    "contents": [
        user(
            {"text": "a", "thoughtSignature": "s"},
            {"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "a.png"}},
            {"inlineData": {"mimeType": "audio/wav", "data": PNG}, "videoMetadata": {"fps": 3}},
            {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/v", "displayName": "v"}},
            {"fileData": {"fileUri": "https://example.org/a.pdf"}},
            {"executableCode": {"code": "1"}},
            {"text": "b", "thought": True},
            {"new": {"deep": [1, {"x": None}]}},
        ),
        model(
            {"text": "t", "thought": True, "thoughtSignature": "s1"},
            {"text": "b", "thoughtSignature": "s2", "partMetadata": {"my_key": 1}},
            {
                "functionCall": {"name": "f", "args": {"a": [1, {}]}, "x": 1},
                "thoughtSignature": "s",
            },
            {"functionCall": {"name": "f", "args": {}, "id": "7"}},
            {"executableCode": {"id": "e", "language": "PYTHON", "code": "1", "more": 2}},
            {"codeExecutionResult": {"id": "e", "outcome": "OUTCOME_OK", "output": "1"}},
            {"toolCall": {"toolType": "SEARCH", "id": "t", "args": {"q_r": 1}}},
            {"toolResponse": {"toolType": "SEARCH", "id": "t", "response": {"r_s": 2}}},
            {"inlineData": {"mimeType": "image/png", "data": PNG, "z": 1}, "thoughtSignature": "q"},
            {"text": "", "thoughtSignature": "s5"},
            {"text": "", "thought": True},
            {"new": {"deep": [1, {"x": None}]}},
            response("f", {"a": 1}),
        )
        | {"extra": 3},
        {"role": "function", "parts": [response("f", {"output": [1], "x": None}, scheduling="S")]},
        user(
            response("f", {"error": {"a": 1}}, id="7"),
            response("nobody", {"a": 1}, parts=[{"text": "x"}]),
            {"text": "and"},
        ),
        {"role": "critic", "parts": [{"text": "x"}]},
    ],
    "answer": {
        "candidates": [
            {
                "content": model({"text": "Text."}),
                "finishReason": "STOP",
                "index": 0,
                "safetyRatings": [{"category": "c", "probability": "LOW"}],
                "groundingMetadata": {
                    "groundingChunks": [{"web": {"uri": "https://example.org", "title": "t"}}],
                    "groundingSupports": [
                        {"segment": {"startIndex": 0, "endIndex": 4}, "groundingChunkIndices": [0]}
                    ],
                },
                "finishMessage": "done",
            },
            {"content": model({"text": "Other."}), "index": 1},
        ],
        "usageMetadata": {
            "promptTokenCount": 3,
            "candidatesTokenCount": 4,
            "totalTokenCount": 9,
            "thoughtsTokenCount": 2,
            "toolUsePromptTokenCount": 1,
            "cachedContentTokenCount": 1,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 3}],
        },
        "modelVersion": "g",
        "responseId": "r",
        "createTime": "now",
    },
    "blocked": {
        "candidates": [{"finishReason": "SAFETY"}],
        "usageMetadata": {"totalTokenCount": 9},
    },
    "system": {
        "contents": [],
        "systemInstruction": {"role": "x", "parts": [{"text": "a"}, {"inlineData": {}}], "y": 1},
    },
}


@pytest.mark.parametrize("name", ["contents", "answer"])
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
    assert joined(body["contents"], "parts", normal) == joined(
        document["contents"], "parts", normal
    )


def normal(part: Json) -> Json | None:
    """Return a part as encoders write it: in camel case, output that is an object for itself."""
    made = {camel(name): value for name, value in part.items() if name != "type"}
    for name, value in made.items():
        if isinstance(value, dict):
            made[name] = {camel(inner): each for inner, each in value.items()}
    if made == {"text": ""}:
        return None
    body = made.get("functionResponse", {})
    output = body.get("response", {}).get("output", "")
    if body.get("response", {}).keys() == {"output"} and not isinstance(output, str):
        body["response"] = output if isinstance(output, dict) else {"output": json_text(output)}
    return made


def camel(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(map(str.capitalize, more))
