"""The suites ``transitions`` and ``session-builds`` against the session room."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from partwire.contract.current.session import FilePart, ToolStartTime, ToolStateRunning
from partwire.contract.current.vocabulary import TRANSITIONS
from partwire.contract.resources import bundle
from partwire.errors import PartwireError
from partwire.json.equality import same_json
from partwire.reading.pipeline import read, to_wire, validate
from partwire.session import (
    InvalidStateTransition,
    WithPartsBuilder,
    expire,
    fail_pending,
    transition,
)
from partwire.tables.tool_states import STATES
from tests.fixture_cases import Case, cases

Json = dict[str, Any]

TRANSITION_CASES = cases("transitions")
BUILD_CASES = cases("session-builds")
STATUSES = tuple(TRANSITIONS["session.ToolState"])
PAIRS = tuple(product(STATUSES, STATUSES))


def ids(items: tuple[Case, ...]) -> list[str]:
    return [item.id for item in items]


# --- transitions --------------------------------------------------------------------------------


def state_of(document: Json) -> Any:
    """Return the struct of a state; one that is not valid only as far as structs go."""
    if not validate(document, "session.ToolState"):
        return read(document, "session.ToolState")
    assert document["status"] == "running"
    return ToolStateRunning(input=document["input"], time=ToolStartTime(**document["time"]))


def files_of(documents: list[Json]) -> list[Any]:
    """Return attachments as structs, valid or not."""
    names = {"id": "id", "sessionID": "session_id", "messageID": "message_id"}
    names |= {"mime": "mime", "url": "url"}
    return [
        FilePart(**{names[name]: value for name, value in each.items() if name != "type"})
        for each in documents
    ]


def arguments(fields: Json) -> Json:
    if "attachments" in fields:
        return {**fields, "attachments": files_of(fields["attachments"])}
    return fields


def called(case: Case, state: Any) -> Any:
    spec, fields = case.spec, arguments(case.spec["fields"])
    if spec["call"] == "expire":
        return expire(state, **fields)
    if spec["call"] == "fail_pending":
        return fail_pending(state, **fields)
    return transition(state, spec["to"], **fields)


def details_of(error: InvalidStateTransition, version: str) -> Json:
    """Return the details as a peer has them that knows the states of ``version`` alone."""
    details: Json = to_wire(error.to_document())["details"]
    known = bundle("session", version)["$defs"]["ToolStatus"]["enum"]
    allowed = [status for status in details["validTransitions"] if status in known]
    return {**details, "validTransitions": allowed}


def transition_outcome(case: Case, state: Any) -> Json:
    try:
        after = called(case, state)
    except PartwireError as error:
        first = error.findings[0]
        outcome: Json = {"error": {"rule": first.rule, "pointer": first.pointer}}
        if isinstance(error, InvalidStateTransition):
            outcome["details"] = details_of(error, case.version)
        return outcome
    return {"same": True} if after is state else {"state": to_wire(after, "session.ToolState")}


@pytest.mark.parametrize("case", TRANSITION_CASES, ids=ids(TRANSITION_CASES))
def test_transition(case: Case) -> None:
    state = state_of(case.spec["state"])
    outcome = transition_outcome(case, state)
    assert outcome == case.expect
    # 1 and true are equal to Python only.
    assert same_json(outcome, case.expect)
    # The state before is what it was.
    assert state == state_of(case.spec["state"])


def test_every_pair_of_states_has_a_case() -> None:
    shown = {
        (case.spec["state"]["status"], case.spec["to"])
        for case in TRANSITION_CASES
        if case.spec["call"] == "transition"
    }
    assert len(PAIRS) == 36
    assert set(PAIRS) <= shown


@pytest.mark.parametrize(("current", "to"), PAIRS)
def test_cases_follow_the_table(current: str, to: str) -> None:
    """New states are only where the table has them, or the status stays."""
    outcomes = [
        set(case.expect)
        for case in TRANSITION_CASES
        if (case.spec["state"]["status"], case.spec.get("to")) == (current, to)
    ]
    allowed = to in TRANSITIONS["session.ToolState"][current]
    moved = any("state" in outcome for outcome in outcomes)
    assert moved == (allowed or (current == to and bool(STATES[to].may_change)))
    assert ({"same"} in outcomes) == (current == to)


# --- builds -------------------------------------------------------------------------------------


def take(builder: WithPartsBuilder, step: Json) -> None:
    ((name, given),) = step.items()
    if name == "add":
        builder.add(given)
    elif name == "move":
        builder.move(given["call_id"], given["to"], **arguments(given["fields"]))
    elif name == "set_state":
        builder.set_state(given["call_id"], state_of(given["state"]))
    elif name == "set_usage":
        builder.set_usage(given["cost"], given["tokens"])
    elif name == "set_summary":
        builder.set_summary(given)
    else:
        builder.complete(given)


def build_outcome(case: Case) -> Json:
    spec = case.spec
    builder = WithPartsBuilder(
        spec["info"], spec["session_id"], compacting=spec.get("compacting", False)
    )
    step: int | None = None
    partial = spec.get("partial", False)
    try:
        for index, each in enumerate(spec["steps"]):
            step = index
            take(builder, each)
        step = None
        message = builder.build_partial() if partial else builder.build()
    except PartwireError as error:
        places = [(each.rule, each.pointer) for each in error.findings]
        return {"step": step, "first": places[0], "pointers": {place[1] for place in places}}
    found = [] if partial else builder.check()
    warnings = sorted((each.rule, each.pointer) for each in found)
    assert {each.severity for each in found} <= {"warning"}
    return {"message": to_wire(message), "warnings": warnings}


@pytest.mark.parametrize("case", BUILD_CASES, ids=ids(BUILD_CASES))
def test_build(case: Case) -> None:
    outcome = build_outcome(case)
    if case.result:
        warnings = [(each["rule"], each["pointer"]) for each in case.spec.get("warnings", [])]
        assert outcome == {"message": case.expect[case.result], "warnings": sorted(warnings)}
        return
    error = case.expect["error"]
    assert outcome == {
        "step": error.get("step"),
        "first": (error["rule"], error["pointer"]),
        "pointers": {error["pointer"]},
    }


@pytest.mark.parametrize("number", range(1, 15))
def test_every_business_rule_is_kept_and_broken(number: int) -> None:
    mine = [case for case in BUILD_CASES if case.id.startswith(f"br-{number:02d}-")]
    requirement = f"S002-{38 + number}"
    assert all(requirement in case.spec["requirements"] for case in mine)
    assert {case.result for case in mine} == {"message", None}


def test_messages_of_builds_are_valid_documents() -> None:
    built = [case for case in BUILD_CASES if case.result]
    assert len(built) >= 14
    for case in built:
        found = validate(case.value("message"), "session.WithParts")
        assert [each for each in found if each.severity == "error"] == []
