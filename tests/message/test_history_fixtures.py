"""The histories of the fixtures: what is found in them, and what a repair makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from partwire.contract.resources import read_rules
from partwire.errors import PartwireError
from partwire.message import HistoryChecker, check_history, repair_history
from partwire.reading.pipeline import read
from partwire_testing.conformance.suites import lines_of
from tests.fixture_cases import Case, cases
from tests.ways import way

__all__ = ["way"]

HISTORIES = cases("histories")
IDS = [case.id for case in HISTORIES]


def given(case: Case) -> list[bytes]:
    """The lines; the last one may lack its line end."""
    return case.lines("messages")


def as_text(line: bytes) -> Any:
    return line


def as_value(line: bytes) -> Any:
    """The JSON value of a line; what is none stays text."""
    try:
        return json.loads(line)
    except ValueError:
        return line


def as_struct(line: bytes) -> Any:
    """The struct of a line, read tolerantly; what is none stays text."""
    try:
        return read(line, "message.Message", "tolerant")
    except PartwireError:
        return line


FORMS: dict[str, Callable[[bytes], Any]] = {
    "text": as_text,
    "value": as_value,
    "struct": as_struct,
}


def places(findings: list[Any]) -> list[tuple[str, str]]:
    return [(finding.rule, finding.pointer) for finding in findings]


def expected(case: Case) -> list[tuple[str, str]]:
    return [(each["rule"], each["pointer"]) for each in case.expect["findings"]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", HISTORIES, ids=IDS)
def test_findings(case: Case, form: str) -> None:
    messages = [FORMS[form](line) for line in given(case)]
    found = check_history(
        messages, ongoing=case.spec.get("ongoing", False), version=case.spec["version"]
    )
    wanted = expected(case)
    if form == "struct":  # what tolerant reading says was said when the struct was read
        wanted = [place for place in wanted if not place[0].startswith("read/")]
    assert places(found) == wanted
    rules = read_rules()
    assert [each.severity for each in found] == [rules[each.rule]["severity"] for each in found]


def outcome(messages: list[Any], case: Case) -> dict[str, Any]:
    policy = case.spec.get("repair", {}).get("policy")
    try:
        repaired, changes = repair_history(
            messages,
            policy,
            ongoing=case.spec.get("ongoing", False),
            version=case.spec["version"],
        )
    except PartwireError as error:
        return {"error": {"rule": error.rule, "pointer": error.findings[0].pointer}}
    return {
        "messages": repaired,
        "changes": [
            {
                name: value
                for name, value in change.to_wire().items()
                if name in {"rule", "pointer", "action", "result"}
            }
            for change in changes
        ],
    }


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", HISTORIES, ids=IDS)
def test_repair(case: Case, form: str) -> None:
    made = FORMS[form]
    messages = [made(line) for line in given(case)]
    found = outcome(messages, case)
    repair = case.spec.get("repair", {"changes": []})
    if "error" in repair:
        assert found == repair
        return
    assert found["changes"] == repair["changes"]
    if "messages" not in repair:
        assert found["messages"] == messages
        return
    wanted = lines_of(repair["messages"])
    if form == "text":  # what is not changed is the same bytes
        lines = set(given(case))
        assert [line for line in found["messages"] if line in lines] == [
            line for line in wanted if line in lines
        ]
    # What could not be given as value or struct stayed text.
    parsed = as_struct if form == "struct" else as_value
    repaired = [parsed(each) if isinstance(each, bytes) else each for each in found["messages"]]
    assert repaired == [parsed(line) for line in wanted]


@pytest.mark.parametrize(
    "case", [case for case in HISTORIES if "error" not in case.spec.get("repair", {})]
)
def test_repaired_is_free_of_errors_and_stays(case: Case) -> None:
    ongoing = case.spec.get("ongoing", False)
    policy, version = case.spec.get("repair", {}).get("policy"), case.spec["version"]
    repaired, _ = repair_history(given(case), policy, ongoing=ongoing, version=version)
    found = check_history(repaired, ongoing=ongoing, version=version)
    assert [each for each in found if each.severity == "error"] == []
    assert repair_history(repaired, policy, ongoing=ongoing, version=version) == (repaired, [])


@pytest.mark.parametrize("case", HISTORIES, ids=IDS)
def test_message_by_message_finds_the_same(case: Case) -> None:
    checker = HistoryChecker(ongoing=case.spec.get("ongoing", False), version=case.spec["version"])
    for _ in range(2):  # after close it is as new
        found = [
            finding
            for number, line in enumerate(given(case), 1)
            for finding in checker.add(line, number)
        ]
        found += checker.close()
        assert sorted(places(found)) == sorted(expected(case))
        assert all(each.line == int(each.pointer.split("/")[1]) + 1 for each in found)


def test_what_is_found_has_a_repair() -> None:
    for case in HISTORIES:
        assert ("repair" in case.spec) == bool(case.expect["findings"]), case.id


def test_there_are_many_and_half_of_them_have_defects() -> None:
    defects = [case for case in HISTORIES if case.expect["findings"]]
    assert len(HISTORIES) >= 30
    assert len(HISTORIES) <= 3 * len(defects)
    assert len(HISTORIES) >= 1.4 * len(defects)


def test_the_failure_catalogue_is_among_them() -> None:
    named = " ".join(case.spec["provenance"] for case in HISTORIES)
    histories = (1, 2, 3, 4, 6, 7, 8, 10, 11, 13, 14, 15, 16, 17, 18, 19, 22, 23)
    wanted = [f"HIS-{n:02d}" for n in histories] + [f"TST-{n:02d}" for n in range(1, 7)]
    assert [each for each in wanted if each not in named] == []
