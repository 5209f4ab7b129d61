"""Keep each document of an archive once, however many there are.

1. *digest*: each task writes digests of its documents with their numbers, sorted.
2. *repeats*: each partition of all digests finds those that were there before, in the order of the
   inputs.
3. *write*: each task writes its lines but the repeats.

What is held is the digests of one partition, and a bit for each line of a task.
"""

from __future__ import annotations

import secrets
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from ...errors import Finding, ReadError
from ...files.lasting import new_file
from ...message.assemble import line_too_long
from ..lines import BLANK, Block, LongLine
from ..outputs import Outputs, quarantined, too_long
from ..plan import Plan
from ..steps import Done, Step, Steps, Totals
from ..store import Store
from .digests import DIGEST_BYTES, Digester
from .options import Dedupe

__all__ = ["Deduping"]

_NUMBER_BYTES: Final = 8
_RECORD_BYTES: Final = DIGEST_BYTES + _NUMBER_BYTES
_HELD_BYTES: Final = 200
"""What a record takes while it is held."""
_READ_RECORDS: Final = 4096


class Digested(msgspec.Struct):
    """What the first step has made of a task."""

    file: str
    """The file in the work folder with its digests, each with the number of its line."""
    lines: list[int] = []
    """Lines of each part."""
    documents: int = 0
    others: int = 0
    """Lines that are blank or not documents: their numbers are in a file beside the other."""
    ends: list[int] = []
    """Where each sorted piece of the file ends, in records."""


class Repeats(msgspec.Struct):
    """Which lines are repeats, of the digests of a partition."""

    file: str
    """The file in the work folder with the numbers of lines, in the order of tasks."""
    ends: list[int] = []
    """Where those of each task end."""


