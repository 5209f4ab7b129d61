"""Runs that are killed at any moment: what goes on with them ends with the same rows."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from partwire.archive.operations import Assemble
from partwire.archive.readers import tables
from partwire.archive.run import ArchiveRun
from partwire.archive.steps import Done, Kept, Step, Totals
from partwire.archive.store import PART, Folder
from tests.archive.driver import begin, children_of, end, end_by, environment, workers_of
from tests.archive.made import Rows, assembled, expected, make, run, stream, write
from tests.patience import PATIENCE, until

pytestmark = [
    pytest.mark.early,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc"),
]
_FEW, _MANY = 4, 50


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """An archive, and what has to come of it."""
    base = tmp_path_factory.mktemp("kills")
    source = write(base / "source", make(20, 400))
    return source, expected(source, base)


def _is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _kill(run: subprocess.Popen[str], whom: str, rng: Random) -> None:
    workers = children_of(run.pid)
    if whom == "worker":
        for pid in rng.sample(workers, min(1, len(workers))):
            end_by(pid)
        return
    if whom == "both":
        run.send_signal(signal.SIGSTOP)  # it must not start others meanwhile
        workers = children_of(run.pid)
        for pid in workers:
            end_by(pid)
    run.kill()
    until(lambda: all(map(_is_gone, workers)), "the end of the workers")


def _left(target: Path) -> list[str]:
    """Return what a run has left beside its results."""
    hidden = [str(path) for path in target.rglob(".*")]
    return hidden + [str(path) for path in target.glob("_partwire/work-*")]


@pytest.mark.parametrize(
    "kills", [_FEW, pytest.param(_MANY, marks=pytest.mark.slow)], ids=lambda kills: f"{kills}"
)
def test_kill_at_random_moments(archive: tuple[Path, Rows], tmp_path: Path, kills: int) -> None:
    source, want = archive
    rng = Random(kills)
    begun = time.monotonic()
    assert end(begin(source, tmp_path / "undisturbed")) == (0, "")
    seconds = time.monotonic() - begun
    done = number = hits = 0
    while done < kills:
        target = tmp_path / f"target-{number}"
        number += 1
        status, attempts = -1, 0
        while status != 0:
            run = begin(source, target)
            attempts += 1
            if attempts < 6 and done < kills:  # also while it goes on
                time.sleep(rng.uniform(0.2, 1) * seconds)
                hits += run.poll() is None
                _kill(run, ("worker", "driver", "both")[done % 3], rng)
                done += 1
            status, said = end(run)
            assert status in (0, -signal.SIGKILL), said
        assert assembled(target) == want
        assert _left(target) == []
        assert _files(target) == _named(target)
    assert hits > kills // 3, "the kills came too late to say anything"


def test_workers_end_with_their_driver(archive: tuple[Path, Rows], tmp_path: Path) -> None:
    source, want = archive
    run = begin(source, tmp_path / "target", task_bytes=8 << 10)
    workers = workers_of(run, 2)
    run.kill()
    until(lambda: all(map(_is_gone, workers)), "the end of the workers")
    end(run)
    assert end(begin(source, tmp_path / "target", task_bytes=8 << 10)) == (0, "")
    assert assembled(tmp_path / "target") == want


def _files(target: Path) -> set[str]:
    paths = [path for path in target.rglob("*") if path.is_file()]
    names = (path.relative_to(target).as_posix() for path in paths)
    return {name for name in names if not name.startswith("_partwire/")}


def _named(target: Path) -> set[str]:
    return {name for table in tables(target).values() for name in table.files}


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what is started in the background ignores it


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_driver_that_is_asked_to_end(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "partwire", "archive", "assemble", "--jobs", "2"]
    lines = [line for at in range(12) for line in stream(at, at, ["many words " * 500] * 1000)]
    big = write(tmp_path / "big", lines, files=4)
    run = subprocess.Popen(
        [*command, str(big), str(tmp_path / "target")],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=_interruptible,  # noqa: PLW1509 - before any thread
    )
    workers = workers_of(run)
    run.send_signal(number)
    _, said = run.communicate(timeout=PATIENCE)
    assert run.returncode == 128 + number
    assert "Traceback" not in said
    until(lambda: all(map(_is_gone, workers)), "the end of the workers")


def test_two_drivers_at_once(archive: tuple[Path, Rows], tmp_path: Path) -> None:
    source, want = archive
    target = tmp_path / "target"
    runs = [begin(source, target) for _ in range(2)]
    assert [end(run) for run in runs] == [(0, ""), (0, "")]
    assert assembled(target) == want
    assert _files(target) == _named(target)


def test_two_drivers_of_two_machines(archive: tuple[Path, Rows], tmp_path: Path) -> None:
    # Neither has the files of the other's work folder: each does all, and one counts.
    source, want = archive
    target = tmp_path / "target"
    runs = [begin(source, target, work=str(tmp_path / f"work-{at}"), jobs=1) for at in range(2)]
    assert [end(run) for run in runs] == [(0, ""), (0, "")]
    assert assembled(target) == want
    assert _files(target) == _named(target)


class _Stopped(Exception):
    pass


def _stop_in_split(step: Step, done: int) -> None:
    if step.name == "split" and done == 1:
        raise _Stopped


def _begun(source: Path, target: Path, work: Path) -> None:
    """Leave a run in its second step: as if it was killed, but always at the same moment."""
    sources, task_bytes = [str(source)], 64 << 10
    run = ArchiveRun(Assemble(), sources, target, jobs=1, work=work, task_bytes=task_bytes)
    with pytest.raises(_Stopped):
        run.go(_stop_in_split)


def test_work_folder_that_is_lost(archive: tuple[Path, Rows], tmp_path: Path) -> None:
    source, want = archive
    target, work = tmp_path / "target", tmp_path / "work"
    _begun(source, target, work)
    assert list(target.glob("_partwire/split-*/*"))
    shutil.rmtree(work)
    run(source, target, work=work)
    assert assembled(target) == want
    assert _files(target) == _named(target)


def test_manifest_that_is_not_whole_does_not_count(
    archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    source, want = archive
    target, work = tmp_path / "target", tmp_path / "work"
    _begun(source, target, work)
    (first,) = target.glob("_partwire/split-*/*")
    first.write_bytes(first.read_bytes()[:20])
    run(source, target, work=work)
    assert assembled(target) == want
    assert _files(target) == _named(target)


def test_task_that_was_done_twice_counts_as_it_was_first(tmp_path: Path) -> None:
    def kept(name: str) -> Kept:
        done = Done([{"name": name}], Totals())
        return Kept(Folder(tmp_path), Step("any", 2, lambda _: done, Done, are_results=True))

    for one in (kept("first"), kept("second")):
        assert one(1).files == [{"name": "first"}]
        assert list(one.known()) == [1]


def test_plan_that_a_killed_run_has_not_put(archive: tuple[Path, Rows], tmp_path: Path) -> None:
    # Or that another run is putting at this moment.
    source, want = archive
    target = tmp_path / "target"
    part = target / f"_partwire/.plan.json.01234567{PART}"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"{")
    run(source, target)
    assert assembled(target) == want
    assert _left(target) == []
