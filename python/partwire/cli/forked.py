"""Processes that are forked: they begin at once, and send what they find through a pipe.

A bare fork takes a fifth of the time that ``multiprocessing`` takes to be imported and to start a
process, which is as long as a process validates ten megabytes.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BufferedReader
from typing import Any, Final

__all__ = ["Forked", "PipeEnd"]

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
