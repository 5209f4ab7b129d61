"""Bytes that come once, for every reader from their beginning: a page may be loaded again."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import Final

from ..errors import PartwireError

__all__ = ["Tape"]

_CHUNK_BYTES: Final = 1 << 17
_PAUSE_SECONDS: Final = 0.5


class Tape:
    """What an iterable of bytes gives, recorded in a temporary file by a thread that it starts."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - it is closed by close
        self._size = 0
        self._error: PartwireError | None = None
        self._is_over = False
        self._changed = threading.Condition()
        threading.Thread(target=self._record, args=(chunks,), daemon=True).start()

    def _record(self, chunks: Iterable[bytes]) -> None:
        error = None
        try:
            for chunk in chunks:
                with self._changed:
                    if self._file.closed:
                        return
                    self._file.seek(self._size)
                    self._file.write(chunk)
                    self._size += len(chunk)
                    self._changed.notify_all()
        except PartwireError as found:
            error = found
        with self._changed:
            self._error, self._is_over = error, True
            self._changed.notify_all()

    def chunks(self) -> Iterator[bytes]:
        """Yield what has come, and what comes; b"" now and then while nothing does.

        Raises, at the end, the PartwireError that the iterable has raised.
        """
        at = 0
        while True:
            with self._changed:
                if at == self._size and not self._is_over:
                    self._changed.wait(_PAUSE_SECONDS)
                if self._file.closed:
                    return
                self._file.seek(at)
                chunk = self._file.read(_CHUNK_BYTES)
                is_end = self._is_over and not chunk
            if is_end:
                break
            at += len(chunk)
            yield chunk
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Remove the file; who reads meanwhile is at the end."""
        with self._changed:
            self._file.close()
