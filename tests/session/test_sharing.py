"""Tool states share nothing, and many threads may move one at once."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from partwire.contract.current.session import ToolStatePending
from partwire.reading.pipeline import dump, read
from partwire.session import (
    InvalidStateTransition,
    create_pending,
    expire,
    fail_pending,
    pending_to_running,
    running_to_completed,
    running_to_error,
    transition,
)
from tests.message.eight_threads import in_eight_threads, often_switched


def test_states_own_what_they_hold() -> None:
    given: dict[str, Any] = {"list": [1]}
    metadata: dict[str, Any] = {"seen": [1]}
    pending = create_pending(given, "")
    running = pending_to_running(pending, start=1, metadata=metadata)
    completed = running_to_completed(running, "x", 2, title="t")
    failed = running_to_error(running, "x", 2)
    renamed = transition(running, "running", title="other")
    given["list"].append(2)
    metadata["seen"].append(2)
    pending.input["list"].append(3)
    running.input["list"].append(4)
    assert isinstance(running.metadata, dict)
    running.metadata["seen"].append(4)
    for state in (completed, failed, renamed):
        assert state.input == {"list": [1]}
        assert state.metadata == {"seen": [1]}
    with pytest.raises(AttributeError):
        completed.output = "y"  # type: ignore[misc]


def walk(pending: ToolStatePending) -> list[Any]:
    """Do everything that can be done with one state, and return what came of it."""
    running = pending_to_running(pending, start=5, metadata={"tries": {"n": 1}})
    named = transition(running, "running", title="Asking", metadata={"unit": "C"})
    results: list[Any] = [
        running,
        named,
        running_to_completed(named, "", 7, empty_output="placeholder"),
        running_to_error(named, "x", 7),
        expire(named, 100, 10),
        fail_pending(pending, "Denied", 9),
        transition(named, "running", title="Asking") is named,
    ]
    for to in ("completed", "error"):
        try:
            transition(pending, to)
        except InvalidStateTransition as error:
            results.append(error.to_document())
    return results


def test_eight_threads_move_one_state_at_once() -> None:
    arguments = {"city": "Oslo", "days": [1, 2, 3]}
    pending = create_pending(arguments, "")
    expected = walk(pending)
    before = dump(pending)
    outcomes = in_eight_threads(lambda: (walk(pending) for _ in range(100)))
    walks = [each for mine in outcomes for each in mine]
    assert len(walks) == 800
    assert all(each == expected for each in walks)
    assert dump(pending) == before
    inputs = [state.input for each in walks for state in each if hasattr(state, "input")]
    assert len({id(each) for each in inputs}) == len(inputs) == 800 * 6


def test_an_input_that_changes_meanwhile_makes_whole_states() -> None:
    """Whoever breaks the rule and changes an input gets states of one moment, or a refusal."""
    shared: dict[str, Any] = {"a": 0, "b": 0}
    stop = threading.Event()

    def change() -> None:
        count = 0
        while not stop.is_set():
            count += 1
            shared[f"k{count % 50}"] = count
            shared.pop(f"k{(count + 25) % 50}", None)

    thread = threading.Thread(target=change)
    with often_switched():
        thread.start()
        try:
            for _ in range(300):
                state = ToolStatePending(input=shared, raw="")
                made = pending_to_running(state, start=1)
                assert read(dump(made), "session.ToolState") == made
        finally:
            stop.set()
            thread.join()
