"""The pool of worker processes: started when they are needed, ended when their time is over."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .limits import Limits
from .metrics import Metrics
from .problems import Problem, refuse
from .worker import FRAME, findings_of, run_job

__all__ = ["INLINE_BYTES", "JobFailed", "Workers", "is_small"]

_PACKAGE: Final = Path(__file__).resolve().parent.parent.parent
_CLOSE_SECONDS: Final = 2.0
INLINE_BYTES: Final = 16 * 1024
"""Documents up to this size are worked on at once: the way to a process would take longer."""


def is_small(job: str, data: bytes) -> bool:
    """Tell whether a job is done at once: a comparison may take long, however short it is."""
    return job != "compare" and len(data) <= INLINE_BYTES


class JobFailed(Exception):
    """A job raised what it must not raise; ``place`` says where, without what."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self.name = name
        self.place = place


class Workers:
    """At most ``limits.workers`` processes, each of which does one job at a time."""

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._limits = limits
        self._metrics = metrics
        self._free: list[asyncio.subprocess.Process] = []
        self._all: set[asyncio.subprocess.Process] = set()
        self._ending: set[asyncio.Future[int]] = set()
        self._slots = asyncio.Semaphore(limits.workers)

    async def run(self, job: str, data: bytes, options: Mapping[str, Any]) -> bytes:
        """Return the answer of a job.

        Raises Problem: the job's refusal, 408 ``service/time-limit``, 413 ``service/too-large``
        where memory does not suffice; JobFailed.
        """
        head = {"job": job, "options": dict(options)}
        if is_small(job, data):
            return self._answer(*run_job(head, data))
        seconds = self._limits.job_seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit, self._slots:
                told, body = await self._do(head, data)
        except TimeoutError:
            if not limit.expired():
                raise
            raise refuse(
                "service/time-limit",
                "The work has taken too long",
                expected=f"at most {seconds:g} seconds",
            ) from None
        return self._answer(told, body)

    async def _do(self, head: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Do a job in a process; one that is left in the midst of its job is ended."""
        process = self._idle() or await self._start()
        cause = "cancelled"
        try:
            self._metrics.busy_workers.inc()
            reply = await _ask(process, head, data)
            if reply[0]["is"] != "memory":
                self._free.append(process)
                cause = ""
            else:
                cause = "memory"
        except (asyncio.IncompleteReadError, ConnectionError):
            cause, reply = "crash", ({"is": "memory"}, b"")
        finally:
            self._metrics.busy_workers.dec()
            if cause:
                self._metrics.worker_ends.labels(cause).inc()
                self._end(process)
        return reply

    def _idle(self) -> asyncio.subprocess.Process | None:
        """Return a process that waits for work; one that was ended from outside is forgotten."""
        while self._free:
            process = self._free.pop()
            if process.returncode is None:
                return process
            self._end(process)
        return None

    async def _start(self) -> asyncio.subprocess.Process:
        # Where the package is found does not depend on how the service was started.
        code = (
            f"import sys; sys.path.insert(0, {str(_PACKAGE)!r}); "
            f"from partwire.service.worker import main; main({self._limits.worker_bytes})"
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # Ctrl-C is for the service: it ends its workers when their jobs are done.
            start_new_session=os.name == "posix",
        )
        self._all.add(process)
        return process

    def _end(self, process: asyncio.subprocess.Process) -> None:
        self._all.discard(process)
        _hang_up(process)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        waiting = asyncio.ensure_future(process.wait())
        self._ending.add(waiting)
        waiting.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End all processes: idle ones by themselves, those at work at once."""
        idle, ending = self._free, tuple(self._all)
        self._free = []
        for process in idle:
            _hang_up(process)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                for process in idle:
                    await process.wait()
        for process in ending:
            self._end(process)
        await asyncio.gather(*self._ending)

    def _answer(self, told: dict[str, Any], body: bytes) -> bytes:
        match told["is"]:
            case "answer":
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
            case _:
                raise JobFailed(told["error"], told["at"])


def _hang_up(process: asyncio.subprocess.Process) -> None:
    """Say that there is no more work: an idle process ends by itself."""
    if process.stdin is not None:
        process.stdin.close()


async def _ask(
    process: asyncio.subprocess.Process, head: dict[str, Any], data: bytes
) -> tuple[dict[str, Any], bytes]:
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None
    text = json.dumps(head).encode()
    stdin.write(FRAME.pack(len(text), len(data)) + text)
    stdin.write(data)
    await stdin.drain()
    size, rest = FRAME.unpack(await stdout.readexactly(FRAME.size))
    return json.loads(await stdout.readexactly(size)), await stdout.readexactly(rest)
