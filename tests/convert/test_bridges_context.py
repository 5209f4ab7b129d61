"""What a caller of a bridge says by keyword: names, forms, accepted losses."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from partwire import UsageError, to_wire
from partwire.convert import (
    Context,
    blocks_to_messages,
    convert,
    messages_to_blocks,
    messages_to_session,
    response_to_tool_result,
    result_to_tool_result,
    session_to_messages,
    tool_result_to_response,
    tool_result_to_result,
)
from partwire.convert.families.context import given_by

UUID = "0197c6f0-5a00-7000-8000-000000000001"
MESSAGE: dict[str, Any] = {
    "runId": "run_1",
    "role": "user",
    "parts": [],
    "timestamp": "2026-01-02T03:04:05Z",
}
GOOD: dict[str, Any] = {
    "run_id": "run_2",
    "timestamp": "2026-01-02T03:04:05Z",
    "session_id": UUID,
    "agent": "build",
    "provider_id": "example",
    "model_id": "model-1",
    "cwd": "",
    "root": "/",
    "cost": 0.5,
    "tokens": {"input": 1, "output": 2, "reasoning": 0, "cache": {"read": 0, "write": 0}},
    "tool_id": UUID,
    "message_id": UUID,
    "trace_id": "trace",
    "keep_ignored": True,
    "make_id": lambda: UUID,
}
BAD: dict[str, list[Any]] = {
    "run_id": ["", 5, b'"run"', ["run"]],
    "timestamp": ["yesterday", 5, "2026-01-02T03:04:05", "2026-02-30T03:04:05Z"],
    "session_id": ["session", uuid.UUID(UUID)],
    "agentPath": ["", "\ud800"],
    "provider_id": [""],
    "model_id": [{}],
    "cwd": [1],
    "root": [[]],
    "cost": [-1, "0", float("nan"), True],
    "tokens": [{}, [], {**GOOD["tokens"], "input": -1}],
    "tool_id": ["calculator"],
    "message_id": ["", 0],
    "trace_id": [5],
    "keep_ignored": ["yes", 1],
    "make_id": ["make", UUID, 5],
}


def refused(call: Callable[[], object]) -> UsageError:
    with pytest.raises(UsageError) as caught:
        call()
    assert caught.value.rule == "usage/invalid-argument"
    return caught.value


@pytest.mark.parametrize("target", ["blocks", "session"])
def test_one_context_serves_conversions_that_need_less(target: str) -> None:
    assert set(GOOD) == set(BAD) == set(Context.__annotations__)
    assert convert(MESSAGE, target, type="message.Message", **GOOD).value
    nothing: Any = dict.fromkeys(GOOD)
    assert given_by(nothing) == {}
    made = convert(MESSAGE, target, type="message.Message", **nothing)
    assert made == convert(MESSAGE, target, type="message.Message")


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in BAD.items() for value in values],
    ids=[f"{name}-{number}" for name, values in BAD.items() for number in range(len(values))],
)
@pytest.mark.parametrize("target", ["blocks", "session"])
def test_a_value_that_does_not_fit_is_refused_needed_or_not(
    name: str, value: Any, target: str
) -> None:
    context: Any = {name: value}
    error = refused(lambda: convert(MESSAGE, target, type="message.Message", **context))
    assert error.findings[0].message.startswith(f"{name} is wrong")
    assert error.findings[0].actual


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("runid", "run_id"),
        ("session", "session_id"),
        ("makeid", "make_id"),
        ("strct", "strict"),
        ("typ", "type"),
        ("clock", "cost"),
    ],
)
def test_an_unknown_keyword_is_refused_with_the_nearest_one(name: str, near: str) -> None:
    context: Any = {name: None}
    error = refused(lambda: convert(MESSAGE, "blocks", type="message.Message", **context))
    assert error.findings[0].expected == near
    assert name in error.findings[0].message
    # Before what is wrong with the value: the slip may be why it is wrong.
    refused(lambda: convert(MESSAGE, "blocks", **context))


@pytest.mark.parametrize(
    "bridge",
    [
        messages_to_session,
        session_to_messages,
        messages_to_blocks,
        blocks_to_messages,
        tool_result_to_result,
        result_to_tool_result,
        tool_result_to_response,
        response_to_tool_result,
    ],
    ids=lambda bridge: bridge.__name__,
)
def test_every_bridge_looks_at_its_context(bridge: Callable[..., Any]) -> None:
    refused(lambda: bridge([], runid="run"))
    refused(lambda: bridge([], make_id="id"))
    assert bridge([], **GOOD) == ([], [])


@pytest.mark.parametrize("made", [None, 5, "id", uuid.UUID(UUID)], ids=repr)
def test_an_id_maker_has_to_make_ids(made: Any) -> None:
    make: Any = lambda: made  # noqa: E731
    refused(lambda: convert(MESSAGE, "session", type="message.Message", make_id=make))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("accept", "expected", "actual"),
    [
        (["runid"], "run-id", '"runid"'),
        ({"run-id", "time-stamp"}, "timestamp", '"time-stamp"'),
        (["run-id", None], "a code such as run-id", "null"),
        ([["run-id"]], "a code such as run-id", "array with 1 item"),
        ([1, "run-id"], "a code such as run-id", "1"),
        (None, "a list or set of loss codes", "null"),
        ("run-id", "a list or set of loss codes", '"run-id"'),
        (b"run-id", "a list or set of loss codes", "a Python bytes"),
        (5, "a list or set of loss codes", "5"),
        (iter(["run-id"]), "a list or set of loss codes", "a Python list_iterator"),
    ],
)
def test_accepted_losses_have_to_exist(
    accept: Any, expected: str, actual: str, strict: bool
) -> None:
    error = refused(
        lambda: convert(MESSAGE, "blocks", type="message.Message", strict=strict, accept=accept)
    )
    assert (error.findings[0].expected, error.findings[0].actual) == (expected, actual)


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset, dict.fromkeys])
def test_accepted_losses_may_stand_in_any_collection(kind: Callable[[Any], Any]) -> None:
    accept = kind(["run-id", "timestamp"])
    assert convert(MESSAGE, "blocks", type="message.Message", strict=True, accept=accept).value


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        ([], ["usage-invented"]),
        (["tokens"], ["given", "cost-invented"]),
        (["cost"], ["usage-invented", "given"]),
        (["tokens", "cost"], ["given"]),
    ],
)
def test_of_tokens_and_cost_what_is_not_given_is_invented(
    names: list[str], codes: list[str]
) -> None:
    context: Any = {name: GOOD[name] for name in names}
    source = {**MESSAGE, "role": "assistant", "meta": {}}
    made = convert(source, "session", type="message.Message", **context)
    assert [loss.code for loss in made.losses if loss.pointer == "/meta/usage"] == codes
    info = to_wire(made.value[0])["info"]
    assert (info["cost"], info["tokens"]["input"]) == (
        0.5 if "cost" in names else 0,
        1 if "tokens" in names else 0,
    )
