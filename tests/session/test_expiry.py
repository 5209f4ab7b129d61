"""Calls that end without an answer: overdue ones, and those that never ran."""

from __future__ import annotations

from typing import Any, assert_type

import pytest

from partwire.contract.current.session import ToolStateError
from partwire.session import InvalidStateTransition, expire, fail_pending, running_to_completed
from tests.session.values import PENDING, RUNNING, place, raised


def test_expiry_has_a_text() -> None:
    late = expire(RUNNING, 105, 100)
    assert isinstance(late, ToolStateError)
    assert (late.error, late.time.end, late.metadata) == (
        "Timed out after 100 ms",
        105,
        {"tries": 1},
    )
    named = expire(RUNNING, 105, 100, error="Interrupted")
    assert isinstance(named, ToolStateError)
    assert named.error == "Interrupted"


def test_an_expired_call_does_not_complete_any_more() -> None:
    late: Any = expire(RUNNING, 105, 100)
    error = raised(lambda: running_to_completed(late, "x", 106, title="t"))
    assert isinstance(error, InvalidStateTransition)


def test_a_denied_call_never_ran() -> None:
    denied = fail_pending(PENDING, "Denied", 9)
    assert_type(denied, ToolStateError)
    assert (denied.time.start, denied.time.end, denied.input) == (9, 9, PENDING.input)
    assert fail_pending(denied, "Denied", 9) is denied


@pytest.mark.parametrize("now", [0, 4, 5, 6])
def test_a_timeout_of_0_ends_a_call_whatever_the_clock_says(now: int) -> None:
    ended = expire(RUNNING, now, 0)
    assert isinstance(ended, ToolStateError)
    assert (ended.time.start, ended.time.end) == (5, max(now, 5))
    assert expire(RUNNING, now, 2) is RUNNING


@pytest.mark.parametrize("now", [4, 5, 6])
def test_a_call_that_runs_is_no_pending_one(now: int) -> None:
    running: Any = RUNNING
    error = raised(lambda: fail_pending(running, "Denied", now))
    assert isinstance(error, InvalidStateTransition)
    assert place(error) == ("session/state-changed", "/time")
    assert (error.current, error.attempted) == ("running", "running")
