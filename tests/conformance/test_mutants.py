"""The conformance suite catches every mutant; what they are made of passes it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from partwire_testing.conformance import OPERATIONS
from tests.mutants.__main__ import main
from tests.mutants.catalogue import ALL, is_caught
from tests.mutants.edited import cases_of
from tests.mutants.mutant import MUTANTS, Edit, Mutant
from tests.mutants.operations import Implementation
from tests.mutants.running import caught_by, runs_for, wrong_runs
from tests.mutants.states import States

pytestmark = pytest.mark.early

REFERENCE = Implementation().operations()
# Every second one in `make test`, the others in `make test-slow`.
BY_NAME = pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, id=mutant.name, marks=[pytest.mark.slow] if place % 2 else [])
        for place, mutant in enumerate(ALL)
    ],
)


@pytest.mark.parametrize("operation", REFERENCE)
def test_the_second_implementation_agrees_with_every_case(operation: str) -> None:
    wrong = wrong_runs((operation,), REFERENCE)
    assert [(run.id, what) for run, what, _ in wrong] == []
    assert len(runs_for((operation,))) > 100


@BY_NAME
@pytest.mark.usefixtures("untraced")
def test_a_mutant_is_caught(mutant: Mutant, record_property: Any) -> None:
    assert is_caught(mutant), f"no case catches {mutant.name}: {mutant.says}"
    record_property("mutants", {mutant.room: 1})


def test_every_mutant_is_told_apart() -> None:
    assert [mutant.name for mutant in ALL if not re.fullmatch(r"[A-Z].*\.", mutant.says)] == []
    assert len({mutant.says for mutant in ALL}) == len(ALL) >= 60


def test_every_mutant_is_a_failure_that_was_seen(catalogue: list[dict[str, Any]]) -> None:
    known = {entry["id"] for entry in catalogue}
    assert {mutant.name: mutant.failure for mutant in ALL if mutant.failure not in known} == {}


# --- the runner itself ----------------------------------------------------------------------------


def changed(old: str, new: str, module: str = "partwire.tables.finish_reasons") -> Mutant:
    return Mutant("made", "", "", "", ("transition",), edit=Edit(module, old, new))


def test_what_is_right_is_caught_by_nothing() -> None:
    assert caught_by(("transition",), REFERENCE) == []
    assert caught_by(("transition",), OPERATIONS) == []
    assert cases_of(changed('"SAFETY": "content_filter"', '"SAFETY" : "content_filter"')) == ()


def test_a_change_that_cannot_be_made_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="0 times what is to be changed"):
        cases_of(changed("no such text", ""))
    with pytest.raises(RuntimeError, match="is not imported"):
        cases_of(changed("no such text", "", "partwire.cli.chat.follow"))


def test_falling_over_proves_nothing() -> None:
    def broken(given: dict[str, Any], version: str) -> dict[str, Any]:
        raise ZeroDivisionError

    assert caught_by(("transition",), {"transition": broken}) == []
    assert len(list(wrong_runs(("transition",), {"transition": broken}))) > 100


def test_a_survivor_fails_the_build(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = Mutant("right", "states", "TST-03", "Nothing is wrong.", ("transition",), part=States)
    monkeypatch.setattr("tests.mutants.__main__.ALL", (right, MUTANTS["completed-fails"]))
    assert main([]) == 1
    told = capsys.readouterr().out
    assert "right            TST-03     0  SURVIVES\n" in told
    assert "2 mutants (2 states) of 1 failures, 1 survive\nright (TST-03): Nothing" in told
    assert main(["completed-*"]) == 0
    assert main(["no such mutant"]) == 1
