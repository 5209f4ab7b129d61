"""Messages to try the loop with: what a queue brings on a good day, and on a bad one."""

from __future__ import annotations

import json
from collections.abc import Iterator

from partwire import dump, new_id, now
from partwire.envelope import evaluation_response, task_event

from .roles import RESULTS, TASKS


def samples() -> Iterator[tuple[str, str, bytes]]:
    """Yield what it is, the stream that it goes to, and the message."""
    good = new_task(attempts_needed=1)
    yield "a task", TASKS, good
    yield "the same message again", TASKS, good
    yield "a task that needs two retries", TASKS, new_task(attempts_needed=3)
    yield "a task that never succeeds", TASKS, new_task(attempts_needed=99)
    yield "an out-of-date message", TASKS, changed(new_task(), schema_version="v0.0")
    newer = changed(new_task(), schema_version="v0.9", priority="high")
    yield "a newer message with a member that we do not know", TASKS, newer
    yield "a newer evaluation with values that we do not know", RESULTS, newer_evaluation()
    yield "a broken message", TASKS, changed(new_task(), task_id="task 7", payload=None)
    yield "what is not a message at all", TASKS, b'{"message_id": "\xff'


def new_task(attempts_needed: int = 1, max_attempts: int = 3) -> bytes:
    """Return a TaskEvent as JSON text."""
    return dump(
        task_event(
            task_id=new_id(),
            payload={"attempts_needed": attempts_needed},
            max_attempts=max_attempts,
            clock=now,
            make_id=new_id,
        )
    )


def newer_evaluation() -> bytes:
    """Return an EvaluationResponse as a newer review model may write it one day."""
    response = evaluation_response(
        task_id=new_id(),
        status="pass",
        score=100,
        next_action="none",
        clock=now,
        make_id=new_id,
    )
    return changed(
        dump(response),
        schema_version="v0.9",
        status="outstanding",
        next_action="escalate",
        reviewers=["a", "b"],
    )


def changed(message: bytes, **members: object) -> bytes:
    """Return ``message`` with other members: what no constructor would write."""
    return json.dumps({**json.loads(message), **members}).encode()
