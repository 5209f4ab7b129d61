"""Histories of Gemini: contents, requests and answers."""

from __future__ import annotations

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


# --- what goes back -------------------------------------------------------------------------------


def test_media_of_a_result_go_back_as_they_came() -> None:
    media = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    contents = [model(call("f")), user(response("f", {"output": "x"}, parts=[media]))]
    assert sent_back(FORMAT, contents)["contents"] == contents


def test_bytes_may_be_bytes() -> None:
    inline = {"mimeType": "image/png", "data": b"\xfb\xff"}
    (message,) = read([user({"inlineData": inline})])
    assert message["parts"][0]["payload"]["data"] == "+/8="


def test_a_file_goes_back_as_it_came() -> None:
    file = {"fileData": {"fileUri": "gs://bucket/a.mp4", "mimeType": "video/mp4"}}
    assert sent_back(FORMAT, [user(file)])["contents"] == [user(file)]


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
