"""A run in a new process, which tests can kill: ``python -m tests.archive.driver JSON``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from partwire.archive.operations import Assemble
from partwire.archive.run import ArchiveRun
from partwire.errors import UsageError
from tests.patience import PATIENCE, until

__all__ = ["begin", "children_of", "end", "end_by", "environment", "meanwhile", "workers_of"]

_ROOT = Path(__file__).resolve().parents[2]


def environment() -> dict[str, str]:
    """Return the environment of a program that has to import this checkout, and is not measured.

    A killed process would leave half of its coverage data.
    """
    env = {**os.environ, "PYTHONPATH": f"{_ROOT / 'python'}{os.pathsep}{_ROOT}"}
    env.pop("COVERAGE_PROCESS_START", None)
    env.pop("COVERAGE_PROCESS_CONFIG", None)
    return env


def begin(source: str | Path, target: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Begin a run. Its exit status is 0, or 2 with the reason on stderr."""
    said = {"jobs": 2, "memory": 256 << 20, "task_bytes": 64 << 10, **options}
    said = {**said, "sources": [str(source)], "target": str(target)}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.archive.driver", json.dumps(said)],
        cwd=_ROOT,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )


def end(run: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end of a run; return its exit status, and what it said."""
    _, said = run.communicate(timeout=PATIENCE)
    return run.returncode, said


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that are there."""
    with suppress(OSError):
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def meanwhile(run: subprocess.Popen[str], condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition, and return what it gives; fail as soon as the run has ended without."""

    def found() -> Any:
        is_over = run.poll() is not None
        value = condition()
        assert value or not is_over, f"a run has ended without {what}: {run.communicate()}"
        return value

    return until(found, what)


def workers_of(run: subprocess.Popen[str], count: int = 1) -> list[int]:
    """Wait until a run has so many workers, and return them."""

    def found() -> list[int]:
        pids = children_of(run.pid)
        return pids if len(pids) >= count else []

    pids: list[int] = meanwhile(run, found, "workers")
    return pids


def end_by(pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a process, if it is there."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _main(said: dict[str, Any]) -> int:
    work = said.pop("work", None)
    run = ArchiveRun(Assemble(), work=None if work is None else Path(work), **said)
    try:
        run.go()
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(_main(json.loads(sys.argv[1])))
