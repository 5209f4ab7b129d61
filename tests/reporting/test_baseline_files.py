"""What a baseline accepts in files that a run does not read, not to their end, or not any more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runner import run
from tests.reporting.baseline_runs import FILE, VALIDATE, numbers, told, update
from tests.reporting.report_runs import folder

__all__ = ["folder"]


def test_entries_of_what_was_not_read_are_left_alone(folder: Path) -> None:
    words = (*VALIDATE, "bad.jsonl", "bad.json")
    rows = update(words)
    for part in ("bad.json", "good.jsonl"):
        report = told((*VALIDATE, part), 0)
        assert report["findings"] == []
        update((*VALIDATE, part))
        assert json.loads(Path(FILE).read_text()) == rows
    (folder / "bad.json").unlink()
    assert told((*VALIDATE, "bad.json"), 2)["findings"] == []


def test_entries_of_files_that_are_gone_are_told_and_go_with_the_next_update(
    folder: Path,
) -> None:
    """They would accept what a new file of that name has, which nobody has looked at."""
    (folder / "logs").mkdir()
    (folder / "logs/old.jsonl").write_bytes(numbers(1, 2))
    rows = update((*VALIDATE, "logs/old.jsonl", "bad.json"))
    words = (*VALIDATE, "bad.json")
    assert told(words, 0)["findings"] == []
    (folder / "logs/old.jsonl").unlink()
    gone = [row for row in rows if row["source"] == "logs/old.jsonl"]
    for _ in range(2):  # as a file, and with its folder
        found = told(words, 0)["findings"]
        assert [each["rule"] for each in found] == ["baseline/unused"] * len(gone) != []
        assert {each["message"] for each in found} == {
            "An accepted finding is of a file that is gone"
        }
        assert {each["expected"] for each in found} == {"no entry"}
        assert all("logs/old.jsonl" in each["actual"] for each in found)
        (folder / "logs").rmdir() if (folder / "logs").exists() else None
    # Of another command's files this one says nothing, and it keeps what is accepted there.
    other = told(("history", "bad.jsonl"), 0, "--baseline-update")
    assert other["findings"] == []
    kept = json.loads(Path(FILE).read_text())
    assert [row for row in kept if row["command"] == "validate"] == rows
    update(words)
    kept = json.loads(Path(FILE).read_text())
    assert [row for row in kept if row["command"] == "validate"] == [
        row for row in rows if row not in gone
    ]
    assert told(words, 0)["findings"] == []


def test_a_file_is_gone_where_the_configuration_stands_and_not_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "partwire.toml").write_text(f'baseline = "{FILE}"\n')
    (folder / "below").mkdir()
    (folder / "below/d.jsonl").write_bytes(numbers(1))
    rows = update((*VALIDATE, "below/d.jsonl", "bad.json"))
    monkeypatch.chdir(folder / "below")
    result = run(*VALIDATE, "--format", "json", "../bad.json")
    assert (result.exit_code, json.loads(result.stdout)["findings"]) == (0, [])
    assert run(*VALIDATE, "--baseline-update", "../bad.json").exit_code == 0
    assert json.loads((folder / FILE).read_text()) == rows


def test_what_is_cut_can_be_accepted_by_nobody(folder: Path) -> None:
    """Behind what is reported may be what nobody has accepted."""
    (folder / "d.json").write_bytes(b'{"kind": "text", "payload": {}}')
    words = (*VALIDATE, "d.json", "bad.json")
    told(words, 1, "--max-findings", "3", "--baseline-update")
    assert not (folder / FILE).exists()
    rows = update(words)
    data = (folder / FILE).read_bytes()
    mine = [row for row in rows if row["source"] == "d.json"]
    assert len(mine) > 3
    for options in ((), ("--baseline-update",)):
        report = told(words, 1, "--max-findings", "3", *options)
        (finding,) = report["findings"]
        assert (finding["rule"], finding["source"]) == ("document/too-many-findings", "d.json")
        assert report["passed"] is False
        assert (folder / FILE).read_bytes() == data
    assert told(words, 0, "--max-findings", str(len(mine)))["findings"] == []
