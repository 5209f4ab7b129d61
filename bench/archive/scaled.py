"""How long an archive takes with more processes than this machine has cores: a model.

Each task is taken by the first process that is free, in the order of the tasks, as the pool does;
a step begins when all tasks of the one before have ended; all else is done by one process. What
the model leaves out: that processes share the memory's and the disk's speed.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bench.archive.contestants import environment_of
from bench.archive.run import run_measured
from bench.ways import WAYS, Way

__all__ = ["ScaledRow", "measure_scaled", "simulated"]

_PROGRAM: Final = str(Path(__file__).with_name("tasks.py"))
_PROCESSES: Final = (1, 2, 4, 8, 16, 32, 64)


class ScaledRow(NamedTuple):
    """An archive with a number of processes, by the model."""

    archive: str
    way: Way
    processes: int
    simulated_s: float
    measured_s: float | None
    """By the clock, where that was measured."""
    lines_per_s: float
    """By the model."""
    speed_up: float
    """Against the model of one process."""


class _Timed(msgspec.Struct):
    steps: list[list[float]]
    serial: float


def simulated(steps: Iterable[Sequence[float]], serial: float, processes: int) -> float:
    """Return how many seconds the tasks of steps take, and what one process does alone."""
    seconds = serial
    for tasks in steps:
        free = [0.0] * processes
        for task in tasks:
            heapq.heapreplace(free, free[0] + task)
        seconds += max(free)
    return seconds


def measure_scaled(
    archive: str,
    lines: int,
    files: list[str],
    target: Path,
    measured: Mapping[tuple[str, int], float],
    problems: list[str],
    cap_s: float,
) -> Iterator[ScaledRow]:
    """Time each task of an archive, and yield what the model says of more processes.

    ``measured`` are seconds by the clock, by way and processes.
    """
    for way in WAYS:
        argv = [sys.executable, _PROGRAM, str(target / way), *files]
        ran = run_measured(argv, environment_of(way), cap_s)
        if ran.problem:
            problems.append(f"archive, tasks, {way}, {archive}: {ran.problem}")
            continue
        timed = msgspec.json.decode(ran.output, type=_Timed)
        one = simulated(timed.steps, timed.serial, 1)
        for processes in _PROCESSES:
            seconds = simulated(timed.steps, timed.serial, processes)
            known = measured.get((way, processes))
            yield ScaledRow(archive, way, processes, seconds, known, lines / seconds, one / seconds)
