"""The tool state machine beside its cases: how states are made and moved, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, assert_type

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from partwire.contract.current import message
from partwire.contract.current.session import (
    FilePart,
    ToolStartTime,
    ToolState,
    ToolStateCompleted,
    ToolStateError,
    ToolStatePending,
    ToolStateRunning,
)
from partwire.errors import UsageError
from partwire.json.equality import same_json
from partwire.reading.pipeline import Unknown, dump, validate
from partwire.session import (
    InvalidStateTransition,
    PartValidationError,
    create_completed,
    create_error,
    create_file_part,
    create_pending,
    create_running,
    expire,
    pending_to_running,
    running_to_completed,
    running_to_error,
    transition,
)
from partwire.session.transitions import follow
from tests.session.values import COMPLETED, ERROR, MESSAGE, PENDING, RUNNING, SESSION, place, raised

# --- making -------------------------------------------------------------------------------------


def test_states_are_made_as_they_are_asked_for() -> None:
    assert (PENDING.input, PENDING.raw) == ({"city": "Oslo"}, '{"city":"Oslo"}')
    assert RUNNING.time == ToolStartTime(start=5)
    assert (RUNNING.title, RUNNING.metadata) == ("Asking", {"tries": 1})
    bare = create_running({}, start=0)
    assert (bare.title, bare.metadata) == (UNSET, UNSET)
    assert (COMPLETED.time.start, COMPLETED.time.end) == (5, 7)
    assert COMPLETED.attachments is UNSET
    assert create_error({}, "x", 1, 2).metadata is UNSET
    assert all(
        validate(dump(each), "session.ToolState") == []
        for each in (PENDING, RUNNING, COMPLETED, ERROR, bare)
    )


def test_any_mapping_is_taken_as_an_object() -> None:
    given = MappingProxyType({"city": "Oslo"})
    assert create_pending(given, "").input == {"city": "Oslo"}
    assert create_running(given, start=1, metadata=given).metadata == {"city": "Oslo"}


# Called with what type checkers would not let through.
pending: Any = create_pending
running: Any = create_running
completed: Any = create_completed
error_state: Any = create_error
moved: Any = transition


@pytest.mark.parametrize(
    ("call", "rule", "pointer"),
    [
        (lambda x: pending([1], "[1]"), "shape/type", "/input"),
        (lambda x: pending({"a": {1, 2}}, ""), "shape/type", "/input/a"),
        (lambda x: pending({"a": (1,)}, ""), "shape/type", "/input/a"),
        (lambda x: pending({"a": float("nan")}, ""), "document/not-finite", "/input/a"),
        (lambda x: pending({1: "a"}, ""), "shape/type", "/input"),
        (lambda x: pending({}, None), "shape/null", "/raw"),
        (lambda x: pending({}, "\ud800"), "document/lone-surrogate", "/raw"),
        (lambda x: pending({"x": x}, ""), "document/too-deep", ""),
        (lambda x: running({}, start=None), "shape/null", "/time/start"),
        (lambda x: running({}, start=True), "shape/type", "/time/start"),
        (lambda x: running({}, 7, start=1), "shape/type", "/title"),
        (lambda x: running({}, start=1, metadata=[]), "shape/type", "/metadata"),
        (lambda x: completed({}, "", "t", {}, 1, 2), "shape/min-length", "/output"),
        (lambda x: completed({}, "x", "", {}, 1, 2), "session/title-missing", "/title"),
        (lambda x: completed({}, "x", None, {}, 1, 2), "session/title-missing", "/title"),
        (lambda x: completed({}, "x", "t", None, 1, 2), "shape/null", "/metadata"),
        (
            lambda x: completed({}, "x", "t", {}, 1, 2, attachments={}),
            "shape/type",
            "/attachments",
        ),
        (lambda x: moved(RUNNING, "running", metadata=["x"]), "shape/type", "/metadata"),
        (lambda x: error_state({}, "", 1, 2), "shape/min-length", "/error"),
        (lambda x: error_state({}, "x", 1, 2**53), "shape/maximum", "/time/end"),
        (lambda x: error_state({}, "x", -1, 2), "shape/minimum", "/time/start"),
    ],
)
def test_what_is_not_valid_is_refused(call: Callable[[Any], Any], rule: str, pointer: str) -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    error = raised(lambda: call(endless))
    assert type(error) is PartValidationError
    assert place(error) == (rule, pointer)


def test_attachments_may_be_a_tuple_and_an_unknown_source_is_kept() -> None:
    file = create_file_part(SESSION, MESSAGE, "image/png", "file:///a")
    source: Any = Unknown("type", "cloud", {"type": "cloud", "bucket": "b"})
    done = create_completed(
        {}, "x", "t", {}, 1, 2, attachments=(file, replace(file, source=source))
    )
    assert isinstance(done.attachments, list)
    assert done.attachments[0] == file
    assert done.attachments[1].source == source
    assert json.loads(dump(done, "session.ToolState"))["attachments"][1]["source"] == {
        "type": "cloud",
        "bucket": "b",
    }


def test_attachments_of_another_kind_are_refused() -> None:
    file: FilePart = create_file_part(SESSION, MESSAGE, "image/png", "file:///a")
    broken = replace(file, session_id="ses_1")
    error = raised(lambda: create_completed({}, "x", "t", {}, 1, 2, attachments=[broken]))
    assert place(error) == ("shape/min-length", "/attachments/0/sessionID")


# --- moving -------------------------------------------------------------------------------------


def test_a_call_goes_its_way() -> None:
    running = pending_to_running(PENDING, start=5, title="Asking")
    assert_type(running, ToolStateRunning)
    completed = running_to_completed(running, "7 °C", 7, metadata={"unit": "C"})
    assert_type(completed, ToolStateCompleted)
    assert (completed.title, completed.input) == ("Asking", PENDING.input)
    failed = running_to_error(running, "No such city", 8)
    assert_type(failed, ToolStateError)
    assert (failed.time.start, failed.time.end, failed.metadata) == (5, 8, UNSET)
    assert_type(transition(PENDING, "running", start=1), ToolStateRunning)
    assert_type(transition(PENDING, "pending"), ToolStatePending)
    assert_type(transition(PENDING, str("running"), start=1), ToolState)  # noqa: UP018


def test_wrong_states_are_seen_by_type_checkers_and_at_run_time() -> None:
    early = raised(lambda: running_to_completed(PENDING, "x", 1, title="t"))  # type: ignore[arg-type]
    assert isinstance(early, InvalidStateTransition)
    assert (early.current, early.attempted) == ("pending", "completed")
    back = raised(lambda: pending_to_running(COMPLETED, start=1))  # type: ignore[arg-type]
    assert isinstance(back, InvalidStateTransition)
    assert not isinstance(back, PartValidationError)


def test_a_refusal_is_a_document() -> None:
    error = raised(lambda: transition(RUNNING, "pending"))
    assert isinstance(error, InvalidStateTransition)
    assert json.loads(dump(error.to_document())) == {
        "name": "InvalidStateTransition",
        "message": 'A call that is running cannot become "pending"',
        "details": {
            "currentStatus": "running",
            "attemptedStatus": "pending",
            "validTransitions": ["completed", "error"],
        },
    }
    assert error.findings[0].expected == "completed, error"
    odd = raised(lambda: transition(COMPLETED, "\ud800"))
    assert isinstance(odd, InvalidStateTransition)
    assert validate(dump(odd.to_document()), "session.InvalidStateTransitionError") == []
    assert odd.findings[0].expected == "no other state"


def test_repeated_calls_give_the_same_object() -> None:
    assert pending_to_running(RUNNING, start=5) is RUNNING
    assert running_to_completed(COMPLETED, "7 °C", 7, metadata={"unit": "C"}) is COMPLETED
    assert running_to_error(ERROR, "No such city", 7) is ERROR
    assert transition(PENDING, "pending", input={"city": "Oslo"}) is PENDING
    for state in (PENDING, RUNNING, COMPLETED, ERROR):
        assert transition(state, state.status) is state


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (False, 0, False),
        ({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]}, True),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": False}]}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({}, [], False),
        ("1", 1, False),
        (None, 0, False),
    ],
)
def test_same_json(one: Any, other: Any, same: bool) -> None:
    assert same_json(one, other) is same
    assert same_json(other, one) is same


def test_what_is_as_deep_as_documents_may_be_is_compared() -> None:
    def deep(innermost: int) -> Any:
        value: Any = innermost
        for _ in range(500):
            value = [value]
        return value

    state = create_running({}, start=1, metadata={"deep": deep(1)})
    assert transition(state, "running", metadata={"deep": deep(1)}) is state
    assert transition(state, "running", metadata={"deep": deep(2)}) is not state


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: transition(PENDING, "running"), "start"),
        (lambda: transition(PENDING, "running", start=None), "start"),
        (lambda: transition(RUNNING, "completed", end=7), "output"),
        (lambda: transition(RUNNING, "completed", output="x"), "end"),
        (lambda: transition(RUNNING, "error", end=7), "error"),
        (lambda: transition(RUNNING, "error", error="x"), "end"),
        (
            lambda: transition(PENDING, "running", start=1, output="x"),
            "start, title, metadata, approval",
        ),
        (lambda: transition(PENDING, "running", stop=1), "start, title, metadata, approval"),  # type: ignore[call-overload]
        (lambda: transition(PENDING, 7), "a status"),  # type: ignore[call-overload]
        (
            lambda: running_to_completed(RUNNING, "", 7, empty_output="keep"),  # type: ignore[arg-type]
            "reject or placeholder",
        ),
        (
            lambda: create_completed({}, "x", "t", {}, 1, 2, empty_output="no"),  # type: ignore[arg-type]
            "reject or placeholder",
        ),
        (
            lambda: transition(COMPLETED, "completed", empty_output="keep"),  # type: ignore[call-overload]
            "reject or placeholder",
        ),
        (
            lambda: running_to_completed(COMPLETED, "", 7, empty_output=[]),  # type: ignore[arg-type]
            "reject or placeholder",
        ),
        (lambda: expire(RUNNING, 1.5, 1), "an integer from 0 on"),  # type: ignore[arg-type]
        (lambda: expire(PENDING, True, 1), "an integer from 0 on"),
        (lambda: expire(RUNNING, 1, -1), "an integer from 0 on"),
    ],
)
def test_calls_that_cannot_be_meant(call: Callable[[], object], expected: str) -> None:
    error = raised(call)
    assert type(error) is UsageError
    assert (error.rule, error.findings[0].expected) == ("usage/invalid-argument", expected)


@pytest.mark.parametrize(
    "state",
    [
        None,
        "pending",
        {"status": "pending", "input": {}, "raw": ""},
        Unknown("status", "paused", {"status": "paused"}),
        message.TextPart(payload=message.TextPayload(text="x")),
        ToolStateRunning,
    ],
    ids=["none", "text", "document", "unknown", "part", "class"],
)
def test_only_a_state_is_moved(state: Any) -> None:
    error = raised(lambda: transition(state, "running", start=1))
    assert type(error) is PartValidationError
    assert raised(lambda: follow(state, RUNNING)).findings == error.findings


def test_a_state_that_was_made_by_hand_is_checked_before_it_moves() -> None:
    broken: Any = ToolStateRunning(input={}, time=5)  # type: ignore[arg-type]
    for call in (
        lambda: running_to_error(broken, "x", 7),
        lambda: transition(broken, "running"),
        lambda: transition(broken, "running", start=6),
        lambda: expire(broken, 1, 1),
    ):
        assert place(raised(call)) == ("shape/type", "/time")


def test_integral_floats_are_integers() -> None:
    running = create_running({}, start=5.0)  # type: ignore[arg-type]
    assert type(running.time.start) is int
    assert transition(running, "running", start=5.0) is running  # type: ignore[call-overload]
