"""Operations that take each line by itself: the row maps, and the sums of what these count.

Their tasks need nothing of each other but one thing: the numbers of the lines of a part are known
when the parts before it have been read. So a task first writes what it says of places beside the
number within the part, and a second step puts the places right.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, Protocol

import msgspec

from ...errors import Finding
from ...files.lasting import new_file
from ...message.assemble import line_too_long
from ..lines import BLANK, Block, LongLine
from ..outputs import Outputs, quarantined, too_long
from ..plan import Plan
from ..steps import Done, Step, Steps, Totals
from ..store import Store

__all__ = [
    "CopyLines",
    "LineMap",
    "LineSum",
    "Lines",
    "Places",
    "RowMap",
    "RowSum",
    "RowTasks",
    "RowsTaken",
    "put_placed",
    "unshown",
]

_encode: Final = msgspec.json.Encoder().encode


class LineMap(Protocol):
    """What an operation makes of lines. Pickled where processes are not forked."""

    keeps_text: ClassVar[bool]
    """Whether the text of a line that is put aside may be written; else only its length is."""

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block, each in one way, and say so by the methods of ``lines``."""


class Summing(LineMap, Protocol):
    """What an operation makes of the lines of one task, and what it has counted in them."""

    def state(self) -> bytes:
        """Return what has been counted."""
        ...


class LineSum(Protocol):
    """What an operation counts in lines. Pickled where processes are not forked."""

    def begin(self, first_part: int) -> Summing:
        """Return what takes the lines of a task; its first part is that one of all."""
        ...

    def end(
        self,
        states: Iterable[bytes],
        totals: Totals,
        place: Callable[[int, int], tuple[str, int]],
    ) -> dict[str, bytes]:
        """Return the files of the target, by name, for what all tasks have counted.

        ``place`` gives the source and the line of a part of all and a line of that part. The result
        is the same however lines were parted into tasks, and in whatever order the states come.
        """
        ...


class Lines:
    """The lines of a block, without their ends, and what becomes of them."""

    def __init__(
        self, texts: list[bytes], outputs: Outputs, places: Places, *, keeps_text: bool
    ) -> None:
        self.texts = texts
        self.used = 0
        """How many lines are in results; the map counts them here."""
        self.left_out = 0
        """How many lines were not asked for."""
        self.blank = 0
        self.quarantined = 0
        self.made = 0
        self.counts: Counter[str] = Counter()
        self._outputs = outputs
        self._places = places
        self._keeps_text = keeps_text

    @property
    def place(self) -> tuple[int, int]:
        """The part of the task, and the number of the first line in it."""
        return self._places.part, self._places.number

    def documents(self) -> Iterator[tuple[int, bytes]]:
        """Yield index and text of each line that is not blank, and count those that are."""
        for at, text in enumerate(self.texts):
            if text.strip(BLANK):
                yield at, text
            else:
                self.blank += 1

    def write(self, table: str, text: bytes) -> None:
        """Append a result to a table."""
        self.made += 1
        self._outputs.write(table, text)

    def note(self, table: str, at: int, row: dict[str, Any]) -> None:
        """Append a row about the line at an index to a table; source and line are added."""
        self._places.add(table, at, row)

    def quarantine(self, at: int, finding: Finding) -> None:
        """Put the line at an index aside."""
        part, number = self.place
        self.quarantine_at((part, number + at), self.texts[at], finding)

    def quarantine_at(self, place: tuple[int, int], text: bytes, finding: Finding) -> None:
        """Put a line of this block or one before aside: the part of the task, and its number."""
        self.quarantined += 1
        row = quarantined(text, finding) if self._keeps_text else unshown(len(text), finding)
        self._places.put("quarantine", *place, row)

    def count(self, totals: Totals) -> None:
        """Add what has become of the lines."""
        totals.blank += self.blank
        totals.used += self.used
        totals.left_out += self.left_out
        totals.quarantined += self.quarantined
        totals.made += self.made
        for name, count in self.counts.items():
            totals.counts[name] = totals.counts.get(name, 0) + count


class CopyLines:
    """Writes each line as it is: what an input of another form is, as lines."""

    keeps_text: ClassVar[bool] = True

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        for _, text in lines.documents():
            lines.write("documents", text)
            lines.used += 1


def unshown(length: int, finding: Finding) -> dict[str, Any]:
    """Return what the table ``quarantine`` says of a line whose text is not to be written."""
    return {**finding._replace(source=None, line=None).to_wire(), "length": length}


class RowsTaken(msgspec.Struct):
    """What a task has made before the numbers of its lines are known."""

    done: Done
    lines: list[int]
    """Lines of each part."""
    placed: str | None = None
    """The file in the work folder with rows about lines."""
    state: str | None = None
    """The file in the work folder with what was counted."""


