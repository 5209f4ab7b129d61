"""Findings and exceptions: what they carry, and what they say to a reader."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.bindings import check
from partwire.contract.resources import read_rules
from partwire.contract.versions import generated_module
from partwire.errors import (
    Finding,
    FramingError,
    PartwireError,
    ReadError,
    StreamFailed,
    StreamProtocolError,
    UsageError,
    WriteError,
    clip,
    printable,
)
from partwire.reading.pipeline import validate, validate_value
from tests.codegen.schema_walk import walk
from tests.strategies import FAMILIES, TYPES, Documents, python_values

UUID = "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8"
UUID_FORM = (
    "A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,"
    " without prefix or braces."
)

BASE64_FORM = (
    "Binary data as base64: the standard alphabet of RFC 4648 section 4, padded, without line"
    " breaks."
)

# rule, type, document, pointer, message, expected, actual
SHAPES: list[tuple[str, str, Any, str, str, str, str | None]] = [
    ("shape/required", "message.TextPart", {"kind": "text"}, "", "The member payload is missing",
     "a member payload", None),
    ("shape/type", "message.TextPayload", {"text": 7}, "/text", "Not a string but a number",
     "a string", "7"),
    ("shape/type", "message.Role", [], "", "Not a string but an array", "a string",
     "array with 0 items"),
    ("shape/type", "message.UsageSummary", "x", "", "Not an object but a string", "an object",
     '"x"'),
    ("shape/type", "message.Seq", True, "", "Not an integer but a boolean", "an integer", "true"),
    ("shape/null", "message.TextPayload", {"text": None}, "/text", "null is not allowed here",
     "a string", "null"),
    ("shape/integer", "message.Seq", 1.5, "", "The number is not integral", "an integer", "1.5"),
    ("shape/minimum", "message.Seq", -1, "", "The number is too small", "at least 0", "-1"),
    ("shape/maximum", "message.Seq", 2**53, "", "The number is too large",
     "at most 9007199254740991", "9007199254740992"),
    ("shape/minimum", "message.ModelConfig", {"modelId": "m", "topP": -0.5}, "/topP",
     "The number is too small", "at least 0", "-0.5"),
    ("shape/maximum", "message.ModelConfig", {"modelId": "m", "topP": 2}, "/topP",
     "The number is too large", "at most 1", "2"),
    ("shape/enum", "message.Role", "robot", "", "None of the allowed values",
     "system, user, assistant, tool", '"robot"'),
    ("shape/const", "message.TextPart", {"kind": "txt", "payload": {"text": ""}}, "/kind",
     "Only one value is allowed here", '"text"', '"txt"'),
    ("shape/unknown-variant", "message.MessagePart", {"kind": "audio"}, "/kind",
     "No variant has this kind", ("text, thinking, tool_call, tool_result, image, file_ref, media, "
     "server_tool_call, server_tool_result, approval_request, approval_response"),
     '"audio"'),
    ("shape/union-type", "message.ToolChoice", 7, "", "Neither a string nor an object but a number",
     "a string or an object", "7"),
    ("shape/min-length", "message.RunId", "", "", "The string is empty", "at least 1 character",
     '""'),
    ("shape/pattern", "message.Base64", "a b", "", "The string does not have the expected form",
     BASE64_FORM, '"a b"'),
    ("shape/exactly-one-of", "message.ImagePayload", {"mimeType": "image/png"}, "",
     "Exactly one of these members has to be present", "data or url", "none"),
    ("shape/exactly-one-of", "message.ImagePayload",
     {"mimeType": "image/png", "url": "u", "data": ""}, "",
     "Exactly one of these members has to be present", "data or url", "data, url"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "type_name", "document", "pointer", "said", "want", "got"), SHAPES
)
def test_what_a_finding_says(
    rule: str, type_name: str, document: Any, pointer: str, said: str, want: str, got: str | None
) -> None:
    (found,) = validate_value(document, type_name)
    assert found == Finding(rule, said, pointer, "error", want, got)
    assert validate(json.dumps(document).encode(), type_name) == [found]


def test_a_string_of_wrong_length_and_form() -> None:
    for wrong, rule, said, want in (
        (UUID + "0", "shape/max-length", "The string is too long: 37 characters", "at most 36"),
        (UUID[:-1], "shape/min-length", "The string is too short", "at least 36"),
    ):
        length, form = validate_value(wrong, "session.Uuid")
        assert (length.rule, length.message, length.expected) == (rule, said, f"{want} characters")
        assert (form.rule, form.expected) == ("shape/pattern", UUID_FORM)


def test_arrays_that_are_too_short() -> None:
    """No type of v0.1 asks for items; the checks can."""
    assert check.fewer_items([], 1) == [
        Finding("shape/min-items", "The array is empty", "", "error", "at least 1 item",
                "array with 0 items")
    ]  # fmt: skip
    assert check.fewer_items([1], 2)[0][1:] == (
        "The array is too short", "", "error", "at least 2 items", "array with 1 item", None, None
    )  # fmt: skip


def test_every_shape_rule_is_looked_at() -> None:
    shown = {rule for rule, *_ in SHAPES} | {
        "shape/max-length",
        "shape/min-items",
        "shape/unknown-member",
    }
    assert shown == {rule for rule in read_rules() if rule.startswith("shape/")}


@pytest.mark.usefixtures("untraced")
def test_findings_are_rules_of_the_contract() -> None:
    """Rule and severity of whatever is found anywhere; nothing long is shown."""
    maker = Documents("errors")
    severities: dict[str, set[str]] = {}
    for type_name in TYPES:
        found = [f for _ in range(60) for f in validate(maker.mutated(type_name), type_name)]
        for position in walk(type_name, across=False):
            long = {"x" * 200: ["y" * 200]}
            for value in (None, "z" * 500, long, [long] * 100, 10**300):
                found += validate(position.document(value), type_name)
        for each in found:
            severities.setdefault(each.rule, set()).add(each.severity)
            assert each.message
            assert each.message[0].isupper() or each.message.startswith("null"), each
            assert not each.message.endswith(".")
            assert len(each.message) < 90 + len(each.pointer)
            assert each.expected
            assert len(each.actual or "") <= 80
            assert len(str(each).splitlines()) == 1
    rules = read_rules()
    assert severities == {rule: {rules[rule]["severity"]} for rule in severities}
    assert len(severities) >= 20


# --- clip -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ("é\n\U0001f30d", '"é\\n\U0001f30d"'),
        ("\ud800", '"\\ud800"'),
        ("x" * 78, f'"{"x" * 78}"'),
        ("x" * 79, f'"{"x" * 78}…'),
        ("x" * 10_000_000, f'"{"x" * 78}…'),
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (-7, "-7"),
        (2**512 - 1, str(2**512 - 1)[:79] + "…"),
        (2**512, "an integer of 513 bits"),
        (10**1000, "an integer of 3322 bits"),
        ({}, "object with 0 members"),
        ({"a": 1}, "object with 1 member"),
        ([1], "array with 1 item"),
        ([[]] * 3, "array with 3 items"),
        ((), "a Python tuple"),
        (object(), "a Python object"),
        (type("Long" * 50, (), {})(), "a Python " + ("Long" * 50)[:70] + "…"),
    ],
)
def test_clip(value: Any, text: str) -> None:
    assert clip(value) == text
    assert len(clip(value)) <= 80


def test_clip_of_what_python_does_not_print() -> None:
    assert clip(10**5000) == "an integer of 16610 bits"


def test_clip_to_another_length() -> None:
    assert clip("abcdef", 5) == '"abc…'


@given(python_values)
def test_clip_takes_any_value(value: Any) -> None:
    text = clip(value)
    assert len(text) <= 80
    assert "\n" not in text
    text.encode()


@given(st.text(alphabet=st.characters()))
def test_printable(text: str) -> None:
    printable(text).encode()
    if not re.search("[\ud800-\udfff]", text):
        assert printable(text) == text


# --- exceptions -----------------------------------------------------------------------------------

FOUND = Finding("shape/type", "Not a string but a number", "/a", "error", "a string", "7")


def test_finding_as_json_and_text() -> None:
    assert FOUND.to_wire() == {
        "rule": "shape/type",
        "message": "Not a string but a number",
        "pointer": "/a",
        "severity": "error",
        "expected": "a string",
        "actual": "7",
    }
    placed = FOUND._replace(pointer="", source="a.json", line=3, expected=None, actual=None)
    assert placed.to_wire() == {
        "rule": "shape/type",
        "message": "Not a string but a number",
        "pointer": "",
        "severity": "error",
        "source": "a.json",
        "line": 3,
    }
    said = "Not a string but a number at /a; expected a string; actual 7"
    assert FOUND.sentence() == said
    assert str(FOUND) == f"{said} [shape/type]"
    assert str(placed) == "a.json:3: Not a string but a number [shape/type]"
    assert str(placed._replace(source=None)) == "line 3: Not a string but a number [shape/type]"
    again = FOUND._replace(message="Not 7")
    assert str(again) == "Not 7 at /a; expected a string [shape/type]"
    long = FOUND._replace(expected="x" * 1000)
    assert str(long) == f"{said.replace('a string;', 'x' * 159 + '…;')} [shape/type]"
    steering = FOUND._replace(pointer="/a\n\x1b[2J\x9b\u2028\u202e\u2066é")
    assert "at /a\\n\\x1b[2J\\x9b\\u2028\\u202e\\u2066é; expected" in str(steering)


@pytest.mark.parametrize("kind", [PartwireError, ReadError, UsageError, FramingError, WriteError])
def test_exceptions_carry_findings(kind: type[PartwireError]) -> None:
    other = Finding("shape/null", "null is not allowed here")
    error = kind(FOUND, other)
    assert error.findings == (FOUND, other)
    assert error.rule == "shape/type"
    assert str(error) == f"{FOUND}\nnull is not allowed here [shape/null]"
    assert not hasattr(error, "__notes__")
    assert isinstance(error, PartwireError)
    assert isinstance(error, ValueError) is (kind is not PartwireError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.findings) == (kind, error.findings)
    with pytest.raises(TypeError, match="at least one finding"):
        kind()


def test_stream_exceptions() -> None:
    refused = StreamProtocolError(FOUND, seq=4)
    assert (refused.seq, refused.expected, refused.actual) == (4, "a string", "7")
    assert StreamProtocolError(FOUND).seq is None
    failed = StreamFailed(FOUND, error={"errorCode": "x"}, partial=[1])
    assert (failed.rule, failed.error, failed.partial) == ("shape/type", {"errorCode": "x"}, [1])
    again = pickle.loads(pickle.dumps(failed))
    assert (type(again), again.findings) == (StreamFailed, failed.findings)
    assert (again.error, again.partial) == (failed.error, failed.partial)
    assert pickle.loads(pickle.dumps(refused)).seq == 4
    assert not isinstance(refused, ValueError)


# --- the checks alone -----------------------------------------------------------------------------


@given(python_values)
def test_checks_raise_for_no_value(value: Any) -> None:
    for family in FAMILIES:
        module = generated_module("v0.1", "checks", family)
        for name in module.CHECKS:
            module.check(name, value)


def test_checks_of_an_unknown_type() -> None:
    module = generated_module("v0.1", "checks", "message")
    with pytest.raises(UsageError) as caught:
        module.check("Nothing", {})
    assert caught.value.findings[0] == Finding(
        "usage/unknown-type", "No such type", actual='"Nothing"'
    )


def test_checks_without_stack() -> None:
    def endless(value: object) -> None:
        endless(value)

    (found,) = check.run({"A": endless}, "A", {}, "all")
    assert (found.rule, found.message) == ("document/too-deep", "Nested too deep to be checked")


def test_absent_has_a_name() -> None:
    assert repr(check.ABSENT) == "nothing"


def test_checks_called_with_what_is_no_document() -> None:
    """Reading looks at documents first; who calls the checks alone gets findings, too."""
    module = generated_module("v0.1", "checks", "message")
    for value, actual in ((float("inf"), '"inf"'), (10**400, "an integer of 1329 bits")):
        usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 1, "cost": value}
        (found,) = module.check("UsageSummary", usage)
        assert found == Finding(
            "document/not-finite",
            "The number is not finite, or overflows a double",
            "/cost",
            expected="a finite number",
            actual=actual,
        )
    assert [f.rule for f in module.check("Seq", float("nan"))] == ["document/not-finite"]
    assert [f.rule for f in module.check("Seq", 1.0)] == []
    assert [f.rule for f in module.check("Role", object())] == ["shape/type"]
