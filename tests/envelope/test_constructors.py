"""Constructors of queue messages: a filled envelope, and nothing that cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from partwire import UsageError, WriteError, dump, read, to_wire, validate
from partwire.contract.current import LATEST_VERSION
from partwire.contract.current.envelope import RetryEvent, TaskEvent, ToolError
from partwire.envelope import (
    MESSAGE_TYPES,
    AttemptsExhausted,
    evaluation_request,
    evaluation_response,
    get_context_request,
    prompt_blocks_response,
    report_result_request,
    retry_event,
    task_event,
    tool_call_request,
    tool_call_response,
    tool_result,
)
from tests.fixture_cases import documents

MESSAGE_ID = "0197c6f0-5a00-7000-8000-0000000000d2"
RETRY_ID = "0197c6f0-5a00-7000-8000-0000000000d3"
TASK = "190efc4c-3094-41d4-a6dc-4a0e140bd73e"
CALL = "0197c6f0-5a00-7000-8000-0000000000a1"
TOOL = "0197c6f0-5a00-7000-8000-0000000000b1"
AT = "2025-07-15T02:03:04Z"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
FAILED = ToolError(code="not_found", message="No such city")
SENT: dict[str, Any] = {"clock": lambda: AT, "make_id": lambda: MESSAGE_ID}
RESULT = tool_result(invocation_id=CALL, tool_id=TOOL, data={"celsius": 4}, clock=lambda: AT)

# type, constructor, what it is given
MADE: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("TaskEvent", task_event,
     {"task_id": TASK, "payload": {"a": [1]}, "max_attempts": 3, "retry_count": 1}),
    ("GetContextRequest", get_context_request,
     {"agent_id": TOOL, "task_id": TASK, "globals": {"language": "en"}}),
    ("PromptBlocksResponse", prompt_blocks_response,
     {"system": "s", "task": "t", "allowed_tools": "[]", "context_data": "c", "instruction": "i"}),
    ("ToolCallRequest", tool_call_request,
     {"invocation_id": CALL, "tool_name": "weather", "tool_version": "2", "args": {}}),
    ("ToolCallResponse", tool_call_response, {"invocation_id": CALL, "data": {"celsius": 4}}),
    ("ToolCallResponse", tool_call_response, {"invocation_id": CALL, "error": FAILED}),
    ("ReportResultRequest", report_result_request,
     {"task_id": TASK, "tool_results": [RESULT], "task_results": {"report": "rain"}}),
    ("EvaluationRequest", evaluation_request,
     {"task_id": TASK, "task_results": {"report": "rain"}}),
    ("EvaluationResponse", evaluation_response,
     {"task_id": TASK, "status": "pass", "score": 92, "next_action": "none"}),
]  # fmt: skip
IDS = [f"{name}-{index}" for index, (name, _, _) in enumerate(MADE)]
all_made = pytest.mark.parametrize(("name", "make", "fields"), MADE, ids=IDS)


@all_made
def test_a_message_is_whole(name: str, make: Callable[..., Any], fields: dict[str, Any]) -> None:
    message = make(**fields, **SENT)
    assert type(message).__name__ == name
    document = to_wire(message)
    assert {
        field: document.pop(field)
        for field in ("message_id", "sent_at", "schema_version", "message_type")
    } == {
        "message_id": MESSAGE_ID,
        "sent_at": AT,
        "schema_version": LATEST_VERSION,
        "message_type": name,
    }
    given = {field: to_wire(value) if value is FAILED else value for field, value in fields.items()}
    if "tool_results" in given:
        given["tool_results"] = [to_wire(RESULT)]
    if name == "ToolCallResponse":
        given["success"] = "data" in fields
    assert document == given
    assert validate(message, f"envelope.{name}") == []
    assert read(dump(message), f"envelope.{name}") == message


@pytest.mark.parametrize("trace", [TRACE, None, UNSET])
@all_made
def test_a_trace_is_carried_or_absent(
    name: str, make: Callable[..., Any], fields: dict[str, Any], trace: Any
) -> None:
    message = make(**fields, **SENT, trace_id=trace)
    assert to_wire(message).get("trace_id", None) == (trace if trace == TRACE else None)
    assert ("trace_id" in to_wire(message)) is (trace == TRACE)


@pytest.mark.parametrize(
    ("broken", "pointer"),
    [
        ({"clock": lambda: "yesterday"}, "/sent_at"),
        ({"clock": lambda: "2025-02-30T00:00:00Z"}, "/sent_at"),
        ({"make_id": lambda: "msg_1"}, "/message_id"),
        ({"make_id": lambda: 7}, "/message_id"),
        ({"trace_id": ""}, "/trace_id"),
        ({"trace_id": 7}, "/trace_id"),
    ],
)
@all_made
def test_a_broken_envelope_is_refused(
    name: str,
    make: Callable[..., Any],
    fields: dict[str, Any],
    broken: dict[str, Any],
    pointer: str,
) -> None:
    with pytest.raises(WriteError) as caught:
        make(**{**fields, **SENT, **broken})
    assert {finding.pointer for finding in caught.value.findings} == {pointer}


@pytest.mark.parametrize(
    ("make", "fields", "rule", "pointer"),
    [
        (task_event, {"payload": None}, "shape/null", "/payload"),
        (task_event, {"payload": {"x": float("nan")}}, "document/not-finite", "/payload/x"),
        (task_event, {"payload": {"x": (1,)}}, "shape/type", "/payload/x"),
        (task_event, {"task_id": "task 1"}, "shape/min-length", "/task_id"),
        (task_event, {"retry_count": -1}, "shape/minimum", "/retry_count"),
        (task_event, {"max_attempts": True}, "shape/type", "/max_attempts"),
        (evaluation_response, {"status": "great"}, "shape/enum", "/status"),
        (evaluation_response, {"score": 101}, "shape/maximum", "/score"),
        (evaluation_response, {"next_action": "escalate"}, "shape/enum", "/next_action"),
        (report_result_request, {"tool_results": [7]}, "shape/type", "/tool_results/0"),
        (tool_call_request, {"tool_name": ""}, "shape/min-length", "/tool_name"),
        (tool_call_response, {"data": [1]}, "shape/type", "/data"),
    ],
)
def test_a_bad_field_is_refused(
    make: Callable[..., Any], fields: dict[str, Any], rule: str, pointer: str
) -> None:
    good = next(each for _, constructor, each in MADE if constructor is make)
    with pytest.raises(WriteError) as caught:
        make(**{**good, **SENT, **fields})
    assert (caught.value.rule, caught.value.findings[0].pointer) == (rule, pointer)


@pytest.mark.parametrize("fields", [{}, {"data": {}, "error": FAILED}])
def test_a_response_is_a_success_or_a_failure(fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        tool_call_response(invocation_id=CALL, **fields, **SENT)
    assert caught.value.rule == "usage/invalid-argument"


def test_a_bad_tool_result_is_refused() -> None:
    with pytest.raises(WriteError) as caught:
        tool_result(invocation_id="call 1", tool_id=TOOL, data={}, clock=lambda: AT)
    assert caught.value.findings[0].pointer == "/invocation_id"
    other = tool_result(
        invocation_id=CALL, tool_id=TOOL, data={}, result_type="image", clock=lambda: AT
    )
    assert (RESULT.result_type, other.result_type, other.created_at) == ("tool_result", "image", AT)


def test_clock_and_ids_are_asked_once_per_message() -> None:
    asked: list[str] = []

    def clock() -> str:
        asked.append("clock")
        return AT

    def make_id() -> str:
        asked.append("id")
        return MESSAGE_ID

    for _, make, fields in MADE:
        asked.clear()
        make(**fields, clock=clock, make_id=make_id)
        assert sorted(asked) == ["clock", "id"]


def test_every_message_has_a_constructor() -> None:
    made = {f"envelope.{name}" for name, _, _ in MADE}
    assert set(MESSAGE_TYPES) - made == {"envelope.RetryEvent"}


# --- retries --------------------------------------------------------------------------------------


def new_task(**fields: Any) -> TaskEvent:
    return task_event(**{**MADE[0][2], **SENT, **fields})


def test_retries_end_where_the_sender_says() -> None:
    event: TaskEvent | RetryEvent = new_task(retry_count=0, max_attempts=3, trace_id=TRACE)
    for count in (1, 2, 3):
        event = retry_event(
            event, clock=lambda: AT, make_id=[MESSAGE_ID, RETRY_ID][count % 2].lower
        )
        assert (event.retry_count, event.trace_id, event.payload) == (count, TRACE, {"a": [1]})
    with pytest.raises(AttemptsExhausted) as caught:
        retry_event(event, **SENT)
    (finding,) = caught.value.findings
    assert finding == (
        "envelope/attempts-exhausted",
        "One retry more is asked for than the task's sender allows",
        "/retry_count",
        "error",
        "at most 3 (max_attempts)",
        "4",
        None,
        None,
    )


def test_a_retry_of_nothing_is_refused() -> None:
    for wrong in (to_wire(new_task()), None, evaluation_request(**MADE[7][2], **SENT)):
        with pytest.raises(UsageError) as caught:
            retry_event(wrong, **SENT)  # type: ignore[arg-type]
        assert caught.value.rule == "usage/invalid-argument"


def test_a_retry_without_an_id_of_its_own_shows() -> None:
    with pytest.raises(WriteError):
        retry_event(new_task(), clock=lambda: AT, make_id=lambda: "")


@pytest.mark.parametrize("again", [MESSAGE_ID, MESSAGE_ID.upper()])
def test_a_retry_has_not_the_id_of_what_it_retries(again: str) -> None:
    """A queue that knows messages by their id would drop it as a duplicate."""
    task = new_task()
    retry = msgspec.structs.replace(
        retry_event(task, clock=lambda: AT, make_id=lambda: RETRY_ID), message_id=MESSAGE_ID
    )
    for source in (task, retry):
        with pytest.raises(WriteError) as caught:
            retry_event(source, clock=lambda: AT, make_id=lambda: again)
        (finding,) = caught.value.findings
        assert (finding.rule, finding.pointer) == ("envelope/message-id-reused", "/message_id")
        assert finding.actual == f'"{again}"'


@pytest.mark.parametrize(
    ("field", "value"),
    [("retry_count", "1"), ("max_attempts", None), ("message_id", 7), ("trace_id", None)],
)
def test_a_task_made_by_hand_is_looked_at(field: str, value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        retry_event(msgspec.structs.replace(new_task(), **{field: value}), **SENT)
    (finding,) = caught.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert finding.message == f"task_event.{field} is wrong"


def test_a_task_beyond_its_attempts_is_sent_and_not_retried() -> None:
    """No document forbids it: a warning for whoever validates, and no more attempts."""
    task = new_task(retry_count=4, max_attempts=3)
    (finding,) = validate(task, "envelope.TaskEvent")
    assert (finding.rule, finding.severity) == ("envelope/retry-count", "warning")
    with pytest.raises(AttemptsExhausted):
        retry_event(task, **SENT)


@pytest.mark.parametrize("source", ["clock", "make_id"])
@all_made
def test_clock_and_make_id_are_called(
    name: str, make: Callable[..., Any], fields: dict[str, Any], source: str
) -> None:
    with pytest.raises(UsageError) as caught:
        make(**{**fields, **SENT, source: AT})
    (finding,) = caught.value.findings
    assert (finding.message, finding.actual) == (f"{source} is wrong", f'"{AT}"'), name


def test_the_clock_of_a_result_is_called() -> None:
    with pytest.raises(UsageError):
        tool_result(invocation_id=CALL, tool_id=TOOL, data={}, clock=AT)  # type: ignore[arg-type]


@pytest.mark.parametrize("results", [RESULT, None, "", b"", {}, 7])
def test_a_report_has_several_results(results: Any) -> None:
    with pytest.raises(UsageError) as caught:
        report_result_request(task_id=TASK, tool_results=results, task_results={}, **SENT)
    assert caught.value.rule == "usage/invalid-argument"


def test_every_task_of_the_fixtures_can_be_retried_or_has_no_attempt_left() -> None:
    ends = []
    for document in documents():
        if document.valid and document.type in ("envelope.TaskEvent", "envelope.RetryEvent"):
            task = read(document.data, document.type, "tolerant")
            try:
                retried = retry_event(task, **SENT)
                assert retried.retry_count == task.retry_count + 1 <= task.max_attempts
                ends.append("retried")
            except AttemptsExhausted:
                assert task.retry_count >= task.max_attempts
                ends.append("exhausted")
    assert set(ends) == {"retried", "exhausted"}
