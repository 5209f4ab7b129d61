"""Tasks done in several processes: one that dies is replaced, and what it did is done again."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
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
        how = "fork" if _can_fork() else "spawn"
        context: Any = multiprocessing.get_context(how)
        self.pipe, theirs = context.Pipe()
        self.number = -1
        # A fork has the driver's end too, and must close it: else it would never see it closed.
        ours = self.pipe if how == "fork" else None
        self.process = context.Process(target=_serve, args=(theirs, ours, work), daemon=True)
        with nullcontext() if ours is None else _undisturbed():
            self.process.start()
        theirs.close()

    def give(self, number: int) -> None:
        """Begin a task. Raises OSError where the process is no more."""
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
        self._jobs = jobs

    def results(self) -> Iterator[tuple[int, Any]]:
        for _ in range(min(self._jobs, len(self._waiting))):
            self._start()
        while self._workers:
            for pipe in connection.wait(list(self._workers)):
                worker = self._workers[pipe]
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError, pickle.UnpicklingError):  # nothing, or half of it
                    self._replace(worker)
                    continue
                if isinstance(result, _Failed):
                    raise result.error
                number = worker.number
                if self._waiting:
                    self._give(worker)
                else:
                    del self._workers[pipe]
                    worker.end()
                yield number, result

    def _start(self) -> None:
        worker = _Worker(self._work)
        self._workers[worker.pipe] = worker
        self._give(worker)

    def _give(self, worker: _Worker) -> None:
        try:
            worker.give(self._waiting.popleft())
        except OSError:  # it has died since
            self._replace(worker)

    def _replace(self, worker: _Worker) -> None:
        del self._workers[worker.pipe]
        worker.end()
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
    """Tell whether a fork is whole: threads are not in it, nor those of the stores' client."""
    is_alone = threading.active_count() == 1 and "obstore" not in sys.modules
    return sys.platform == "linux" and is_alone


def _serve(pipe: Any, ours: Any, work: Work) -> None:
    """Do the tasks that come; end at once when who sends them is no more."""
    if ours is not None:
        ours.close()
    _take_signals()
    tasks: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, tasks), daemon=True).start()
    while True:
        number = tasks.get()
        try:
            result: Any = work(number)
        except Exception as error:  # noqa: BLE001 - whoever gave the task raises it
            result = _Failed(_sendable(error))
        try:
            pipe.send(result)
        except OSError:
            os._exit(1)


_ENDS: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back the signals that end a program: their handlers are for the driver alone."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*_ENDS, signal.SIGINT))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _take_signals() -> None:
    """Let SIGTERM end a worker at once; an interrupt is for the driver, which ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for each in _ENDS:
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*_ENDS, signal.SIGINT))


def _sendable(error: Exception) -> Exception:
    """Return the error, or one like it that another process can take."""
    if not isinstance(error, UsageError | OSError):
        error.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - of this process
    except Exception:  # noqa: BLE001 - whatever its class does
        return RuntimeError(traceback.format_exc())
    return error


def _listen(pipe: Any, tasks: queue.SimpleQueue[int]) -> None:
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)
