"""The example that makes a report of logs: over faults, killed, and run once more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples.log_report import __main__ as command
from examples.log_report.report import ask, quarantined, work
from partwire.archive import Summary, tables
from partwire.archive.run import ArchiveRun
from tests.archive.made import stream
from tests.fixture_cases import ROOT

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def logs(tmp_path: Path) -> str:
    """Two streams, mixed: one is cut, a line is broken, and one comes twice."""
    whole, cut = stream("a", 1, ["Hello"]), stream("b", 2, ["Hel", "lo"], ending="cut")
    lines = [line for pair in zip(whole, cut, strict=False) for line in pair]
    folder = tmp_path / "logs"
    folder.mkdir()
    text = b"\n".join([*lines, b'{"kind":"te', *whole[-1:], whole[0]])
    (folder / "a.jsonl").write_bytes(text + b"\n")
    return str(folder)


def test_logs_become_answers(logs: str, tmp_path: Path) -> None:
    said: list[str] = []
    out = tmp_path / "out"
    work([logs], out, said.append)
    assert said[0] == "streams: 6 of 9 lines, 1 put aside"
    assert (out / "report" / "report.html").is_file()
    (aside,) = quarantined(out)
    assert (aside.source, aside.line, aside.rule) == (f"{logs}/a.jsonl", 7, "document/invalid-json")
    ((model, answers, cut, *_),) = ask(out).fetchall()
    assert (model, answers, cut) == ("m", 2, 1)
    assert ask(out, "SELECT count(*) FROM read_parquet($files)").fetchall() == [(2,)]


def test_it_goes_on(logs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = ArchiveRun.go

    def interrupted(run: ArchiveRun) -> Summary:
        if run.options.name == "to-parquet":
            raise KeyboardInterrupt
        return go(run)

    out = tmp_path / "out"
    monkeypatch.setattr(ArchiveRun, "go", interrupted)
    monkeypatch.setattr(sys, "argv", ["log_report", logs, str(out)])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 130
    made = tables(out / "streams")
    monkeypatch.undo()
    work([logs], out)
    work([logs], out)
    assert tables(out / "streams") == made
    assert tables(out / "tables")["messages"].rows == 2


def test_the_command(logs: str, tmp_path: Path) -> None:
    def run(*args: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "examples.log_report", *args]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{ROOT}"}
        return subprocess.run(
            program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    done = run(logs, "out")
    assert done.returncode == 0, done.stderr
    assert "a.jsonl:7: " in done.stdout
    assert done.stdout.endswith("Open out/report/report.html in a browser.\n")
    refused = run("gone", "other")
    assert (refused.returncode, refused.stderr[:7]) == (1, "gone: C")
    assert "Traceback" not in refused.stderr
