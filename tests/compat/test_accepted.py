"""Breaks that a project lives with: what accepts them, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from partwire.compat.accepted import read_accepted
from partwire.compat.report import Change
from partwire.errors import PartwireError
from tests.cli.runner import details, run
from tests.compat.repository import PERSON, person, write

MORE = person(required=["name", "age"])
TODAY = date(2026, 6, 15)


@pytest.fixture(autouse=True)
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("old.json"), PERSON)
    write(Path("new.json"), MORE)


def told(*options: str) -> Any:
    return details(run("compat", "old.json", "new.json", "--format", "json", *options).stdout)


def entries(**members: str) -> list[dict[str, str]]:
    """The entries that accept every change of the pair."""
    (report,) = told()["reports"]
    return [
        {**{name: change[name] for name in ("fingerprint", "rule", "pointer")}, "reason": "Known."}
        | members
        for change in report["changes"]
    ]


def accept(rows: Any) -> Any:
    write(Path("accepted.json"), rows)
    return run("compat", "old.json", "new.json", "--accept", "accepted.json")


def test_an_accepted_break_passes_and_is_still_shown() -> None:
    assert accept([]).exit_code == 1
    result = accept(entries())
    assert result.exit_code == 0
    assert "accepted  Known." in result.stdout
    assert "1 breaking (1 accepted)" in result.stderr
    assert "compat/accepted" not in result.stdout
    report = told("--accept", "accepted.json")
    assert report["compatible"] is True
    assert report["reports"][0]["verdicts"][0]["accepted"] is True
    assert [each["severity"] for each in report["findings"]] == ["info"]


def test_another_break_is_not_accepted() -> None:
    known = entries()
    assert accept(known).exit_code == 0
    write(Path("new.json"), {**MORE, "maxProperties": 1})
    assert accept(known).exit_code == 1
    write(Path("new.json"), person(required=["name", "age", "more"]))
    assert accept(known).exit_code == 1


@pytest.mark.parametrize("member", ["fingerprint", "rule", "pointer"])
def test_an_entry_has_to_agree_in_every_member(member: str) -> None:
    rows = entries()
    for row in rows:
        row[member] += "x"
    result = accept(rows)
    assert result.exit_code == 1
    assert result.stdout.count("[compat/accepted-unused]") == len(rows)


def test_an_acceptance_ends_with_its_day() -> None:
    today = datetime.now(UTC).date()
    assert accept(entries(until=str(today + timedelta(days=1)))).exit_code == 0
    result = accept(entries(until=str(today - timedelta(days=2))))
    assert result.exit_code == 1
    assert "[compat/accepted-expired]" in result.stdout


def test_an_entry_that_fits_nothing_is_reported_and_fails_nothing() -> None:
    rows = entries()
    write(Path("new.json"), PERSON)
    result = accept(rows)
    assert result.exit_code == 0
    assert "[compat/accepted-unused]" in result.stdout


def test_a_fingerprint_is_of_rule_place_direction_and_values_and_not_of_prose() -> None:
    base = Change("compat/enum-value-removed", "/a", "/b", "One sentence", ("x", 1), "backward")
    same: list[Callable[[Change], Change]] = [
        lambda each: Change(*_with(each, message="Another sentence")),
        lambda each: Change(*_with(each, new_pointer="/c")),
        lambda each: Change(*_with(each, bump="minor")),
    ]
    for change in same:
        assert change(base).fingerprint == base.fingerprint
    others: list[dict[str, Any]] = [
        {"rule": "compat/enum-value-added"},
        {"old_pointer": "/aa"},
        {"values": ("x", 2)},
        {"values": ("x", "1")},
        {"direction": "forward"},
        {"old_source": "a.json"},
    ]
    found = {Change(*_with(base, **other)).fingerprint for other in others}
    assert len(found | {base.fingerprint}) == len(others) + 1


def _with(change: Change, **members: Any) -> list[Any]:
    return list({**vars(change), **members}.values())


def test_a_fingerprint_does_not_change_between_releases() -> None:
    change = Change("compat/enum-value-removed", "/a", None, "Words", ({"b": 1, "a": "ü"},))
    assert change.fingerprint == "2abfe76251c0b29f"


# --- the file -------------------------------------------------------------------------------------

ENTRY = {"fingerprint": "0", "rule": "r", "pointer": "#", "reason": "Known."}


def test_the_last_day_counts() -> None:
    change = Change("r", "", None, "")
    for until, good in (("2026-06-14", False), ("2026-06-15", True), ("2026-06-16", True)):
        row = {**ENTRY, "fingerprint": change.fingerprint, "until": until}
        write(Path("a.json"), [row])
        assert (read_accepted("a.json", TODAY).entry_of(change) is not None) is good


@pytest.mark.parametrize(
    ("rows", "pointer"),
    [
        ({}, ""),
        ([1], "/0"),
        ([{**ENTRY, "reason": " "}], "/0/reason"),
        ([{**ENTRY, "reason": 5}], "/0/reason"),
        ([{**ENTRY, "until": "soon"}], "/0/until"),
        ([{**ENTRY, "until": "20260615"}], "/0/until"),
        ([{**ENTRY, "until": "2026-02-30"}], "/0/until"),
        ([{**ENTRY, "untill": "2026-06-15"}], "/0/untill"),
        ([{name: ENTRY[name] for name in ("fingerprint", "rule", "pointer")}], "/0"),
        ([ENTRY, ENTRY], "/1/fingerprint"),
    ],
    ids=str,
)
def test_a_wrong_entry_is_refused_with_its_place(rows: Any, pointer: str) -> None:
    write(Path("a.json"), rows)
    with pytest.raises(PartwireError) as caught:
        read_accepted("a.json", TODAY)
    found = caught.value.findings[0]
    assert (found.rule, found.source, found.pointer) == (
        "usage/invalid-argument",
        "a.json",
        pointer,
    )
    assert run("compat", "old.json", "new.json", "--accept", "a.json").exit_code == 2


def test_a_file_that_is_no_json_or_not_there_is_refused() -> None:
    Path("a.json").write_text("[")
    for name, rule in (("a.json", "document/invalid-json"), ("b.json", "usage/unreadable-input")):
        result = run("compat", "old.json", "new.json", "--accept", name)
        assert result.exit_code == 2
        assert f"[{rule}]" in result.stderr
        assert result.stderr.startswith(name)


# --- what is behind --------------------------------------------------------------------------


def test_what_breaks_behind_an_accepted_break_is_listed_and_counts() -> None:
    for name, kind in (("old", "string"), ("new", "integer")):
        write(Path(f"{name}.json"), {"properties": {key: {"type": kind} for key in "ab"}})
    one = entries()
    result = accept(one)
    assert (len(one), result.exit_code) == (1, 1)
    assert "witness   none: it breaks behind the others" in result.stdout
    report = told("--accept", "accepted.json")["reports"][0]
    (verdict,) = report["verdicts"]
    assert (len(verdict["changes"]), len(verdict["others"])) == (1, 1)
    assert "hidden" not in verdict
    every = [
        {**{name: change[name] for name in ("fingerprint", "rule", "pointer")}, "reason": "Known."}
        for change in report["changes"]
    ]
    assert accept(every).exit_code == 0


def test_what_cannot_be_known_behind_an_accepted_break_is_said_and_fails() -> None:
    def side(kind: str, pattern: str) -> Any:
        return {"properties": {"a": {"type": kind}, "b": {"type": "string", "pattern": pattern}}}

    write(Path("old.json"), side("string", "^(a*)b\\1$"))
    write(Path("new.json"), side("integer", "^(b|a+ba+)$"))
    known = entries()
    assert len(known) == 1
    result = accept(known)
    assert result.exit_code == 1
    assert "[compat/accepted-incomplete]" in result.stdout
    assert "without it the verdict is unproven" in result.stdout
    report = told("--accept", "accepted.json")
    assert report["compatible"] is False
    assert "unproven" in report["reports"][0]["verdicts"][0]["hidden"]
    assert report["findings"][-1]["rule"] == "compat/accepted-incomplete"
    # What is not accepted is reason enough.
    assert "accepted-incomplete" not in accept([]).stdout


def test_a_variant_without_a_tag_can_be_accepted() -> None:
    write(Path("old.json"), {"anyOf": [{"type": "string"}, {"type": "number"}]})
    write(Path("new.json"), {"anyOf": [{"type": "string"}, {"type": "null"}]})
    assert accept(entries()).exit_code == 0
