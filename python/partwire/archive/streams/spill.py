"""Lines that are given from the tasks of one step to those of the next, by what their run is named.

A file has pieces; each has groups of lines, in the order of the partitions. A group is a head, the
numbers of its lines in their input, and the lines as they are taken: whole, each with its end.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from ..lines import Block, Row, name_in
from .odd import Odd
from .pick import Picked, pick

__all__ = ["Pieces", "Spilled", "give_on"]

_HEAD: Final = struct.Struct("<III")  # source, lines, bytes of the lines
_NUMBER_BYTES: Final = array("Q").itemsize
_GROUP_BYTES: Final = 256 << 10
_LINE_BYTES: Final = 100  # what a line takes in memory beside its text
_RUN_BYTES: Final = 200  # what a run takes


def give_on(block: Block, odd: Odd, pieces: Pieces) -> tuple[int, list[tuple[int, bytes]]]:
    """Give on the lines of odd streams of a block that follows those before.

    Returns how many there are, and number and text of those that name no stream.
    """
    if odd.native is not None:
        parts, unsure = odd.native.part(block.data, block.number, pieces.count)
        named = [(number, line, name_in(line)) for number, line in unsure if line.strip()]
        names = (name for _, _, name in named if name is not None)
        if not any(odd.has(name.run_id, name.message_id or "") for name in names):
            nameless = [(number, line) for number, line, name in named if name is None]
            return pieces.add_parts(block.source, parts), nameless
    picked = pick(block, odd)
    nameless = pieces.add(picked)
    return len(picked.lines) - len(nameless), nameless


class Pieces:
    """Lines by partition, held until they are more than ``most_bytes``."""

    def __init__(self, file: BinaryIO, count: int, most_bytes: int, ends: list[list[int]]) -> None:
        self._file = file
        self.count = count
        """How many partitions there are."""
        self._most_bytes = most_bytes
        self._ends = ends
        self._held = 0
        self._groups: list[list[_Group]] = [[] for _ in range(count)]
        self._group_of: dict[str, _Group] = {}
        self._source = -1

    def add(self, picked: Picked) -> list[tuple[int, bytes]]:
        """Take lines that follow those before; return number and text of those without a run."""
        self._begin(picked.source)
        nameless = []
        group_of = self._group_of
        for run_id, number, line in zip(picked.runs, picked.numbers, picked.lines, strict=True):
            if run_id is None:
                nameless.append((number, line))
                continue
            group = group_of.get(run_id)
            if group is None or group.is_full:
                group = group_of[run_id] = self._group(zlib.crc32(run_id.encode()) % self.count)
                self._held += _RUN_BYTES
            group.numbers.append(number)
            group.add(line)
            self._held += len(line) + _LINE_BYTES
        self._write_if_full()
        return nameless

    def add_parts(self, source: int, parts: Iterable[tuple[int, bytes, bytes]]) -> int:
        """Take lines that follow those before, and are parted; return how many there are.

        ``parts`` are partitions, each with the numbers of its lines in an array, and their text.
        """
        self._begin(source)
        size = 0
        for partition, numbers, text in parts:
            group = self._group(partition)
            group.numbers.frombytes(numbers)
            group.add(text[:-1])
            size += len(numbers)
            self._held += len(numbers) + len(text)
        self._write_if_full()
        return size // _NUMBER_BYTES

    def _begin(self, source: int) -> None:
        if source != self._source:
            self._source = source
            self._group_of.clear()

    def _group(self, partition: int) -> _Group:
        """Return the group that the next lines of a partition belong to."""
        groups = self._groups[partition]
        if not groups or groups[-1].is_full or groups[-1].source != self._source:
            groups.append(_Group(self._source))
        return groups[-1]

    def _write_if_full(self) -> None:
        if self._held > self._most_bytes:
            self.write()

    def write(self) -> None:
        """Write what is held as a piece."""
        ends = []
        for groups in self._groups:
            for group in groups:
                group.write(self._file)
            ends.append(self._file.tell())
            groups.clear()
        self._ends.append(ends)
        self._held = 0
        self._group_of.clear()


class _Group:
    """Lines of one source and partition."""

    __slots__ = ("_size", "_texts", "numbers", "source")

    def __init__(self, source: int) -> None:
        self.source = source
        self.numbers = array("Q")
        self._texts: list[bytes] = []
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether the next lines belong to another group."""
        return self._size > _GROUP_BYTES

    def add(self, text: bytes) -> None:
        """Append lines, of which the last one has no end."""
        self._texts.append(text)
        self._size += len(text) + 1

    def write(self, file: BinaryIO) -> None:
        """Write the lines, each with its end."""
        text = b"\n".join([*self._texts, b""])
        file.write(_HEAD.pack(self.source, len(self.numbers), len(text)))
        file.write(self.numbers.tobytes())
        file.write(text)


class Spilled:
    """What all tasks have given to one partition: for each the file, and where its pieces end."""

    def __init__(self, files: Sequence[tuple[Path, list[list[int]]]], partition: int) -> None:
        self._files = files
        self._partition = partition

    def blocks(self) -> Iterator[Block]:
        """Yield the lines in the order of storing; a block's own number is of no use."""
        for source, numbers, text in self._all():
            yield Block(source, 1, len(numbers), text)

    def rows(self, odd: Odd) -> Iterator[Row]:
        """Yield the lines of odd streams, in the order of storing."""
        for source, numbers, text in self._all():
            picked = pick(Block(source, 0, len(numbers), text), odd)
            for at, line in zip(picked.numbers, picked.lines, strict=True):
                yield Row(source, numbers[at], line)

    def all_rows(self) -> Iterator[Row]:
        """Yield all lines, in the order of storing."""
        for source, numbers, text in self._all():
            for number, line in zip(numbers, text.split(b"\n"), strict=False):
                yield Row(source, number, line)

    def _all(self) -> Iterator[tuple[int, array[int], bytes]]:
        for path, pieces in self._files:
            begin = 0
            for ends in pieces:
                last = ends[self._partition - 1] if self._partition else begin
                begin = ends[-1]
                if last < ends[self._partition]:
                    yield from _groups(path, last, ends[self._partition])


def _groups(path: Path, begin: int, end: int) -> Iterator[tuple[int, array[int], bytes]]:
    with path.open("rb") as file:
        file.seek(begin)
        while file.tell() < end:
            source, count, size = _HEAD.unpack(file.read(_HEAD.size))
            numbers = array("Q")
            numbers.frombytes(file.read(count * _NUMBER_BYTES))
            yield source, numbers, file.read(size)
