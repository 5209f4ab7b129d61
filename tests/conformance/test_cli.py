"""``partwire conformance``, as a user runs it: several drivers, known failures, all reports."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from partwire.cli import main
from tests.conformance.drivers import AT, STARTED, driver, importable, script
from tests.reporting.report_runs import checked

Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("importable")
__all__ = ["importable"]

FEW = ["--version", "v0.1", "--case", "transitions/expire*"]


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["conformance", *FEW, *arguments])


def test_the_command_tells_what_failed() -> None:
    result = command("--", *driver("wrong"))
    assert result.exit_code == 1
    assert "partwire: " in result.output
    assert result.output.count("[conformance/failed]") == 1


def test_several_drivers_stand_side_by_side() -> None:
    result = command("--format", "json", "--", *driver("never"), "--", *driver("wrong"))
    told = checked(result.stdout)["details"]
    assert result.exit_code == 1
    assert not told["passed"]
    first, second = told["implementations"]
    assert set(first["counts"]) == {"passed"}
    assert second["counts"] == {"passed": first["counts"]["passed"] - 1, "failed": 1}
    assert first["suites"][0]["suite"] == "transitions"
    assert [run["status"] for run in second["runs"]].index("failed") == AT - 1


def test_without_a_command_partwire_runs_itself() -> None:
    result = command()
    assert result.exit_code == 0, result.output
    assert "v0.1 transitions" in result.output


def test_a_driver_that_cannot_be_asked_is_status_2() -> None:
    result = command("--", "no-such-program-at-all")
    assert result.exit_code == 2
    assert "cannot be started" in result.output


def known(tmp_path: Path, *entries: Any) -> list[str]:
    path = tmp_path / "known.json"
    path.write_text(json.dumps(list(entries)))
    return ["--known-failures", str(path)]


def the_run() -> str:
    told = checked(command("--format", "json", "--", *driver("wrong")).stdout)
    runs = told["details"]["implementations"][0]["runs"]
    return str(next(run["run"] for run in runs if run["status"] == "failed"))


def test_a_known_failure_does_not_fail(tmp_path: Path) -> None:
    run = the_run()
    for case in (run, run.partition("#")[0]):
        entry = {"implementation": "partwire", "case": case, "reason": "It is being mended."}
        result = command(*known(tmp_path, entry), "--", *driver("wrong"))
        assert result.exit_code == 0, result.output
        assert "1 known" in result.output


def test_a_known_failure_that_passes_fails(tmp_path: Path) -> None:
    entry = {"case": the_run(), "reason": "It is being mended."}
    result = command(*known(tmp_path, entry), "--", *driver("never"))
    assert result.exit_code == 1
    assert "a known failure that passes: It is being mended." in result.output


def test_a_known_failure_that_is_no_run_fails(tmp_path: Path) -> None:
    entry = {"case": "v0.1/transitions/no-such-case", "reason": "Gone."}
    result = command(*known(tmp_path, entry), "--", *driver("never"))
    assert result.exit_code == 1
    assert "a known failure that is not a run" in result.output


@pytest.mark.parametrize(
    "entry",
    [
        {"implementation": "other", "case": "v0.1/transitions/x", "reason": "Not this driver."},
        {"case": "v0.1/streams/no-such-case", "reason": "Not this suite."},
    ],
    ids=["other driver", "other suite"],
)
def test_entries_of_what_did_not_run_are_left_alone(entry: Json, tmp_path: Path) -> None:
    result = command(*known(tmp_path, entry), "--", *driver("never"))
    assert result.exit_code == 0, result.output


def test_a_known_failure_of_another_driver_excuses_nothing(tmp_path: Path) -> None:
    entry = {"implementation": "other", "case": the_run(), "reason": "Not ours."}
    assert command(*known(tmp_path, entry), "--", *driver("wrong")).exit_code == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "Known failures are an array"),
        ("[1]", "An entry is an object"),
        ('[{"case": "x"}]', "reason is missing"),
        ('[{"case": "x", "reason": " "}]', "No text"),
        ('[{"case": "x", "reason": "y", "until": "z"}]', "Unknown member"),
        ("[", "document/invalid-json"),
    ],
)
def test_a_file_of_known_failures_that_is_none(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    result = command("--known-failures", str(path))
    assert result.exit_code == 2
    assert words in result.output


def test_a_missing_file_of_known_failures() -> None:
    result = command("--known-failures", "no-such-file.json")
    assert result.exit_code == 2
    assert "usage/unreadable-input" in result.output


@pytest.mark.parametrize("suite", ["letters", "compat"])
def test_suites_that_cannot_be_chosen(suite: str) -> None:
    result = command("--suite", suite)
    assert result.exit_code == 2
    assert "usage/invalid-argument" in result.output


def test_a_case_that_does_not_exist_runs_nothing() -> None:
    result = CliRunner().invoke(main, ["conformance", "--case", "streams/no-such-case"])
    assert result.exit_code == 2
    assert "nothing ran" in result.output


def test_junit() -> None:
    result = command("--format", "junit", "--", *driver("wrong"), "--", "no-such-program-at-all")
    root = ElementTree.fromstring(result.stdout_bytes)
    suite, not_started = root.findall("testsuite")
    assert suite.get("name") == "partwire v0.1 transitions"
    assert (suite.get("failures"), suite.get("errors")) == ("1", "0")
    assert int(suite.get("tests") or 0) == len(suite.findall("testcase"))
    (failed,) = suite.findall("testcase/failure")
    assert "expected" in (failed.get("message") or "")
    assert not_started.find("testcase/error") is not None


class Page(HTMLParser):
    """Checks that what is opened is closed, and keeps the text."""

    VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html(tmp_path: Path) -> None:
    name = "<b>&rude"
    line = json.dumps({**STARTED, "implementation": {"name": name}})
    rude = script(tmp_path, f"input(); print({line!r}, flush=True); input(); print('<i>')")
    result = command("--format", "html", "--", *driver("wrong"), "--", *rude)
    assert result.exit_code == 1
    page = Page()
    page.feed(result.stdout_bytes.decode())
    assert page.open == []
    assert page.links == []
    assert "Not conforming." in page.text
    assert name in page.text
    assert "transitions" in page.text
    assert 'no JSON: "<i>"' in page.text
