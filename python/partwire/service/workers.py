"""The pool of worker processes: started when they are needed, ended when their time is over.

Each is spoken to by its own thread, so that it belongs to no event loop: applications are
also run in one after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Final

from .fairness import LANES, Lane, lane_of
from .limits import Limits
from .metrics import Metrics
from .problems import Problem, refuse
from .worker import FRAME, NO_MEMORY, findings_of, run_job

__all__ = ["INLINE_BYTES", "JobFailed", "Workers", "is_small"]

_PACKAGE: Final = Path(__file__).resolve().parent.parent.parent
_CLOSE_SECONDS: Final = 2.0
INLINE_BYTES: Final = 16 * 1024
"""Documents up to this size are worked on at once: the way to a process would take longer."""

Reply = tuple[dict[str, Any], bytes]


def is_small(job: str, data: bytes) -> bool:
    """Return whether a job is done at once: a comparison may take long, however short it is."""
    return job != "compare" and len(data) <= INLINE_BYTES


class JobFailed(Exception):
    """A job raised what it must not raise; ``place`` says where, without what."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self.name = name
        self.place = place


class Workers:
    """For each lane at most ``limits.workers`` processes, each of which does one job at a time."""

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._limits = limits
        self._metrics = metrics
        self._threads: ThreadPoolExecutor | None = None
        self._lanes = {name: Lane(limits.workers) for name in LANES}
        self._free: list[_Process] = []
        self._all: set[_Process] = set()
        # For who forgets to close; the set must not hold the pool.
        weakref.finalize(self, _end_all, self._all)

    def do(self, job: str, data: bytes, options: Mapping[str, Any]) -> bytes:
        """Return the answer of a small job, done here and at once; raises as :meth:`run`."""
        return self._answer(*run_job({"job": job, "options": options}, data))

    async def run(
        self, job: str, data: bytes, options: Mapping[str, Any], client: str = ""
    ) -> bytes:
        """Return the answer of a job that is done in a process.

        Raises Problem: the job's refusal, 408 ``service/time-limit``, 413 ``service/too-large``
        where memory does not suffice, 500 ``service/worker-lost``; JobFailed.
        """
        head = {"job": job, "options": dict(options)}
        if self._threads is None:
            threads = self._limits.workers * len(LANES)
            self._threads = ThreadPoolExecutor(threads, "partwire-worker")
        task = _Task(head, data)
        seconds = self._limits.job_seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit, self._lanes[lane_of(job, data)].place(client):
                told, body = await asyncio.wrap_future(self._threads.submit(self._do, task))
        except TimeoutError:
            if not limit.expired():
                raise
            raise refuse(
                "service/time-limit",
                "The work has taken too long",
                expected=f"at most {seconds:g} seconds",
            ) from None
        finally:
            task.leave()
        return self._answer(told, body)

    def _do(self, task: _Task) -> Reply:
        """Do a task in a process, waiting for it in a thread."""
        idle = self._idle()
        if idle is not None:
            reply = self._ask(idle, task)
            if "status" not in reply[0]:  # the process has not ended
                return reply
        # None is idle, or it has ended before it got the task.
        return self._ask(self._start(), task)

    def _ask(self, process: _Process, task: _Task) -> Reply:
        if not task.begin(process):
            self._free.append(process)
            return {"is": "left"}, b""
        self._metrics.busy_workers.inc()
        try:
            reply = process.ask(task.head, task.data)
        except (EOFError, OSError, ValueError):
            reply = _gone(process.status()), b""
        left = task.end()
        if left or reply[0]["is"] in ("gone", "memory"):
            cause = "cancelled" if left else reply[0]["is"]
            self._metrics.worker_ends.labels(cause).inc()
            self._all.discard(process)
            process.end()
        else:
            self._free.append(process)
        self._metrics.busy_workers.dec()
        return ({"is": "left"}, b"") if left else reply

    def _idle(self) -> _Process | None:
        """Return a process that waits for work; one that was ended from outside is forgotten."""
        while self._free:
            process = self._free.pop()
            if process.is_alive():
                return process
            self._all.discard(process)
            process.end()
        return None

    def _start(self) -> _Process:
        process = _Process(self._limits.worker_bytes)
        self._all.add(process)
        return process

    def kill(self) -> None:
        """End all processes at once, whatever they do."""
        for process in tuple(self._all):
            process.kill()

    async def close(self) -> None:
        """End all processes: idle ones by themselves, those at work at once."""
        idle, self._free = self._free, []
        if self._all:
            await asyncio.to_thread(_let_end, idle)
            await asyncio.to_thread(_end_all, self._all)
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None

    def _answer(self, told: dict[str, Any], body: bytes) -> bytes:
        match told["is"]:
            case "answer":
                if told["rules"]:
                    self._metrics.found(told["rules"])
                return body
            case "refusal":
                raise Problem(findings_of(told))
            case "memory":
                raise refuse(
                    "service/too-large",
                    "The work takes more memory than it may",
                    expected=f"at most {self._limits.worker_bytes} bytes",
                )
            case "gone":
                raise refuse(
                    "service/worker-lost",
                    "The process that did the work was ended from outside, or has crashed",
                    expected="a process that lives until its work is done",
                    actual=told["status"],
                )
            case _:
                raise JobFailed(told["error"], told["at"])