@dataclass(frozen=True)
class Deduping:
    """One run of a plan. Its steps are called in their order, the tasks of each in any."""

    plan: Plan
    target: Store
    work: Path
    options: Dedupe
    most_bytes: int
    """About how much a task may hold."""

    @cached_property
    def _digest(self) -> Digester:
        return Digester(self.options.ignore)

    def steps(self) -> Steps:
        """Return the steps."""
        count = len(self.plan.tasks)
        found: list[Digested] = yield Step(
            "digest", count, self.digest, Digested, are_results=False
        )
        documents = sum(each.documents for each in found)
        partitions = documents * _HELD_BYTES // self.most_bytes + 1
        find = partial(self.find, digested=found, partitions=partitions)
        repeats: list[Repeats] = yield Step("repeats", partitions, find, Repeats, are_results=False)
        firsts = self.plan.first_lines([each.lines for each in found])
        write = partial(self.write, digested=found, firsts=firsts, repeats=repeats)
        done: list[Done] = yield Step("write", count, write, Done, are_results=True)
        return sum((each.totals for each in done), Totals())

    def digest(self, task: int) -> Digested:
        """Write the digests of a task's documents; lines that are not documents have none."""
        found = Digested(f"{task:06}-{secrets.token_hex(4)}.digests")
        held: list[bytes] = []
        most = max(self.most_bytes // _HELD_BYTES, 1)
        path = self.work / found.file
        with new_file(path) as file, new_file(_others(path)) as others:
            number = 0
            for part in self.plan.tasks[task]:
                found.lines.append(0)
                for block in self.plan.blocks(part, self.options.max_line_bytes):
                    lines = [] if isinstance(block, LongLine) else block.texts()
                    for at, line in enumerate(lines, number):
                        try:
                            digest = self._digest(line)
                        except ReadError:  # the last step says why
                            others.write(_packed(at))
                            found.others += 1
                        else:
                            held.append(digest + _packed(at))
                    number += block.lines
                    found.lines[-1] += block.lines
                    if len(held) >= most:
                        _write_sorted(file, held, found)
            _write_sorted(file, held, found)
        return found

    def find(self, partition: int, digested: list[Digested], partitions: int) -> Repeats:
        """Find the repeats of a partition: all but the first line of each digest."""
        found = Repeats(f"p{partition:06}-{secrets.token_hex(4)}.repeats")
        begin, end = _bound(partition, partitions), _bound(partition + 1, partitions)
        seen: set[bytes] = set()
        count = 0
        with new_file(self.work / found.file) as file:
            for task in digested:
                for record in _records(self.work / task.file, task.ends, begin, end):
                    digest = record[:DIGEST_BYTES]
                    if digest in seen:
                        file.write(record[DIGEST_BYTES:])
                        count += 1
                    else:
                        seen.add(digest)
                found.ends.append(count)
        return found

    def write(
        self,
        task: int,
        digested: list[Digested],
        firsts: list[list[int]],
        repeats: list[Repeats],
    ) -> Done:
        """Write the lines of a task but the repeats, and put aside what is not a document."""
        again, others = _Marks(), _Marks()
        for each in repeats:
            begin = each.ends[task - 1] if task else 0
            again.add_all(_numbers(self.work / each.file, begin, each.ends[task]))
        mine = digested[task]
        others.add_all(_numbers(_others(self.work / mine.file), 0, mine.others))
        totals = Totals()
        with Outputs(self.target, self.work, f"{task:06}", self.plan.compress) as outputs:
            number = 0
            for part, first in zip(self.plan.tasks[task], firsts[task], strict=True):
                name = self.plan.inputs[part.source].name
                for block in self.plan.blocks(part, self.options.max_line_bytes, first):
                    if isinstance(block, LongLine):
                        why = line_too_long(block.number).findings[0]
                        outputs.note("quarantine", too_long(block, why), name, block.number)
                        totals.quarantined += 1
                    else:
                        self._write(block, number, (again, others), outputs, name, totals)
                    totals.lines += block.lines
                    number += block.lines
            files = outputs.put()
        return Done(files, totals)

    def _write(
        self,
        block: Block,
        number: int,
        marks: tuple[_Marks, _Marks],
        outputs: Outputs,
        name: str,
        totals: Totals,
    ) -> None:
        again, others = marks
        lines = block.texts()
        repeats = kept = 0
        for at, line in enumerate(lines, number):
            if at in again:
                repeats += 1
            elif at not in others:
                outputs.write("documents", line)
                kept += 1
            elif not line.strip(BLANK):
                totals.blank += 1
            else:
                row = quarantined(line, self._why_not(line))
                outputs.note("quarantine", row, name, block.number + at - number)
                totals.quarantined += 1
        totals.repeats += repeats
        totals.used += kept
        totals.made += kept

    def _why_not(self, line: bytes) -> Finding:
        try:
            self._digest(line)
        except ReadError as error:
            return error.findings[0]
        raise AssertionError("a line that was not a document is one")


class _Marks:
    """Numbers that are marked: a bit for each."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add_all(self, numbers: Iterable[int]) -> None:
        bits = self._bits
        for number in numbers:
            missing = (number >> 3) + 1 - len(bits)
            if missing > 0:
                bits += bytes(missing)
            bits[number >> 3] |= 1 << (number & 7)

    def __contains__(self, number: int) -> bool:
        at = number >> 3
        return at < len(self._bits) and bool(self._bits[at] >> (number & 7) & 1)


# --- files of the work folder ---------------------------------------------------------------------


def _write_sorted(file: BinaryIO, held: list[bytes], found: Digested) -> None:
    if held:
        held.sort()
        file.writelines(held)
        found.documents += len(held)
        found.ends.append(found.documents)
        held.clear()


def _bound(partition: int, partitions: int) -> bytes:
    """Return the first digest of a partition; behind the last one, what is behind all digests."""
    bound = (partition << (8 * DIGEST_BYTES)) // partitions
    return bound.to_bytes(DIGEST_BYTES + 1, "big")


def _records(path: Path, ends: Sequence[int], begin: bytes, end: bytes) -> Iterator[bytes]:
    """Yield the records from digest ``begin`` up to ``end``, piece by piece."""
    with path.open("rb", 0) as file:
        for first, last in zip([0, *ends], ends, strict=False):
            piece = _Piece(file, first, last)
            at = bisect_left(piece, begin)
            upto = bisect_left(piece, end, at)
            while at < upto:
                count = min(_READ_RECORDS, upto - at)
                data = piece.read(at, count)
                for offset in range(0, len(data), _RECORD_BYTES):
                    yield data[offset : offset + _RECORD_BYTES]
                at += count


class _Piece(Sequence[bytes]):
    """The digests of a sorted piece of a file, with a byte 0 before each, as bounds have it."""

    def __init__(self, file: BinaryIO, first: int, last: int) -> None:
        self._file = file
        self._first = first
        self._count = last - first

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int) -> bytes:  # type: ignore[override]
        return b"\0" + self.read(at, 1)[:DIGEST_BYTES]

    def read(self, at: int, count: int) -> bytes:
        self._file.seek((self._first + at) * _RECORD_BYTES)
        return self._file.read(count * _RECORD_BYTES)


def _others(path: Path) -> Path:
    return path.with_suffix(".others")


def _packed(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, "big")


def _numbers(path: Path, begin: int, end: int) -> Iterator[int]:
    """Yield the numbers that a file has from one place to another."""
    with path.open("rb") as file:
        file.seek(begin * _NUMBER_BYTES)
        while begin < end:
            count = min(_READ_RECORDS, end - begin)
            yield from struct.unpack(f">{count}Q", file.read(count * _NUMBER_BYTES))
            begin += count
