"""Reading queue messages by their version, telling them apart, and holding two together."""

from __future__ import annotations

import contextlib
import itertools
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import PartwireError, ReadError, UsageError, read, to_wire
from partwire.contract import resources
from partwire.contract.current import FAMILIES, LATEST_VERSION
from partwire.contract.resources import bundle
from partwire.envelope import (
    MESSAGE_TYPES,
    check_reply,
    check_tool_results,
    parse,
    parse_with_findings,
    reading_version,
    sniff,
)
from partwire.errors import Finding
from tests.fixture_cases import documents
from tests.strategies import python_values

KNOWN = " or ".join(FAMILIES)
VALID = [document for document in documents() if document.valid and document.type in MESSAGE_TYPES]
TASK = json.loads(next(each for each in VALID if each.type == "envelope.TaskEvent").data)


def test_message_types_are_those_of_the_schemas() -> None:
    definitions = bundle("envelope")["$defs"]
    messages = {
        f"envelope.{name}"
        for name, schema in definitions.items()
        if "message_id" in schema.get("properties", {}) and name != "Envelope"
    }
    assert messages == set(MESSAGE_TYPES)
    assert len(MESSAGE_TYPES) == len(messages) == 9


@pytest.mark.parametrize("document", VALID, ids=[document.id for document in VALID])
def test_valid_messages_are_parsed_and_recognised(document: Any) -> None:
    value = parse(document.type, document.data)
    assert value == read(document.data, document.type, "tolerant")
    assert value == parse(document.type.removeprefix("envelope."), json.loads(document.data))
    assert document.type in sniff(document.data)


def test_a_struct_is_parsed_again() -> None:
    task = parse("TaskEvent", TASK)
    assert parse("TaskEvent", task) == task
    newer = parse("TaskEvent", {**TASK, "schema_version": "v0.7"})
    assert [each.rule for each in parse_with_findings("RetryEvent", newer).findings] == [
        "envelope/newer-version"
    ]


@pytest.mark.parametrize("data", [bytearray, memoryview])
def test_any_bytes_will_do(data: Any) -> None:
    text = json.dumps(TASK).encode()
    assert parse("TaskEvent", data(text)) == parse("TaskEvent", text)
    assert sniff(data(text)) == sniff(text) != []


def test_a_view_with_steps_is_read() -> None:
    text = json.dumps({**TASK, "schema_version": "v0.9"}).encode()
    every_second = memoryview(b"".join(bytes([byte, 0]) for byte in text))[::2]
    for data in (every_second, memoryview(text), bytearray(text)):
        value, findings = parse_with_findings("TaskEvent", data)
        assert value == parse("TaskEvent", text)
        assert [finding.rule for finding in findings] == ["envelope/newer-version"]
    assert sniff(every_second) == sniff(text)


@pytest.mark.parametrize(
    "wrong", ["ToolResult", "Task", "", "message.Message", "taskevent", None, [], "envelope.Uuid"]
)
def test_what_is_no_queue_message_cannot_be_parsed(wrong: Any) -> None:
    with pytest.raises(UsageError) as caught:
        parse(wrong, TASK)
    assert caught.value.rule == "usage/unknown-type"
    assert "TaskEvent, GetContextRequest" in (caught.value.findings[0].expected or "")


@pytest.mark.parametrize("version", ["v0.1", "v0.9"])
def test_a_mode_that_does_not_exist_is_refused(version: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse("TaskEvent", {**TASK, "schema_version": version}, "lenient")  # type: ignore[call-overload]
    assert caught.value.rule == "usage/unknown-mode"


@pytest.mark.parametrize("version", ["v0.1", "v0.9", "v1.0", "x", None])
@pytest.mark.parametrize("mode", ["lenient", "", None, ["strict"]])
def test_no_version_is_read_in_a_mode_that_does_not_exist(version: Any, mode: Any) -> None:
    with pytest.raises(UsageError) as caught:
        reading_version(version, mode)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.expected) == ("usage/unknown-mode", "strict or tolerant")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b'{"schema_version": 1e999}', b"[" * 9999])
def test_text_that_is_no_json_is_refused(text: bytes) -> None:
    for call in (lambda: parse("TaskEvent", text), lambda: sniff(text)):
        with pytest.raises(ReadError) as caught:
            call()
        assert caught.value.rule.startswith("document/")


# --- versions -------------------------------------------------------------------------------------


