"""Assemble an archive in one process, and print what each task takes: input of the model of more.

``python tasks.py TARGET FILE…`` prints, as JSON, the steps with the processor seconds of each task
in their order, and those of all else: the start, the plan, and what the driver does between steps.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from partwire.archive.operations import Assemble
from partwire.archive.run import ArchiveRun

_TASKS: Final = 256  # as for 64 processes
_LEAST_BYTES: Final = 16 << 20
_MEMORY: Final = 236 << 20  # so that a task holds as much as with two processes and 512 MB


class _Timed(ArchiveRun):
    """A run that notes how long each task takes, step by step."""

    steps: list[list[float]]

    def _tasks(self, kept: Any, missing: list[int]) -> Iterator[tuple[int, Any]]:
        found: list[float] = []
        self.steps.append(found)
        for number in missing:
            begin = time.process_time()
            done = kept(number)
            found.append(time.process_time() - begin)
            yield number, done


def main(target: str, files: list[str]) -> None:
    """Do it, and print the seconds."""
    size = sum(Path(file).stat().st_size for file in files)
    task_bytes = max(size // _TASKS, _LEAST_BYTES)
    run = _Timed(Assemble(), files, target, jobs=1, memory=_MEMORY, task_bytes=task_bytes)
    run.steps = []
    run.go()
    serial = time.process_time() - sum(map(sum, run.steps))
    print(msgspec.json.encode({"steps": run.steps, "serial": serial}).decode())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
