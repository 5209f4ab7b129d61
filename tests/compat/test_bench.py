"""The table of the checker's reach: what it counts, and what it says without pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import compat, report
from bench.__main__ import main
from bench.compat import BASELINES, CompatRow, History, measure_compat
from bench.compat_tables import compat_tables
from bench.tables import Table


def row_of(name: str, *answers: tuple[str, float]) -> CompatRow:
    row = CompatRow(name)
    for outcome, seconds in answers:
        row.take(outcome, seconds)
    return row


def test_a_row_counts_what_was_right_wrong_open_and_none() -> None:
    row = row_of(
        "suite",
        *[("right", 0.001)] * 6,
        *[("false compatible", 0.002), ("false breaking", 0.003), ("unproven", 1.0)],
        ("crash", 0.5),
    )
    first, _ = compat_tables(([row], History(claims=4, confirmed=3, wrong=["x"])), ran=True)
    assert first.rows[1] == [
        *("suite", "10", "60.0 %", "75.0 %", "1", "1", "1", "1", "1.0 ms", "1000.0 ms"),
        "1000.0 ms",
    ]
    assert [len(each) for each in first.rows] == [11] * (2 + len(BASELINES))
    assert first.rows[2][:7] == [
        *("jsoncompat 0.4.2 (npm)", "1,909", "92.8 %", "94.2 %", "49", "60", "–")
    ]


def test_claims_that_are_not_confirmed_are_named() -> None:
    _, second = compat_tables(
        ([], History(claims=4, confirmed=3, wrong=["acp, A: breaking"])), ran=True
    )
    assert second.rows[1][1] == "3 of 4; wrong: acp, A: breaking"


def test_without_pairs_the_table_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PARTWIRE_COMPAT", str(tmp_path))
    assert measure_compat() is None
    assert main(["--only", "compat"]) == 0
    shown = capsys.readouterr().out
    assert "Skipped: there are no pairs. PARTWIRE_COMPAT names their folder." in shown


def test_a_wrong_answer_ends_in_exit_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = row_of("suite", ("false compatible", 0.1))
    monkeypatch.setattr(compat, "measure_compat", lambda: ([row], History()))
    assert main(["--only", "compat"]) == 1
    assert "wrong: compat, suite: 1 false compatible" in capsys.readouterr().err


def test_only_the_sections_that_ran_are_replaced() -> None:
    tables = [Table(name, f"About {name}.", [["a"], ["old"]]) for name in ("Targets", "X", "Y")]
    facts = Table("Versions and machine", "", [["fact"], ["one run"]])
    page = report.page([*tables, facts])
    new = [Table(name, "Now.", [["a"], ["new"]]) for name in ("Targets", "Y", "Z")]
    found = report.replaced(page, [*new, facts._replace(rows=[["fact"], ["another"]])])
    assert report.replaced(page, []) == page
    assert [line[3:] for line in found.splitlines() if line.startswith("## ")] == [
        *("Targets", "X", "Y", "Z", "Versions and machine")
    ]
    assert found.count("| new |") == 2
    assert found.count("| old |") == 2
    assert "| one run |" in found
    assert "| another |" not in found
