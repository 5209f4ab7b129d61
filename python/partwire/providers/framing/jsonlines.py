"""JSON Lines: bytes in any cut → lines with their numbers.

A line ends with LF or CRLF and with nothing else: a CR inside a line is white space of JSON,
U+2028 and U+2029 are data. Lines that hold nothing but spaces, tabs and CRs are passed over, but
counted. One byte order mark is dropped at the start; a later one is data. A last line without a
line end is given by ``close``: many files end so.

Source: https://jsonlines.org.
"""

from __future__ import annotations

from io import BytesIO
from typing import NamedTuple, TypeVar

from ...errors import Finding, FramingError
from .feeder import DEFAULT_LIMIT_BYTES, LineFeeder

__all__ = ["JSONLinesDecoder", "LineBlock", "LineBlockDecoder", "RawLine"]

Event = TypeVar("Event")

_BLANK = b" \t\r"
_new = tuple.__new__  # see sse.py


class RawLine(NamedTuple):
    """One line: its bytes without the line end, not decoded, and its 1-based number.

    ``terminated`` is False for a last line that no line end closes. It may be cut; since no
    JSON object is the beginning of another one, decoding it tells.
    """

    data: bytes
    number: int
    terminated: bool = True


class LineBlock(NamedTuple):
    """Whole lines as they stand, blank ones too: ``lines[0]`` is line ``number`` of the stream.

    Without the line ends, unless they were asked for; a CR may still stand before one, where it is
    white space of JSON. ``size_bytes`` is with them.
    """

    lines: list[bytes]
    number: int
    size_bytes: int


class _LineCutter(LineFeeder[Event]):
    """What bytes are lines, and how long they may be."""

    __slots__ = ()

    def __init__(self, max_line_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        super().__init__(max_line_bytes, "max_line_bytes")

    def _block_end(self, chunk: bytes) -> int:
        return chunk.rfind(b"\n") + 1

    def _check_unfinished(self, tail: bytes) -> None:
        size = len(self._buffer) + len(tail)
        if size > self._limit:
            self._check_size(size - tail.endswith(b"\r"))

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            raise FramingError(
                Finding(
                    "framing/line-too-long",
                    "The line is longer than max_line_bytes",
                    expected=f"at most {self._limit} bytes",
                    actual=f"more than {self._limit} bytes",
                    line=self._line,
                )
            )


class JSONLinesDecoder(_LineCutter[RawLine]):
    """Cut bytes into lines; laws and errors as in :mod:`partwire.providers.framing.feeder`.

    ``max_line_bytes`` bounds a line without its line end; beyond it:
    ``framing/line-too-long``, which names the limit. UTF-8 and JSON are checked by
    :func:`.decode_value`, line by line: a bad line does not stop the others.
    """

    __slots__ = ()

    def _read_block(self, block: bytes, events: list[RawLine]) -> None:
        lines = block.split(b"\n")
        lines.pop()  # what follows the last line end: nothing
        number = self._line
        # No line is too long, none ends with CR, none begins with white space: most streams.
        if len(block) <= self._limit and not _needs_care(block):
            events += [
                _new(RawLine, (line, at, True)) for at, line in enumerate(lines, number) if line
            ]
        else:
            for at, line in enumerate(lines, number):
                self._line = at
                self._add(line, True, events)
        self._line = number + len(lines)

    def _add(self, line: bytes, terminated: bool, events: list[RawLine]) -> None:
        line = line.removesuffix(b"\r")
        self._check_size(len(line))
        if line.strip(_BLANK):
            events.append(RawLine(line, self._line, terminated))

    def _finish(self, events: list[RawLine]) -> None:
        # A last CR is half of a line end here as well, so that it never counts for the limit.
        self._add(bytes(self._buffer), False, events)


class LineBlockDecoder(_LineCutter[LineBlock]):
    """Cut bytes into blocks of lines, for those who look at many lines at once.

    The lines are those of :class:`JSONLinesDecoder`, with the blank ones between them; how they
    are grouped depends on the cut of the bytes. ``midway`` bytes are not the start of a file: a
    byte order mark is data there. With ``keep_ends`` the lines keep their LF, which is white space
    of JSON: to cut them so takes a third of the time.
    """

    __slots__ = ("_keep_ends",)

    def __init__(
        self,
        max_line_bytes: int = DEFAULT_LIMIT_BYTES,
        *,
        midway: bool = False,
        keep_ends: bool = False,
    ) -> None:
        super().__init__(max_line_bytes)
        self._begun = midway
        self._keep_ends = keep_ends

    def _read_block(self, block: bytes, events: list[LineBlock]) -> None:
        if self._keep_ends:
            lines = BytesIO(block).readlines()
        else:
            lines = block.split(b"\n")
            lines.pop()  # what follows the last line end: nothing
        number = self._line
        if len(block) > self._limit:
            for at, line in enumerate(lines):
                size = len(line.removesuffix(b"\n").removesuffix(b"\r"))
                if size > self._limit:
                    if at:
                        read = sum(map(len, lines[:at])) + (0 if self._keep_ends else at)
                        events.append(LineBlock(lines[:at], number, read))
                    self._line = number + at
                    self._check_size(size)
        events.append(LineBlock(lines, number, len(block)))
        self._line = number + len(lines)

    def _finish(self, events: list[LineBlock]) -> None:
        line = bytes(self._buffer)
        self._check_size(len(line.removesuffix(b"\r")))
        if line:
            events.append(LineBlock([line], self._line, len(line)))


def _needs_care(block: bytes) -> bool:
    return block[0] in _BLANK or b"\r" in block or b"\n " in block or b"\n\t" in block
