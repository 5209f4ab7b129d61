"""One constructor per queue message: it fills the envelope, and what it returns can be written.

``clock`` gives the time of sending (RFC 3339, with a zone), ``make_id`` a UUID; each is called
once per message. ``trace_id`` may be what another message has, absent or not. ``version`` is the
contract version that the message is written by: an older one for peers that read no other; such a
message does not say its type. Objects such as ``payload`` are taken over, not copied. All raise
WriteError with the findings where a message would not be valid; what is a warning in a message is
none here. UsageError ``usage/invalid-argument`` is for arguments that no message could be made
of, ``usage/unknown-version`` for a version that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from msgspec import UNSET, UnsetType

from ..contract.current import LATEST_VERSION
from ..contract.current.envelope import (
    EvaluationRequest,
    EvaluationResponse,
    GetContextRequest,
    PromptBlocksResponse,
    ReportResultRequest,
    RetryEvent,
    TaskEvent,
    ToolCallRequest,
    ToolCallResponse,
    ToolError,
    ToolResult,
)
from ..convert import VERSIONS
from ..errors import Finding, PartwireError, WriteError, bad_argument, clip
from ..reading.pipeline import dump
from .arguments import require_fields
from .versions import as_version, name_of

__all__ = [
    "AttemptsExhausted",
    "Clock",
    "IdMaker",
    "TraceId",
    "evaluation_request",
    "evaluation_response",
    "get_context_request",
    "prompt_blocks_response",
    "report_result_request",
    "retry_event",
    "task_event",
    "tool_call_request",
    "tool_call_response",
    "tool_result",
]

Clock: TypeAlias = Callable[[], str]
IdMaker: TypeAlias = Callable[[], str]
TraceId: TypeAlias = str | UnsetType | None
"""A trace id; None and UNSET both stand for none."""

Object: TypeAlias = dict[str, Any]
_TASKS: Final = {"TaskEvent", "RetryEvent"}
_Value = TypeVar("_Value")


class AttemptsExhausted(PartwireError):
    """A retry of a task that its sender does not allow to be tried again."""


def _sent(
    message: type[_Value],
    fields: Object,
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId,
    version: str,
) -> _Value:
    _require_callable("clock", clock)
    _require_callable("make_id", make_id)
    # Every message has the envelope's parameters beside its own, which no type says of all at once.
    make = cast(Callable[..., _Value], message)
    made = make(
        message_id=make_id(),
        sent_at=clock(),
        schema_version=LATEST_VERSION,
        message_type=message.__name__,
        trace_id=UNSET if trace_id is None else trace_id,
        **fields,
    )
    return as_version(_checked(made), version)


def _require_callable(name: str, value: object) -> None:
    if not callable(value):
        raise bad_argument(
            f"{name} is wrong", "a function without parameters that returns text", value
        )


def _checked(value: _Value) -> _Value:
    dump(value)  # raises WriteError for what cannot be written
    return value


def task_event(
    *,
    task_id: str,
    payload: Object,
    max_attempts: int,
    retry_count: int = 0,
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> TaskEvent:
    """Return a task for an agent, from the event queue.

    No document says that ``retry_count`` stays within ``max_attempts``: a task beyond it can be
    made and sent. Validating warns of it (``envelope/retry-count``), and it is not retried.
    """
    fields = {
        "task_id": task_id,
        "payload": payload,
        "retry_count": retry_count,
        "max_attempts": max_attempts,
    }
    return _sent(TaskEvent, fields, clock, make_id, trace_id, version)


def retry_event(
    task_event: TaskEvent | RetryEvent,
    *,
    clock: Clock,
    make_id: IdMaker,
    version: str | None = None,
) -> RetryEvent:
    """Return the event that has a task tried again: ``retry_count`` is one more.

    Task, payload and trace stay; the message id is a new one. A retry may be retried. Where no
    ``version`` is given, a retry is written by the version of ``task_event``: whoever could read
    the task can read the retry. Of a version that is not known, it is written by ours. Raises
    AttemptsExhausted ``envelope/attempts-exhausted`` where the count would pass
    ``max_attempts``, WriteError ``envelope/message-id-reused`` where ``make_id`` gives the id of
    ``task_event`` again, UsageError ``usage/invalid-argument`` for what is not such an event.
    """
    if name_of(task_event) not in _TASKS:
        raise bad_argument("task_event is wrong", "a TaskEvent or RetryEvent", task_event)
    require_fields("task_event", task_event)
    count = task_event.retry_count + 1
    if count > task_event.max_attempts:
        raise AttemptsExhausted(
            Finding(
                "envelope/attempts-exhausted",
                "One retry more is asked for than the task's sender allows",
                "/retry_count",
                expected=f"at most {task_event.max_attempts} (max_attempts)",
                actual=str(count),
            )
        )
    fields = {
        "task_id": task_event.task_id,
        "payload": task_event.payload,
        "retry_count": count,
        "max_attempts": task_event.max_attempts,
    }
    if version is None:
        version = _own_version(task_event.schema_version)
    event = _sent(RetryEvent, fields, clock, make_id, task_event.trace_id, version)
    _require_own_id(event, task_event)
    return event


def _own_version(declared: object) -> str:
    """Return the version that a message declares, or ours where that is not known."""
    return declared if isinstance(declared, str) and declared in VERSIONS else LATEST_VERSION


def _require_own_id(event: RetryEvent, source: TaskEvent | RetryEvent) -> None:
    if event.message_id.lower() == source.message_id.lower():
        # A queue that knows messages by their id would drop it as a duplicate of its own task.
        raise WriteError(
            Finding(
                "envelope/message-id-reused",
                "make_id gives the message id of the event that is retried",
                "/message_id",
                expected="a different id",
                actual=clip(event.message_id),
            )
        )


def get_context_request(
    *,
    agent_id: str,
    task_id: str,
    globals: Object,  # noqa: A002 - the wire's name
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> GetContextRequest:
    """Return an agent's question for the prompt of a task."""
    fields = {"agent_id": agent_id, "task_id": task_id, "globals": globals}
    return _sent(GetContextRequest, fields, clock, make_id, trace_id, version)


