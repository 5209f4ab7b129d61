"""Model Context Protocol: results of tools, messages of sampling and of prompts."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.contract.current.message import ToolResult
from partwire.errors import ReadError, UsageError
from partwire.formats.mcp.results import call_tool_result, tool_result
from partwire.reading.pipeline import read as read_type
from partwire.reading.pipeline import to_wire
from partwire_testing import strategies
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives, wire
from tests.formats.written import comes_back, comes_back_whole, plain

Json = dict[str, Any]

FORMAT = "mcp"
VERSIONS = formats.FORMATS[FORMAT].versions
SAMPLES = samples.ids(FORMAT)
PNG = "iVBORw0KGgo="


def text(said: str, **members: Any) -> Json:
    return {"type": "text", "text": said, **members}


DOCUMENTS: dict[str, Any] = {
    "result": {
        "content": [
            text("Two boats."),
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "image", "data": PNG, "mimeType": "image/png", "annotations": {"priority": 1}},
            {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav", "_meta": {"hz": 8000}},
        ],
        "structuredContent": {"boats": 2},
        "isError": False,
        "_meta": {"example.org/took": 12},
    },
    "resources": {
        "content": [
            {
                "type": "resource",
                "resource": {"uri": "file:///a.rs", "mimeType": "text/x-rust", "text": "fn a() {}"},
                "annotations": {"audience": ["user"]},
            },
            {
                "type": "resource",
                "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": PNG},
            },
            {
                "type": "resource",
                "resource": {"uri": "file:///b", "blob": PNG, "_meta": {"rev": 3}},
                "_meta": {"a": [1]},
            },
            {
                "type": "resource_link",
                "uri": "https://example.org/boat.png",
                "name": "https://example.org/boat.png",
                "mimeType": "image/png",
            },
            {
                "type": "resource_link",
                "uri": "https://example.org/data.csv",
                "name": "data",
                "title": "All data",
                "mimeType": "text/csv",
                "size": 12,
                "annotations": {"lastModified": "2026-01-01"},
            },
            {"type": "resource_link", "uri": "notes/today.md", "name": "notes/today.md", "size": 3},
            {"type": "video", "data": PNG},
            {"type": "image", "data": "not Base64", "mimeType": "image/png"},
        ],
    },
    "array": {"resultType": "complete", "content": [text("[1]")], "structuredContent": [1]},
    "asks": {"resultType": "input_required", "content": [], "inputRequests": {"a": {"b": 1}}},
    "rpc": {"jsonrpc": "2.0", "id": 7, "result": {"content": [text("It rains.")], "isError": True}},
    "sampling": {
        "systemPrompt": "Be kind.",
        "maxTokens": 100,
        "tools": [{"name": "weather", "inputSchema": {"type": "object"}}],
        "_meta": {"progressToken": 5},
        "messages": [
            {"role": "user", "content": text("How is it?", annotations={"priority": 0.5})},
            {
                "role": "assistant",
                "content": [
                    text("I will look."),
                    {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Oslo"}},
                    {"type": "tool_use", "id": "b", "name": "sea", "input": {}, "_meta": {"n": 1}},
                    {"type": "tool_use", "id": "b", "name": "sea", "input": {}},
                    {"type": "tool_result", "toolUseId": "a", "content": []},
                ],
                "_meta": {"at": "noon"},
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "toolUseId": "a", "content": [text("4 °C")]},
                    {
                        "type": "tool_result",
                        "toolUseId": "b",
                        "content": [text("a"), text("b")],
                        "structuredContent": {"c": [1]},
                        "isError": True,
                        "_meta": {"ms": 4},
                    },
                    text("And now?"),
                ],
            },
            {"role": "user", "content": "Still there?"},
            {"role": "critic", "content": text("No.")},
        ],
    },
    "request": {
        "method": "sampling/createMessage",
        "params": {"messages": [{"role": "user", "content": text("Hi")}]},
    },
    "prompt": {
        "description": "A review",
        "messages": [{"role": "user", "content": text("Review this.")}],
    },
    "answer": {
        "role": "assistant",
        "content": text("It rains."),
        "model": "m-1",
        "stopReason": "maxTokens",
    },
    "own reason": {"role": "assistant", "content": [], "model": "m-1", "stopReason": "bored"},
    "block": {"type": "image", "data": PNG, "mimeType": "image/png"},
    "call": {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Oslo"}},
    "blocks": [text("a"), {"type": "tool_result", "toolUseId": "a", "content": [text("4")]}],
    "nothing": {"role": "user", "content": []},
}


def read(document: Any) -> list[Json]:
    return [to_wire(message) for message in read_given(FORMAT, document).messages]


def lost(document: Any) -> list[tuple[str, str]]:
    losses = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in losses if loss.code != "given"]


# --- what is read ---------------------------------------------------------------------------------


def test_a_result_is_a_message_with_a_result() -> None:
    document = {"content": [text('{"c": 4}')], "structuredContent": {"c": 4}}
    (message,) = read(document)
    assert message["role"] == "tool"
    assert message["parts"][0]["payload"] == {
        "toolCallId": "call_1",
        "isError": False,
        "content": '{"c": 4}',
        "structured": {"c": 4},
    }
    assert lost(document) == [("call-id-invented", "")]


def test_resources_are_text_media_and_references() -> None:
    (message,) = read(DOCUMENTS["resources"])
    parts = message["parts"][0]["payload"]["content"]
    assert [part["kind"] for part in parts] == [
        "text",
        "media",
        "media",
        "image",
        "media",
        "file_ref",
    ]
    assert parts[1]["payload"]["name"] == "file:///a.pdf"
    assert "opaque" not in parts[1]["payload"]
    assert lost(DOCUMENTS["resources"]) == [
        ("call-id-invented", ""),
        ("mime-invented", "/content/2/resource"),
        ("foreign-part", "/content/6"),
        ("foreign-part", "/content/7"),
    ]


def test_results_in_a_message_of_a_user_are_messages_of_their_own() -> None:
    messages = read(DOCUMENTS["sampling"])
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
        "user",
    ]
    assert [part["kind"] for part in messages[2]["parts"]] == ["text", "tool_call", "tool_call"]
    assert messages[3]["meta"]["mcp"]["results"] == {"b": {"_meta": {"ms": 4}}}


def test_an_answer_says_its_model_and_why_it_stopped() -> None:
    (message,) = read(DOCUMENTS["answer"])
    assert message["meta"] == {
        "modelId": "m-1",
        "finishReason": "length",
        "providerFinishReason": "maxTokens",
    }
    (message,) = read(DOCUMENTS["own reason"])
    assert message["meta"]["finishReason"] == "unknown"


def test_a_repeated_result_begins_a_message() -> None:
    one = {"type": "tool_result", "toolUseId": "a", "content": [text("1")]}
    assert len(read({"role": "user", "content": [one, one]})) == 2


@pytest.mark.parametrize("document", [None, 1, {}, {"x": 1}, {"role": 1}, {"messages": {}}, [[]]])
def test_what_is_not_of_the_format_is_refused(document: Any) -> None:
    with pytest.raises(ReadError) as refusal:
        read(document)
    assert refusal.value.rule == "format/wrong-shape"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_laws_of_reading(name: str) -> None:
    leaf_law(FORMAT, DOCUMENTS[name])
    losses_are_real(FORMAT, DOCUMENTS[name])
    survives(FORMAT, DOCUMENTS[name])


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(FORMAT, lambda odd: {"content": [text("a")], "_meta": {"x": odd}})


@pytest.mark.parametrize(
    "name", ["result", "resources", "array", "asks", "rpc", "sampling", "answer", "block"]
)
def test_the_format_shows(name: str) -> None:
    assert [found.format for found in formats.sniff(DOCUMENTS[name])] == [FORMAT]


# --- what is written ------------------------------------------------------------------------------

_message = strategies.documents("message.Message")


@given(st.lists(_message, max_size=4), st.sampled_from(VERSIONS))
def test_drawn_messages_come_back(messages: Any, version: str) -> None:
    comes_back(FORMAT, plain(messages), version=version)
    comes_back_whole(FORMAT, plain(messages), version=version)


@pytest.mark.parametrize("name", [*DOCUMENTS, *SAMPLES])
def test_histories_come_back(name: str) -> None:
    document = DOCUMENTS[name] if name in DOCUMENTS else samples.load(name).document
    messages = plain(read_given(FORMAT, document).messages)
    for version in VERSIONS:
        comes_back(FORMAT, messages, version=version)
        comes_back_whole(FORMAT, messages, version=version)


def test_a_system_prompt_stands_before_the_messages() -> None:
    messages = read(DOCUMENTS["sampling"])
    document = formats.write(FORMAT, messages).document
    assert document["systemPrompt"] == "Be kind."
    later = formats.write(FORMAT, [*messages[1:], messages[0]])
    assert "systemPrompt" not in later.document
    assert ("message-form", "/5") in [(loss.code, loss.pointer) for loss in later.losses]


def test_data_of_a_result_is_an_object_before_the_latest_version() -> None:
    messages = read(DOCUMENTS["array"])
    older = formats.write(FORMAT, messages)
    assert "structuredContent" not in older.document
    assert "result-structured" in [loss.code for loss in older.losses]
    assert formats.write(FORMAT, messages, version="2026-07-28").document == DOCUMENTS["array"]


def _normal(document: Any, losses: list[Any]) -> Any:
    """Return a document as messages, without defaults and what is reported."""
    made = copy.deepcopy(document)
    for loss in losses:
        if loss.severity == "lossy" and loss.pointer.count("/") == 1:
            del made[loss.pointer[1:]]
    if "content" in made and "role" not in made and "toolUseId" not in made:
        return {"isError": False, **made, "resultType": "complete"}
    made.pop("resultType", None)
    if made.get("type") in ("tool_use", "tool_result"):
        role = "assistant" if made["type"] == "tool_use" else "user"
        made = {"role": role, "content": [made]}
    elif "type" in made:
        made = {"role": "user", "content": made}
    if "role" in made and "model" not in made:
        made = {"messages": [made]}
    return made


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_come_back(name: str) -> None:
    document = samples.load(name).document
    found = read_given(FORMAT, document)
    written = formats.write(FORMAT, found.messages, version="2026-07-28").document
    due = _normal(document, found.losses)
    if document.get("type") == "tool_result":  # alone it is the result that a server gives
        (due,) = due["messages"][0]["content"]
        due = {n: due[n] for n in ("content", "isError") if n in due}
        due = _normal(due, [])
    assert _normal(written, []) == due


# --- beside others' readings ----------------------------------------------------------------------


def _ours(messages: list[Json]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for message in messages:
        for part in message["parts"]:
            said = part["payload"]
            if part["kind"] == "tool_call":
                found.append(("call", said["toolCallId"], said["toolName"], said["arguments"]))
            elif part["kind"] == "tool_result":
                content = said["content"]
                parts = [{"kind": "text", "payload": {"text": content}}]
                inner = _ours([{"parts": parts if isinstance(content, str) else content}])
                found.append(("result", said["toolCallId"], said["isError"], inner))
                found.append(("data", said.get("structured")))
            elif part["kind"] == "text":
                found.append(("text", said["text"]))
            else:
                found.append(("media", said.get("mimeType")))
    return found


def _theirs(items: list[Json]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for item in items:
        kind = item["kind"]
        if kind == "tool_call":
            found.append(("call", item["id"], item["name"], item["arguments"]))
        elif kind == "tool_result":
            found.append(("result", item["id"], item["isError"], _theirs(item["content"])))
            found.append(("data", item.get("structuredContent")))
        elif item.get("text") is not None:
            found.append(("text", item["text"]))
        else:
            found.append(("media", item.get("mimeType")))
    return found


def _wanted(expected: Json, document: Json) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    if expected.get("systemPrompt"):
        found.append(("text", expected["systemPrompt"]))
    if "messages" in expected:
        return found + [item for each in expected["messages"] for item in _theirs(each["items"])]
    items = _theirs(expected["items"])
    if "content" in document and not ({"role", "type"} & document.keys()):
        return [
            ("result", "call_1", expected["isError"], items),
            ("data", expected["structuredContent"]),
        ]
    return items


def test_samples_agree_with_the_sdk() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        sample = samples.load(name)
        ours = _ours(wire(read_given(FORMAT, sample.document)))
        agreement.sample(name, ours, _wanted(sample.expected, sample.document))
    agreement.check()


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, samples.load(name).document)


# --- one result -----------------------------------------------------------------------------------


def test_a_result_of_a_server_is_one_of_a_call() -> None:
    result, losses = tool_result(DOCUMENTS["result"], tool_call_id="call_9")
    assert (result.tool_call_id, result.structured) == ("call_9", {"boats": 2})
    assert [(loss.code, loss.pointer) for loss in losses] == [("foreign-member", "/_meta")]
    written = call_tool_result(result)
    without = {n: v for n, v in DOCUMENTS["result"].items() if n not in ("_meta", "isError")}
    assert written == (without, [])
    assert tool_result(b'{"content": []}', tool_call_id="a")[0].content == []


@pytest.mark.parametrize("wrong", ["", 1, None])
def test_the_id_of_a_call_is_text(wrong: Any) -> None:
    with pytest.raises(UsageError):
        tool_result({"content": []}, tool_call_id=wrong)


@given(strategies.documents("message.ToolResult"), st.sampled_from(VERSIONS))
def test_drawn_results_come_back(document: Any, version: str) -> None:
    result = read_type(document, ToolResult)
    written = call_tool_result(result, version=version)
    back, _ = tool_result(written.document, tool_call_id=result.tool_call_id)
    if not [loss for loss in written.losses if loss.severity == "lossy"]:
        assert back == result
