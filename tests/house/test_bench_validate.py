"""The section on ``partwire validate``: files are what they say, wrong verdicts are reported."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bench import validate
from bench import validate_files as made_files
from bench.measure import Settings
from bench.results import Results
from bench.tables import text
from bench.targets import judge
from bench.validate import (
    CONTESTANTS,
    OURS,
    TODAY,
    Cell,
    Contestant,
    Validated,
    measure_validate,
)
from bench.validate_tables import validate_tables
from bench.ways import WAYS
from partwire.reading.pipeline import validate as findings_of

TINY = Settings(sizes=(3,), rounds=1, cap_s=5.0, peer_budget_s=0.01, sample_s=0.0)


def test_the_files_hold_what_they_say(tmp_path: Path) -> None:
    files = made_files.make_files(tmp_path, 1_201)
    invalid = made_files.invalid_numbers(1_201)
    assert len(invalid) == 12
    for (whole, *halves), due in ((files.valid, set()), (files.invalid, invalid)):
        lines = whole.read_bytes().splitlines()
        found = {
            number
            for number, line in enumerate(lines, 1)
            if findings_of(line, "message.MessageDelta")
        }
        assert (len(lines), found) == (1_201, due)
        assert b"".join(half.read_bytes() for half in halves) == whole.read_bytes()
        assert [len(half.read_bytes().splitlines()) for half in halves] == [600, 601]
    rules = {
        finding.rule
        for line in files.invalid[0].read_bytes().splitlines()
        for finding in findings_of(line, "message.MessageDelta")
    }
    assert len(rules) == len(made_files._BREAKS)
    mean = files.valid[0].stat().st_size / 1_201
    assert 140 < mean < 180
    again = made_files.make_files(tmp_path, 1_201)
    assert again.valid[0].read_bytes() == files.valid[0].read_bytes()


def silent(*, crashes: bool = False) -> Contestant:
    """Return a contestant that finds nothing, or that crashes."""
    code = "import sys; sys.exit(sys.argv[1])" if crashes else ""
    argv = [sys.executable, "-c", code, "no more"]
    return Contestant("peer", "a peer", lambda *_: argv, OURS[0].told)


@pytest.mark.slow
@pytest.mark.parametrize("crashes", [False, True])
def test_a_wrong_verdict_is_a_problem(monkeypatch: pytest.MonkeyPatch, crashes: bool) -> None:
    rival = next(each for each in CONTESTANTS if each.key == "jsonschema-rs")
    gone = Contestant("gone", "gone", rival.argv, rival.told, lambda: "not installed")
    monkeypatch.setattr(validate, "CONTESTANTS", (*OURS, rival, silent(crashes=crashes), gone))
    monkeypatch.setattr(validate, "_no_module", lambda _name: lambda: None)
    found = measure_validate(250, 1)
    told = [problem for problem in found.problems if not problem.startswith("check-jsonschema")]
    missed = ["a peer, invalid lines: 2 not found, 0 too many"] * 2
    failed = ["a peer: fails on valid lines: b'no more\\n'"] * 2
    assert told == (failed + missed if crashes else missed)
    assert found.missing["gone"] == "not installed"
    assert {(cell.key, cell.file, cell.processes) for cell in found.cells} == {
        (key, file, processes)
        for key in (*WAYS, "jsonschema-rs", "peer")
        for file in ("valid", "invalid")
        for processes in (1, 2)
    }
    assert all(len(cell.wall_s) == len(cell.cpu_s) == 1 for cell in found.cells)
    assert {way: len(seconds) for way, seconds in found.start_s.items()} == dict.fromkeys(WAYS, 1)
    if Path("/proc/self/statm").exists():
        assert all(5 < peak < 500 for peak in found.peak_mib.values())
        assert len(found.peak_mib) == 4 * len(WAYS)


def validated() -> Validated:
    """Return a run in which ours takes one second for a file, and a peer three."""
    own: str = WAYS[0]
    start_s = {own: [0.3, 0.1, 0.2]}
    found = Validated(1_000, check_per_s=2.0, start_s=start_s, missing={"ajv": "no node"})
    for key, seconds in ((own, 1.0), ("jsonschema-rs", 3.0), ("sourcemeta", 5.0)):
        for file in ("valid", "invalid"):
            found.cells.append(Cell(key, file, 1, [2.0, seconds], [seconds, seconds * 2]))
    found.peak_mib[own, "valid", 1] = 250.0
    return found


def test_targets_of_a_run() -> None:
    results = Results(TINY, validated=validated())
    known: dict[str, tuple[Any, bool | None]] = {
        verdict.target.sentence: (verdict.worst.value, verdict.met)
        for verdict in judge(results)
        if verdict.worst is not None
    }
    if "native" in WAYS:
        sentence = "validate, as far ahead of jsonschema-rs as before"
        assert known.pop(sentence) == (pytest.approx(3.0 / TODAY["valid", 1]), False)
        assert known.pop("validate, valid lines, against jsonschema-rs") == (3.0, True)
        assert known.pop("validate, valid lines, against sourcemeta") == (5.0, False)
        invalid = "validate, one line in a hundred invalid, against"
        assert known.pop(f"{invalid} jsonschema-rs") == (3.0, True)
        assert known.pop(f"{invalid} sourcemeta") == (5.0, False)
        check = known.pop("validate, valid documents, against check-jsonschema")
        assert check == (pytest.approx(333.3, 0.01), False)
    assert known == {
        "validate, peak memory of all processes": (250.0, False),
        "validate, start to the end of a small file": (0.1, True),
    }


def test_tables_of_a_run() -> None:
    speeds, second = validate_tables(validated())
    assert "ajv: no node." in speeds.about
    assert "222 (3.0 ×; 2.0 ×)" in text(speeds)
    assert [OURS[0].label, "667", "–", "667", "–"] in speeds.rows
    assert "2 (333 ×)" in text(speeds)
    assert [f"peak memory, valid lines, processes: 1, {WAYS[0]}", "250 MiB"] in second.rows