def prompt_blocks_response(  # noqa: PLR0913 - its fields, and those of every message
    *,
    system: str,
    task: str,
    allowed_tools: str,
    context_data: str,
    instruction: str,
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> PromptBlocksResponse:
    """Return the prompt of a task, as blocks of text.

    ``allowed_tools`` is the text of a JSON or YAML list. For Base64, see
    :func:`partwire.envelope.encode_prompt_blocks`.
    """
    fields = {
        "system": system,
        "task": task,
        "allowed_tools": allowed_tools,
        "context_data": context_data,
        "instruction": instruction,
    }
    return _sent(PromptBlocksResponse, fields, clock, make_id, trace_id, version)


def tool_call_request(
    *,
    invocation_id: str,
    tool_name: str,
    tool_version: str,
    args: Object,
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> ToolCallRequest:
    """Return a call of a tool; the type is reserved."""
    fields = {
        "invocation_id": invocation_id,
        "tool_name": tool_name,
        "tool_version": tool_version,
        "args": args,
    }
    return _sent(ToolCallRequest, fields, clock, make_id, trace_id, version)


def tool_call_response(
    *,
    invocation_id: str,
    data: Object | None = None,
    error: ToolError | None = None,
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> ToolCallResponse:
    """Return the answer to a tool call: a success with ``data``, or a failure with ``error``.

    The type is reserved. Raises UsageError ``usage/invalid-argument`` unless exactly one of the
    two is given.
    """
    if (data is None) == (error is None):
        given = "neither" if data is None else "both"
        raise bad_argument("data, error is wrong", "exactly one of data and error", given)
    outcome = {"data": data} if error is None else {"error": error}
    fields = {"invocation_id": invocation_id, "success": error is None, **outcome}
    return _sent(ToolCallResponse, fields, clock, make_id, trace_id, version)


def tool_result(
    *,
    invocation_id: str,
    tool_id: str,
    data: Object,
    result_type: str = "tool_result",
    clock: Clock,
) -> ToolResult:
    """Return the result of a tool call, for a report; ``clock`` gives ``created_at``.

    It is not a message by itself and has no envelope.
    """
    _require_callable("clock", clock)
    return _checked(
        ToolResult(
            invocation_id=invocation_id,
            tool_id=tool_id,
            result_type=result_type,
            data=data,
            created_at=clock(),
        )
    )


def report_result_request(
    *,
    task_id: str,
    tool_results: Iterable[ToolResult],
    task_results: Object,
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> ReportResultRequest:
    """Return an agent's report on a task, results in the order of the calls.

    Raises UsageError ``usage/invalid-argument`` for a single result in place of several.
    """
    if isinstance(tool_results, (str, bytes, dict)) or not isinstance(tool_results, Iterable):
        raise bad_argument(
            "tool_results is wrong", "several ToolResults, as of a list", tool_results
        )
    fields = {
        "task_id": task_id,
        "tool_results": list(tool_results),
        "task_results": task_results,
    }
    return _sent(ReportResultRequest, fields, clock, make_id, trace_id, version)


def evaluation_request(
    *,
    task_id: str,
    task_results: Object,
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> EvaluationRequest:
    """Return the question whether results, as reported, are good enough."""
    fields = {"task_id": task_id, "task_results": task_results}
    return _sent(EvaluationRequest, fields, clock, make_id, trace_id, version)


def evaluation_response(
    *,
    task_id: str,
    status: Literal["pass", "fail"],
    score: float,
    next_action: Literal["retry", "next_slice", "none"],
    clock: Clock,
    make_id: IdMaker,
    trace_id: TraceId = None,
    version: str = LATEST_VERSION,
) -> EvaluationResponse:
    """Return the evaluation of a task; ``score`` is from 0 to 100."""
    fields = {"task_id": task_id, "status": status, "score": score, "next_action": next_action}
    return _sent(EvaluationResponse, fields, clock, make_id, trace_id, version)
