"""Assemble an archive: a message of each of its streams, on the processors of one machine.

1. *scan*: each task takes its lines in the order of storing, and keeps the messages of runs that
   are whole and in order as far as it can see.
2. A run that is in more than one task, or not clean in one, is odd.
3. *split*: each task writes the messages of its other runs, and gives the lines of odd runs to the
   partition of their run.
4. *settle*: each partition does the same with its lines. All lines of a run are here now, so that
   those which still are not clean are taken exactly.

So what becomes of a run does not depend on how the input was cut into tasks. A task's results count
when its manifest is there.
"""

from __future__ import annotations

import heapq
import marshal
import secrets
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from ...errors import Finding
from ...files.lasting import new_file, sync_folder
from ...message.assemble import line_too_long
from ..lines import Block, LongLine, Row
from ..operations import Assemble
from ..outputs import Outputs, quarantined, too_long
from ..plan import Plan
from ..steps import Done, Step, Steps, Totals
from ..store import Store
from .exact import why_nameless
from .fold import Kept, fold, kept_messages
from .odd import Odd, StreamSeen, joined_streams, odd_streams
from .settle import mode_of, settle
from .spill import Pieces, Spilled, give_on

__all__ = ["Assembly"]

_PARTITION_BYTES: Final = 32 << 20
_READ_BYTES: Final = 16 << 10
_LEAST_READ_BYTES: Final = 1 << 10
_NAME_BYTES: Final = 150  # what an odd stream takes in memory, beside the id of its run


class Scanned(msgspec.Struct):
    """What the scan of a task has made."""

    file: str
    """The beginning of the names of its files in the work folder."""
    lines: list[int] = []
    """Lines of each part."""
    size: int = 0
    """Bytes of all lines, without compression."""
    blank: int = 0
    nameless: int = 0
    """Lines that name no stream."""
    streams_end: list[int] = []
    """Where the streams of each segment end, in bytes of the file that names them."""


