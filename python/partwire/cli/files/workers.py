"""Processes that validate tasks side by side, and give their outcomes back in order.

Not ``multiprocessing`` where processes can be forked: importing it takes longer than most runs. Nor
the pool of the service (``service/workers.py``), whose processes are started for one job after the
other and are ended with a job that nobody waits for: these share one run's tasks from its start.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import BufferedReader
from itertools import cycle
from types import TracebackType
from typing import Any, Final, Protocol

from ...errors import Finding
from ...reading.pipeline import Binding
from .signals import end_at_once, undisturbed
from .validation import Outcome, Task, outcomes

__all__ = ["Forked", "PipeEnd", "Workers", "work"]


# --- forked processes -----------------------------------------------------------------------------

_SIZE_BYTES: Final = 8


class PipeEnd:
    """One end of a pipe, from which values are received, or into which they are sent."""

    def __init__(self, handle: int, *, reads: bool) -> None:
        self._handle = handle
        self._file: BufferedReader | None = os.fdopen(handle, "rb") if reads else None
        self._is_open = True

    def send(self, value: object) -> None:
        """Send a value; raises BrokenPipeError where nobody listens."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        left = memoryview(len(data).to_bytes(_SIZE_BYTES, "little") + data)
        while left:
            left = left[os.write(self._handle, left) :]

    def recv(self) -> Any:
        """Return the next value; raises EOFError where none comes any more."""
        assert self._file is not None
        size = int.from_bytes(self._read(_SIZE_BYTES), "little")
        return pickle.loads(self._read(size))  # noqa: S301 - from our own process

    def _read(self, size: int) -> bytes:
        assert self._file is not None
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def close(self) -> None:
        """Close the end; once is enough."""
        if self._is_open:
            self._is_open = False
            if self._file is not None:
                self._file.close()
            else:
                os.close(self._handle)


class Forked:
    """A process that runs ``work(sender, *arguments)``; ``results`` is where it is listened to.

    ``inherited`` are pipe ends of other processes, which this one has no use for.
    """

    def __init__(
        self, work: Callable[..., None], arguments: Sequence[Any], inherited: Sequence[PipeEnd]
    ) -> None:
        reader, writer = os.pipe()
        self.results = PipeEnd(reader, reads=True)
        self._status: int | None = None
        sender = PipeEnd(writer, reads=False)
        try:
            self.pid = os.fork()
        except BaseException:
            self.results.close()
            sender.close()
            raise
        if not self.pid:
            _run(work, sender, arguments, [*inherited, self.results])
        sender.close()  # or the end of the process would not be seen

    def terminate(self) -> None:
        """End the process if it still runs."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def join(self) -> int:
        """Wait for the end of the process; return its exit status, or minus the signal."""
        if self._status is None:
            try:
                _, status = os.waitpid(self.pid, 0)
            except ChildProcessError:  # somebody else has waited for it
                self._status = 0
            else:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status


def _run(
    work: Callable[..., None],
    sender: PipeEnd,
    arguments: Sequence[Any],
    inherited: Sequence[PipeEnd],
) -> None:
    """Do the work of a forked process, which returns to nobody."""
    status = 1
    try:
        gc.freeze()  # pages that no collection looks at stay shared
        work(sender, *arguments, inherited)
        status = 0
    except Exception as error:  # noqa: BLE001 - there is nobody else to say it
        sys.excepthook(type(error), error, error.__traceback__)
    finally:  # whatever ends it, be it a signal: nothing of the parent's goes on here
        # What the parent has buffered is the parent's to write, and so is its cleaning up.
        os._exit(status)


# --- the pool -------------------------------------------------------------------------------------

_MOST_FINDINGS = 1_000  # in one message: what a worker holds back is bounded


class _End(Protocol):
    """One end of a pipe."""

    def send(self, value: Any) -> None: ...
    def recv(self) -> Any: ...
    def close(self) -> None: ...


class _Worker(Protocol):
    """A process, and the end of the pipe at which it is listened to."""

    @property
    def results(self) -> _End: ...
    def terminate(self) -> None: ...
    def join(self) -> int: ...


class Workers:
    """Validate tasks in ``jobs`` processes, of which each takes every ``jobs``-th task.

    This process is the first of them where the others can be forked. Who is ahead waits at its
    pipe, so that memory stays flat. To be used as a context manager: at its end no process is left.
    """

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        shared = [task for task in tasks if task.is_file]
        count = min(jobs, len(shared))
        shares = [shared[first::count] for first in range(count)]
        self._workers: list[_Worker | None] = []
        try:
            self._start(shares)
        except BaseException:
            self._end()
            raise
        self._turns = cycle(self._workers)

    def _start(self, shares: Sequence[Sequence[Task]]) -> None:
        if _can_fork():
            inherited: list[PipeEnd] = []
            self._workers += [None] * bool(shares)
            for known in {(task.type, task.version) for task in shares[0]} if shares else ():
                Binding.of(*known).refused([])  # made once, and not once in each
            for share in shares[1:]:
                with undisturbed():  # or a signal may end this process before it knows of it
                    worker = Forked(work, (share,), inherited)
                    inherited.append(worker.results)
                    self._workers.append(worker)
        else:
            for share in shares:
                self._workers.append(_Spawned(share))

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        others = [worker for worker in self._workers if worker is not None]
        for worker in others:
            worker.results.close()
            worker.terminate()
        for worker in others:
            worker.join()

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        """Yield the outcomes of the tasks, which have to be asked for in their order, all of them.

        Where a worker has died, the last outcome of each of its tasks says so.
        """
        worker = next(self._turns) if task.is_file else None
        if worker is None:
            yield from outcomes(task)  # this process's share, and stdin, which belongs to it
            return
        while True:
            try:
                outcome, is_last = worker.results.recv()
            except (EOFError, OSError):
                yield Outcome(0, 0, 0, [], (_lost(worker, task),))
                return
            yield outcome
            if is_last:
                return


class _Spawned:
    """A worker in a new interpreter, which imports everything first."""

    def __init__(self, share: Sequence[Task]) -> None:
        import multiprocessing  # noqa: PLC0415 - takes as long as ten megabytes

        context = multiprocessing.get_context("spawn")
        self.results: Any
        self.results, writer = context.Pipe(duplex=False)
        self._process = context.Process(target=work, args=(writer, share, ()), daemon=True)
        self._process.start()
        writer.close()  # or the end of the worker would not be seen

    def terminate(self) -> None:
        self._process.terminate()

    def join(self) -> int:
        self._process.join()
        return self._process.exitcode or 0


def _can_fork() -> bool:
    """Return whether workers may be forked, which begin at once; spawned ones import first."""
    return sys.platform == "linux" and threading.active_count() == 1


def _lost(worker: _Worker, task: Task) -> Finding:
    status = worker.join()
    ended = f"signal {-status}" if status < 0 else f"exit status {status}"
    return Finding(
        "usage/unreadable-input",
        f"Not read to its end: the process that read it has died ({ended})",
        expected="a process that lives until it is done; fewer --jobs need less memory",
        actual=task.name,
    )


def work(results: _End, tasks: Sequence[Task], inherited: Sequence[_End]) -> None:
    """Send the outcomes of the tasks, each with whether it is the task's last.

    ``inherited`` are the other ends of pipes: as long as anyone holds them, a worker whose
    listener was killed would wait for ever.
    """
    end_at_once()
    for each in inherited:
        each.close()
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


def _send(results: _End, outcome: Outcome, *, is_last: bool) -> None:
    results.send((outcome, is_last))
