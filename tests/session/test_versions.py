"""Sessions of older contract versions: states and parts as structs of v0.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from partwire import read, to_wire
from partwire.contract.current import session as current
from partwire.session import (
    InvalidStateTransition,
    PartValidationError,
    WithPartsBuilder,
    expire,
    fail_pending,
    transition,
    visible_to_model,
)
from partwire.v0_1.structs import session as v0_1

PENDING: dict[str, Any] = {"status": "pending", "input": {"a": [1]}, "raw": '{"a":[1]}'}
RUNNING: dict[str, Any] = {"status": "running", "input": {"a": [1]}, "time": {"start": 5}}
SESSION = "0197c6f0-5a00-7000-8000-000000000001"
MESSAGE = "0197c6f0-5a00-7000-8000-000000000002"


def state(document: dict[str, Any]) -> Any:
    return read(document, "session.ToolState", version="v0.1")


def text(**members: Any) -> Any:
    head = {"id": "prt_1", "sessionID": SESSION, "messageID": MESSAGE}
    return read({**head, "type": "text", "text": "a", **members}, "session.Part", version="v0.1")


def test_a_state_of_v0_1_is_moved_on() -> None:
    after = transition(state(PENDING), "running", start=5)
    assert type(after) is current.ToolStateRunning
    assert to_wire(after) == RUNNING
    assert to_wire(transition(state(RUNNING), "error", error="No.", end=6))["error"] == "No."


def test_a_state_of_v0_1_comes_back_as_the_same_content() -> None:
    again = transition(state(RUNNING), "running", start=5)
    assert (type(again), to_wire(again)) == (current.ToolStateRunning, RUNNING)
    with pytest.raises(InvalidStateTransition):
        transition(state(RUNNING), "pending")


def test_a_state_of_v0_1_expires() -> None:
    ended = expire(state(RUNNING), 10, 5)
    assert type(ended) is current.ToolStateError
    assert to_wire(expire(state(RUNNING), 9, 5)) == RUNNING
    assert type(expire(state(PENDING), 9, 0)) is current.ToolStatePending


def test_a_call_of_v0_1_fails_before_it_runs() -> None:
    failed = fail_pending(state(PENDING), "No.", 7)
    assert to_wire(failed)["time"] == {"start": 7, "end": 7}
    assert fail_pending(state(to_wire(failed)), "No.", 7) == failed  # said again
    with pytest.raises(InvalidStateTransition):
        fail_pending(state(RUNNING), "No.", 7)


def test_what_is_wrong_with_a_state_of_v0_1_is_said() -> None:
    broken: Any = v0_1.ToolStateRunning(input={}, time=v0_1.ToolStartTime(start=-1))
    calls: list[Callable[[], object]] = [
        lambda: transition(broken, "running", start=5),
        lambda: expire(broken, 9, 0),
    ]
    for call in calls:
        with pytest.raises(PartValidationError) as caught:
            call()
        assert caught.value.findings[0].pointer == "/time/start"


def test_a_builder_takes_parts_and_states_of_v0_1() -> None:
    info = {"id": MESSAGE, "role": "assistant", "time": {"created": 1}, "agent": "a"}
    builder = WithPartsBuilder({**info, "path": {"cwd": "/", "root": "/"}}, SESSION)
    builder.add(text())
    builder.add_tool("c1", "f", state(PENDING))
    builder.set_state("c1", state(RUNNING))
    built = builder.build_partial()
    assert [type(part) for part in built.parts] == [current.TextPart, current.ToolPart]
    assert to_wire(built)["parts"][1]["state"] == RUNNING


def test_what_is_ignored_stays_out_of_the_models_sight() -> None:
    parts = [text(ignored=True), text(ignored=False), text()]
    assert visible_to_model(parts) == parts[1:]
