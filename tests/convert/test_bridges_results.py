"""Results of tools on their way to the queue and back: whatever a tool may say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import ReadError, to_wire
from partwire.convert import BridgeError, BridgeResult, convert
from partwire.reading.pipeline import read
from partwire.reading.plain import plain_value
from tests.convert.bridge_law import differences

Json = dict[str, Any]

UUID = "0197c6f0-5a00-7000-8000-000000000001"
OTHER = "0197C6F0-5A00-7000-8000-00000000000A"
HEAD: Json = {
    "message_id": UUID,
    "sent_at": "2026-01-02T03:04:05Z",
    "schema_version": "v0.1",
    "invocation_id": UUID,
}
TEXTS = [
    *("", " ", "\n", "4", "null", "{}", "[]", '"q"', "tool_error", "(no output)"),
    *("a\nb\r\n\tc", "\u2028\x00\x7f\ufeff", "🌍 e\u0301", "aGVsbG8=\naGVsbG8=", "x" * 100_000),
    *('{"text":"a"}', '{"code":"tool_error","message":"x"}', '{"content":[]}'),
    '[{"kind":"text","payload":{"text":"a"}}]',
]
JSON: list[Any] = [None, True, 0, -1, 1.5, 1e300, 2**53 - 1, "", "a", [], [[]], {}, {"text": "a"}]
KEYS = ("text", "content", "data", "error", "code", "message", "success", "", "a/b~1")


def text_part(text: str) -> Json:
    return {"kind": "text", "payload": {"text": text}}


IMAGE: Json = {"kind": "image", "payload": {"mimeType": "image/png", "data": ""}}
FILE: Json = {"kind": "file_ref", "payload": {"path": "log"}}
OBJECTS: list[Json] = [
    *({key: value} for key in KEYS for value in JSON),
    *({"code": code, "message": "m"} for code in ("tool_error", "e", "", 1)),
    {"code": "e", "message": ""},
    {"code": "e", "message": {}},
    {"code": "e", "message": None},
    {"code": "e", "message": "m", "more": 1},
    {"content": [text_part("a")]},
    {"content": [text_part("a"), IMAGE, FILE]},
    {"content": [text_part("a")], "text": "a"},
    {"content": [{**text_part("a"), "more": 1}]},
    {"content": [{"kind": "text", "payload": {"text": "a", "more": 1}}]},
    {"content": [{"kind": "hologram", "payload": {}}]},
    {"text": "a", "content": []},
]
PARTS: list[list[Json]] = [
    [],
    [text_part("")],
    [text_part("a"), text_part("b")],
    [IMAGE],
    [FILE, text_part("a\nb")],
    [text_part(text) for text in TEXTS],
]
ERRORS: list[Json] = [
    {"code": code, "message": words}
    for code in ("tool_error", "e", "🌍")
    for words in ("", "no", "a\nb", "aGVsbG8=", "{}", '"a"', '{"text":"a"}', "[]")
]


def there_and_back(source: Json, type_name: str, to: str) -> tuple[Json, Json, BridgeResult[Any]]:
    """Return the source as it is read, what came back, and what lay between."""
    known: Json = plain_value(read(source, type_name))[0]
    made = convert(source, to, type=type_name)
    back = convert(made.value, type_name)
    return known, plain_value(back.value)[0], made


def faults(source: Json, type_name: str, to: str, said: tuple[str, ...]) -> list[Any]:
    """Return what breaks the law, or differs in the members ``said`` without a lossy report."""
    known, again, made = there_and_back(source, type_name, to)
    places = {f"/{name}" for name in said}
    silent = not any(
        loss.severity == "lossy" and any(loss.pointer.startswith(each) for each in places)
        for loss in made.losses
    )
    lists = [each._replace(pointer=f"/0{each.pointer}") for each in made.losses]
    broken = differences(json.loads(json.dumps([known])), [again], lists)
    kept = [[each.get(name) for name in said] for each in (known, again)]
    return broken or ([source, to_wire(made.value), again] if silent and kept[0] != kept[1] else [])


@pytest.mark.parametrize("to", ["envelope.ToolResult", "envelope.ToolCallResponse"])
@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("call", [UUID, OTHER, "call_1", " "])
def test_what_a_tool_says_comes_back(to: str, failed: bool, call: str) -> None:
    for content in [*TEXTS, *OBJECTS, *PARTS]:
        source = {"toolCallId": call, "isError": failed, "content": content}
        said = ("toolCallId", "isError", "content")
        assert faults(source, "message.ToolResult", to, said) == []


def rival_errors(data: Json) -> list[Json]:
    """Return errors beside ``data``: some that partwire itself would write, and others."""
    texts = [json.dumps(each, separators=(",", ":")) for each in (data, data.get("content"))]
    return [*ERRORS, *({"code": "tool_error", "message": text} for text in texts)]


@pytest.mark.parametrize("success", [False, True])
def test_a_response_comes_back(success: bool) -> None:
    type_name, said = "envelope.ToolCallResponse", ("success", "data", "error")
    for data in [*OBJECTS, *({"text": text} for text in TEXTS)]:
        for error in [None, *rival_errors(data)]:
            if error is None and not success:
                continue
            source = {**HEAD, "success": success, "data": data, "error": error}
            source = {name: value for name, value in source.items() if value is not None}
            assert faults(source, type_name, "message", said) == []


def test_a_failure_without_data_comes_back_whole() -> None:
    for error in ERRORS:
        source = {**HEAD, "success": False, "error": error}
        known, again, made = there_and_back(source, "envelope.ToolCallResponse", "message")
        assert [again["error"], again["success"], "data" in again] == [error, False, False]
        assert {loss.code for loss in made.losses} == {"envelope", "message-type"}
        assert known["error"] == error


@pytest.mark.parametrize("result_type", ["tool_result", "tool_error"])
def test_a_result_comes_back(result_type: str) -> None:
    for data in [*OBJECTS, *({"text": text} for text in TEXTS)]:
        source = {
            "invocation_id": UUID,
            "tool_id": UUID,
            "result_type": result_type,
            "data": data,
            "created_at": HEAD["sent_at"],
        }
        said = ("result_type", "data")
        assert faults(source, "envelope.ToolResult", "message", said) == []


def nested(depth: int) -> Json:
    value: Json = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def outcome(source: Json, to: str) -> str:
    """Return "kept", or the rule that refuses the conversion."""
    try:
        known, again, _ = there_and_back(source, "message.ToolResult", to)
    except BridgeError as error:
        return error.rule
    return "kept" if known == again else "changed"


@pytest.mark.parametrize("to", ["envelope.ToolResult", "envelope.ToolCallResponse"])
@pytest.mark.parametrize("failed", [False, True])
def test_an_object_may_be_as_deep_as_a_document(to: str, failed: bool) -> None:
    source: Json = {"toolCallId": UUID, "isError": failed, "content": nested(510)}
    assert read(source, "message.ToolResult")
    assert outcome(source, to) == "kept"
    source["content"] = nested(511)
    with pytest.raises(ReadError) as caught:
        convert(source, to, type="message.ToolResult")
    assert caught.value.rule == "document/too-deep"
