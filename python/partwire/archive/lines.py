"""Blocks of whole lines out of bytes in any cut, and what a line says of its stream.

A line is blank, or JSON text up to LF; CR before it is white space of JSON. Blocks are as long as
the pieces that come, so that what is done per block costs little per line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import methodcaller
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from ..native_core import core

__all__ = [
    "BLANK",
    "Block",
    "Head",
    "LongLine",
    "Named",
    "Row",
    "blocks",
    "head_of_line",
    "name_in",
    "names_in",
]

BLANK: Final = b" \t\r"
"""What a line that is blank has at most."""
_BOM: Final = b"\xef\xbb\xbf"
_HEAD_BYTES: Final = 1024  # of a line that is too long to be taken


class Block(NamedTuple):
    """Whole lines of one source, each with its end."""

    source: int
    """Which of the archive's inputs, from 0."""
    number: int
    """The number of its first line in that input, from 1."""
    lines: int
    """How many lines it has."""
    data: bytes

    def texts(self) -> list[bytes]:
        """Return the lines, without their ends."""
        return self.data.split(b"\n")[:-1]


class LongLine(NamedTuple):
    """A line that is longer than a line may be: where it is, and how it begins."""

    source: int
    number: int
    length: int
    head: bytes

    @property
    def lines(self) -> int:
        """How many lines it is: as of a block, for those who count."""
        return 1


class Row(NamedTuple):
    """One line, without its end, and where it came from."""

    source: int
    number: int
    data: bytes


class Head(msgspec.Struct, rename="camel", gc=False):
    """What a line says of its stream, whatever else is in it."""

    run_id: Annotated[str, msgspec.Meta(min_length=1)]
    message_id: str | None = None
    kind: Any = None  # text, or None
    seq: Any = None


class Named(msgspec.Struct, rename="camel", gc=False):
    """The name of a stream, in a line that has one."""

    run_id: Annotated[str, msgspec.Meta(min_length=1)]
    message_id: str | None = None


_native: Final = core()
_count_lines: Final[Callable[[bytes], int]] = (
    methodcaller("count", b"\n") if _native is None else _native.count_lines
)
_named: Final = msgspec.json.Decoder(Named)
_head: Final = msgspec.json.Decoder(Head)


def blocks(
    chunks: Iterable[bytes], source: int, most: int, number: int = 1, *, is_midway: bool = False
) -> Iterator[Block | LongLine]:
    """Yield the lines of a source in blocks; ``most`` is how many bytes a line may have.

    ``number`` is that of the first line. A byte order mark is dropped, unless the chunks begin in
    the midst of a source, and a last line without an end gets one.
    """
    held = bytearray()
    skipped, head = 0, b""  # how much of a line that is too long has been passed over
    is_first = not is_midway
    for chunk in chunks:
        at = 0
        if skipped:
            at = chunk.find(b"\n") + 1
            if not at:
                skipped += len(chunk)
                continue
            yield LongLine(source, number, skipped + at, head)
            number, skipped = number + 1, 0
        end = chunk.rfind(b"\n") + 1
        if end > at:
            lines = memoryview(chunk)[at:end]
            data = b"".join((held, lines)) if held else bytes(lines)
            if is_first:
                data, is_first = data.removeprefix(_BOM), False
            for found in _parted(data, source, number, most):
                yield found
                number += found.lines
            held.clear()
            at = end
        held += memoryview(chunk)[at:]
        if len(held) > most:
            skipped, head = len(held), bytes(held[:_HEAD_BYTES])
            held.clear()
    if skipped:
        yield LongLine(source, number, skipped, head)
    elif held:
        data = bytes(held) + b"\n"
        yield Block(source, number, 1, data.removeprefix(_BOM) if is_first else data)


def _parted(data: bytes, source: int, number: int, most: int) -> Iterator[Block | LongLine]:
    """Yield whole lines as one block, or in several between those that are too long."""
    if len(data) <= most:
        yield Block(source, number, _count_lines(data), data)
        return
    begin = at = 0
    first = number
    while at < len(data):
        end = data.find(b"\n", at) + 1
        if end - at > most:
            if begin < at:
                yield Block(source, first, number - first, data[begin:at])
            yield LongLine(source, number, end - at, data[at : at + _HEAD_BYTES])
            begin, first = end, number + 1
        number, at = number + 1, end
    if begin < at:
        yield Block(source, first, number - first, data[begin:])


def names_in(block: Block) -> list[Named] | None:
    """Return the name of the stream of each line of a block; None if a line has none."""
    try:
        found = _named.decode_lines(block.data)
    except (ValueError, RecursionError):
        return None
    # A line that is blank is not among them, and two values in one line are.
    return found if len(found) == block.lines else None


def name_in(line: bytes) -> Named | None:
    """Return the name of the stream of a line; None if it has none."""
    try:
        return _named.decode(line)
    except (ValueError, RecursionError):
        return None


def head_of_line(line: bytes) -> Head | None:
    """Return the head of a line; None if it names no stream."""
    try:
        head = _head.decode(line)
    except (ValueError, RecursionError):
        return None
    if type(head.kind) is not str:
        head.kind = None
    return head