@dataclass(frozen=True)
class RowTasks(ABC):
    """What row maps and their sums have in common."""

    plan: Plan
    target: Store
    work: Path
    most_line_bytes: int
    result: ClassVar[type[RowsTaken]] = RowsTaken
    """What comes of a task of the first step."""

    def steps(self) -> Steps:
        """Return the steps."""
        count = len(self.plan.tasks)
        rows: list[Any] = yield Step("map", count, self.take, self.result, are_results=False)
        firsts = self.plan.first_lines([each.lines for each in rows])
        place = partial(self.place, rows=rows, firsts=firsts)
        done: list[Done] = yield Step("rows", count, place, Done, are_results=True)
        totals = sum((each.totals for each in done), Totals())
        yield from self.further(rows, firsts, totals)
        return totals

    def further(
        self, rows: list[RowsTaken], firsts: list[list[int]], totals: Totals
    ) -> Generator[Step, list[Any], None]:
        """Yield what comes after these steps."""
        yield from ()

    @abstractmethod
    def take(self, task: int) -> RowsTaken:
        """Take the lines of a task."""

    def taken(
        self, task: int, line_map: LineMap, finish: Callable[[Lines], None] | None = None
    ) -> RowsTaken:
        """Give the lines of a task to a map; then ``finish`` takes what is left to be done."""
        totals = Totals()
        found = RowsTaken(Done([], totals), [])
        path = self.work / f"{task:06}-{secrets.token_hex(4)}.placed"
        with (
            Outputs(self.target, self.work, f"{task:06}", self.plan.compress) as outputs,
            Places(path) as places,
        ):
            for number, part in enumerate(self.plan.tasks[task]):
                found.lines.append(0)
                for block in self.plan.blocks(part, self.most_line_bytes):
                    places.part, places.number = number, block.number
                    _take(line_map, block, outputs, places, totals)
                    found.lines[-1] += block.lines
            totals.lines = sum(found.lines)
            if finish is not None:
                lines = Lines([], outputs, places, keeps_text=line_map.keeps_text)
                finish(lines)
                lines.count(totals)
            found.done.files = outputs.put()
        if places.is_used:
            found.placed = path.name
        return found

    def place(self, task: int, rows: list[RowsTaken], firsts: list[list[int]]) -> Done:
        """Write the rows about the lines of a task, with the places of these."""
        found = rows[task]
        files = put_placed(self.plan, self.target, self.work, task, found.placed, firsts[task])
        return Done(found.done.files + files, found.done.totals)


@dataclass(frozen=True)
class RowMap(RowTasks):
    """One run of a row map over a plan."""

    map: LineMap

    def take(self, task: int) -> RowsTaken:
        """Take the lines of a task."""
        return self.taken(task, self.map)


@dataclass(frozen=True)
class RowSum(RowTasks):
    """One run over a plan of what counts: what its tasks have counted makes files."""

    sum: LineSum

    def take(self, task: int) -> RowsTaken:
        """Take the lines of a task."""
        summing = self.sum.begin(sum(len(parts) for parts in self.plan.tasks[:task]))
        found = self.taken(task, summing)
        found.state = f"{task:06}-{secrets.token_hex(4)}.state"
        with new_file(self.work / found.state) as file:
            file.write(summing.state())
        return found

    def further(
        self, rows: list[RowsTaken], firsts: list[list[int]], totals: Totals
    ) -> Generator[Step, list[Any], None]:
        end = partial(self.end, rows=rows, firsts=firsts, totals=totals)
        yield Step("sum", 1, end, Done, are_results=True)

    def end(
        self, _task: int, rows: list[RowsTaken], firsts: list[list[int]], totals: Totals
    ) -> Done:
        """Write the files of what all tasks have counted."""
        parts = [part for task in self.plan.tasks for part in task]
        numbers = [first for task in firsts for first in task]

        def place(part: int, line: int) -> tuple[str, int]:
            return self.plan.inputs[parts[part].source].name, numbers[part] + line - 1

        states = ((self.work / str(each.state)).read_bytes() for each in rows)
        for name, data in self.sum.end(states, totals, place).items():
            self.target.put_new(name, data)
        return Done([], Totals())


def _take(
    line_map: LineMap,
    block: Block | LongLine,
    outputs: Outputs,
    places: Places,
    totals: Totals,
) -> None:
    """Give the lines of a block to a map, and count what becomes of them."""
    keeps = line_map.keeps_text
    if isinstance(block, LongLine):
        why = line_too_long(block.number).findings[0]
        row = too_long(block, why) if keeps else unshown(block.length, why)
        places.add("quarantine", 0, row)
        totals.quarantined += 1
        return
    lines = Lines(block.texts(), outputs, places, keeps_text=keeps)
    line_map(lines)
    lines.count(totals)


class Places:
    """Rows about lines, beside the part and the number of the line in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._open = ExitStack()
        self.part = 0
        self.number = 1
        """The number of the first line of the block."""

    def __enter__(self) -> Places:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._open.close()

    @property
    def is_used(self) -> bool:
        """Whether there is a row, and so the file."""
        return self._file is not None

    def add(self, table: str, at: int, row: dict[str, Any]) -> None:
        """Append a row of a table, about the line at an index of the block."""
        self.put(table, self.part, self.number + at, row)

    def put(self, table: str, part: int, number: int, row: dict[str, Any]) -> None:
        """Append a row of a table, about a line of any part, by its number there."""
        if self._file is None:
            self._file = self._open.enter_context(new_file(self._path))
        self._file.write(_encode([table, part, number, row]))
        self._file.write(b"\n")


def put_placed(
    plan: Plan, target: Store, work: Path, task: int, placed: str | None, firsts: list[int]
) -> list[dict[str, Any]]:
    """Put the rows about the lines of a task into their tables; return their files.

    ``placed`` is the file of :class:`Places`; ``firsts`` is the number of the first line of each
    part of the task in its input.
    """
    if placed is None:
        return []
    with Outputs(target, work, f"{task:06}", plan.compress) as outputs:
        for table, part, number, row in _placed_rows(work / placed):
            source = plan.inputs[plan.tasks[task][part].source].name
            outputs.note(table, row, source, firsts[part] + number - 1)
        return outputs.put()


def _placed_rows(path: Path) -> Iterable[tuple[str, int, int, dict[str, Any]]]:
    with path.open("rb") as file:
        for line in file:
            yield tuple(msgspec.json.decode(line))
