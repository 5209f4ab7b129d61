"""Convert histories whose messages are on separate lines, wherever in the archive they are.

1. *gather*: each task gives its lines to the partition of what they belong to: a run, a session.
2. *convert*: each partition puts the lines of each history in order, by time and then as they are
   stored, and converts it.
3. *rows*: rows about lines that could not be gathered get their places.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from ...contract import times
from ...convert.lost import lost_values
from ...errors import Finding, PartwireError, ReadError
from ...files.lasting import new_file
from ...losses import Loss
from ...message.assemble import line_too_long
from ..lines import BLANK, Block, LongLine, Row
from ..outputs import Outputs, quarantined, too_long
from ..plan import Plan
from ..steps import Done, Step, Steps, Totals
from ..store import Store
from ..streams.pick import Picked
from ..streams.sorting import Sortable, sorted_rows
from ..streams.spill import Pieces, Spilled
from .convert import Converter
from .keys import key_of
from .lost import count_losses, lost_between
from .options import Convert
from .rows import Places, put_placed

__all__ = ["Histories"]

_PARTITION_BYTES: Final = 32 << 20


class Gathered(msgspec.Struct):
    """What the first step has made of a task."""

    totals: Totals
    spill: str
    """The file in the work folder with its lines by partition."""
    ends: list[list[int]] = []
    lines: list[int] = []
    """Lines of each part."""
    placed: str | None = None


class _When(msgspec.Struct):
    created: float = 0


class _Info(msgspec.Struct):
    time: _When | None = None


class _Timed(msgspec.Struct):
    timestamp: str | None = None
    info: _Info | None = None


_timed: Final = msgspec.json.Decoder(_Timed).decode


class _Placed(NamedTuple):
    """A line of a history, and where it came from."""

    source: str
    number: int
    data: bytes


@dataclass(frozen=True)
class Histories:
    """One run of a plan. Its steps are called in their order, the tasks of each in any."""

    plan: Plan
    target: Store
    work: Path
    options: Convert
    most_bytes: int
    """About how much a task may hold."""

    @cached_property
    def _key(self) -> Callable[[bytes], str]:
        return key_of(self.options.by)

    @cached_property
    def _converter(self) -> Converter:
        return Converter(self.options)

    def steps(self) -> Steps:
        """Return the steps."""
        count = len(self.plan.tasks)
        size = sum(each.size for each in self.plan.inputs)
        partitions = size // _PARTITION_BYTES + 1
        gather = partial(self.gather, partitions=partitions)
        found: list[Gathered] = yield Step("gather", count, gather, Gathered, are_results=False)
        firsts = self.plan.first_lines([each.lines for each in found])
        convert = partial(self.convert, gathered=found, firsts=firsts)
        made: list[Done] = yield Step("convert", partitions, convert, Done, are_results=True)
        place = partial(self.place, gathered=found, firsts=firsts)
        rows: list[Done] = yield Step("rows", count, place, Done, are_results=True)
        return sum((each.totals for each in (*made, *rows)), Totals())

    def gather(self, task: int, partitions: int) -> Gathered:
        """Give the lines of a task to the partitions of what they belong to."""
        name = f"{task:06}-{secrets.token_hex(4)}"
        totals = Totals()
        found = Gathered(totals, f"{name}.spill")
        path = self.work / f"{name}.placed"
        before = sum(len(parts) for parts in self.plan.tasks[:task])
        with new_file(self.work / found.spill) as file, Places(path) as places:
            pieces = Pieces(file, partitions, self.most_bytes, found.ends)
            for at, part in enumerate(self.plan.tasks[task]):
                places.part = at
                found.lines.append(0)
                for block in self.plan.blocks(part, self.options.max_line_bytes):
                    places.number = block.number
                    if isinstance(block, LongLine):
                        why = line_too_long(block.number).findings[0]
                        places.add("quarantine", 0, too_long(block, why))
                        totals.quarantined += 1
                    else:
                        picked = self._picked(block, before + at, places, totals)
                        pieces.add(picked)
                        totals.given_on += len(picked.lines)
                    found.lines[-1] += block.lines
            pieces.write()
        totals.lines = sum(found.lines)
        found.placed = path.name if places.is_used else None
        return found

    def _picked(self, block: Block, source: int, places: Places, totals: Totals) -> Picked:
        picked = Picked(source, [], [], [])
        for at, line in enumerate(block.texts()):
            if not line.strip(BLANK):
                totals.blank += 1
                continue
            try:
                key = self._key(line)
            except ReadError as error:
                places.add("quarantine", at, quarantined(line, error.findings[0]))
                totals.quarantined += 1
                continue
            picked.runs.append(key)
            picked.numbers.append(block.number + at)
            picked.lines.append(line)
        return picked

    def place(self, task: int, gathered: list[Gathered], firsts: list[list[int]]) -> Done:
        """Write the rows about the lines of a task, with the places of these."""
        mine = gathered[task]
        files = put_placed(self.plan, self.target, self.work, task, mine.placed, firsts[task])
        return Done(files, mine.totals)

    def convert(self, partition: int, gathered: list[Gathered], firsts: list[list[int]]) -> Done:
        """Convert the histories of a partition."""
        places = [
            (self.plan.inputs[part.source].name, first)
            for parts, numbers in zip(self.plan.tasks, firsts, strict=True)
            for part, first in zip(parts, numbers, strict=True)
        ]
        spilled = Spilled([(self.work / each.spill, each.ends) for each in gathered], partition)
        folder = self.work / f"p{partition:06}-{secrets.token_hex(4)}"
        folder.mkdir()
        with Outputs(self.target, folder, f"p{partition:06}", self.plan.compress) as outputs:
            history = _Conversion(self._converter, outputs, self.options.max_line_bytes)
            ordered = sorted_rows(self._sortable(spilled.all_rows()), self.most_bytes, folder)
            for _, rows in groupby(ordered, key=itemgetter(0)):
                for _, _, _, source, number, line in rows:
                    name, first = places[source]
                    history.take(_Placed(name, first + number - 1, line))
                history.end()
            files = outputs.put()
        folder.rmdir()
        return Done(files, history.totals)

    def _sortable(self, rows: Iterable[Row]) -> Iterator[Sortable]:
        for row in rows:
            yield self._key(row.data), "", _time_of(row.data), row.source, row.number, row.data


def _time_of(line: bytes) -> int:
    """Return the time of a message, in ms since 1970; 0 for one that has none."""
    try:
        found = _timed(line)
        if found.timestamp is not None:
            return times.instant_of(found.timestamp).ms
        if found.info is not None and found.info.time is not None:
            return int(found.info.time.created)
    except (ValueError, IndexError, RecursionError, OverflowError):
        pass
    return 0


class _Conversion:
    """One history after another."""

    def __init__(self, converter: Converter, outputs: Outputs, most_bytes: int) -> None:
        self.totals = Totals()
        self._converter = converter
        self._outputs = outputs
        self._most_bytes = most_bytes
        self._rows: list[_Placed] = []
        self._bytes = 0

    def take(self, row: _Placed) -> None:
        """Take the next line of the history."""
        self.totals.given_on -= 1
        self._bytes += len(row.data)
        if self._bytes > self._most_bytes:
            self._put_aside(self._rows, _too_large(self._most_bytes))
            self._rows.clear()
            self._put_aside([row], _too_large(self._most_bytes))
            return
        self._rows.append(row)

    def end(self) -> None:
        """Convert the history."""
        rows, self._rows, self._bytes = self._rows, [], 0
        if not rows:
            return
        try:
            made = self._converter.of_lines([row.data for row in rows])
        except PartwireError as error:
            self._refused(rows, error.findings[0])
            return
        for document in made.documents:
            self._outputs.write("documents", document)
        self.totals.made += len(made.documents)
        self.totals.used += len(rows)
        self._note(rows, made.losses, made.between)

    def _note(self, rows: list[_Placed], losses: list[Loss], between: list[Loss]) -> None:
        """Write a row for what is lost of each line, and count all losses."""
        counts: Counter[str] = Counter()
        count_losses(counts, losses)
        count_losses(counts, between)
        for name, count in counts.items():
            self.totals.counts[name] = self.totals.counts.get(name, 0) + count
        accepted = self._converter.accepted
        by_row: dict[int, list[Loss]] = {}
        for loss in losses:
            if loss.code not in accepted:
                at, pointer = _parted(loss.pointer)
                by_row.setdefault(at, []).append(loss._replace(pointer=pointer))
        for at, mine in by_row.items():
            row = rows[at]
            for lost in lost_values(row.data, mine):
                self._outputs.note("lost", lost.to_wire(), row.source, row.number)
        for told in lost_between(between, accepted):
            self._outputs.note("lost", told, rows[0].source, rows[0].number)

    def _refused(self, rows: list[_Placed], finding: Finding) -> None:
        """Put a history aside, of which one line cannot be converted: without it, it is another."""
        wrong, pointer = _parted(finding.pointer)
        words = f"A line of the same history cannot be converted: {finding.message}"
        for at, row in enumerate(rows):
            if at == wrong:
                self._put_aside([row], finding._replace(pointer=pointer))
            else:
                self._put_aside([row], finding._replace(pointer="", message=words))

    def _put_aside(self, rows: list[_Placed], finding: Finding) -> None:
        for row in rows:
            told = quarantined(row.data, finding)
            self._outputs.note("quarantine", told, row.source, row.number)
        self.totals.quarantined += len(rows)


def _parted(pointer: str) -> tuple[int, str]:
    """Return the number of a line of a history, and the pointer into that; the first for none."""
    number, slash, rest = pointer[1:].partition("/")
    return (int(number), slash + rest) if number.isdecimal() else (0, pointer)


def _too_large(most: int) -> Finding:
    words = "The lines of a history are more than a document may have bytes"
    return Finding("framing/document-too-large", words, expected=f"at most {most} bytes")
