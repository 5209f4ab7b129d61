"""Blocks of whole lines out of bytes in any cut, and what a line says of its stream.

A line is blank, or JSON text up to LF; CR before it is white space of JSON. Blocks are as long as
the pieces that come, so that what is done per block costs little per line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, NamedTuple

import msgspec

__all__ = [
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

_BOM: Final = b"\xef\xbb\xbf"
_HEAD_BYTES: Final = 1024  # of a line that is too long to be taken


class Block(NamedTuple):
    """Whole lines of one source, each with its end."""

    source: int
    """Which of the archive's inputs, from 0."""
    number: int
    """The number of its first line in that input, from 1."""
    lines: int
    """How many lines it has; 0 where they are not counted."""
    data: bytes


class LongLine(NamedTuple):
    """A line that is longer than a line may be: where it is, and how it begins."""

    source: int
    number: int
    length: int
    head: bytes


class Row(NamedTuple):
    """One line, without its end, and where it came from."""

    source: int
    number: int
    data: bytes


class Head(msgspec.Struct, rename="camel", gc=False):
    """What a line says of its stream, whatever else is in it."""

    run_id: Any = None
    message_id: Any = None
    kind: Any = None
    seq: Any = None


class Named(msgspec.Struct, rename="camel", gc=False):
    """The name of a stream, in a line that has one."""

    run_id: Annotated[str, msgspec.Meta(min_length=1)]
    message_id: str | None = None


_named: Final = msgspec.json.Decoder(Named)
_decoder: Final = msgspec.json.Decoder(Head)


def blocks(
    chunks: Iterable[bytes],
    source: int,
    most: int,
    number: int = 1,
    *,
    is_midway: bool = False,
    counted: bool = True,
) -> Iterator[Block | LongLine]:
    """Yield the lines of a source in blocks; ``most`` is how many bytes a line may have.

    ``number`` is that of the first line. A byte order mark is dropped, unless the chunks begin in
    the midst of a source, and a last line without an end gets one. Who counts the lines by other
    means says ``counted=False``: their numbers are of no use then.
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
            held += memoryview(chunk)[at:end]
            data = bytes(held.removeprefix(_BOM) if is_first else held)
            for found in _parted(data, source, number, most, counted):
                yield found
                number += found.lines if isinstance(found, Block) else 1
            is_first = False
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


def _parted(
    data: bytes, source: int, number: int, most: int, counted: bool
) -> Iterator[Block | LongLine]:
    """Yield whole lines as one block, or in several between those that are too long."""
    if len(data) <= most:
        yield Block(source, number, data.count(b"\n") if counted else 0, data)
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
    """Return the head of a line; None if it has none."""
    try:
        return _decoder.decode(line)
    except (ValueError, RecursionError):
        return None