@dataclass(frozen=True)
class Assembly:
    """One run of a plan. Its steps are called in their order, the tasks of each in any."""

    plan: Plan
    target: Store
    work: Path
    options: Assemble
    most_bytes: int
    """About how much a task may hold."""

    def steps(self) -> Steps:
        """Return the steps."""
        count = len(self.plan.tasks)
        scans: list[Scanned] = yield Step("scan", count, self.scan, Scanned, are_results=False)
        partitions = self.find_odd(scans)
        firsts = self.plan.first_lines([scan.lines for scan in scans])
        split = partial(self.split, scans=scans, firsts=firsts, partitions=partitions)
        splits: list[Done] = yield Step("split", count, split, Done, are_results=True)
        settle = partial(self.settle, splits=splits)
        settled: list[Done] = yield Step("settle", partitions, settle, Done, are_results=True)
        return sum((done.totals for done in (*splits, *settled)), Totals())

    # --- scan -------------------------------------------------------------------------------------

    def scan(self, task: int) -> Scanned:
        """Take the lines of a task in the order of storing."""
        found = Scanned(f"{task:06}-{secrets.token_hex(4)}")
        begin = self.work / found.file
        given = chain.from_iterable(self._counted(task, found))
        with (
            new_file(begin.with_suffix(".messages")) as messages,
            new_file(begin.with_suffix(".index")) as index,
            new_file(begin.with_suffix(".streams")) as streams,
        ):
            for folded in fold(given, messages, mode_of(self.options.on_unknown), self.most_bytes):
                marshal.dump(list(map(tuple, folded.messages)), index)
                streams.writelines(map(_stream_line, folded.streams))
                found.streams_end.append(streams.tell())
                found.blank += folded.blank
                found.nameless += folded.nameless + len(folded.too_long)
        if len(found.streams_end) > 1:
            found.streams_end = [self._join(begin.with_suffix(".streams"), found.streams_end)]
        return found

    def _join(self, path: Path, ends: list[int]) -> int:
        """Write the streams of all segments of a task as one; return how many bytes these are.

        Else the merging of all tasks would hold a piece of each segment, of which there are the
        more the less memory there is.
        """
        joined = path.with_suffix(".joined")
        segments = [(path, [begin, end]) for begin, end in pairwise([0, *ends])]
        with new_file(joined) as file:
            file.writelines(map(_stream_line, joined_streams(self._merged(segments))))
            size = file.tell()
        joined.replace(path)
        sync_folder(path.parent)
        return size

    def _merged(self, files: list[tuple[Path, list[int]]]) -> Iterator[StreamSeen]:
        """Yield the streams of parts of files, each with where it begins and ends, in order."""
        piece = min(max(self.most_bytes // 8 // (len(files) or 1), _LEAST_READ_BYTES), _READ_BYTES)
        return heapq.merge(
            *(
                _streams_seen(path, place, begin, end, piece)
                for place, (path, (begin, end)) in enumerate(files)
            )
        )

    def _counted(self, task: int, found: Scanned) -> Iterator[Iterator[Block | LongLine]]:
        """Yield the lines of each part of a task, and note how many there are."""
        for part in self.plan.tasks[task]:
            found.lines.append(0)
            yield _counting(self.plan.blocks(part, self.options.max_line_bytes), found)

    # --- which streams are odd --------------------------------------------------------------------

    def find_odd(self, scans: list[Scanned]) -> int:
        """Write for each task which streams are odd; return how many partitions these make."""
        odd: dict[int, list[tuple[str, str | None]]] = {}
        held = lines = 0
        seen = self._merged(
            [(self.work / f"{scan.file}.streams", [0, *scan.streams_end]) for scan in scans]
        )
        token = secrets.token_hex(4)  # another run of the plan may do the same meanwhile
        written: set[int] = set()
        for run_id, message_id, tasks, count in odd_streams(seen):
            lines += count
            for task in tasks:
                odd.setdefault(task, []).append((run_id, message_id))
                held += len(run_id) + _NAME_BYTES
            if held > self.most_bytes:
                self._append_odd(odd, token, written)
                held = 0
        self._append_odd(odd, token, written)
        for task in written:
            self._odd_file(task).with_suffix(f".odd-{token}").replace(self._odd_file(task))
        all_lines = sum(sum(scan.lines) for scan in scans) or 1
        odd_bytes = sum(scan.size for scan in scans) * lines / all_lines
        return int(odd_bytes // _PARTITION_BYTES) + 1

    def _odd_file(self, task: int) -> Path:
        return self.work / f"{task:06}.odd"

    def _append_odd(
        self, odd: dict[int, list[tuple[str, str | None]]], token: str, written: set[int]
    ) -> None:
        for task, names in odd.items():
            with self._odd_file(task).with_suffix(f".odd-{token}").open("ab") as file:
                marshal.dump(names, file)
            written.add(task)
        odd.clear()

    # --- split ------------------------------------------------------------------------------------

    def split(
        self, task: int, scans: list[Scanned], firsts: list[list[int]], partitions: int
    ) -> Done:
        """Write the messages of a task's other runs, and give the lines of odd runs on.

        ``firsts`` is the number of the first line of each part of each task in its input.
        """
        scan = scans[task]
        odd = Odd(_marshalled(self._odd_file(task)), self.most_bytes)
        totals = Totals(lines=sum(scan.lines), blank=scan.blank)
        begin = self.work / scan.file
        with Outputs(self.target, self.work, f"{task:06}", self.plan.compress) as outputs:
            with (
                begin.with_suffix(".messages").open("rb") as messages,
                closing(_marshalled(begin.with_suffix(".index"))) as index,
            ):
                for text, lines in kept_messages(messages, map(Kept._make, index), odd):
                    outputs.write("messages", text)
                    totals.made += 1
                    totals.used += lines
            done = Done([], totals)
            if odd or scan.nameless:
                self._give_on(task, firsts[task], odd, partitions, outputs, done)
            done.files = outputs.put()
        return done

    def _give_on(
        self,
        task: int,
        firsts: list[int],
        odd: Odd,
        partitions: int,
        outputs: Outputs,
        done: Done,
    ) -> None:
        totals = done.totals
        done.spill = f"{task:06}-{secrets.token_hex(4)}.spill"
        with new_file(self.work / done.spill) as file:
            pieces = Pieces(file, partitions, self.most_bytes, done.ends)
            for part, first in zip(self.plan.tasks[task], firsts, strict=True):
                name = self.plan.inputs[part.source].name
                for block in self.plan.blocks(part, self.options.max_line_bytes, first):
                    if isinstance(block, LongLine):
                        why = line_too_long(block.number).findings[0]
                        outputs.note("quarantine", too_long(block, why), name, block.number)
                        totals.quarantined += 1
                        continue
                    given, nameless = give_on(block, odd, pieces)
                    for number, line in nameless:
                        row = quarantined(line, why_nameless(line))
                        outputs.note("quarantine", row, name, number)
                    totals.quarantined += len(nameless)
                    totals.given_on += given
            pieces.write()

    # --- settle -----------------------------------------------------------------------------------

    def settle(self, partition: int, splits: list[Done]) -> Done:
        """Take all lines of the runs of a partition."""
        spilled = Spilled(
            [(self.work / split.spill, split.ends) for split in splits if split.spill], partition
        )
        folder = self.work / f"p{partition:06}-{secrets.token_hex(4)}"
        folder.mkdir()
        totals = Totals()
        with Outputs(self.target, folder, f"p{partition:06}", self.plan.compress) as outputs:
            sink = _Sink(self.plan, outputs, totals)
            totals.given_on -= settle(
                spilled, sink, self.options.on_unknown, self.most_bytes, folder
            )
            files = outputs.put()
        shutil.rmtree(folder)
        return Done(files, totals)


class _Sink:
    """Where the results of odd runs go."""

    def __init__(self, plan: Plan, outputs: Outputs, totals: Totals) -> None:
        self._plan = plan
        self._outputs = outputs
        self._totals = totals

    def message(self, text: bytes, lines: int) -> None:
        self._outputs.write("messages", text)
        self._totals.made += 1
        self._totals.used += lines

    def quarantine(self, row: Row, finding: Finding) -> None:
        name = self._plan.inputs[row.source].name
        self._outputs.note("quarantine", quarantined(row.data, finding), name, row.number)
        self._totals.quarantined += 1

    def repeats(self, lines: int) -> None:
        self._totals.repeats += lines


def _counting(given: Iterable[Block | LongLine], found: Scanned) -> Iterator[Block | LongLine]:
    for block in given:
        if isinstance(block, Block):
            found.lines[-1] += block.lines
            found.size += len(block.data)
        else:
            found.lines[-1] += 1
        yield block


# --- files of the work folder ---------------------------------------------------------------------


def _marshalled(path: Path) -> Generator[Any]:
    """Yield what is in the lists of a file; nothing if it is not there."""
    try:
        file = path.open("rb", _READ_BYTES)
    except FileNotFoundError:
        return
    with file:
        while True:
            try:
                found = marshal.load(file)  # noqa: S302 - written by this program
            except EOFError:
                return
            yield from found


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(StreamSeen).decode


def _stream_line(seen: StreamSeen) -> bytes:
    return _encode(seen) + b"\n"


def _streams_seen(path: Path, place: int, begin: int, end: int, size: int) -> Iterator[StreamSeen]:
    """Yield what a segment has seen. No file is open between two pieces of ``size`` bytes."""
    held = b""
    while begin < end:
        with path.open("rb") as file:
            file.seek(begin)
            piece = file.read(min(size, end - begin))
        begin += len(piece)
        *lines, held = (held + piece).split(b"\n")
        for line in lines:
            yield _decode(line)._replace(place=place)
