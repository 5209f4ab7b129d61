"""What each role makes of one message: bytes in, bytes out. There is no Redis in here.

A role parses tolerantly, so that newer peers do not break it, and raises PartwireError for what
cannot be read: the worker then puts the message where people look (the dead letters).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from partwire import Finding, dump, new_id, now
from partwire.envelope import (
    AttemptsExhausted,
    evaluation_request,
    evaluation_response,
    parse_with_findings,
    retry_event,
    sniff,
)
from partwire.reading.pipeline import ReadResult

TASKS, REVIEWS, RESULTS = "loop:tasks", "loop:reviews", "loop:results"


class Entry(NamedTuple):
    """One entry of a stream: a message, and beside it the task that it is about."""

    id: bytes
    message: bytes
    task: bytes = b""


class Handled(NamedTuple):
    """What follows from a message."""

    send: list[tuple[str, bytes, bytes]]
    """Stream, message, and the task to go beside it."""
    record: dict[str, str]
    """Task id → outcome."""
    findings: list[Finding]


def agent(entry: Entry) -> Handled:
    """Do a task, and ask for the result to be reviewed."""
    task, findings = read_task(entry.message)
    request = evaluation_request(
        task_id=task.task_id,
        task_results=work(task.payload, task.retry_count + 1),
        trace_id=task.trace_id,
        clock=now,
        make_id=new_id,
    )
    # The task goes along as it came: the review model needs it whole to have it retried.
    send = [(REVIEWS, dump(request), entry.message)]
    return Handled(send, {}, findings)


def read_task(message: bytes) -> ReadResult[Any]:
    """Read a task or a retry, which has the fields of a task: what says neither is a task."""
    is_retry = sniff(message) == ["envelope.RetryEvent"]
    return parse_with_findings("RetryEvent" if is_retry else "TaskEvent", message)


def work(payload: dict[str, Any], attempt: int) -> dict[str, Any]:
    """Stand in for the model: the work is good after as many attempts as the payload says."""
    needed = payload.get("attempts_needed", 1)
    return {
        "report": f"attempt {attempt}",
        "good": not isinstance(needed, int) or attempt >= needed,
    }


def review(entry: Entry) -> Handled:
    """Judge a result; have the task tried again while its sender allows it."""
    request, findings = parse_with_findings("EvaluationRequest", entry.message)
    task, _ = read_task(entry.task)
    good = request.task_results.get("good") is True
    send: list[tuple[str, bytes, bytes]] = []
    next_action: Literal["retry", "none"] = "none"
    if not good:
        try:
            retry = retry_event(task, clock=now, make_id=new_id)
        except AttemptsExhausted:
            pass
        else:
            next_action = "retry"
            send.append((TASKS, dump(retry), b""))
    response = evaluation_response(
        task_id=request.task_id,
        status="pass" if good else "fail",
        score=100 if good else 0,
        next_action=next_action,
        trace_id=request.trace_id,
        clock=now,
        make_id=new_id,
    )
    send.append((RESULTS, dump(response), b""))
    return Handled(send, {}, findings)


def store(entry: Entry) -> Handled:
    """Keep the outcome of a task, unless it is tried again.

    A status that this version does not know reads as fail, and an action as none: what a newer
    review model says is never taken for a success.
    """
    response, findings = parse_with_findings("EvaluationResponse", entry.message)
    final = response.next_action != "retry"
    record = {response.task_id.lower(): response.status} if final else {}
    return Handled([], record, findings)


class Role(NamedTuple):
    """A role: where its messages come from, and what it does with each."""

    name: str
    stream: str
    handle: Callable[[Entry], Handled]


ROLES = {
    role.name: role
    for role in (
        Role("agent", TASKS, agent),
        Role("review", REVIEWS, review),
        Role("store", RESULTS, store),
    )
}
