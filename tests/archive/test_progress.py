"""What a run shows while it goes on: on a terminal a line, elsewhere lines of JSON."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from partwire.cli import main
from partwire.cli.report import archives
from tests.archive.made import make, write

_STEPS = ("scan", "split", "settle")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_rate_and_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_terminal: bool
) -> None:
    clock = [0.0]
    monkeypatch.setattr(archives, "is_terminal", lambda err: is_terminal)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setenv("COLUMNS", "70")
    plan = SimpleNamespace(tasks=[[]] * 10, inputs=[SimpleNamespace(size=5_000_000_000)])
    show = archives.RunProgress(plan)
    scan, settle = (
        SimpleNamespace(name=name, tasks=count) for name, count in (("scan", 10), ("settle", 3))
    )
    for step, done, seconds in (
        (scan, 2, 0),  # kept from before: they say nothing of the rate
        (scan, 3, 20.2),
        (scan, 4, 0.1),  # not worth a line
        (scan, 10, 40),
        (settle, 0, 0),
        (settle, 1, 5),
    ):
        clock[0] += seconds
        show(step, done)
    show.end()
    said = capsys.readouterr().err
    if is_terminal:
        lines = said.split("\r\x1b[K")
        assert lines == [
            "",
            "scan     [######------------------------]  20%",
            "scan     [#########---------------------]  30%  24.8 MB/s  2:22 min l",
            "scan     [##############################] 100%  66.3 MB/s",
            "settle   [------------------------------]   0%",
            "settle   [##########--------------------]  33%  10 s left\n",
        ]
        return
    assert [json.loads(line) for line in said.splitlines()] == [
        {"step": "scan", "done": 2, "tasks": 10, "seconds": 0.0},
        {
            "step": "scan",
            "done": 3,
            "tasks": 10,
            "seconds": 20.2,
            "left": 141.4,
            "bytesPerSecond": 24752475,
        },
        {
            "step": "scan",
            "done": 10,
            "tasks": 10,
            "seconds": 60.3,
            "left": 0.0,
            "bytesPerSecond": 66334992,
        },
        {"step": "settle", "done": 0, "tasks": 3, "seconds": 0.0},
        {"step": "settle", "done": 1, "tasks": 3, "seconds": 5.0, "left": 10.0},
    ]


def test_run_without_a_terminal_says_lines_of_json(tmp_path: Path) -> None:
    source = write(tmp_path / "source", make(7, 20))
    done = CliRunner().invoke(main, ["archive", "assemble", str(source), str(tmp_path / "out")])
    assert done.exit_code == 0
    rows = [json.loads(line) for line in done.stderr.splitlines()]
    assert [row["step"] for row in rows if row["done"] == 0] == list(_STEPS)
    assert [row["step"] for row in rows if row["done"] == row["tasks"]] == list(_STEPS)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--memory", value) for value in ("0", "10", "63MB", "-1GB", "much", "512 PB", "")]
    + [("--jobs", value) for value in ("0", "-1", "1.5", "all")],
)
def test_numbers_of_which_no_run_can_be_made(tmp_path: Path, option: str, value: str) -> None:
    source = write(tmp_path / "source", make(7, 2))
    args = ["archive", "assemble", option, value, str(source), str(tmp_path / "out")]
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 2
    assert option in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
