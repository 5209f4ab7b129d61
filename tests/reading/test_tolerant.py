"""Tolerant reading at every position of every type, by what the schema says of the position."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from partwire.contract.current import message, session
from partwire.errors import ReadError, WriteError
from partwire.reading.pipeline import (
    Unknown,
    dump,
    read,
    read_value,
    read_with_findings,
    to_wire,
    unknown_members,
    validate,
)
from tests.codegen.schema_walk import Position, expected_value, outcome, walk
from tests.reference.meaning_reference import meaning
from tests.strategies import TYPES, as_input, definitions
from tests.ways import way

__all__ = ["way"]

POSITIONS = [position for name in TYPES for position in walk(name)]
FUTURE: dict[str, Any] = {"x": [None, 1.0, {"": "é"}], "kind": "text", "null": None}


def both_ways(document: Any, position: Position) -> dict[str, Any]:
    """Return what tolerant reading comes to; text and value have to come to the same."""
    text = json.dumps(document).encode()
    before = copy.deepcopy(document)
    result = outcome(as_input(document), position.type, "tolerant")
    assert outcome(text, position.type, "tolerant") == result
    assert document == before
    return result


def taken(document: Any, position: Position, *findings: tuple[str, str]) -> dict[str, Any]:
    """Return the outcome of a document that is taken, with findings."""
    return {"value": expected_value(document, position.type), "findings": list(findings)}


def refused(rule: str, pointer: str) -> dict[str, Any]:
    return {"errors": [(rule, pointer)]}


def after_null(position: Position) -> dict[str, Any]:
    """Return what null at ``position`` comes to: absent, if that is allowed to be absent."""
    if position.holder != "optional":
        return refused("shape/null", position.pointer)
    document = position.document(None)
    place: Any = document
    *way, name = position.pointer.split("/")[1:]
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    del place[name]
    found = validate(document, position.type)
    errors = [(each.rule, each.pointer) for each in found if each.severity == "error"]
    if errors:  # one of a pair, or asked for by a rule of meaning
        assert {rule for rule, _ in errors} <= {
            "shape/exactly-one-of",
            "shape/required",  # of a type that asks for one of several
            "envelope/response-outcome",
        }
        return {"errors": errors}
    return taken(document, position, ("read/null-as-absent", position.pointer))


def test_null(record_property: Callable[[str, object], None]) -> None:
    seen: Counter[str] = Counter()
    for position in POSITIONS:
        expected = after_null(position)
        assert both_ways(position.document(None), position) == expected, position.id
        seen["positions"] += 1
        seen["null taken as absent"] += "value" in expected
    record_property("tolerant reading at every position", dict(seen))
    assert seen["positions"] >= 1500
    assert seen["null taken as absent"] >= 200


def test_unknown_enum_value() -> None:
    seen: Counter[str] = Counter()
    for position in POSITIONS:
        if "enum" not in position.schema:
            continue
        document = position.document("x-future")
        result = both_ways(document, position)
        default = position.schema.get("x-safe-default")
        seen[str(default)] += 1
        if default is None:
            assert position.schema["x-closed"] is True
            assert result == refused("shape/enum", position.pointer), position.id
        else:
            finding = ("read/unknown-enum-value", position.pointer)
            assert result == taken(document, position, finding), position.id
            of_default = read_value(position.document(default), position.type)
            assert read_value(document, position.type, "tolerant") == of_default, position.id
    assert seen["None"] >= 8
    assert sum(seen.values()) >= 18
    assert seen["pass"] == 0, "a safe default never means success"


def test_unknown_tag() -> None:
    seen: Counter[str] = Counter()
    for position in POSITIONS:
        if "const" not in position.schema:
            continue
        document = position.document("x-future")
        result = both_ways(document, position)
        seen[position.holder] += 1
        if position.holder == "tag":
            expected = taken(document, position, ("read/unknown-variant", position.pointer))
        else:  # a variant that is asked for by name
            expected = refused("shape/const", position.pointer)
        assert result == expected, position.id
    assert seen["tag"] >= 120
    assert seen["required"] >= 40


def test_an_unknown_variant_is_kept_verbatim() -> None:
    count = 0
    for position in POSITIONS:
        if "discriminator" not in position.schema:
            continue
        tag = position.schema["discriminator"]["propertyName"]
        variant = {**FUTURE, tag: "x-future", "~/": {}}
        document = position.document(variant)
        result = both_ways(document, position)
        finding = ("read/unknown-variant", f"{position.pointer}/{tag}")
        assert result == taken(document, position, finding), position.id
        assert json.dumps(variant) in json.dumps(result["value"])  # in its order, too
        count += 1
    assert count >= 20


def test_a_known_tag_with_a_bad_body_stays_an_error() -> None:
    count = 0
    for position in POSITIONS:
        if "discriminator" not in position.schema:
            continue
        tag = position.schema["discriminator"]["propertyName"]
        for known in position.schema["discriminator"]["mapping"]:
            document = position.document({tag: known})
            result = both_ways(document, position)
            if not validate(document, position.type):
                continue  # a variant that needs nothing but its tag
            count += 1
            assert {rule for rule, _ in result["errors"]} <= {"shape/required"}, position.id
            assert {place for _, place in result["errors"]} == {position.pointer}, position.id
    assert count >= 100


@pytest.mark.parametrize("tag", [None, 7, ["text"], {}, True])
def test_a_tag_that_is_no_string_is_no_unknown_tag(tag: object) -> None:
    result = outcome({"kind": tag, "payload": {}}, "message.MessagePart", "tolerant")
    assert result == refused("shape/null" if tag is None else "shape/type", "/kind")


def test_unknown_members_are_ignored_or_kept() -> None:
    seen: Counter[str] = Counter()
    for position in POSITIONS:
        if position.schema.get("type") != "object" or position.schema.get("additionalProperties"):
            continue
        document = position.document({**position.value, "x-future": FUTURE})
        result = both_ways(document, position)
        assert result == taken(document, position), position.id
        kept = "x-future" in json.dumps(result["value"])
        assert kept is ("additionalProperties" in position.schema), position.id
        place = [] if kept else [f"{position.pointer}/x-future"]
        assert unknown_members(document, position.type) == place, position.id
        seen["kept" if kept else "ignored"] += 1
    assert seen["kept"] >= 50
    assert seen["ignored"] >= 250


# --- values and findings --------------------------------------------------------------------------

CALL: dict[str, Any] = {
    "kind": "tool_call",
    "payload": {"toolCallId": "a", "toolName": "f", "arguments": {}},
}
WHEN = "2026-01-02T03:04:05Z"
AUDIO: dict[str, Any] = {"kind": "audio", "payload": {"n": 1.0}}


def assistant(*parts: Any) -> dict[str, Any]:
    return {"runId": "r", "role": "assistant", "parts": list(parts), "timestamp": WHEN}


def test_what_an_unknown_variant_says() -> None:
    result = read_with_findings(assistant(AUDIO), "message.Message", "tolerant")
    (part,) = result.value.parts
    assert isinstance(part, Unknown)
    assert (part.tag_field, part.tag, part.document) == ("kind", "audio", AUDIO)
    assert repr(part) == "Unknown(kind='audio')"
    assert part == Unknown("kind", "audio", copy.deepcopy(AUDIO))
    assert part != AUDIO
    assert part != Unknown("kind", "audio", {"kind": "audio"})
    with pytest.raises(TypeError):
        hash(part)
    (finding,) = result.findings
    assert finding == (
        "read/unknown-variant",
        "Unknown tag, kept as it is",
        "/parts/0/kind",
        "warning",
        (
            "text, thinking, tool_call, tool_result, image, file_ref, media, "
            "server_tool_call, server_tool_result, approval_request, approval_response"
        ),
        '"audio"',
        None,
        None,
    )


def test_the_raw_enum_value_is_in_the_finding() -> None:
    document = {
        "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "task_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "sent_at": "2026-01-02T03:04:05Z",
        "schema_version": "v0.1",
        "status": "excellent " * 40,
        "score": 1,
        "next_action": "celebrate",
    }
    result = read_with_findings(document, "envelope.EvaluationResponse", "tolerant")
    assert (result.value.status, result.value.next_action) == ("fail", "none")
    status, action = result.findings
    assert status.message == "Unknown value, taken as fail"
    assert status.actual is not None
    assert len(status.actual) == 80
    assert (action.pointer, action.actual) == ("/next_action", '"celebrate"')


@pytest.mark.parametrize("type_name", ["message.MessagePart", "message.MessageDelta"])
def test_a_whole_document_may_be_an_unknown_variant(type_name: str) -> None:
    value = read(AUDIO, type_name, "tolerant")
    assert isinstance(value, Unknown)
    assert to_wire(value) == to_wire(value, type_name) == AUDIO
    assert [each.rule for each in validate(value, type_name)] == ["shape/unknown-variant"]


# --- rules beside unknown variants ----------------------------------------------------------------


def test_rules_hold_for_what_is_known_between_unknown_parts() -> None:
    document = assistant(AUDIO, CALL, AUDIO, CALL, {"kind": "image", "payload": {}}, CALL)
    assert outcome(document, "message.Message", "tolerant") == {
        "errors": [
            ("shape/required", "/parts/4/payload"),
            ("shape/exactly-one-of", "/parts/4/payload"),
        ]
    }
    del document["parts"][4]
    assert outcome(document, "message.Message", "tolerant") == {
        "errors": [
            ("message/duplicate-tool-call", "/parts/3/payload/toolCallId"),
            ("message/duplicate-tool-call", "/parts/4/payload/toolCallId"),
        ]
    }
    with pytest.raises(ReadError) as caught:
        read(document, "message.Message", "tolerant")
    said = [finding.message for finding in caught.value.findings]
    assert said == ["The same as at /parts/1/payload/toolCallId"] * 2
    assert "value" in outcome(assistant(AUDIO, CALL, AUDIO), "message.Message", "tolerant")
    wrong_role = {**assistant(AUDIO, CALL), "role": "user"}
    assert outcome(wrong_role, "message.Message", "tolerant") == refused(
        "message/role-part-kind", "/parts/1/kind"
    )


def test_rules_hold_beside_an_unknown_part_of_a_part() -> None:
    result = {
        "kind": "tool_result",
        "payload": {"toolCallId": "a", "isError": False, "content": [AUDIO]},
    }
    document = {**assistant(result, result), "role": "tool"}
    assert outcome(document, "message.Message", "tolerant") == refused(
        "message/duplicate-tool-result", "/parts/1/payload/toolCallId"
    )


def session_message() -> dict[str, Any]:
    """Two tool parts: the first in a state of the future, the second and third of one id."""
    with_parts = definitions("session")["WithParts"]["examples"][0]
    document: dict[str, Any] = copy.deepcopy(with_parts)
    info = document["info"]["id"]
    part = {
        "id": "p",
        "sessionID": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "messageID": info,
        "type": "text",
        "text": "a",
        "time": {"start": 2, "end": 1},
    }
    tool = {**part, "type": "tool", "callID": "c", "tool": "t", "state": {"status": "paused"}}
    document["parts"] = [tool, part, {**part, "messageID": part["sessionID"]}]
    return document


def test_a_part_in_an_unknown_state_is_left_out_of_comparisons() -> None:
    document = session_message()
    known = copy.deepcopy(document)
    del known["parts"][0]
    defs = definitions("session")
    expected = {
        (rule, pointer.replace("/parts/1", "/parts/2").replace("/parts/0", "/parts/1"))
        for rule, pointer in meaning(known, defs["WithParts"], defs)
    }
    with pytest.raises(ReadError) as caught:
        read(document, "session.WithParts", "tolerant")
    assert {(f.rule, f.pointer) for f in caught.value.findings} == expected
    assert ("session/duplicate-part-id", "/parts/2/id") in expected
    assert ("session/time-order", "/parts/1/time/end") in expected


def test_warnings_stand_beside_an_unknown_variant() -> None:
    document = session_message()
    del document["parts"][2]
    result = read_with_findings(document, "session.WithParts", "tolerant")
    assert [(f.rule, f.pointer, f.severity) for f in result.findings] == [
        ("read/unknown-variant", "/parts/0/state/status", "warning"),
        ("session/time-order", "/parts/1/time/end", "warning"),
    ]
    assert isinstance(result.value.parts[0].state, Unknown)
    assert isinstance(result.value.parts[0], session.ToolPart)


def test_a_deep_member_beside_an_unknown_part_is_no_trouble() -> None:
    deep: Any = {}
    for _ in range(500):
        deep = {"a": deep}
    call = copy.deepcopy(CALL)
    call["payload"]["arguments"] = deep
    document = assistant(AUDIO, call)
    value = read(document, "message.Message", "tolerant")
    assert to_wire(value) == document


# --- an Unknown that is written -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "run_id", "pointer"),
    [
        (
            [Unknown("kind", "text", {"kind": "text", "payload": {"text": 1}})],
            "r",
            "/parts/0/payload/text",
        ),
        ([Unknown("kind", "", {})], "r", "/parts/0"),
        ([], Unknown("kind", "audio", AUDIO), "/runId"),
    ],
)
def test_an_unknown_is_written_only_where_its_tag_is_unknown(
    parts: Any, run_id: Any, pointer: str
) -> None:
    value = message.Message(run_id=run_id, role="user", parts=parts, timestamp=WHEN)
    with pytest.raises(WriteError) as caught:
        dump(value)
    assert [each.pointer for each in caught.value.findings] == [pointer]


def test_an_unknown_in_a_free_object_is_its_document() -> None:
    part = Unknown("kind", "audio", AUDIO)
    call = message.ToolCall(tool_call_id="a", tool_name="b", arguments={"parts": [part]})
    assert to_wire(call)["arguments"] == {"parts": [AUDIO]}


def test_a_dict_of_unknown_tag_beside_an_unknown_is_refused() -> None:
    value = read(assistant(AUDIO), "message.Message", "tolerant")
    value.parts.append({"kind": "video"})
    with pytest.raises(WriteError) as caught:
        dump(value)
    assert [(f.rule, f.pointer) for f in caught.value.findings] == [
        ("shape/unknown-variant", "/parts/1/kind")
    ]


def test_rules_hold_when_an_unknown_is_written() -> None:
    value = read(assistant(AUDIO, CALL), "message.Message", "tolerant")
    value.parts.append(value.parts[1])
    with pytest.raises(WriteError) as caught:
        dump(value)
    assert [(f.rule, f.pointer) for f in caught.value.findings] == [
        ("message/duplicate-tool-call", "/parts/2/payload/toolCallId")
    ]
