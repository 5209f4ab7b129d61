"""Bytes that come once, for every reader from their beginning: a page may be loaded again."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile, gettempdir
from typing import Final

from ..errors import Finding, FramingError, PartwireError, UsageError

__all__ = ["Tape"]

_CHUNK_BYTES: Final = 1 << 17
_PAUSE_SECONDS: Final = 0.5


class Tape:
    """What an iterable of bytes gives, recorded in a temporary file by a thread that it starts.

    It ends with an error behind ``most`` bytes, and where the file cannot be written: readers get
    what came until then.
    """

    def __init__(self, chunks: Iterable[bytes], most: int) -> None:
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - it is closed by close
        self._most = most
        self._size = 0
        self._error: PartwireError | None = None
        self._is_over = False
        self._changed = threading.Condition()
        threading.Thread(target=self._record, args=(chunks,), daemon=True).start()

    def _record(self, chunks: Iterable[bytes]) -> None:
        error: PartwireError | None = None
        try:
            for chunk in chunks:
                if not self._add(chunk):
                    return
        except PartwireError as found:
            error = found
        except OSError as found:
            why = found.strerror or str(found)
            message = f"What comes cannot be kept in a temporary file: {why}"
            finding = Finding("usage/unwritable-output", message, actual=gettempdir())
            expected = "a folder for temporary files (TMPDIR) with space for it"
            error = UsageError(finding._replace(expected=expected))
        with self._changed:
            self._error, self._is_over = error, True
            self._changed.notify_all()

    def _add(self, chunk: bytes) -> bool:
        """Keep what has come; return whether anybody may still want more."""
        with self._changed:
            if self._file.closed:
                return False
            fits = chunk[: self._most - self._size]
            self._file.seek(self._size)
            while fits:  # a disk that is nearly full takes a part
                written = self._file.write(fits)
                self._size += written
                fits = fits[written:]
            self._changed.notify_all()
        if self._size < self._most:
            return True
        message, expected = "More comes than is kept", f"at most {self._most:,} bytes"
        finding = Finding("framing/document-too-large", message, expected=expected)
        raise FramingError(finding._replace(actual=f"more than {self._most:,} bytes"))

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
                chunk = self._file.read(min(_CHUNK_BYTES, self._size - at))
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
