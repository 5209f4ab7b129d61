"""Tasks done in several processes: one that dies is replaced, and what it did is done again."""

from __future__ import annotations

import multiprocessing
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection
from typing import Any, Final, NamedTuple

from ..errors import Finding, UsageError

__all__ = ["Work", "run_tasks"]

Work = Callable[[int], Any]
"""Does the task of a number, and returns what is to be known of it; pickled where forks are not."""

_MOST_ATTEMPTS: Final = 3


class _Failed(NamedTuple):
    error: BaseException


def run_tasks(work: Work, numbers: Iterable[int], jobs: int) -> Iterator[tuple[int, Any]]:
    """Yield each task's number and what came of it, as they end, in any order.

    Raises what a task raises, and UsageError ``archive/worker-died`` for a task whose process dies
    three times; tasks that have begun elsewhere end first in no case.
    """
    if jobs == 1:
        for number in numbers:
            yield number, work(number)
        return
    pool = _Pool(work, deque(numbers), jobs)
    try:
        yield from pool.results()
    finally:
        pool.end()


class _Worker:
    def __init__(self, work: Work) -> None:
        context: Any = multiprocessing.get_context("fork" if _can_fork() else "spawn")
        self.pipe, theirs = context.Pipe()
        self.number = -1
        self.process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, number: int) -> None:
        self.number = number
        self.pipe.send(number)

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


class _Pool:
    def __init__(self, work: Work, waiting: deque[int], jobs: int) -> None:
        self._work = work
        self._waiting = waiting
        self._attempts: dict[int, int] = {}
        self._workers: dict[Any, _Worker] = {}
        for _ in range(min(jobs, len(waiting))):
            self._start()

    def _start(self) -> None:
        worker = _Worker(self._work)
        self._workers[worker.pipe] = worker
        worker.give(self._waiting.popleft())

    def results(self) -> Iterator[tuple[int, Any]]:
        while self._workers:
            for pipe in connection.wait(list(self._workers)):
                worker = self._workers[pipe]
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError):
                    self._replace(worker)
                    continue
                if isinstance(result, _Failed):
                    raise result.error
                number = worker.number
                if self._waiting:
                    worker.give(self._waiting.popleft())
                else:
                    del self._workers[pipe]
                    worker.end()
                yield number, result

    def _replace(self, worker: _Worker) -> None:
        del self._workers[worker.pipe]
        worker.process.join()
        number, status = worker.number, worker.process.exitcode
        attempts = self._attempts[number] = self._attempts.get(number, 0) + 1
        if attempts == _MOST_ATTEMPTS:
            raise _died(number, status)
        self._waiting.appendleft(number)
        self._start()

    def end(self) -> None:
        for worker in self._workers.values():
            worker.end()


def _died(number: int, status: int | None) -> UsageError:
    ended = f"signal {-status}" if status is not None and status < 0 else f"exit status {status}"
    return UsageError(
        Finding(
            "archive/worker-died",
            f"The process that did task {number} has died {_MOST_ATTEMPTS} times",
            expected="a process that lives until it is done; fewer --jobs need less memory",
            actual=ended,
        )
    )


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


def _serve(pipe: Any, work: Work) -> None:
    """Do the tasks that come; end at once when who sends them is no more."""
    tasks: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, tasks), daemon=True).start()
    while True:
        number = tasks.get()
        try:
            result: Any = work(number)
        except Exception as error:  # noqa: BLE001 - whoever gave the task raises it
            result = _Failed(error)
        try:
            pipe.send(result)
        except OSError:
            os._exit(1)


def _listen(pipe: Any, tasks: queue.SimpleQueue[int]) -> None:
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)
