"""A migration that is killed, at every point: the file is whole, and the next run finishes it.

Killed for real: a child process sends itself SIGKILL, at the nth of its calls that reach the disk
or of its documents. No handler runs, no file is closed.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from partwire.cli import main
from partwire.cli.files.atomic import Draft
from partwire.convert import TextMigrator
from tests.convert.stored_texts import lifted, message, record, text_lines

COUNT: Final = 24
OLD = text_lines([record(message(n), "v0.1") for n in range(COUNT)])
NEW = text_lines([record(lifted(n), "v0.2") for n in range(COUNT)])
EVERY: Final = 1000
"""Bytes between checkpoints: about four documents."""

FINISHED: Final = -1
DOCUMENTS: Final[tuple[tuple[Any, str], ...]] = ((TextMigrator, "run"),)
DISK: Final[tuple[tuple[Any, str], ...]] = (
    *((os, name) for name in ("open", "fsync", "replace", "chmod", "link")),
    *((Path, name) for name in ("open", "unlink")),
)


def migrated(*args: str, to: str = "v0.2") -> int:
    command = ["migrate", "--to", to, "--in-place", "--checkpoint-bytes", str(EVERY), *args]
    return CliRunner().invoke(main, command, catch_exceptions=False).exit_code


class Killer:
    """Counts calls, and kills this process before or after the nth."""

    def __init__(self, nth: int) -> None:
        self.left = nth

    def __call__(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            self._count()
            made = real(*args, **options)
            self._count()
            return made

        return counted

    def _count(self) -> None:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


def killed_at(nth: int, *args: str, disk: bool = True, to: str = "v0.2") -> int:
    """Migrate in a child that dies at its nth point; return its signal, or that it finished."""
    child = os.fork()
    if child == 0:
        killer = Killer(nth)
        for holder, name in (*DOCUMENTS, *(DISK if disk else ())):
            patch.object(holder, name, killer(getattr(holder, name))).start()
        os._exit(migrated(*args, to=to))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status)
    assert os.WEXITSTATUS(status) == 0
    return FINISHED


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.jsonl"
    found.write_bytes(OLD)
    found.chmod(0o640)
    return found


def assert_finished(path: Path) -> None:
    assert path.read_bytes() == NEW
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in path.parent.iterdir()] == ["a.jsonl"]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_the_file_is_whole_wherever_a_run_is_killed(path: Path, step: int) -> None:
    ends: set[bytes] = set()
    for nth in range(1, 1000, step):
        path.write_bytes(OLD)
        if killed_at(nth, str(path)) == FINISHED:
            break
        found = path.read_bytes()
        assert found in (OLD, NEW), f"killed at point {nth}"
        ends.add(found)
        assert migrated(str(path)) == 0
        assert_finished(path)
    else:
        pytest.fail("no run finished")
    assert nth > 100  # documents, checkpoints and what is done at the end
    assert ends == {OLD, NEW}


LOSSY: Final = text_lines([record({**lifted(n), "turnId": f"t{n}"}, "v0.2") for n in range(COUNT)])
LOST: Final = [
    {"line": n + 1, "pointer": "/data/turnId", "code": "turn-id", "value": f"t{n}"}
    for n in range(COUNT)
]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("step", [7, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kept", [b"", b"of another day\n"], ids=["first", "second"])
def test_what_is_lost_is_kept_wherever_a_run_is_killed(path: Path, kept: bytes, step: int) -> None:
    before, lost = path.with_name("a.jsonl.lost"), path.with_name("a.jsonl.lost-2")
    if not kept:
        before, lost = lost, before
    ends: set[bytes] = set()
    for nth in range(1, 1000, step):
        path.write_bytes(LOSSY)
        lost.unlink(missing_ok=True)
        if kept:
            before.write_bytes(kept)
        if killed_at(nth, "--allow-loss", str(path), to="v0.1") == FINISHED:
            break
        ends.add(path.read_bytes())
        # What is lost is there before the file is another.
        assert path.read_bytes() == LOSSY or lost.exists(), nth
        assert migrated("--allow-loss", str(path), to="v0.1") == 0
        assert path.read_bytes() == OLD
        assert [json.loads(line) for line in lost.read_bytes().splitlines()] == LOST
        assert lost.stat().st_mode & 0o777 == 0o640
        names = {path.name, lost.name, *([before.name] if kept else [])}
        assert {each.name for each in path.parent.iterdir()} == names
        if kept:
            assert before.read_bytes() == kept
    else:
        pytest.fail("no run finished")
    assert ends == {LOSSY, OLD}


@pytest.mark.usefixtures("untraced")
def test_runs_that_are_killed_again_and_again_get_there(path: Path) -> None:
    for _ in range(COUNT):
        # Each run migrates eight documents at most: without going on, none would ever finish.
        if killed_at(16, str(path), disk=False) == FINISHED:
            break
        assert path.read_bytes() == OLD
    else:
        pytest.fail("no run finished")
    assert_finished(path)


@pytest.mark.usefixtures("untraced")
def test_killed_at_random_points_all_the_way(path: Path) -> None:
    rng = random.Random(5)
    for _ in range(200):
        if killed_at(rng.randrange(10, 120), str(path)) == FINISHED:
            break
    else:
        pytest.fail("no run finished")
    assert_finished(path)


def _content(path: Path) -> bytes:
    """What the file holds; nothing where another process has taken it away by now."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def test_killed_from_outside(tmp_path: Path) -> None:
    """The command itself, as its own process, killed whenever it happens to be."""
    count = 6_000
    path, whole = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    data = text_lines([record(message(n), "v0.1") for n in range(count)])
    path.write_bytes(data)
    whole.write_bytes(data)
    script = "import sys; from partwire.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", script, "migrate", "--to", "v0.2", "--in-place"]
    package = Path(sys.modules["partwire"].__file__ or "").parent.parent
    env = {**os.environ, "PYTHONPATH": str(package)}
    subprocess.run([*command, str(whole)], check=True, capture_output=True, env=env)
    kills = 0
    rng = random.Random(7)
    for _ in range(60):
        journal = path.with_name(".a.jsonl.partwire-journal")
        before = _content(journal)
        process = subprocess.Popen(
            [*command, "--checkpoint-bytes", "120000", str(path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=env,
        )
        # Let it pass a checkpoint at least, so that every run has its share.
        while process.poll() is None and _content(journal) in (b"", before):
            time.sleep(0.002)
        time.sleep(rng.random() * 0.05)
        if process.poll() is None:
            process.kill()
            kills += 1
        if process.wait() != 0:
            assert path.read_bytes() in (data, whole.read_bytes())
        elif kills >= 3:
            break
        else:  # a busy machine lets it finish before it is killed
            path.write_bytes(data)
    assert kills >= 3
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("bad", [False, True], ids=["replaced", "taken-away"])
def test_who_gets_the_lock_too_late_empties_nothing(tmp_path: Path, *, bad: bool) -> None:
    path = tmp_path / "a.jsonl"
    data = OLD + b"no record\n" * bad
    path.write_bytes(data)
    emptied: list[int] = []
    locked: list[int] = []
    begin, lock = Draft.begin, fcntl.flock

    def begun(draft: Draft) -> None:
        emptied.append(len(locked))
        begin(draft)

    def late(file: Any, operation: int) -> None:
        locked.append(operation)
        if len(locked) == 1:  # another run comes and goes between opening and locking
            assert migrated(str(path)) == bad
        lock(file, operation)

    with patch.object(fcntl, "flock", late), patch.object(Draft, "begin", begun):
        assert migrated(str(path)) == 2
    assert emptied == [2]  # by the run that was in time alone
    assert path.read_bytes() == (data if bad else NEW)
    assert [each.name for each in tmp_path.iterdir()] == ["a.jsonl"]