@pytest.fixture
def three_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    families = dict.fromkeys(("v0.9", "v0.10", "v1.2"), ("envelope",))
    monkeypatch.setattr("partwire.envelope.parsing.FAMILIES", families)
    monkeypatch.setattr("partwire.envelope.parsing.LATEST_VERSION", "v1.2")


@pytest.mark.usefixtures("three_versions")
@pytest.mark.parametrize(
    ("declared", "tolerant", "strict"),
    [
        ("v0.9", "v0.9", "v0.9"),
        ("v0.10", "v0.10", "v0.10"),
        ("v1.2", "v1.2", "v1.2"),
        ("v1.3", "v1.2", None),
        ("v1.10", "v1.2", None),
        ("v0.8", None, None),
        ("v0.11", None, None),
        ("v1.1", None, None),
        ("v2.0", None, None),
        ("v10.2", None, None),
    ],
)
def test_the_version_by_which_a_message_is_read(
    declared: str, tolerant: str | None, strict: str | None
) -> None:
    found = [read_by(declared, mode) for mode in ("tolerant", "strict")]
    versions = [None if isinstance(each, Finding) else each for each in found]
    assert versions == [tolerant, strict]
    refusals = {each.rule for each in found if isinstance(each, Finding)}
    assert refusals <= {"envelope/unsupported-version"}


def read_by(declared: Any, mode: Any = "tolerant") -> str | Finding:
    """The version by which a message is read, or why it is not."""
    try:
        return reading_version(declared, mode)
    except ReadError as error:
        return error.findings[0]


@pytest.mark.parametrize(
    ("declared", "mode", "said", "expected"),
    [
        ("v0.0", "tolerant", "The sender writes by a version that is not read any more",
         f"{KNOWN}, or a newer v0"),
        ("v0.0", "strict", "The sender writes by a version that is not read any more",
         KNOWN),
        ("v1.0", "tolerant", "a newer partwire is needed to read it",
         f"{KNOWN}, or a newer v0"),
        ("v0.9", "strict", "which strict reading does not take", KNOWN),
        ("0.1", "tolerant", "This is not a version of the contract", f"{KNOWN}, or a newer v0"),
        (7, "tolerant", "This is not a version of the contract", f"{KNOWN}, or a newer v0"),
    ],
)  # fmt: skip
def test_a_refusal_says_who_has_to_change(
    declared: Any, mode: Any, said: str, expected: str
) -> None:
    finding = read_by(declared, mode)
    assert isinstance(finding, Finding)
    assert said in finding.message
    assert (finding.pointer, finding.severity) == ("/schema_version", "error")
    assert (finding.expected, finding.actual) == (expected, json.dumps(declared))


def test_the_note_on_a_newer_version_is_no_error() -> None:
    (finding,) = parse_with_findings("TaskEvent", {**TASK, "schema_version": "v0.9"}).findings
    assert (finding.rule, finding.severity) == ("envelope/newer-version", "info")
    assert (finding.expected, finding.actual) == (LATEST_VERSION, '"v0.9"')
    assert resources.read_rules()["envelope/newer-version"]["severity"] == "info"


@given(python_values)
def test_anything_is_parsed_or_refused(value: Any) -> None:
    for data in (value, {**TASK, "schema_version": value}, {**TASK, "payload": value}):
        with contextlib.suppress(PartwireError):
            parse("TaskEvent", data)
        if not isinstance(data, bytes | bytearray | str):
            assert set(sniff(data)) <= set(MESSAGE_TYPES)


@given(st.sets(st.sampled_from(sorted({name for each in VALID for name in json.loads(each.data)}))))
def test_sniffing_agrees_with_the_schemas(members: set[str]) -> None:
    definitions = bundle("envelope")["$defs"]
    fits = {
        name
        for name in MESSAGE_TYPES
        if set(definitions[name.removeprefix("envelope.")]["required"]) <= members
    }
    found = sniff(dict.fromkeys(members))
    assert set(found) == fits
    named = [
        len(members & set(definitions[name.removeprefix("envelope.")]["properties"]))
        for name in found
    ]
    assert named == sorted(named, reverse=True)


# --- pairs ----------------------------------------------------------------------------------------


def is_pair(first: Any, second: Any) -> bool:
    try:
        check_reply(first, second)
    except UsageError as error:
        return error.rule != "usage/invalid-argument"
    return True


