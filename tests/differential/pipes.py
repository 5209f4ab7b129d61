"""Drivers that are asked by the hundred: lines go in ahead, answers come out in order.

The protocol has one request on its way at a time, and a pipe is what lets a driver believe so. A
driver that dies or hangs answers ``errored`` for the request that it did not survive, and the rest
goes to another process of it.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Final

from tests.differential.request import Json, Request

__all__ = ["Driver", "DriverGone"]

_SECONDS: Final = 60.0
_START: Final = b'{"type": "start", "protocol": 1}\n'
_TAIL: Final = 400


class DriverGone(Exception):
    """A driver cannot be asked at all; its one argument says why."""


class Driver:
    """A driver and the process that speaks for it; not for several threads."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        seconds: float = _SECONDS,
    ) -> None:
        """Start the command; raises DriverGone where it does not say who it is."""
        self.name = name
        self._command = list(command)
        self._env = {**os.environ, **(env or {})}
        self._seconds = seconds
        self._start()

    def can(self, request: Request) -> bool:
        """Return whether the driver has the operation and the version of a request."""
        versions, operations = self.started["versions"], self.started["operations"]
        return request.version in versions and request.operation in operations

    def ask(self, requests: Sequence[Request]) -> list[Json]:
        """Return the answers to requests, in order; what is not answered is ``errored``."""
        answers: list[Json] = []
        while len(answers) < len(requests):
            todo = requests[len(answers) :]
            lines = [request.line(number) for number, request in enumerate(todo)]
            answers += self._answers(lines)
        return answers

    def close(self) -> None:
        """End the process."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._env,
                start_new_session=True,
            )
        except OSError as error:
            raise DriverGone(f"{self.name} does not start: {error}") from None
        self._last_words = b""
        self._lines: queue.Queue[bytes] = queue.Queue()
        for job in (self._read, self._watch):
            threading.Thread(target=job, args=(self._process,), daemon=True).start()
        answer = self._answers([_START])[0]
        if answer.get("type") != "started":
            self.close()
            raise DriverGone(f"{self.name} does not say who it is: {answer}")
        self.started = answer

    def _answers(self, lines: Sequence[bytes]) -> list[Json]:
        """Write lines and return their answers, up to the first that is none."""
        threading.Thread(
            target=_write, args=(self._process.stdin, b"".join(lines)), daemon=True
        ).start()
        answers: list[Json] = []
        for _ in lines:
            try:
                line = self._lines.get(timeout=self._seconds)
            except queue.Empty:
                return [*answers, self._replaced(lines[0] == _START, silent=True)]
            if not line:
                return [*answers, self._replaced(lines[0] == _START, silent=False)]
            answers.append(_parsed(line, len(answers)))
        return answers

    def _replaced(self, at_start: bool, *, silent: bool) -> Json:
        """Start anew; return an answer that tells how the process ended."""
        with suppress(subprocess.TimeoutExpired):
            # Its output has ended, and it may have work left; what hangs had its time.
            self._process.wait(0 if silent else self._seconds)
        hung = self._process.poll() is None
        self.close()
        words = self._last_words.decode("utf-8", "replace").strip()
        told = f"{'no answer' if hung else f'ended with {self._process.returncode}'}; {words}"
        if not at_start:
            self._start()
        return {"type": "errored", "message": told}

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        lines, stream = self._lines, process.stdout
        with suppress(OSError, ValueError):
            for line in stream or ():
                lines.put(line)
        lines.put(b"")

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(OSError, ValueError):
            for line in process.stderr or ():
                self._last_words = (self._last_words + line)[-_TAIL:]


def _write(stream: IO[bytes] | None, data: bytes) -> None:
    with suppress(OSError, ValueError):  # the driver has gone: reading tells
        if stream is not None:
            stream.write(data)
            stream.flush()


def _parsed(line: bytes, number: int) -> Json:
    """Return an answer; one that is none, or to another question, is ``errored``."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"type": "errored", "message": f"no JSON: {error}"}
    if not isinstance(answer, dict) or answer.get("id", number) != number:
        return {"type": "errored", "message": f"no answer to what was asked: {line[:_TAIL]!r}"}
    return answer
