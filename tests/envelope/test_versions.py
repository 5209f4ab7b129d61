"""Queue messages between services of two contract versions: read, answered, written for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from partwire import ReadError, UsageError, WriteError, dump, read, to_wire, validate
from partwire.contract.current import LATEST_VERSION
from partwire.contract.current import envelope as current
from partwire.convert import VERSIONS, downgrade
from partwire.envelope import (
    MESSAGE_TYPES,
    check_reply,
    check_tool_results,
    parse,
    parse_with_findings,
    retry_event,
    sniff,
)
from partwire.v0_1.structs import envelope as v0_1
from tests.envelope.test_constructors import AT, MADE, MESSAGE_ID, RETRY_ID, SENT, all_made
from tests.fixture_cases import documents

RETRY: dict[str, Any] = {"clock": lambda: AT, "make_id": lambda: RETRY_ID}
OLD = [each for each in documents() if each.valid and each.type in MESSAGE_TYPES]
OLD = [each for each in OLD if each.version == "v0.1"]


def task_of(version: str) -> Any:
    _, make, fields = MADE[0]
    return make(**fields, **SENT, version=version)


@all_made
def test_a_message_for_peers_of_v0_1_is_one_of_v0_1(
    name: str, make: Callable[..., Any], fields: dict[str, Any]
) -> None:
    message = make(**fields, **SENT, version="v0.1")
    assert type(message) is getattr(current, name)
    document = to_wire(message)
    assert document["schema_version"] == "v0.1"
    assert "message_type" not in document
    ours = to_wire(make(**fields, **SENT))
    assert document == {
        **{member: value for member, value in ours.items() if member != "message_type"},
        "schema_version": "v0.1",
    }
    known = read(dump(message), f"envelope.{name}", "strict", "v0.1")
    assert type(known) is getattr(v0_1, name)
    assert to_wire(known) == document


@pytest.mark.parametrize("version", ["v0.0", "v0.9", "v9.0", "", None, 1, ["v0.1"]])
@all_made
def test_a_version_that_is_not_known_is_refused(
    name: str, make: Callable[..., Any], fields: dict[str, Any], version: Any
) -> None:
    with pytest.raises(UsageError) as caught:
        make(**fields, **SENT, version=version)
    assert caught.value.rule == "usage/unknown-version", name


def test_what_v0_1_cannot_write_is_refused_there_too() -> None:
    with pytest.raises(WriteError):
        MADE[0][1](**{**MADE[0][2], "payload": None}, **SENT, version="v0.1")


# --- read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", OLD, ids=[document.id for document in OLD])
def test_messages_of_v0_1_are_given_as_ours_and_say_v0_1(document: Any) -> None:
    message = parse(document.type, document.data)
    assert type(message) is getattr(current, document.type.removeprefix("envelope."))
    assert (message.schema_version, message.message_type) == ("v0.1", msgspec.UNSET)
    assert to_wire(message) == document.written
    # For a peer of v0.1 it is what it was.
    assert to_wire(downgrade(message, "v0.1").value) == document.written
    assert validate(dump(message), document.type, "v0.1") == validate(
        document.data, document.type, "v0.1"
    )


def test_what_v0_1_refuses_is_refused_by_its_own_types() -> None:
    broken = {**to_wire(task_of("v0.1")), "retry_count": -1}
    with pytest.raises(ReadError) as caught:
        parse("TaskEvent", broken)
    assert [each.rule for each in caught.value.findings] == ["shape/minimum"]


def test_a_type_is_looked_at_in_every_form_of_a_message() -> None:
    retry = retry_event(task_of("v0.2"), **RETRY)
    for form in (retry, to_wire(retry), dump(retry), bytearray(dump(retry))):
        assert parse("RetryEvent", form) == retry
        with pytest.raises(ReadError) as caught:
            parse("TaskEvent", form)
        (finding,) = caught.value.findings
        assert finding.rule == "envelope/message-type-mismatch"
        assert (finding.expected, finding.actual) == ("TaskEvent", '"RetryEvent"')
    assert sniff(dump(retry)) == ["envelope.RetryEvent"]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_made_is_found_to_be_that(version: str) -> None:
    for name, make, fields in MADE:
        message = make(**fields, **SENT, version=version)
        found = sniff(dump(message))
        assert f"envelope.{name}" in found
        assert len(found) == 1 or version == "v0.1"
        result = parse_with_findings(found[0], dump(message))
        assert result.findings == []
        assert version == "v0.1" or result.value == message


# --- retried and answered ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "asked", "written"),
    [
        ("v0.1", None, "v0.1"),
        ("v0.2", None, "v0.2"),
        ("v0.77", None, LATEST_VERSION),
        (7, None, LATEST_VERSION),
        (["v0.1"], None, LATEST_VERSION),
        ("v0.1", "v0.2", "v0.2"),
        ("v0.2", "v0.1", "v0.1"),
    ],
)
def test_a_retry_is_written_by_the_version_of_its_task(task: Any, asked: Any, written: str) -> None:
    event = msgspec.structs.replace(task_of("v0.2"), schema_version=task)
    document = to_wire(retry_event(event, **RETRY, version=asked))
    assert document["schema_version"] == written
    assert document.get("message_type") == (None if written == "v0.1" else "RetryEvent")


def test_a_struct_of_v0_1_is_retried() -> None:
    task: Any = read(dump(task_of("v0.1")), "envelope.TaskEvent", version="v0.1")
    assert type(task).__module__ == v0_1.__name__
    first = retry_event(task, **RETRY)
    assert first == retry_event(task_of("v0.1"), **RETRY)
    assert check_reply(task, first) == []
    older = read(dump(first), "envelope.RetryEvent", version="v0.1")
    again = retry_event(older, **{**RETRY, "make_id": lambda: MESSAGE_ID})
    assert again.schema_version == "v0.1"
    assert [each.rule for each in check_reply(again, older)] == ["envelope/retry-not-raised"]


def test_a_report_of_v0_1_is_held_against_its_calls() -> None:
    data = next(
        each.data
        for each in OLD
        if each.type == "envelope.ReportResultRequest" and json.loads(each.data)["tool_results"]
    )
    report = read(data, "envelope.ReportResultRequest", version="v0.1")
    ids = [each.invocation_id for each in report.tool_results]
    assert check_tool_results(report, ids) == []
    assert {each.rule for each in check_tool_results(report, [RETRY_ID])} == {
        "envelope/unknown-invocation",
        "envelope/unanswered-invocation",
    }


def test_structs_of_other_families_are_no_messages() -> None:
    class TaskEvent:
        __module__ = "elsewhere.v0_1.structs.envelope"

    part = read({"kind": "text", "payload": {"text": ""}}, "message.TextPart")
    mine: Any = TaskEvent()
    for wrong in (part, mine):
        with pytest.raises(UsageError):
            retry_event(wrong, **RETRY)
        with pytest.raises(UsageError):
            check_reply(wrong, task_of("v0.2"))