def test_only_replies_are_checked() -> None:
    by_type = {each.type: parse(each.type, each.data) for each in VALID}
    pairs = {
        (type(first).__name__, type(second).__name__)
        for first, second in itertools.product(by_type.values(), repeat=2)
        if is_pair(first, second)
    }
    assert pairs == {
        ("GetContextRequest", "PromptBlocksResponse"),
        ("ToolCallRequest", "ToolCallResponse"),
        ("ReportResultRequest", "EvaluationRequest"),
        ("EvaluationRequest", "EvaluationResponse"),
        ("TaskEvent", "RetryEvent"),
        ("RetryEvent", "RetryEvent"),
    }


@pytest.mark.parametrize("other", [None, {}, "x"])
def test_what_is_no_message_has_no_reply(other: Any) -> None:
    task = parse("TaskEvent", TASK)
    for pair, expected in (
        ((task, other), "RetryEvent"),
        ((other, task), "a message that has a reply"),
    ):
        with pytest.raises(UsageError) as caught:
            check_reply(*pair)
        assert caught.value.findings[0].expected == expected


def test_findings_of_a_pair_show_no_payload() -> None:
    report = parse("ReportResultRequest", next(
        each.data for each in VALID if each.type == "envelope.ReportResultRequest"
    ))  # fmt: skip
    asked = to_wire(report)
    del asked["tool_results"]
    asked |= {"message_id": "0197c6f0-5a00-7000-8000-0000000000d2", "task_results": {"a": "secret"}}
    (finding,) = check_reply(report, parse("EvaluationRequest", asked))
    assert (finding.rule, finding.actual) == ("envelope/results-changed", "object with 1 member")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("message_id", None),
        ("task_id", 7),
        ("task_id", b"x"),
        ("trace_id", None),
        ("trace_id", 7),
        ("retry_count", "1"),
    ],
)
@pytest.mark.parametrize("broken", ["message", "reply"])
def test_structs_made_by_hand_are_looked_at(field: str, value: Any, broken: str) -> None:
    pair = {"message": parse("TaskEvent", TASK), "reply": parse("RetryEvent", TASK)}
    pair[broken] = msgspec.structs.replace(pair[broken], **{field: value})
    with pytest.raises(UsageError) as caught:
        check_reply(**pair)
    (finding,) = caught.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert finding.message == f"{broken}.{field} is wrong"


def test_an_invocation_made_by_hand_is_looked_at() -> None:
    by_type = {each.type: parse(each.type, each.data) for each in VALID}
    request = by_type["envelope.ToolCallRequest"]
    response = msgspec.structs.replace(by_type["envelope.ToolCallResponse"], invocation_id=None)
    with pytest.raises(UsageError) as caught:
        check_reply(request, response)
    assert caught.value.findings[0].message == "reply.invocation_id is wrong"


def test_results_that_hold_themselves_are_refused() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    asked = next(each.data for each in VALID if each.type == "envelope.EvaluationRequest")
    request = parse("EvaluationRequest", asked)
    report = msgspec.structs.replace(REPORT, task_results=endless)
    with pytest.raises(UsageError) as caught:
        check_reply(report, msgspec.structs.replace(request, task_results=endless))
    assert caught.value.findings[0].message == "message.task_results is wrong"


# --- reports --------------------------------------------------------------------------------------

REPORT = parse(
    "ReportResultRequest",
    next(
        each.data
        for each in VALID
        if each.type == "envelope.ReportResultRequest" and json.loads(each.data)["tool_results"]
    ),
)
CALLS = [result.invocation_id for result in REPORT.tool_results]


@pytest.mark.parametrize("ids", [CALLS[0], CALLS[0].encode(), "", None, 7, [None], [b"x"], [[]]])
def test_a_report_is_held_against_several_ids(ids: Any) -> None:
    assert [each.rule for each in check_tool_results(REPORT, iter(CALLS))] == []
    with pytest.raises(UsageError) as caught:
        check_tool_results(REPORT, ids)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.message) == (
        "usage/invalid-argument",
        "invocation_ids is wrong",
    )


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (None, "report"),
        (to_wire(REPORT), "report"),
        (parse("TaskEvent", TASK), "report"),
        (msgspec.structs.replace(REPORT, tool_results=None), "report.tool_results"),
        (msgspec.structs.replace(REPORT, tool_results=[{}]), "report.tool_results[0]"),
        (
            msgspec.structs.replace(
                REPORT,
                tool_results=[msgspec.structs.replace(REPORT.tool_results[0], invocation_id=7)],
            ),
            "report.tool_results[0].invocation_id",
        ),
    ],
    ids=["none", "document", "other", "no results", "no result", "no id"],
)
def test_what_is_no_report_is_refused(report: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_tool_results(report, CALLS)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.message) == ("usage/invalid-argument", f"{said} is wrong")
