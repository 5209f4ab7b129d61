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
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import msgspec

from ..errors import Finding
from ..message.assemble import line_too_long
from ..reading.tolerant import Mode
from .exact import fold_exactly, why_nameless
from .fold import Folded, Kept, fold, kept_messages, pick
from .lines import Block, LongLine, Row, blocks
from .operations import Assemble
from .outputs import Outputs, quarantined, too_long
from .plan import Plan
from .spill import Pieces, Spilled
from .steps import Done, Step, Steps, Totals
from .store import Store

__all__ = ["Assembly"]

_PARTITION_BYTES: Final = 32 << 20
_READ_BYTES: Final = 16 << 10
_LEAST_READ_BYTES: Final = 1 << 10
_NAME_BYTES: Final = 100  # what a name takes in a set beside its text


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
    runs_end: list[int] = []
    """Where the runs of each segment end, in bytes of the file of runs."""


@dataclass(frozen=True)
class Assembly:
    """One run of a plan. Its steps are called in their order, the tasks of each in any."""

    plan: Plan
    target: Store
    work: Path
    options: Assemble
    most_bytes: int
    """About how much a task may hold."""

    @property
    def _mode(self) -> Mode:
        return "tolerant" if self.options.on_unknown == "tolerate" else "strict"

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
            begin.with_suffix(".messages").open("xb") as messages,
            begin.with_suffix(".index").open("xb") as index,
            begin.with_suffix(".runs").open("xb") as runs,
        ):
            for folded in fold(given, messages, self._mode, self.most_bytes):
                marshal.dump(list(map(tuple, folded.messages)), index)
                runs.writelines(_run_lines(folded))
                found.runs_end.append(runs.tell())
                found.blank += folded.blank
                found.nameless += folded.nameless + len(folded.too_long)
        if len(found.runs_end) > 1:
            found.runs_end = [self._merge_runs(begin.with_suffix(".runs"), found.runs_end)]
        return found

    def _merge_runs(self, path: Path, ends: list[int]) -> int:
        """Write the runs of all segments of a task as one; return how many bytes these are.

        A run of several is not clean. Else the merging of all tasks would hold a piece of each
        segment, of which there are the more the less memory there is.
        """
        merged = path.with_suffix(".merged")
        with merged.open("xb") as file:
            for name, seen in groupby(self._all_runs([(path, ends)]), key=itemgetter(0)):
                rows = list(seen)
                is_clean = len(rows) == 1 and rows[0][2]
                file.write(_run_line(name, is_clean, sum(row[3] for row in rows)))
            size = file.tell()
        merged.replace(path)
        return size

    def _all_runs(
        self, files: list[tuple[Path, list[int]]]
    ) -> Iterator[tuple[str, int, bool, int]]:
        """Yield the runs of files, in order; each has ends of segments, and is that of a task."""
        count = sum(len(ends) for _, ends in files) or 1
        piece = min(max(self.most_bytes // 8 // count, _LEAST_READ_BYTES), _READ_BYTES)
        return heapq.merge(
            *(
                _runs(path, task, begin, end, piece)
                for task, (path, ends) in enumerate(files)
                for begin, end in zip([0, *ends], ends, strict=False)
            )
        )

    def _counted(self, task: int, found: Scanned) -> Iterator[Iterator[Block | LongLine]]:
        """Yield the lines of each part of a task, and note how many there are."""
        for part in self.plan.tasks[task]:
            found.lines.append(0)
            yield _counting(self._blocks(part, 1), found)

    def _blocks(self, part: Any, first: int) -> Iterator[Block | LongLine]:
        return blocks(
            self.plan.chunks(part),
            part.source,
            self.options.max_line_bytes,
            first,
            is_midway=part.begin > 0,
        )

    # --- which runs are odd -----------------------------------------------------------------------

    def find_odd(self, scans: list[Scanned]) -> int:
        """Write for each task which of its runs are odd; return how many partitions they make."""
        odd: dict[int, list[str]] = {}
        held = lines = 0
        all_runs = self._all_runs(
            [(self.work / f"{scan.file}.runs", scan.runs_end) for scan in scans]
        )
        token = secrets.token_hex(4)  # another run of the plan may do the same meanwhile
        written: set[int] = set()
        for name, seen in groupby(all_runs, key=itemgetter(0)):
            rows = list(seen)
            if len(rows) == 1 and rows[0][2]:
                continue
            lines += sum(row[3] for row in rows)
            for task in {row[1] for row in rows}:
                odd.setdefault(task, []).append(name)
                held += len(name) + _NAME_BYTES
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

    def _odd_runs(self, task: int) -> set[str] | _All:
        """Return the runs of a task that are odd; all, if that is what can be held."""
        names: set[str] = set()
        held = 0
        for name in _marshalled(self._odd_file(task)):
            names.add(name)
            held += len(name) + _NAME_BYTES
            if held > self.most_bytes:
                return _All()
        return names

    def _append_odd(self, odd: dict[int, list[str]], token: str, written: set[int]) -> None:
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
        odd = self._odd_runs(task)
        totals = Totals(lines=sum(scan.lines), blank=scan.blank)
        begin = self.work / scan.file
        with Outputs(self.target, self.work, f"{task:06}", self.plan.compress) as outputs:
            with begin.with_suffix(".messages").open("rb") as messages:
                index = map(Kept._make, _marshalled(begin.with_suffix(".index")))
                for text, lines in kept_messages(messages, index, odd):
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
        odd: Container[str],
        partitions: int,
        outputs: Outputs,
        done: Done,
    ) -> None:
        totals = done.totals
        done.spill = f"{task:06}-{secrets.token_hex(4)}.spill"
        with (self.work / done.spill).open("xb") as file:
            pieces = Pieces(file, partitions, self.most_bytes, done.ends)
            for part, first in zip(self.plan.tasks[task], firsts, strict=True):
                name = self.plan.inputs[part.source].name
                for block in self._blocks(part, first):
                    if isinstance(block, LongLine):
                        why = line_too_long(block.number).findings[0]
                        outputs.note("quarantine", too_long(block, why), name, block.number)
                        totals.quarantined += 1
                        continue
                    picked = pick(block, odd)
                    nameless = pieces.add(picked)
                    for number, line in nameless:
                        row = quarantined(line, why_nameless(line))
                        outputs.note("quarantine", row, name, number)
                    totals.quarantined += len(nameless)
                    totals.given_on += len(picked.lines) - len(nameless)
            pieces.write()
            file.flush()
            os.fsync(file.fileno())  # a manifest that names it must not outlast it

    # --- settle -----------------------------------------------------------------------------------

    def settle(self, partition: int, splits: list[Done]) -> Done:
        """Take all lines of the runs of a partition."""
        spilled = Spilled(
            [(self.work / split.spill, split.ends) for split in splits if split.spill], partition
        )
        folder = self.work / f"p{partition:06}-{secrets.token_hex(4)}"
        folder.mkdir()
        totals = Totals()
        seen: Counter[str] = Counter()
        dirty: set[str] = set()
        index: list[Kept] = []
        with Outputs(self.target, folder, f"p{partition:06}", self.plan.compress) as outputs:
            with (folder / "messages").open("w+b") as spool:
                for folded in fold(spilled.blocks(), spool, self._mode, self.most_bytes):
                    totals.given_on -= folded.lines
                    index += folded.messages
                    seen.update(iter(folded.runs))
                    dirty.update(name for name, run in folded.runs.items() if not run.is_clean)
                odd = dirty | {name for name, times in seen.items() if times > 1}
                spool.seek(0)
                for text, lines in kept_messages(spool, index, odd):
                    outputs.write("messages", text)
                    totals.made += 1
                    totals.used += lines
            if odd:
                sink = _Sink(self.plan, outputs, totals)
                fold_exactly(
                    spilled.rows(odd), sink, self.options.on_unknown, self.most_bytes, folder
                )
            files = outputs.put()
        shutil.rmtree(folder)
        return Done(files, totals)


class _All:
    """All runs: what is not odd may be taken as if it was."""

    def __contains__(self, name: object) -> bool:
        return name is not None

    def __len__(self) -> int:
        return 1  # or more


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


def _marshalled(path: Path) -> Iterator[Any]:
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


_encode_name: Final = msgspec.json.Encoder().encode
_decode_name: Final = msgspec.json.Decoder(str).decode


def _run_lines(folded: Folded) -> Iterator[bytes]:
    """Yield a line for each run, in order."""
    for name, run in sorted(folded.runs.items()):
        yield _run_line(name, run.is_clean, run.lines)


def _run_line(name: str, is_clean: bool, lines: int) -> bytes:
    return b"%s\t%d\t%d\n" % (_encode_name(name), is_clean, lines)


def _runs(
    path: Path, task: int, begin: int, end: int, size: int
) -> Iterator[tuple[str, int, bool, int]]:
    """Yield run, task, whether it is clean, and its lines. No file is open between two pieces."""
    held = b""
    while begin < end:
        with path.open("rb") as file:
            file.seek(begin)
            piece = file.read(min(size, end - begin))
        begin += len(piece)
        *lines, held = (held + piece).split(b"\n")
        for line in lines:
            name, is_clean, count = line.split(b"\t")
            yield _decode_name(name), task, is_clean == b"1", int(count)
