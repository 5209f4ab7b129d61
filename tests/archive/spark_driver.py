"""A run on Spark in a new process, which tests can kill, with all that it has started.

``python -m tests.archive.spark_driver JSON``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from partwire.archive.operations import Assemble
from partwire.errors import UsageError
from tests.patience import PATIENCE

__all__ = [
    "WORKERS",
    "again",
    "begin",
    "end",
    "environment",
    "kill",
    "kill_all",
    "processes_of",
    "refused",
]

_ROOT = Path(__file__).resolve().parents[2]
_REFUSED = "refused:"
WORKERS: Final = "tests.archive.spark_workers"


def environment() -> dict[str, str]:
    """Return the environment in which Spark's processes see this checkout and this Python."""
    env = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": f"--conf spark.python.daemon.module={WORKERS} pyspark-shell",
    }
    paths = [_ROOT / "python", _ROOT, *filter(None, env.get("PYTHONPATH", "").split(os.pathsep))]
    env["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    for name in ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"):
        env.pop(name, None)  # a killed process leaves half of its data
    return env


def begin(
    master: str, source: Path, target: Path, *, local: Path | None = None, **options: Any
) -> subprocess.Popen[str]:
    """Begin to assemble a folder.

    A run that is refused says why on stderr, and waits in its session for :func:`again`. The exit
    status is 0, or 2 if that is not asked for.

    ``local`` is where workers put what they need; None: where Spark puts it.
    """
    env = environment() if local is None else {**environment(), "SPARK_LOCAL_DIRS": str(local)}
    said = {"master": master, "sources": [str(source)], "target": str(target), **options}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.archive.spark_driver", json.dumps(said)],
        cwd=_ROOT,
        env=env,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def refused(run: subprocess.Popen[str]) -> str:
    """Wait until a run is refused; return the line that says why."""
    assert run.stderr is not None
    said = []
    for line in run.stderr:
        said.append(line)
        if _REFUSED in line:
            return line
    raise AssertionError("".join(said))


def again(run: subprocess.Popen[str]) -> None:
    """Let a run that was refused go on."""
    assert run.stdin is not None
    run.stdin.write("again\n")
    run.stdin.flush()


def end(run: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end of a run; return its exit status, and what it said."""
    _, said = run.communicate(timeout=PATIENCE)
    return run.returncode, said


def processes_of(pid: int) -> Iterator[tuple[int, str]]:
    """Yield all processes below one, each with its command line, the lowest last."""
    for file in Path(f"/proc/{pid}/task").glob("*/children"):  # any thread may have begun one
        with suppress(OSError):
            for child in map(int, file.read_text().split()):
                yield child, Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
                yield from processes_of(child)


def kill(pid: int) -> None:
    """Kill a process, if it is there."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_all(run: subprocess.Popen[str]) -> None:
    """Kill a run and all that it has started."""
    below = [pid for pid, _ in processes_of(run.pid)]
    for pid in (run.pid, *below):
        kill(pid)
    run.communicate(timeout=PATIENCE)


def _main(said: dict[str, Any]) -> int:
    from partwire.archive.spark.run import SparkRun  # noqa: PLC0415
    from partwire.archive.spark.session import session  # noqa: PLC0415

    spark = session(said.pop("master"))
    while True:
        try:
            summary = SparkRun(spark, Assemble(), **said).go()
        except UsageError as error:
            print(_REFUSED, str(error).replace("\n", " "), file=sys.stderr, flush=True)
            if not sys.stdin.readline():
                return 2
        else:
            print(summary.totals, file=sys.stderr)
            return 0


if __name__ == "__main__":
    sys.exit(_main(json.loads(sys.argv[1])))
