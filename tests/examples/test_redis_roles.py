"""The roles of the example on Redis Streams alone: bytes in, bytes out, and no server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from examples.redis_loop.roles import RESULTS, REVIEWS, ROLES, TASKS, Entry
from examples.redis_loop.samples import changed, new_task
from partwire import read


def trail(task: bytes) -> list[tuple[str, dict[str, Any]]]:
    """Work a task off without a broker: every message that is sent, and the outcomes kept."""
    told: list[tuple[str, dict[str, Any]]] = []
    handlers = {role.stream: role.handle for role in ROLES.values()}
    waiting = [(TASKS, task, b"")]
    while waiting:
        stream, message, beside = waiting.pop(0)
        handled = handlers[stream](Entry(b"1-0", message, beside))
        told += [(to, json.loads(sent)) for to, sent, _ in handled.send]
        told += [("kept", {status: task_id}) for task_id, status in handled.record.items()]
        waiting += handled.send
    return told


def test_a_task_goes_round_until_it_is_good() -> None:
    task = changed(new_task(attempts_needed=2), trace_id="trace 1")
    task_id = json.loads(task)["task_id"]
    told = trail(task)
    assert [stream for stream, _ in told] == [
        *(REVIEWS, TASKS, RESULTS),
        *(REVIEWS, RESULTS, "kept"),
    ]
    assert told[-1] == ("kept", {"pass": task_id})
    messages = [message for stream, message in told if stream != "kept"]
    assert {message["trace_id"] for message in messages} == {"trace 1"}
    assert {message["task_id"] for message in messages} == {task_id}
    assert len({message["message_id"] for message in messages}) == len(messages)
    assert read(told[1][1], "envelope.RetryEvent").retry_count == 1
    verdicts = [message for stream, message in told if stream == RESULTS]
    assert [(each["status"], each["next_action"]) for each in verdicts] == [
        ("fail", "retry"),
        ("pass", "none"),
    ]


def test_a_task_goes_round_no_more_than_its_sender_allows() -> None:
    told = trail(new_task(attempts_needed=9, max_attempts=2))
    assert [message["retry_count"] for stream, message in told if stream == TASKS] == [1, 2]
    assert [list(message) for stream, message in told if stream == "kept"] == [["fail"]]


@pytest.mark.parametrize("payload", [{}, {"attempts_needed": "many"}, {"attempts_needed": None}])
def test_a_payload_that_the_agent_does_not_know_is_worked_on(payload: dict[str, Any]) -> None:
    told = trail(changed(new_task(), payload=payload))
    assert [list(message) for stream, message in told if stream == "kept"] == [["pass"]]
