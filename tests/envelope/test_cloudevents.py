"""Queue messages as CloudEvents: the cases of the fixtures, and what calls refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import read_catalog, read_rules
from partwire.envelope import MESSAGE_TYPES, parse, task_event
from partwire.envelope.cloudevents import (
    CloudEvent,
    event_type,
    from_cloudevent,
    from_http,
    from_kafka,
    to_cloudevent,
    to_http,
    to_kafka,
    to_structured,
)
from partwire.errors import PartwireError, ReadError, UsageError
from partwire.reading.pipeline import to_wire
from partwire.v0_1.structs import envelope as v0_1
from tests.fixture_cases import SCHEMAS, Case, cases

Json = dict[str, Any]

CASES: Final = cases("cloudevents")
WRITE: Final = [case for case in CASES if case.spec["call"] == "write"]
READ: Final = [case for case in CASES if case.spec["call"] == "read"]
REFUSED: Final = [case for case in READ if not case.result]


def named(case: Case) -> str:
    return case.id


def test_every_side_has_cases() -> None:
    assert len(WRITE) >= 20
    assert len(REFUSED) >= 60
    assert len(READ) - len(REFUSED) >= 25
    forms = [case.spec["form"] for case in READ]
    assert min(forms.count(form) for form in ("structured", "http", "kafka")) >= 8


def test_every_message_is_written_by_a_case() -> None:
    assert {case.spec["type"] for case in WRITE} == set(MESSAGE_TYPES)


# --- writing --------------------------------------------------------------------------------------


def written(case: Case) -> CloudEvent:
    message = parse(case.spec["type"], case.data("input"))
    return to_cloudevent(message, **case.spec["given"])


@pytest.mark.parametrize("case", WRITE, ids=named)
def test_write_structured(case: Case) -> None:
    event = written(case)
    assert json.loads(to_structured(event)) == case.value("event")
    request = to_http(event, "structured")
    assert request.headers == {"content-type": "application/cloudevents+json"}
    assert json.loads(request.body) == case.value("event")
    record = to_kafka(event, "structured")
    assert record.headers == [("content-type", b"application/cloudevents+json")]
    assert json.loads(record.value) == case.value("event")
    assert record.key == as_key(case)


def as_key(case: Case) -> bytes | None:
    key = case.value("kafka")["key"]
    return None if key is None else key.encode()


@pytest.mark.parametrize("case", WRITE, ids=named)
def test_write_http(case: Case) -> None:
    expected = case.value("http")
    request = to_http(written(case))
    assert request.headers == dict(expected["headers"])
    assert json.loads(request.body) == expected["body"]
    assert all(value.isascii() and value.isprintable() for value in request.headers.values())


@pytest.mark.parametrize("case", WRITE, ids=named)
def test_write_kafka(case: Case) -> None:
    expected = case.value("kafka")
    record = to_kafka(written(case))
    assert record.key == as_key(case)
    assert dict(record.headers) == {name: value.encode() for name, value in expected["headers"]}
    assert len(record.headers) == len(expected["headers"])
    assert json.loads(record.value) == expected["body"]


@pytest.mark.parametrize("case", WRITE, ids=named)
def test_what_is_written_is_read_again(case: Case) -> None:
    event = written(case)
    request, record = to_http(event), to_kafka(event)
    bare = {name: value for name, value in event.attributes.items() if isinstance(value, str)}
    for read in (
        from_cloudevent(to_structured(event)),
        from_http(request.headers, request.body),
        from_kafka(record.headers, record.value),
    ):
        assert read.message == event.message
        assert bare.items() <= read.attributes.items()
        assert read.attributes.keys() == event.attributes.keys()
        assert read.findings == ()
    assert from_cloudevent(to_structured(event)) == event


# --- reading --------------------------------------------------------------------------------------


def read_case(case: Case) -> CloudEvent:
    mode = case.spec.get("mode", "tolerant")
    given = case.value("input")
    if case.spec["form"] == "structured":
        return from_cloudevent(case.data("input"), mode)
    body: Any = json.dumps(given["body"]).encode() if "body" in given else given["text"]
    body = body.encode() if isinstance(body, str) else body
    if case.spec["form"] == "http":
        return from_http(given["headers"], body, mode)
    headers = [(name, value.encode()) for name, value in given["headers"]]
    return from_kafka(headers, body, mode)


def places(findings: Any) -> list[Json]:
    return [{"rule": each.rule, "pointer": each.pointer} for each in findings]


def outcome(call: Callable[[], CloudEvent]) -> Json:
    """What reading gives, or its refusal as data; anything but ours fails the test."""
    try:
        event = call()
    except PartwireError as error:
        return {"error": places(error.findings)}
    return {"value": to_wire(event.message), "findings": places(event.findings)}


@pytest.mark.parametrize("case", READ, ids=named)
def test_read(case: Case) -> None:
    expected = (
        {"error": [case.expect["error"]]}
        if case in REFUSED
        else {
            "value": case.value("message"),
            "findings": case.spec.get("findings", []),
        }
    )
    assert outcome(lambda: read_case(case)) == expected


@pytest.mark.parametrize(
    "case", [case for case in READ if case.spec["form"] == "structured"], ids=named
)
def test_a_json_value_is_read_as_its_text_is(case: Case) -> None:
    value = case.value("input")
    before = json.dumps(value)
    mode = case.spec.get("mode", "tolerant")
    assert outcome(lambda: from_cloudevent(value, mode)) == outcome(lambda: read_case(case))
    assert json.dumps(value) == before


@pytest.mark.parametrize("case", [case for case in READ if case not in REFUSED], ids=named)
def test_what_is_read_can_be_sent_on(case: Case) -> None:
    event = read_case(case)
    request, record = to_http(event), to_kafka(event)
    again = from_http(request.headers, request.body)
    assert again.message == event.message
    assert from_kafka(record.headers, record.value).message == event.message
    assert from_cloudevent(to_structured(event)).message == event.message


def test_refusals_say_expected_and_actual() -> None:
    for case in REFUSED:
        with pytest.raises(ReadError) as caught:
            read_case(case)
        (finding,) = caught.value.findings
        assert finding.expected or not finding.rule.startswith("cloudevents/"), case.id


def test_all_that_is_wrong_with_attributes_is_told_at_once() -> None:
    event = {"specversion": "0.3", "id": 7, "source": "", "Tenant": "a", "data": {}}
    with pytest.raises(ReadError) as caught:
        from_cloudevent(event)
    assert [(each.rule, each.pointer) for each in caught.value.findings] == [
        ("cloudevents/missing-attribute", ""),
        ("cloudevents/specversion", "/specversion"),
        ("cloudevents/attribute-type", "/id"),
        ("cloudevents/attribute-type", "/source"),
        ("cloudevents/attribute-name", "/Tenant"),
    ]


# --- calls ----------------------------------------------------------------------------------------


def a_task(**more: Any) -> Any:
    return task_event(
        task_id="190efc4c-3094-41d4-a6dc-4a0e140bd73e",
        payload={},
        max_attempts=3,
        clock=lambda: "2026-01-02T03:04:05Z",
        make_id=lambda: "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        **more,
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": ""}, "source has another type"),
        ({"source": "a b"}, "source has another type"),
        ({"source": None}, "source has another type"),
        ({"sequence": 0}, "sequence is wrong"),
        ({"sequence": 2**31}, "sequence is wrong"),
        ({"sequence": True}, "sequence is wrong"),
        ({"sequence": "7"}, "sequence is wrong"),
        ({"traceparent": "00-1"}, "traceparent has another type"),
        ({"traceparent": ""}, "traceparent has another type"),
        ({"extensions": {"id": "7"}}, "No extension"),
        ({"extensions": {"partitionkey": "7"}}, "No extension"),
        ({"extensions": {7: "7"}}, "No extension"),
        ({"extensions": {"Tenant": "a"}}, "No name for an attribute"),
        ({"extensions": {"tenant": None}}, "tenant has another type"),
        ({"extensions": {"tenant": 1.5}}, "tenant has another type"),
        ({"extensions": {"tenant": "a\ud800"}}, "tenant has another type"),
    ],
    ids=str,
)
def test_arguments_that_no_event_may_have(given: Json, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        to_cloudevent(a_task(), **{"source": "/queue", **given})
    (finding,) = caught.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert finding.message.startswith(said)
    assert finding.expected
    assert finding.actual


@pytest.mark.parametrize(
    "message", [None, {}, "TaskEvent", object()], ids=["null", "object", "text", "other"]
)
def test_only_queue_messages_are_events(message: Any) -> None:
    with pytest.raises(UsageError, match="message is wrong"):
        to_cloudevent(message, source="/queue")


def test_a_tool_result_is_no_message_of_its_own() -> None:
    result = v0_1.ToolResult(
        invocation_id="0197c6f0-5a00-7000-8000-0000000000a1",
        tool_id="0197c6f0-5a00-7000-8000-0000000000b1",
        result_type="tool_result",
        data={},
        created_at="2026-01-02T03:04:05Z",
    )
    with pytest.raises(UsageError, match="message is wrong"):
        to_cloudevent(result, source="/queue")


def test_a_message_made_by_hand_that_is_not_valid_is_not_sent() -> None:
    message = v0_1.TaskEvent(
        message_id="7",
        sent_at="now",
        schema_version="v0.1",
        task_id="7",
        payload={},
        retry_count=0,
        max_attempts=0,
    )
    with pytest.raises(PartwireError) as caught:
        to_cloudevent(message, source="/queue")
    assert {each.pointer for each in caught.value.findings} >= {"/message_id", "/sent_at"}


WRONG_CALLS: Final[list[tuple[Callable[..., Any], list[Any]]]] = [
    (to_http, ["event", "batched"]),
    (to_kafka, ["event", "Binary"]),
    (to_kafka, ["event", None]),
    (from_http, [None, b""]),
    (from_http, [7, b""]),
    (from_http, [["ce-id"], b""]),
    (from_http, [[(b"ce-id", b"7")], b""]),
    (from_kafka, [[("ce_id",)], b""]),
    (from_http, [{}, "text"]),
    (from_kafka, [{}, 7]),
]


@pytest.mark.parametrize(("call", "arguments"), WRONG_CALLS)
def test_calls_that_are_wrong(call: Callable[..., Any], arguments: list[Any]) -> None:
    event = to_cloudevent(a_task(), source="/queue")
    with pytest.raises(UsageError) as caught:
        call(*(event if each == "event" else each for each in arguments))
    assert caught.value.rule == "usage/invalid-argument"


def test_modes_that_are_not_known() -> None:
    event = to_structured(to_cloudevent(a_task(), source="/queue"))
    with pytest.raises(UsageError) as caught:
        from_cloudevent(event, "lenient")  # type: ignore[arg-type]
    assert caught.value.rule == "usage/unknown-mode"


@pytest.mark.parametrize("value", [b"\xff", "text", None, 7], ids=str)
def test_a_record_whose_header_is_no_text(value: Any) -> None:
    record = to_kafka(to_cloudevent(a_task(), source="/queue"))
    headers = [*record.headers, ("ce_tenant", value)]
    with pytest.raises(ReadError) as caught:
        from_kafka(headers, record.value)
    assert caught.value.rule == "cloudevents/header"
    assert from_kafka([*record.headers, ("other", value)], record.value).findings == ()


def test_a_header_of_http_that_is_no_text() -> None:
    request = to_http(to_cloudevent(a_task(), source="/queue"))
    with pytest.raises(ReadError) as caught:
        from_http({**request.headers, "ce-id": 7}, request.body)  # type: ignore[arg-type]
    assert caught.value.rule == "cloudevents/header"


@pytest.mark.parametrize(
    "value",
    [{1: 2}, {"a": float("nan")}, {"data": object()}],
    ids=["number-as-name", "nan", "other"],
)
def test_python_values_that_are_no_json(value: Any) -> None:
    with pytest.raises(ReadError):
        from_cloudevent(value)


def test_bytes_of_every_kind_are_read() -> None:
    request = to_http(to_cloudevent(a_task(), source="/queue"))
    kinds: list[Callable[[bytes], Any]] = [bytes, bytearray, memoryview]
    for kind in kinds:
        assert from_http(request.headers, kind(request.body)).message == a_task()


# --- the mapping against the schemas --------------------------------------------------------------


def schema_ids(version: str) -> dict[str, str]:
    """Return message → ``$id`` of the file that defines it."""
    found = {}
    for path in Path(SCHEMAS / version / "envelope").glob("*.schema.json"):
        document = json.loads(path.read_bytes())
        found.update(dict.fromkeys(document["$defs"], document["$id"]))
    return found


@pytest.mark.parametrize("version", list(read_catalog()))
def test_dataschema_is_where_the_type_is_defined(version: str) -> None:
    ids = schema_ids(version)
    for case in WRITE:
        event = written(case)
        name = case.spec["type"].removeprefix("envelope.")
        if event.message.schema_version == version:
            assert event.attributes["dataschema"] == ids[name]


def test_types_have_the_major_version_alone() -> None:
    assert event_type("TaskEvent", LATEST_VERSION) == "dev.partwire.envelope.TaskEvent.v0"
    assert event_type("RetryEvent", "v12.7") == "dev.partwire.envelope.RetryEvent.v12"


def test_sequences_sort_as_text() -> None:
    counts = [1, 9, 10, 99, 1000, 2**31 - 1]
    told = [
        str(to_cloudevent(a_task(), source="/queue", sequence=count).attributes["sequence"])
        for count in counts
    ]
    assert sorted(told) == told
    assert [int(each) for each in told] == counts


def test_the_example_of_the_page_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "events.md").read_text("utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    names: Json = {}
    exec(code, names)
    assert names["event"].attributes["sequence"] == "0000000007"
    rules = {rule for rule in read_rules() if rule.startswith("cloudevents/")}
    assert {rule for rule in rules if f"`{rule}`" in page} == rules
    assert f": {len(CASES)} of them" in page
