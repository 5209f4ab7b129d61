"""Findings that a project lives with: ``--baseline`` and ``--baseline-update``."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from partwire.errors import Finding
from partwire.reporting import Item, fingerprint_of, place_of, read_baseline
from tests.cli.runner import run
from tests.conformance.drivers import importable
from tests.reporting.baseline_runs import FILE, VALIDATE, numbers, told, update, write
from tests.reporting.report_runs import BAD, folder, problems

pytestmark = pytest.mark.usefixtures("importable")
__all__ = ["folder", "importable"]

Json = dict[str, Any]


# --- what a fingerprint is made of ----------------------------------------------------------------


ONE = Finding("shape/type", "Not a string", "/a", expected="a string", actual="5", line=7)


@pytest.mark.parametrize(
    "other",
    [{"message": "Other words"}, {"severity": "warning"}, {"line": 9}, {"expected": "some text"}],
    ids=lambda other: next(iter(other)),
)
def test_a_fingerprint_is_not_made_of_prose_or_lines(other: Json) -> None:
    assert fingerprint_of(ONE._replace(**other), "x") == fingerprint_of(ONE, "x")


@pytest.mark.parametrize(
    "other",
    [{"rule": "shape/enum"}, {"pointer": "/b"}, {"actual": "6"}, {"actual": None}],
    ids=str,
)
def test_a_fingerprint_is_made_of_rule_pointer_and_value(other: Json) -> None:
    assert fingerprint_of(ONE._replace(**other), "x") != fingerprint_of(ONE, "x")
    assert fingerprint_of(ONE, "y") != fingerprint_of(ONE, "x") != fingerprint_of(ONE, None)


def test_what_is_missed_is_the_value_where_nothing_was_found() -> None:
    missed = [ONE._replace(actual=None, expected=f"a member {name}") for name in "ab"]
    assert fingerprint_of(missed[0], "x") != fingerprint_of(missed[1], "x")


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("a.json", "a.json"),
        ("./b/../a.json", "a.json"),
        ("/work/a.json", "a.json"),
        ("/elsewhere/a.json", "/elsewhere/a.json"),
        ("/workshop/a.json", "/workshop/a.json"),
        ("../a.json", "/a.json"),
        ("<stdin>", None),
        (None, None),
    ],
)
def test_a_place_is_the_same_however_it_is_spelled(source: str | None, place: str | None) -> None:
    assert place_of(source, "/work") == place


# --- a round through the file ---------------------------------------------------------------------


@pytest.mark.parametrize("command", list(BAD))
def test_what_is_accepted_is_not_told_again(command: str) -> None:
    result = run(BAD[command][0], "--format", "json", *BAD[command][1:])
    before = json.loads(result.stdout_bytes)["findings"]
    rows = update(BAD[command])
    assert {row["fingerprint"] for row in rows} == {each["fingerprint"] for each in before}
    assert {row["command"] for row in rows} == {command}
    after = told(BAD[command], 0)
    assert (after["findings"], after["accepted"], after["passed"]) == ([], len(before), True)
    data = Path(FILE).read_bytes()
    update(BAD[command])
    assert Path(FILE).read_bytes() == data


def test_what_is_new_is_told_alone(folder: Path) -> None:
    (folder / "d.jsonl").write_bytes(numbers(1, 2, 2))
    words = (*VALIDATE, "d.jsonl")
    assert [row.get("count", 1) for row in update(words)] == [1, 2]
    (folder / "d.jsonl").write_bytes(numbers(3, 2, 1, 2))
    report = told(words, 1)
    assert [each["actual"] for each in report["findings"]] == ["3"]
    assert report["accepted"] == 3


def test_one_more_of_the_same_is_new(folder: Path) -> None:
    (folder / "d.jsonl").write_bytes(numbers(1, 1))
    update((*VALIDATE, "d.jsonl"))
    (folder / "d.jsonl").write_bytes(numbers(1, 1, 1))
    report = told((*VALIDATE, "d.jsonl"), 1)
    assert [each["line"] for each in report["findings"]] == [3]


def test_accepted_findings_are_counted_in_the_summary(folder: Path) -> None:
    (folder / "d.jsonl").write_bytes(numbers(1, 1))
    update((*VALIDATE, "d.jsonl"))
    result = run(*VALIDATE, "--baseline", FILE, "d.jsonl")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "2 documents in 1 source: valid, 2 accepted\n"


def test_stdin_and_names_that_are_no_unicode_can_be_accepted(folder: Path) -> None:
    name = os.fsdecode(b"\xff\x1b.json")
    try:
        (folder / name).write_bytes(b'{"kind": "start", "\\ud800": 1}')
    except OSError:
        pytest.skip("this file system takes no such name")
    rows = update((*VALIDATE, name, "bad.json"))
    assert [row["source"] for row in rows if "udcff" in row["source"]]
    report = told((*VALIDATE, name, "bad.json"), 0)
    assert report["accepted"] == len(rows)
    assert report["warnings"] == 0
    # A file cannot hold the name itself, so nobody can say that no such file is there.
    assert told((*VALIDATE, "bad.json"), 0)["warnings"] == 0
    for options, status in (("--baseline-update",), 0), ((), 0):
        arguments = (*VALIDATE, "--baseline", "stdin.json", *options, "-")
        assert run(*arguments, stdin=b'{"kind": 1}').exit_code == status
    assert all("source" not in row for row in json.loads(Path("stdin.json").read_text()))


def test_a_pointer_with_half_a_character_can_be_accepted(folder: Path) -> None:
    item = Item(ONE._replace(pointer="/\ud800"), "x.json")
    baseline = read_baseline(FILE, date.min, "validate", update=True)
    assert baseline.accepts(item)
    (folder / FILE).write_bytes(baseline.updated())
    assert read_baseline(FILE, date.min, "validate").accepts(item)


# --- entries that people edit ---------------------------------------------------------------------


def test_reason_and_end_are_kept_and_an_end_that_is_over_is_told(folder: Path) -> None:
    (folder / "d.jsonl").write_bytes(numbers(1))
    (row,) = update((*VALIDATE, "d.jsonl"))
    write([{**row, "reason": "Old logs.", "until": "2999-01-31"}])
    assert told((*VALIDATE, "d.jsonl"), 0)["accepted"] == 1
    (folder / "d.jsonl").write_bytes(numbers(1, 2))
    kept = update((*VALIDATE, "d.jsonl"))
    assert (kept[0]["reason"], kept[0]["until"]) == ("Old logs.", "2999-01-31")
    write([{**kept[0], "until": "2020-01-31"}, kept[1]])
    report = told((*VALIDATE, "d.jsonl"), 1)
    assert [each["rule"] for each in report["findings"]] == ["shape/type", "baseline/expired"]
    assert report["findings"][1]["pointer"] == "/0"
    assert report["findings"][1]["source"] == FILE
    again = told((*VALIDATE, "d.jsonl"), 1, "--baseline-update")
    assert again["findings"] == report["findings"]
    assert json.loads(Path(FILE).read_text())[0]["until"] == "2020-01-31"


def test_an_entry_without_use_is_told_and_goes_with_the_next_update(folder: Path) -> None:
    (folder / "d.jsonl").write_bytes(numbers(1, 2, 2))
    update((*VALIDATE, "d.jsonl"))
    (folder / "d.jsonl").write_bytes(numbers(2))
    report = told((*VALIDATE, "d.jsonl"), 0)
    assert [each["rule"] for each in report["findings"]] == ["baseline/unused"] * 2
    assert [each["severity"] for each in report["findings"]] == ["warning"] * 2
    assert "occurs 1 of 2 times" in report["findings"][1]["message"]
    (row,) = update((*VALIDATE, "d.jsonl"))
    assert "count" not in row
    assert told((*VALIDATE, "d.jsonl"), 0)["findings"] == []


def test_entries_of_another_command_are_left_alone() -> None:
    mine = update(BAD["validate"])
    assert update(BAD["history"])[: len(mine)] == mine
    assert told(BAD["validate"], 0)["findings"] == []
    other = told(("history", "bad.jsonl"), 1)
    assert other["accepted"] == 0
    assert not any(each["rule"].startswith("baseline/") for each in other["findings"])


def test_an_entry_of_no_command_is_for_all(folder: Path) -> None:
    (folder / "d.jsonl").write_bytes(numbers(1))
    (row,) = update((*VALIDATE, "d.jsonl"))
    del row["command"]
    write([row])
    assert told((*VALIDATE, "d.jsonl"), 0)["accepted"] == 1


def test_what_informs_is_neither_accepted_nor_hidden() -> None:
    Path("a.json").write_text('{"$defs": {"A": {}}}')
    Path("b.json").write_text('{"$defs": {"A": {}, "B": {}}}')
    words = ("compat", "--definitions", "a.json", "b.json")
    report = told(words, 0, "--baseline-update")
    assert [each["rule"] for each in report["findings"]] == ["compat/entrypoint-added"]
    assert json.loads(Path(FILE).read_text()) == []


# --- compat and conformance -----------------------------------------------------------------------


def test_a_break_that_is_accepted_is_so_in_the_details_too() -> None:
    update(BAD["compat"])
    report = told(BAD["compat"], 0)
    (comparison,) = report["details"]["reports"]
    assert report["details"]["compatible"] is True
    assert comparison["verdicts"][0]["accepted"] is True
    assert comparison["changes"][0]["accepted"] == f"in {FILE}"
    result = run("compat", "--baseline", FILE, "old.json", "new.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 breaking (1 accepted)" in result.stderr


def test_a_break_behind_an_accepted_one_is_found() -> None:
    update(BAD["compat"])
    schema = json.loads(Path("new.json").read_text())
    schema["properties"]["name"]["maxLength"] = 5
    Path("new.json").write_text(json.dumps(schema, indent=2))
    report = told(BAD["compat"], 1)
    assert [each["rule"] for each in report["findings"]] == ["compat/bound-tightened"]
    assert report["details"]["compatible"] is False


def test_a_change_that_is_told_of_many_pairs_is_one_entry() -> None:
    Path("middle.json").write_bytes(Path("old.json").read_bytes())
    words = ("compat", "--transitive", "old.json", "middle.json", "new.json")
    (row,) = update(words)
    assert "count" not in row
    assert told(words, 0)["accepted"] == 2
    assert told(BAD["compat"], 0)["findings"] == []


def test_what_is_unproven_can_be_accepted() -> None:
    Path("a.json").write_text(json.dumps({"type": "string", "pattern": "^(a*)b\\1$"}))
    Path("b.json").write_text(json.dumps({"type": "string", "pattern": "^(b|a+ba+)$"}))
    words = ("compat", "a.json", "b.json")
    assert [each["rule"] for each in told_without(words)] == ["compat/unproven"]
    assert [row["rule"] for row in update(words)] == ["compat/unproven"]
    assert told(words, 0)["details"]["compatible"] is True


def told_without(words: tuple[str, ...]) -> list[Json]:
    result = run(words[0], "--format", "json", *words[1:])
    return list(json.loads(result.stdout)["findings"])


def test_a_failure_of_a_driver_that_is_accepted_counts_as_known() -> None:
    update(BAD["conformance"])
    report = told(BAD["conformance"], 0)
    assert report["details"]["passed"] is True
    assert report["details"]["implementations"][0]["counts"]["known"] == 1
    words = BAD["conformance"]
    result = run(words[0], "--baseline", FILE, *words[1:])
    assert result.exit_code == 0
    assert "1 known" in result.stdout
    good = run("conformance", "--baseline", FILE, *words[1:-5])
    assert good.exit_code == 0
    assert "[baseline/unused]" in good.stdout


# --- files that are none --------------------------------------------------------------------------


ENTRY: Json = {"fingerprint": "0123456789abcdef", "rule": "shape/type", "pointer": ""}


@pytest.mark.parametrize(
    ("text", "rule", "pointer"),
    [
        ("{}", "usage/invalid-argument", ""),
        ("[1]", "usage/invalid-argument", "/0"),
        ("[", "document/invalid-json", ""),
        (json.dumps([{"rule": "x", "pointer": ""}]), "usage/invalid-argument", "/0"),
        (json.dumps([{**ENTRY, "more": 1}]), "usage/invalid-argument", "/0/more"),
        (json.dumps([{**ENTRY, "reason": 1}]), "usage/invalid-argument", "/0/reason"),
        (json.dumps([{**ENTRY, "source": None}]), "usage/invalid-argument", "/0/source"),
        (json.dumps([{**ENTRY, "count": 0}]), "usage/invalid-argument", "/0/count"),
        (json.dumps([{**ENTRY, "count": True}]), "usage/invalid-argument", "/0/count"),
        (json.dumps([{**ENTRY, "count": 1.5}]), "usage/invalid-argument", "/0/count"),
        (json.dumps([{**ENTRY, "until": "2026-02-30"}]), "usage/invalid-argument", "/0/until"),
        (json.dumps([{**ENTRY, "until": "20260228"}]), "usage/invalid-argument", "/0/until"),
        (json.dumps([ENTRY, ENTRY]), "usage/invalid-argument", "/1/fingerprint"),
        (
            json.dumps([ENTRY, {**ENTRY, "command": "history"}]),
            "usage/invalid-argument",
            "/1/fingerprint",
        ),
    ],
)
@pytest.mark.parametrize("options", [(), ("--baseline-update",)], ids=["read", "update"])
def test_a_baseline_that_is_none(
    text: str, rule: str, pointer: str, options: tuple[str, ...]
) -> None:
    Path(FILE).write_text(text)
    result = run(*VALIDATE, "--format", "json", "--baseline", FILE, *options, "bad.json")
    assert (result.exit_code, result.stdout) == (2, "")
    (problem,) = problems(result.stderr)["findings"]
    assert (problem["rule"], problem["pointer"], problem["source"]) == (rule, pointer, FILE)
    assert Path(FILE).read_text() == text


def test_a_baseline_that_is_not_there() -> None:
    result = run(*VALIDATE, "--baseline", "none.json", "bad.json")
    assert result.exit_code == 2
    assert "--baseline-update makes it [usage/unreadable-input]" in result.stderr


@pytest.mark.parametrize("name", [".", "none/here.json", "\0"])
def test_a_baseline_that_cannot_be_written(name: str) -> None:
    result = run(*VALIDATE, "--baseline", name, "--baseline-update", "bad.json")
    assert result.exit_code == 2
    assert "[usage/un" in result.stderr


def test_an_update_needs_a_file() -> None:
    result = run(*VALIDATE, "--baseline-update", "bad.json")
    assert result.exit_code == 2
    assert "--baseline FILE" in result.stderr


def test_a_run_that_could_not_read_everything_updates_nothing() -> None:
    assert told((*VALIDATE, "bad.json", "none.json"), 2, "--baseline-update")["unreadable"] == 1
    assert not Path(FILE).exists()


def test_the_environment_can_name_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    update(BAD["validate"])
    monkeypatch.setenv("PARTWIRE_BASELINE", FILE)
    assert run(*BAD["validate"]).exit_code == 0
    monkeypatch.setenv("PARTWIRE_BASELINE", "")
    assert run(*BAD["validate"]).exit_code == 1
