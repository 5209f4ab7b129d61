"""``partwire conformance --random``: generated input, any driver, and what differs made small."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from click.testing import CliRunner, Result

from partwire.cli import main
from partwire_testing.conformance.drawn.compare import compare
from partwire_testing.conformance.drawn.request import Request
from partwire_testing.conformance.drawn.trial import drawn_requests, try_drawn
from partwire_testing.conformance.operations.table import OPERATIONS
from partwire_testing.conformance.respondent import Answer
from tests.conformance.drivers import driver, importable, wrong_driver
from tests.reporting.report_runs import checked

Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("importable", "untraced")
__all__ = ["importable"]

ALL = frozenset(OPERATIONS)
BOTH = frozenset({"v0.1", "v0.2"})


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["conformance", *arguments])


def test_partwire_agrees_with_itself_on_every_operation() -> None:
    result = command("--random", "300", "--seed", "7")
    assert result.exit_code == 0, result.output
    assert "seed 7" in result.output
    assert "300/300" in result.output
    assert [name for name in OPERATIONS if f" {name} " not in result.output] == []


def test_what_differs_is_shown_as_small_as_it_gets() -> None:
    deed = (
        "result.update(findings=[]) if given.get('type') == 'message.ToolChoice' "
        "and len(result.get('findings', ())) == 1 else None"
    )
    arguments = ("--random", "900", "--seed", "7", "--suite", "documents", "--version", "v0.2")
    result = command(*arguments, "--format", "json", "--", *wrong_driver(deed))
    assert result.exit_code == 1
    report = checked(result.stdout)
    details = report["details"]
    assert details["seed"] == 7
    (implementation,) = details["implementations"]
    failed = [run for run in implementation["runs"] if run["status"] == "failed"]
    shown = [run["detail"] for run in failed if "asked" in run["detail"]]
    assert shown
    rows = shown[0].splitlines()
    asked = json.loads(rows[1].removeprefix("  asked  validate "))
    assert asked["input"]["type"] == "message.ToolChoice"
    assert len(asked["input"]["document"]) <= 4
    # Others of the same kind refer to it.
    numbers = {run["run"].split()[1] for run in failed if "asked" in run["detail"]}
    others = [run["detail"] for run in failed if "asked" not in run["detail"]]
    assert all(each.split(":")[0].removeprefix("as request ") in numbers for each in others)
    assert {each["rule"] for each in report["findings"]} == {"conformance/failed"}
    assert not any("source" in each for each in report["findings"])


def test_the_same_seed_asks_the_same() -> None:
    def first(seed: int) -> list[Request]:
        requests = drawn_requests(seed, ALL, BOTH)
        return [next(requests) for _ in range(60)]

    assert first(7) == first(7)
    assert first(7) != first(8)


def test_only_what_a_driver_can_do_is_asked() -> None:
    requests = drawn_requests(7, frozenset({"transition", "collect"}), frozenset({"v0.2"}))
    asked = [next(requests) for _ in range(40)]
    assert {each.operation for each in asked} == {"transition", "collect"}
    assert {each.version for each in asked} == {"v0.2"}
    assert list(drawn_requests(7, frozenset({"fly"}), BOTH)) == []
    assert list(drawn_requests(7, ALL, frozenset({"v9.0"}))) == []


def test_the_order_of_findings_counts_only_where_it_is_promised() -> None:
    deed = "result['findings'].reverse() if 'findings' in result else None"
    trial = try_drawn(wrong_driver(deed), 40, 7, operations=frozenset({"validate"}))
    assert trial.counts()["passed"] == 40
    trial = try_drawn(wrong_driver(deed), 20, 7, operations=frozenset({"check_history"}))
    assert trial.counts()["failed"] > 2


def test_of_several_errors_any_may_be_the_first() -> None:
    one, other = ({"rule": f"a/{x}", "pointer": "", "severity": "error"} for x in "bc")
    answers = {
        "a": Answer("result", {"error": {"rule": "a/b", "pointer": "", "findings": [one, other]}}),
        "b": Answer("result", {"error": {"rule": "a/c", "pointer": "", "findings": [other, one]}}),
    }
    request = Request("read", "v0.2", {"type": "message.Message", "document": "{}"})
    assert compare(request, answers, in_order=False) is None
    assert compare(request, answers) is not None
    answers["b"] = Answer("result", {"error": {"rule": "a/c", "pointer": "", "findings": [other]}})
    assert compare(request, answers, in_order=False) is not None


@pytest.mark.parametrize("way", ["die", "flood"])
def test_a_driver_that_gives_no_answer_is_asked_on(way: str) -> None:
    trial = try_drawn(driver(way, at=20), 50, 7)
    assert len(trial.outcomes) == 50
    assert trial.counts()["errored"] >= 2
    assert trial.counts()["passed"] > 30
    assert trial.restarts >= 1


def test_a_driver_that_does_not_start_is_status_2() -> None:
    result = command("--random", "5", "--", "no-such-program-at-all")
    assert result.exit_code == 2
    assert "cannot be started" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seed", "7"), "--seed is for --random"),
        (("--random", "5", "--case", "x"), "not for --random"),
        (("--random", "5", "--known-failures", "x"), "not for --random"),
        (("--random", "0"), "--random"),
        (("--random", "many"), "--random"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: tuple[str, ...], words: str
) -> None:
    result = command(*arguments, "--", sys.executable)
    assert result.exit_code == 2
    assert words in result.output
