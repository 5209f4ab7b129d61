"""Processes that validate tasks side by side, and give their outcomes back in order."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import cycle
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, NamedTuple

from ..errors import Finding
from .ending import end_at_once
from .validating import Outcome, Task, outcomes

__all__ = ["Workers", "work"]

_MOST_FINDINGS = 1_000  # in one message: what a worker holds back is bounded


class _Worker(NamedTuple):
    process: BaseProcess
    results: Connection


class Workers:
    """Validate tasks in ``jobs`` processes, of which each takes every ``jobs``-th task.

    Who is ahead waits at its pipe, so that memory stays flat. To be used as a context manager:
    at its end no process is left.
    """

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        shared = [task for task in tasks if task.is_file]
        forks = _can_fork()
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self._workers: list[_Worker] = []
        readers: list[Connection] = []
        for first in range(min(jobs, len(shared))):
            reader, writer = context.Pipe(duplex=False)
            readers.append(reader)
            arguments = (writer, shared[first::jobs], readers if forks else ())
            process = context.Process(target=work, args=arguments, daemon=True)
            process.start()
            writer.close()  # or the end of the worker would not be seen
            self._workers.append(_Worker(process, reader))
        self._turns = cycle(self._workers)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.results.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        """Yield the outcomes of the tasks, which have to be asked for in their order, all of them.

        Where a worker has died, the last outcome of each of its tasks says so.
        """
        if not task.is_file:
            yield from outcomes(task)  # stdin belongs to this process
            return
        worker = next(self._turns)
        while True:
            try:
                outcome, is_last = worker.results.recv()
            except (EOFError, OSError):
                yield Outcome(0, 0, 0, [], (_lost(worker.process, task),))
                return
            yield outcome
            if is_last:
                return


def _can_fork() -> bool:
    """Return whether workers may be forked, which begin at once; spawned ones import first."""
    return sys.platform == "linux" and threading.active_count() == 1


def _lost(process: BaseProcess, task: Task) -> Finding:
    process.join()
    status = process.exitcode or 0
    ended = f"signal {-status}" if status < 0 else f"exit status {status}"
    return Finding(
        "usage/unreadable-input",
        f"Not read to its end: the process that read it has died ({ended})",
        expected="a process that lives until it is done; fewer --jobs need less memory",
        actual=task.name,
    )


def work(results: Connection, tasks: Sequence[Task], inherited: Sequence[Connection]) -> None:
    """Send the outcomes of the tasks, each with whether it is the task's last.

    ``inherited`` are the other ends of pipes: as long as anyone holds them, a worker whose
    listener was killed would wait for ever.
    """
    for each in inherited:
        each.close()
    # An interrupt is for the process that tells; it ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_at_once()
    with suppress(BrokenPipeError):  # nobody listens any more
        for task in tasks:
            held = Outcome(0, 0, 0, [])
            for outcome in outcomes(task):
                held = _sum(held, outcome)
                if len(held.findings) >= _MOST_FINDINGS:
                    _send(results, held, is_last=False)
                    held = Outcome(0, 0, 0, [])
            _send(results, held, is_last=True)


def _sum(held: Outcome, outcome: Outcome) -> Outcome:
    return Outcome(
        held.documents + outcome.documents,
        held.lines + outcome.lines,
        held.size_bytes + outcome.size_bytes,
        held.findings + outcome.findings,
        outcome.problem,
    )


def _send(results: Connection, outcome: Outcome, *, is_last: bool) -> None:
    results.send((outcome, is_last))