class _Task:
    """A job that somebody waits for, or no more: then its process is ended."""

    def __init__(self, head: dict[str, Any], data: bytes) -> None:
        self.head = head
        self.data = data
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._left = False

    def begin(self, process: _Process) -> bool:
        """Take a process; return whether anybody waits for what it will say."""
        with self._lock:
            self._process = process
            return not self._left

    def end(self) -> bool:
        """Give the process back; return whether it was ended because nobody waits."""
        with self._lock:
            self._process = None
            return self._left

    def leave(self) -> None:
        """Wait no more."""
        with self._lock:
            self._left = True
            if self._process is not None:
                self._process.kill()


class _Process:
    """One worker's process, and the pipes to it."""

    def __init__(self, size_bytes: int) -> None:
        # Where the package is found does not depend on how the service was started.
        code = (
            f"import sys; sys.path.insert(0, {str(_PACKAGE)!r}); "
            f"from partwire.service.worker import main; main({size_bytes})"
        )
        self._process = subprocess.Popen(  # noqa: S603 - our own code, in our own Python
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the service: it ends its workers when their jobs are done.
            start_new_session=os.name == "posix",
        )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        self._stdin: IO[bytes] = stdin
        self._stdout: IO[bytes] = stdout

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._process.poll() is None

    def ask(self, head: dict[str, Any], data: bytes) -> Reply:
        """Return what comes of a job. Raises EOFError or OSError where the process has ended."""
        text = json.dumps(head).encode()
        self._stdin.write(FRAME.pack(len(text), len(data)) + text)
        self._stdin.write(data)
        self._stdin.flush()
        size, rest = FRAME.unpack(self._read(FRAME.size))
        return json.loads(self._read(size)), self._read(rest)

    def _read(self, size: int) -> bytes:
        data = self._stdout.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def status(self) -> int | None:
        """Return how the process has ended: as a shell has it, a signal below 0."""
        self.wait()
        return self._process.poll()

    def kill(self) -> None:
        """End the process at once; who waits for its answer sees that."""
        self._process.kill()

    def hang_up(self) -> None:
        """Say that there is no more work: an idle process ends by itself."""
        with contextlib.suppress(OSError):
            self._stdin.close()

    def end(self) -> None:
        """End the process, and wait for its end."""
        self.kill()
        self.hang_up()
        self._process.wait()
        self._stdout.close()

    def wait(self) -> None:
        """Wait a moment for the end of the process."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_SECONDS)


def _gone(status: int | None) -> dict[str, Any]:
    """Return the reply of a process that has ended in place of an answer."""
    ended = f"signal {-status}" if status and status < 0 else f"exit status {status}"
    return {"is": "memory" if status == NO_MEMORY else "gone", "status": ended}


def _let_end(processes: list[_Process]) -> None:
    for process in processes:
        process.hang_up()
    for process in processes:
        process.wait()


def _end_all(processes: set[_Process]) -> None:
    while processes:
        processes.pop().end()
