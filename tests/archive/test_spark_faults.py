"""What can go wrong on a cluster: each run ends with the same rows, or with the reason."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from partwire.archive.readers import read_table
from tests.archive.disks import small_disk
from tests.archive.made import Rows, assembled, expected, make, stream, write
from tests.archive.spark_driver import begin, end, kill, kill_all, processes_of
from tests.patience import until

pytest.importorskip("pyspark", reason="pip install 'partwire[spark]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.early,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc"),
]

_EXECUTOR = "CoarseGrainedExecutorBackend"
_WORKER = "pyspark.daemon"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """An archive that takes some seconds, and what has to come of it."""
    base = tmp_path_factory.mktemp("faults")
    source = write(base / "source", make(41, 6000), files=12)
    return source, expected(source, base)


@pytest.fixture
def runs() -> Iterator[list[subprocess.Popen[str]]]:
    """Runs that are ended with the test."""
    found: list[subprocess.Popen[str]] = []
    yield found
    for run in found:
        if run.poll() is None:
            kill_all(run)


def _named(run: subprocess.Popen[str], what: str) -> list[int]:
    return [pid for pid, said in processes_of(run.pid) if what in said]


def _others(run: subprocess.Popen[str], gone: int) -> set[int]:
    return set(_named(run, _EXECUTOR)) - {gone}


def _workers(run: subprocess.Popen[str]) -> list[int]:
    """Return the processes of Python that do tasks: the children of the daemons."""
    daemons = _named(run, _WORKER)
    return [pid for daemon in daemons for pid, _ in processes_of(daemon)]


def _manifests(target: Path) -> list[Path]:
    return list(target.glob("_partwire/fold/*.json"))


def _summary(target: Path) -> dict[str, int]:
    totals: dict[str, int] = json.loads((target / "_partwire" / "summary.json").read_bytes())[
        "totals"
    ]
    return totals


def test_executors_that_are_killed_are_replaced(
    archive: tuple[Path, Rows], tmp_path: Path, runs: list[subprocess.Popen[str]]
) -> None:
    """One while lines are read, one while streams are folded."""
    source, wanted = archive
    target = tmp_path / "target"
    runs.append(run := begin("local-cluster[2,1,1024]", source, target, task_bytes=256 << 10))
    for is_time in (lambda: _workers(run), lambda: _manifests(target)):
        until(is_time, "a worker, or a manifest")
        killed = until(lambda: _named(run, _EXECUTOR), "an executor")[0]
        kill(killed)
        until(partial(_others, run, killed), "another executor")
    status, said = end(run)
    assert status == 0, said
    assert assembled(target) == wanted


def test_a_run_goes_on_when_workers_and_drivers_are_killed_and_a_disk_was_full(
    archive: tuple[Path, Rows], tmp_path: Path, runs: list[subprocess.Popen[str]]
) -> None:
    source, wanted = archive
    target = tmp_path / "target"
    runs.append(first := begin("local[2]", source, target, task_bytes=256 << 10))
    for pid in until(lambda: _workers(first), "a worker"):
        kill(pid)  # Spark begins others
    until(lambda: len(_manifests(target)) >= 2, "two manifests")
    kill_all(first)
    assert not (target / "_partwire" / "summary.json").exists()
    kept = {path: path.read_bytes() for path in _manifests(target)}

    with small_disk(tmp_path / "disk", 128 << 10):
        disk = tmp_path / "disk"
        runs.append(second := begin("local[2]", source, target, local=disk, task_bytes=256 << 10))
        status, said = end(second)
    assert status == 2
    reason = said.splitlines()[-1]
    assert "[archive/engine-failed]" in reason
    assert "No space left on device" in reason

    runs.append(third := begin("local[2]", source, target, task_bytes=256 << 10))
    status, said = end(third)
    assert status == 0, said
    assert assembled(target) == wanted
    assert {path: path.read_bytes() for path in kept} == kept
    files = {
        name
        for path in _manifests(target)
        for name in re.findall(r'"name":"(.*?)"', path.read_text())
    }
    assert {f"{path.parent.name}/{path.name}" for path in target.glob("[a-z]*/*")} == files


def test_ten_thousand_small_files_with_a_poison_line_each_and_a_run_that_is_everywhere(
    tmp_path: Path, runs: list[subprocess.Popen[str]]
) -> None:
    """A run with most of all lines is in every file, and takes more than a worker may hold."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    hot = [line for at in range(4) for line in stream("hot", at, ["x" * 4000] * 2499, "cut")]
    for number in range(10_000):
        lines = [b"\xff poison", hot[number], *stream(number, number, ["a"])]
        (source / f"{number:05}.jsonl").write_bytes(b"\n".join(lines))
    runs.append(run := begin("local[2]", source, target))
    status, said = end(run)
    assert status == 0, said
    totals = _summary(target)
    assert totals["lines"] == 50_000
    assert (totals["quarantined"], totals["used"], totals["made"]) == (10_000, 40_000, 10_004)
    rows = [json.loads(row) for row in read_table(target, "quarantine")]
    assert {row["line"] for row in rows} == {1}
    assert len({row["source"] for row in rows}) == 10_000
