"""Strict reading at every position of every type, validate, and the fast way of reading."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.contract.current import message
from partwire.contract.current.models import message as models
from partwire.errors import Finding, PartwireError, ReadError, UsageError
from partwire.message import assemble
from partwire.reading.pipeline import (
    Binding,
    ReadResult,
    dump,
    read,
    read_value,
    read_with_findings,
    to_wire,
    validate,
    validate_value,
)
from tests.codegen.schema_walk import Position, expected_value, outcome, walk
from tests.strategies import (
    PUBLIC_TYPES,
    TYPES,
    as_input,
    definitions,
    documents,
    json_values,
    python_values,
    resolve,
)
from tests.ways import way

__all__ = ["way"]

POSITIONS = [position for name in TYPES for position in walk(name)]
NO = {  # JSON type → JSON texts of other types
    "string": {"1", "true", "{}", "[]"},
    "integer": {'"1"', "true", "{}", "[]"},
    "number": {'"1"', "false", "{}", "[]"},
    "boolean": {"0", "1", '"true"', "{}", "[]"},
    "array": {"{}", '""', "0", "false"},
    "object": {"[]", '""', "0", "false"},
}


def both_ways(document: Any, position: Position) -> dict[str, Any]:
    """Return what strict reading comes to; text, value and validate have to agree."""
    text = json.dumps(document).encode()
    result = outcome(text, position.type, "strict")
    assert outcome(as_input(document), position.type, "strict") == result
    found = validate(text, position.type)
    assert found == validate(as_input(document), position.type)
    assert found == validate_value(document, position.type)
    errors = [(f.rule, f.pointer) for f in found if f.severity == "error"]
    assert errors == result.get("errors", [])
    return result


def refused(rule: str, pointer: str) -> dict[str, Any]:
    return {"errors": [(rule, pointer)]}


def json_types(position: Position) -> list[str]:
    """Return the JSON types that are taken at a position."""
    schema = position.schema
    if "discriminator" in schema:
        return ["object"]
    defs = definitions(position.type.partition(".")[0])
    return [resolve(each, defs)["type"] for each in schema.get("oneOf", [schema])]


@pytest.mark.usefixtures("untraced")
def test_null_and_wrong_types(record_property: Callable[[str, object], None]) -> None:
    """One finding, at the place."""
    seen: Counter[str] = Counter()
    for position in POSITIONS:
        seen["positions"] += 1
        expected = refused("shape/null", position.pointer)
        assert both_ways(position.document(None), position) == expected, position.id
        kinds = json_types(position)
        rule = "shape/union-type" if len(kinds) > 1 else "shape/type"
        for wrong in sorted(set.intersection(*(NO[kind] for kind in kinds))):
            expected = refused(rule, position.pointer)
            result = both_ways(position.document(json.loads(wrong)), position)
            assert result == expected, position.id
            seen["wrong values"] += 1
    record_property("strict reading at every position", dict(seen))
    assert seen["positions"] >= 1500
    assert seen["wrong values"] >= 5000


def test_unknown_values() -> None:
    """An enum value, a tag, a member: the first two are errors, the third is ignored or kept."""
    seen: Counter[str] = Counter()
    for position in POSITIONS:
        schema = position.schema
        if "enum" in schema:
            expected = refused("shape/enum", position.pointer)
            assert both_ways(position.document("x-future"), position) == expected
            seen["enum"] += 1
        elif "const" in schema:
            rule = "shape/unknown-variant" if position.holder == "tag" else "shape/const"
            expected = refused(rule, position.pointer)
            assert both_ways(position.document("x-future"), position) == expected, position.id
            seen["const"] += 1
        elif schema.get("type") == "object" and not schema.get("additionalProperties"):
            document = position.document({**position.value, "x-future": {"a": None}})
            expected = {"value": expected_value(document, position.type), "findings": []}
            assert both_ways(document, position) == expected, position.id
            seen["object"] += 1
    assert seen["enum"] >= 18
    assert seen["const"] >= 160
    assert seen["object"] >= 300


def test_missing_members() -> None:
    """A required member is reported at the object that lacks it; an optional one is not."""
    seen = 0
    for position in POSITIONS:
        if position.holder not in ("required", "tag"):
            continue
        document = position.document(position.value)
        place: Any = document
        *way, name = position.pointer.split("/")[1:]
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place[step]
        del place[name]
        holder = position.pointer.rpartition("/")[0]
        result = both_ways(document, position)
        assert result == refused("shape/required", holder), position.id
        seen += 1
    assert seen >= 1000


def test_integral_floats_are_integers() -> None:
    seen = 0
    for position in POSITIONS:
        if position.schema.get("type") != "integer":
            continue
        result = both_ways(position.document(float(position.value)), position)
        assert "value" in result, position.id
        expected = both_ways(position.document(position.value), position)
        assert json.dumps(result) == json.dumps(expected)  # 1 and 1.0 are equal in Python
        expected = refused("shape/integer", position.pointer)
        assert both_ways(position.document(position.value + 0.5), position) == expected
        seen += 1
    assert seen >= 150


def test_an_open_string_takes_any_value() -> None:
    seen = 0
    for position in POSITIONS:
        if "x-known-values" in position.schema:
            document = position.document("x-future")
            expected = {"value": expected_value(document, position.type), "findings": []}
            assert both_ways(document, position) == expected
            seen += 1
    assert seen >= 5


# --- the ways in ----------------------------------------------------------------------------------

TEXT_PART = {"kind": "text", "payload": {"text": "a"}}


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, bytes.decode])
def test_text_comes_in_any_kind_of_bytes_and_as_str(kind: Callable[[bytes], Any]) -> None:
    data = kind(json.dumps(TEXT_PART).encode())
    assert validate(data, "message.MessagePart") == []
    assert to_wire(read(data, "message.MessagePart")) == TEXT_PART


def test_a_str_is_json_text_and_the_json_string_where_it_was_decoded() -> None:
    assert read('"auto"', "message.ToolChoice") == "auto"
    assert validate('{"toolName": "a"}', "message.ToolChoice") == []
    assert [f.rule for f in validate("auto", "message.ToolChoice")] == ["document/invalid-json"]
    assert read_value("auto", "message.ToolChoice") == "auto"
    found = validate_value('{"toolName": "a"}', "message.ToolChoice")
    assert [f.rule for f in found] == ["shape/enum"]
    for lone in ("\ud800", '"\ud800"', '"\\ud800"'):
        assert [f.rule for f in validate(lone, "message.Role")] == ["document/lone-surrogate"]


def test_structs_models_and_snapshots_are_documents() -> None:
    deltas = [
        {"kind": "start", "payload": {"modelId": "m", "requestId": "q"}},
        {"kind": "text", "payload": {"textDelta": "a"}},
        {"kind": "done", "payload": {"finishReason": "stop"}},
    ]
    common = {"runId": "r", "timestamp": "2026-01-02T03:04:05Z"}
    lines = [json.dumps({**each, **common, "seq": n}) for n, each in enumerate(deltas)]
    built = assemble("\n".join(lines).encode())
    model = models.Message.model_validate_json(dump(built))
    for value in (built, model):
        assert validate(value, "message.Message") == []
        assert read(value, "message.Message") == built
    wrong = msgspec.structs.replace(built, role="robot")
    assert [f.pointer for f in validate(wrong, "message.Message")] == ["/role"]
    with pytest.raises(ReadError):
        read(wrong, "message.Message")


def test_a_struct_that_holds_itself() -> None:
    round_list: list[Any] = []
    round_list.append(round_list)
    call = message.ToolCall(tool_call_id="a", tool_name="b", arguments={"x": round_list})
    assert [f.rule for f in validate(call, "message.ToolCall")] == ["document/too-deep"]
    with pytest.raises(ReadError) as caught:
        read(call, "message.ToolCall")
    assert caught.value.rule == "document/too-deep"


def test_a_variant_on_its_own_needs_its_tag() -> None:
    """msgspec takes a lone tagged struct without its tag: ours does not."""
    for type_name in ("message.TextPart", "message.TextDelta", "session.FilePart"):
        assert Binding.of(type_name).decode_valid(b"{}") is None
    assert read(TEXT_PART, "message.TextPart") == message.TextPart(
        payload=message.TextPayload(text="a")
    )
    untagged = {"payload": {"text": "a"}}
    assert outcome(untagged, "message.TextPart", "strict") == refused("shape/required", "")
    data = json.dumps(untagged).encode()
    assert outcome(data, "message.TextPart", "strict") == refused("shape/required", "")


def test_a_variant_inside_of_another_type_needs_its_tag() -> None:
    part = {"id": "a", "mime": "a", "url": "a", "sessionID": UUID, "messageID": UUID}
    state = {
        "status": "completed",
        "input": {},
        "output": "a",
        "title": "a",
        "metadata": {},
        "time": {"start": 1, "end": 1},
        "attachments": [{**part, "type": "file"}, part],
    }
    data = json.dumps(state).encode()
    for each in (state, data):
        assert outcome(each, "session.ToolState", "strict") == refused(
            "shape/required", "/attachments/1"
        )


UUID = "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8"


def test_warnings_are_returned_and_do_not_refuse() -> None:
    part = {
        "id": "a",
        "sessionID": UUID,
        "messageID": UUID,
        "type": "text",
        "text": "a",
        "time": {"start": 2, "end": 1},
    }
    for each in (part, json.dumps(part).encode()):
        result = read_with_findings(each, "session.Part")
        assert isinstance(result, ReadResult)
        assert [(f.rule, f.severity) for f in result.findings] == [
            ("session/time-order", "warning")
        ]
        assert validate(each, "session.Part") == result.findings
        assert to_wire(result.value) == part


def test_reading_changes_nothing_and_takes_no_part_of_the_document() -> None:
    document = {**TEXT_PART, "x": 1}
    before = copy.deepcopy(document)
    read(document, "message.MessagePart", "tolerant")
    assert document == before


@pytest.mark.parametrize("mode", ["Strict", "", None, 1])
def test_an_unknown_mode(mode: Any) -> None:
    with pytest.raises(UsageError) as caught:
        read(b"{}", "message.Message", mode)
    assert caught.value.findings[0] == Finding(
        "usage/unknown-mode",
        "No such reading mode",
        expected="strict or tolerant",
        actual=json.dumps(mode),
    )


# --- the fast way ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (b'"\xff"', "document/invalid-utf8"),
        (b'"\xed\xa0\x80"', "document/invalid-utf8"),
        (b'"\\ud800"', "document/lone-surrogate"),
        (b'{"\\udc00":1}', "document/lone-surrogate"),
        (b"1e400", "document/not-finite"),
        (b"-1E+400", "document/not-finite"),
        (b"[1e309]", "document/not-finite"),
        (b"1" + b"0" * 309, "document/not-finite"),
        (b"-1" + b"0" * 5000, "document/not-finite"),
        (b"NaN", "document/not-finite"),
        (b"[" * 512 + b"]" * 512, "document/too-deep"),
        (b"01", "document/invalid-json"),
        (b"'a'", "document/invalid-json"),
    ],
)
@pytest.mark.parametrize("where", ["skipped", "free"])
def test_what_the_typed_decode_skips_is_looked_at(bad: bytes, rule: str, where: str) -> None:
    if where == "skipped":
        type_name, data = "message.TextPayload", b'{"text":"a","x":' + bad + b"}"
    else:
        type_name = "message.ToolCall"
        data = b'{"toolCallId":"a","toolName":"b","arguments":{"x":' + bad + b"}}"
    assert Binding.of(type_name).decode_valid(data) is None
    assert [f.rule for f in validate(data, type_name)] == [rule]
    with pytest.raises(ReadError) as caught:
        read(data, type_name, "tolerant")
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    "fine",
    [
        b'"\xf0\x9f\x8c\x8d"',
        b"1e308",
        b"1E-400",
        b'"1e400"',
        b"[" * 511 + b"]" * 511,
        b"[" + b"[]," * 600 + b"[]]",
        b"0." + b"0" * 400 + b"1",
        b'"' + b"1" * 400 + b'"',
        b"1" + b"0" * 308,
    ],
)
def test_what_looks_suspicious_may_be_fine(fine: bytes) -> None:
    data = b'{"text":"a","x":' + fine + b"}"
    assert read(data, "message.TextPayload") == message.TextPayload(text="a")
    assert validate(json.loads(data), "message.TextPayload") == []


def test_many_parts_are_read_the_fast_way() -> None:
    parts = [TEXT_PART] * 2000
    when = "2026-01-02T03:04:05Z"
    document = {"runId": "r", "role": "user", "parts": parts, "timestamp": when}
    value = Binding.of("message.Message").decode_valid(json.dumps(document).encode())
    assert len(value.parts) == 2000


# --- whatever comes -------------------------------------------------------------------------------


def tried(call: Callable[[], Any]) -> tuple[Any, list[Finding]]:
    """Return what ``call`` returns, or the findings of the PartwireError that it raises."""
    try:
        return call(), []
    except PartwireError as error:
        return None, list(error.findings)


def survives(data: Any, type_name: str) -> None:
    """Validate, read and write ``data``: they agree, and raise nothing but PartwireError."""
    found, refused_whole = tried(lambda: validate(data, type_name))
    value, refusal = tried(lambda: read(data, type_name))
    if refused_whole:  # no document at all
        assert refusal == refused_whole
        return
    if any(finding.severity == "error" for finding in found):
        assert refusal == found
    else:
        assert refusal == []
        written = dump(value, type_name)
        assert [f for f in validate(written, type_name) if f.severity == "error"] == []
    tolerant, refusal = tried(lambda: read(data, type_name, "tolerant"))
    if not refusal:
        assert read(dump(tolerant, type_name), type_name, "tolerant") == tolerant
    _, refusal = tried(lambda: dump(data, type_name))
    if not isinstance(data, (bytes, str)):
        assert bool(refusal) is any(finding.severity == "error" for finding in found)


@settings(max_examples=150)
@given(st.sampled_from(PUBLIC_TYPES), json_values | python_values)
def test_any_value(type_name: str, value: Any) -> None:
    survives(value, type_name)


@settings(max_examples=150)
@given(st.sampled_from(PUBLIC_TYPES), st.binary(max_size=40))
def test_any_bytes(type_name: str, data: bytes) -> None:
    survives(data, type_name)


@settings(max_examples=300)
@given(documents(PUBLIC_TYPES))
def test_any_document(made: tuple[str, Any]) -> None:
    type_name, document = made
    survives(as_input(document), type_name)
    survives(json.dumps(document).encode(), type_name)


@settings(max_examples=200)
@given(documents(PUBLIC_TYPES), json_values | python_values, st.randoms(use_true_random=False))
def test_any_value_inside_of_a_document(made: tuple[str, Any], value: Any, random: Any) -> None:
    type_name, document = made
    if isinstance(document, dict) and document:
        document[random.choice(sorted(document))] = value
    survives(as_input(document), type_name)
