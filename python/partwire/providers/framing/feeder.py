"""What the decoders share: bytes in any cut in, events out.

The laws that hold for every decoder built on :class:`Feeder`:

- Cutting or joining the input anywhere changes neither the events nor the error.
- What arrived before an error is never lost: the call that meets the error returns it, and the
  next call raises. A call that has nothing to return raises at once. From then on every call
  raises that error; ``error`` holds it from the moment it is known.
- Memory is counted before it is taken: the buffer holds at most one unfinished line or frame
  within the limit. Work is proportional to the bytes fed, also when they come one by one.

:class:`TextFeeder` is for those that read text, :class:`LineFeeder` for lines of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from ...errors import Finding, FramingError, UsageError, clip
from ...tables.limits import DEFAULT_LIMIT_BYTES

__all__ = ["DEFAULT_LIMIT_BYTES", "Feeder", "LineFeeder", "TextFeeder"]

_BOM = b"\xef\xbb\xbf"

Event = TypeVar("Event")


class Feeder(ABC, Generic[Event]):
    """Take a stream of bytes, and keep what is unfinished.

    Not thread-safe, and for one stream: a reconnected stream takes a new decoder.
    """

    __slots__ = ("_buffer", "_closed", "_findings", "_limit", "_offset")

    def __init__(self, limit_bytes: int, name: str) -> None:
        if type(limit_bytes) is not int or limit_bytes < 1:
            raise _misuse(f"{name} is not a size", "a positive integer of bytes", limit_bytes)
        self._limit = limit_bytes
        self._buffer: bytearray = bytearray()
        self._closed = False
        self._offset = 0  # of the first byte of what is unfinished, in the stream
        self._findings: tuple[Finding, ...] = ()

    @property
    def error(self) -> FramingError | None:
        """The error that ended the decoding, also before a call had the occasion to raise it."""
        return FramingError(*self._findings) if self._findings else None

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Event]:
        """Return the events that ``chunk`` completes, in order; ``chunk`` may be empty.

        Raises FramingError if the stream cannot be read on (once the events before that place
        have been returned), UsageError ``usage/invalid-argument`` after ``close`` or for anything
        but bytes; a refused call changes nothing.
        """
        if self._findings:
            raise FramingError(*self._findings)
        if type(chunk) is not bytes:
            chunk = _as_bytes(chunk)
        if self._closed:
            raise _misuse("feed was called after close", "a new decoder for a new stream", None)
        events: list[Event] = []
        try:
            self._take(chunk, events)
        except FramingError as error:
            self._fail(error)
            if not events:
                raise
        return events

    def close(self) -> list[Event]:
        """Say that the stream has ended; return what it left unfinished, if anything.

        What comes from here is marked ``terminated=False``. Raises the FramingError that is still
        due. A second call returns nothing.
        """
        if self._findings:
            raise FramingError(*self._findings)
        events: list[Event] = []
        if not self._closed:
            self._closed = True
            try:
                self._end(events)
            except FramingError as error:
                self._fail(error)
                raise
            self._buffer.clear()
        return events

    def _fail(self, error: FramingError) -> None:
        # The findings, not the exception: its traceback would keep the bytes alive.
        self._findings = error.findings
        self._buffer = bytearray()

    @abstractmethod
    def _take(self, chunk: bytes, events: list[Event]) -> None:
        """Read a chunk; append each event as soon as it is complete."""

    @abstractmethod
    def _end(self, events: list[Event]) -> None:
        """Read what the buffer holds when the stream has ended."""


class TextFeeder(Feeder[Event]):
    """Read text, before which a byte order mark may stand; ``_line`` is the one being read."""

    __slots__ = ("_begun", "_line")

    def __init__(self, limit_bytes: int, name: str) -> None:
        super().__init__(limit_bytes, name)
        self._begun = False
        self._line = 1

    def _without_bom(self, chunk: bytes) -> bytes:
        """Drop one byte order mark at the start; hold back bytes that may yet become one."""
        start = bytes(self._buffer) + chunk
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._buffer[:] = start
            return b""
        self._buffer.clear()
        self._begun = True
        if not start.startswith(_BOM):
            return start
        self._offset = len(_BOM)
        return start[len(_BOM) :]


class LineFeeder(TextFeeder[Event]):
    """Cut a stream of bytes into blocks of whole lines."""

    __slots__ = ()

    @property
    def lines_read(self) -> int:
        """How many whole lines have come, comments and blank ones included.

        It grows with keep-alives too, which yield no event: a watchdog can tell them from silence.
        """
        return self._line - 1

    def _take(self, chunk: bytes, events: list[Event]) -> None:
        if not self._begun:
            chunk = self._without_bom(chunk)
        end = self._block_end(chunk)
        if end:
            size = len(self._buffer) + end
            # No name for the block here: the reader frees it once it is decoded.
            self._read_block(self._block(chunk, end), events)
            self._offset += size
            chunk = chunk[end:]
        if chunk:
            self._check_unfinished(chunk)
            self._buffer += chunk

    def _block(self, chunk: bytes, end: int) -> bytes:
        """Return the buffered line and ``chunk`` up to ``end`` as one, and empty the buffer."""
        if not self._buffer:
            return chunk[:end]  # no copy when it is the whole chunk
        block = b"".join((self._buffer, memoryview(chunk)[:end]))
        self._buffer.clear()
        return block

    def _end(self, events: list[Event]) -> None:
        if not self._begun:  # what may have become a byte order mark is not counted yet
            self._check_unfinished(b"")
        self._finish(events)

    @abstractmethod
    def _block_end(self, chunk: bytes) -> int:
        """Return where the last line end in ``chunk`` ends, 0 if there is none."""

    @abstractmethod
    def _read_block(self, block: bytes, events: list[Event]) -> None:
        """Read whole lines; append each event as soon as it is complete."""

    @abstractmethod
    def _check_unfinished(self, tail: bytes) -> None:
        """Raise if the buffered line is beyond the limit once ``tail`` is appended."""

    @abstractmethod
    def _finish(self, events: list[Event]) -> None:
        """Read what the buffer holds as the last, unfinished line."""


def _as_bytes(chunk: object) -> bytes:
    if isinstance(chunk, (bytes, bytearray, memoryview)):
        return bytes(chunk)
    raise _misuse("feed takes bytes: text is encoded before it is sent", "bytes", chunk)


def _misuse(message: str, expected: str, actual: object) -> UsageError:
    return UsageError(
        Finding(
            "usage/invalid-argument",
            message,
            expected=expected,
            actual=None if actual is None else clip(actual),
        )
    )
