"""What can go wrong on a cluster: each run ends with the same rows, or with the reason."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.archive.disks import enlarge, small_disk
from tests.archive.made import Rows, assembled, expected, make, write
from tests.archive.spark_driver import (
    WORKERS,
    again,
    begin,
    end,
    kill,
    kill_all,
    processes_of,
    refused,
)
from tests.patience import until

pytest.importorskip("pyspark", reason="pip install 'partwire[spark]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.early,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc"),
]

_EXECUTOR = "CoarseGrainedExecutorBackend"
_TASK_BYTES = 512 << 10


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


def _workers(run: subprocess.Popen[str]) -> list[int]:
    """Return the processes of Python that do tasks: the children of the daemons."""
    daemons = _named(run, f"-m {WORKERS}")  # a setting of the driver names it too
    return [pid for daemon in daemons for pid, _ in processes_of(daemon)]


def _manifests(target: Path) -> list[Path]:
    return list(target.glob("_partwire/fold/*.json"))


def _shuffled(disk: Path) -> set[str]:
    """Return the files with lines on their way from the first pass to the second."""
    return {path.name for path in disk.rglob("shuffle_*.data")}


def _another(run: subprocess.Popen[str], others: set[int]) -> set[int]:
    """Return executors that are not those that there were."""
    return set(_named(run, _EXECUTOR)) - others


def test_a_run_goes_on_when_all_that_does_it_is_killed_and_a_disk_was_full(
    archive: tuple[Path, Rows], tmp_path: Path, runs: list[subprocess.Popen[str]]
) -> None:
    """Killed are workers, a driver, and executors while lines are read and streams folded."""
    source, wanted = archive
    target, disk = tmp_path / "target", tmp_path / "disk"
    runs.append(first := begin("local[2]", source, target, task_bytes=_TASK_BYTES))
    for pid in until(lambda: _workers(first), "a worker"):
        kill(pid)  # Spark begins others
    until(lambda: len(_manifests(target)) >= 2, "two manifests")
    kill_all(first)
    assert not (target / "_partwire" / "summary.json").exists()
    kept = {path: path.read_bytes() for path in _manifests(target)}

    with small_disk(disk, 128 << 10):
        cluster = "local-cluster[2,1,1024]"
        runs.append(second := begin(cluster, source, target, local=disk, task_bytes=_TASK_BYTES))
        reason = refused(second)
        assert "[archive/engine-failed]" in reason
        assert "No space left on device" in reason
        assert {path: path.read_bytes() for path in _manifests(target)} == kept

        enlarge(disk, 256 << 20)
        before = _shuffled(disk)
        again(second)
        for is_time in (
            lambda: _shuffled(disk) - before,
            lambda: len(_manifests(target)) > len(kept),
        ):
            until(is_time, "lines in the shuffle, or a manifest")
            executors = until(lambda: _named(second, _EXECUTOR), "an executor")
            kill(executors[0])
            until(partial(_another, second, set(executors)), "another executor")
        status, said = end(second)
    assert status == 0, said
    assert assembled(target) == wanted
    assert {path: path.read_bytes() for path in kept} == kept
    files = {
        name
        for path in _manifests(target)
        for name in re.findall(r'"name":"(.*?)"', path.read_text())
    }
    assert {f"{path.parent.name}/{path.name}" for path in target.glob("[a-z]*/*")} == files
