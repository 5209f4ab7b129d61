"""A driver as a process: one line out, one line in, and nothing that it does can hold us up.

Three threads are between the pipes and us: a driver that reads nothing, writes nothing or
writes without end blocks its thread, never the run.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Final

__all__ = ["MAX_LINE_BYTES", "DriverProcess", "NoAnswer"]

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""The longest answer that is read."""

_TAIL_BYTES: Final = 4096
_LEAVE_SECONDS: Final = 2.0
_LAST_WORDS_SECONDS: Final = 0.5


class NoAnswer(Exception):
    """A driver did not answer. ``cause`` is ``hung``, ``died``, ``flooded`` or ``unasked``."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause
        self.message = message


class DriverProcess:
    """A running driver. After a NoAnswer it is of no more use: ``close`` it."""

    def __init__(self, command: Sequence[str], max_line_bytes: int = MAX_LINE_BYTES) -> None:
        """Start the command; raises OSError where there is no such program."""
        self._max = max_line_bytes
        self._process = subprocess.Popen(  # noqa: S603 (the command is what the caller tests)
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # What it starts itself ends with it.
            start_new_session=os.name == "posix",
        )
        self._out: queue.Queue[bytes | None] = queue.Queue()
        self._in: queue.Queue[bytes | None] = queue.Queue(maxsize=2)
        self._tail: deque[bytes] = deque(maxlen=_TAIL_BYTES // 64)
        self._flooded = False
        self._over = threading.Event()
        jobs = (self._write, self._read, self._watch)
        self._threads = [threading.Thread(target=job, daemon=True) for job in jobs]
        for thread in self._threads:
            thread.start()

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Write a line and return the line that answers it, both without line ends.

        Raises NoAnswer: after ``timeout`` seconds, at the end of the output, after a line of too
        many bytes, and where the driver has written something before it was asked.
        """
        if not self._in.empty():
            early = self._in.get_nowait()
            if early is not None:
                raise NoAnswer("unasked", f"wrote a line without being asked: {_shown(early)}")
            raise NoAnswer("died", self._how_it_died())
        self._out.put(line + b"\n")
        try:
            answer = self._in.get(timeout=timeout)
        except queue.Empty:
            raise NoAnswer("hung", f"no answer within {timeout:g} s{self._last_words()}") from None
        if answer is not None:
            return answer
        if self._flooded:
            raise NoAnswer("flooded", f"wrote a line of more than {self._max:,} bytes")
        raise NoAnswer("died", self._how_it_died())

    def tell(self, line: bytes) -> None:
        """Write a line that has no answer."""
        self._out.put(line + b"\n")

    def close(self) -> None:
        """End the driver: its input ends, and if it does not leave, it is killed."""
        self._out.put(None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if self._flooded else _LEAVE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the driver at once, and all that it has started."""
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._over.set()
        self._out.put(None)
        for thread in self._threads:
            thread.join(_LEAVE_SECONDS)  # a grandchild that has its own session may hold a pipe

    def _write(self) -> None:
        stream = _piped(self._process.stdin)
        with suppress(OSError, ValueError):  # the driver has gone: reading reports it
            while (line := self._out.get()) is not None:
                stream.write(line)
                stream.flush()
        with suppress(OSError, ValueError):
            stream.close()

    def _read(self) -> None:
        with _piped(self._process.stdout) as stream, suppress(OSError, ValueError):
            while line := stream.readline(self._max + 1):
                if len(line) > self._max:
                    self._flooded = True
                    break
                self._hand_over(line.rstrip(b"\r\n"))
        self._hand_over(None)

    def _hand_over(self, line: bytes | None) -> None:
        """Wait until there is room for a line, or nobody wants it any more."""
        while not self._over.is_set():
            with suppress(queue.Full):
                self._in.put(line, timeout=0.2)
                return

    def _watch(self) -> None:
        with _piped(self._process.stderr) as stream, suppress(OSError, ValueError):
            while data := stream.readline(64):
                self._tail.append(data)

    def _how_it_died(self) -> str:
        try:
            code = self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            return f"closed its output{self._last_words()}"
        self._threads[-1].join(_LAST_WORDS_SECONDS)  # what it said last may still be on its way
        how = f"by signal {-code}" if code < 0 else f"with status {code}"
        return f"ended {how}{self._last_words()}"

    def _last_words(self) -> str:
        """Return the last lines of standard error, if there are any."""
        text = b"".join(tuple(self._tail)).decode("utf-8", "replace").strip()
        return f"; it said: {text[-500:]}" if text else ""


def _piped(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError("every stream of a driver is a pipe")
    return stream


def _shown(line: bytes) -> str:
    return line[:80].decode("utf-8", "replace")
