"""What a plan says, and where it says that it says too much."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from partwire.archive import ArchiveRun, Assemble
from partwire.archive import run as module
from partwire.cli import main
from tests.archive.made import stream

_STREAMS = 400


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The same streams one after the other, and with all lines mixed; a part is a tenth of them."""
    streams = [
        stream(f"run-{at}", f"msg-{at}", [f"piece {at} {n} " for n in range(12)])
        for at in range(_STREAMS)
    ]
    lines = [line for each in streams for line in each]
    monkeypatch.setattr(module, "_SAMPLE_BYTES", sum(map(len, lines)) // 10)
    made = {name: tmp_path / name / "a.jsonl" for name in ("in order", "mixed")}
    for name, path in made.items():
        if name == "mixed":
            Random(1).shuffle(lines)
        path.parent.mkdir()
        path.write_bytes(b"".join(line + b"\n" for line in lines))
    return {name: path.parent for name, path in made.items()}


def test_streams_that_end_in_the_part(logs: dict[str, Path], tmp_path: Path) -> None:
    run = ArchiveRun(Assemble(), [logs["in order"]], tmp_path / "out", jobs=1)
    cost = run.cost()
    assert cost.cut < 0.1
    assert 0.7 < cost.lines / (_STREAMS * 14) < 1.3
    assert 0.7 < cost.disk / run.go().tables["messages"].stored < 1.3


def test_streams_that_are_everywhere(logs: dict[str, Path], tmp_path: Path) -> None:
    run = ArchiveRun(Assemble(), [logs["mixed"]], tmp_path / "out", jobs=1)
    cost = run.cost()
    assert cost.cut > 0.8
    assert 0.7 < cost.lines / (_STREAMS * 14) < 1.3
    assert cost.disk > 2 * run.go().tables["messages"].stored


@pytest.mark.parametrize(("ending", "part"), [("error", 0.1), ("cut", 1.0)])
def test_streams_that_failed_or_end_nowhere(
    ending: str, part: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure is an end, and what the part has all of ends nowhere else."""
    logs = tmp_path / "logs"
    logs.mkdir()
    streams = [stream(f"run-{at}", f"msg-{at}", ["a", "b"], ending) for at in range(_STREAMS)]
    text = b"".join(line + b"\n" for each in streams for line in each)
    (logs / "a.jsonl").write_bytes(text)
    monkeypatch.setattr(module, "_SAMPLE_BYTES", int(len(text) * part))
    assert ArchiveRun(Assemble(), [logs], tmp_path / "out", jobs=1).cost().cut < 0.1


def test_it_is_said(logs: dict[str, Path], tmp_path: Path) -> None:
    def plan(name: str, *options: str) -> str:
        words = ["archive", "plan", "assemble", str(logs[name]), str(tmp_path / "out"), *options]
        done = CliRunner().invoke(main, words, catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    assert "too high     9" in plan("mixed", "--format", "text")
    assert "too high" not in plan("in order", "--format", "text")
    assert json.loads(plan("mixed"))["cut"] > 0.8
