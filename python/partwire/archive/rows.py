"""Operations that take each line by itself: the row maps.

Their tasks need nothing of each other but one thing: the numbers of the lines of a part are known
when the parts before it have been read. So a task first writes what it says of places beside the
number within the part, and a second step puts the places right.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from ..errors import Finding
from ..message.assemble import line_too_long
from .lines import Block, LongLine, blocks
from .outputs import Outputs, quarantined, too_long
from .plan import Plan
from .steps import Done, Step, Steps, Totals
from .store import Store

__all__ = ["LineMap", "Lines", "RowMap"]

_encode: Final = msgspec.json.Encoder().encode


class LineMap(Protocol):
    """What an operation makes of lines. Pickled where processes are not forked."""

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block, each in one way, and say so by the methods of ``lines``."""


class Lines:
    """The lines of a block, without their ends, and what becomes of them."""

    def __init__(self, texts: list[bytes], outputs: Outputs, places: _Places) -> None:
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

    def write(self, table: str, text: bytes) -> None:
        """Append a result to a table."""
        self.made += 1
        self._outputs.write(table, text)

    def note(self, table: str, at: int, row: dict[str, Any]) -> None:
        """Append a row about the line at an index to a table; source and line are added."""
        self._places.add(table, at, row)

    def quarantine(self, at: int, finding: Finding) -> None:
        """Put the line at an index aside."""
        self.quarantined += 1
        self._places.quarantine(at, self.texts[at], finding)


class _Rows(msgspec.Struct):
    """What a task has made before the numbers of its lines are known."""

    done: Done
    lines: list[int]
    """Lines of each part."""
    placed: str | None = None
    """The file in the work folder with rows about lines."""


@dataclass(frozen=True)
class RowMap:
    """One run of a row map over a plan."""

    plan: Plan
    target: Store
    work: Path
    map: LineMap
    most_line_bytes: int

    def steps(self) -> Steps:
        """Return the steps."""
        count = len(self.plan.tasks)
        rows: list[_Rows] = yield Step("map", count, self.take, _Rows, are_results=False)
        firsts = self.plan.first_lines([each.lines for each in rows])
        place = partial(self.place, rows=rows, firsts=firsts)
        done: list[Done] = yield Step("rows", count, place, Done, are_results=True)
        return sum((each.totals for each in done), Totals())

    def take(self, task: int) -> _Rows:
        """Take the lines of a task."""
        totals = Totals()
        found = _Rows(Done([], totals), [])
        path = self.work / f"{task:06}-{secrets.token_hex(4)}.placed"
        with (
            Outputs(self.target, self.work, f"{task:06}", self.plan.compress) as outputs,
            _Places(path) as places,
        ):
            for number, part in enumerate(self.plan.tasks[task]):
                chunks = self.plan.chunks(part)
                given = blocks(chunks, part.source, self.most_line_bytes, is_midway=part.begin > 0)
                found.lines.append(0)
                for block in given:
                    places.part, places.number = number, block.number
                    found.lines[-1] += self._take(block, outputs, places, totals)
            found.done.files = outputs.put()
        if places.is_used:
            found.placed = path.name
        return found

    def _take(
        self, block: Block | LongLine, outputs: Outputs, places: _Places, totals: Totals
    ) -> int:
        if isinstance(block, LongLine):
            places.too_long(block, line_too_long(block.number).findings[0])
            totals.lines += 1
            totals.quarantined += 1
            return 1
        lines = Lines(block.data.split(b"\n")[:-1], outputs, places)
        self.map(lines)
        totals.lines += block.lines
        totals.blank += lines.blank
        totals.used += lines.used
        totals.left_out += lines.left_out
        totals.quarantined += lines.quarantined
        totals.made += lines.made
        for name, count in lines.counts.items():
            totals.counts[name] = totals.counts.get(name, 0) + count
        return block.lines

    def place(self, task: int, rows: list[_Rows], firsts: list[list[int]]) -> Done:
        """Write the rows about the lines of a task, with the places of these."""
        found = rows[task]
        if found.placed is None:
            return found.done
        with Outputs(self.target, self.work, f"{task:06}", self.plan.compress) as outputs:
            for table, part, number, row in _placed(self.work / found.placed):
                source = self.plan.inputs[self.plan.tasks[task][part].source].name
                line = firsts[task][part] + number - 1
                outputs.note(table, row, source, line)
            files = outputs.put()
        return Done(found.done.files + files, found.done.totals)


class _Places:
    """Rows about lines, beside the part and the number of the line in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: Any = None
        self.part = 0
        self.number = 1
        """The number of the first line of the block."""

    def __enter__(self) -> _Places:
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def is_used(self) -> bool:
        return self._file is not None

    def add(self, table: str, at: int, row: dict[str, Any]) -> None:
        if self._file is None:
            self._file = self._path.open("xb")
        self._file.write(_encode([table, self.part, self.number + at, row]))
        self._file.write(b"\n")

    def quarantine(self, at: int, line: bytes, finding: Finding) -> None:
        self.add("quarantine", at, quarantined(line, finding))

    def too_long(self, line: LongLine, finding: Finding) -> None:
        self.add("quarantine", 0, too_long(line, finding))


def _placed(path: Path) -> Iterable[tuple[str, int, int, dict[str, Any]]]:
    with path.open("rb") as file:
        for line in file:
            yield tuple(msgspec.json.decode(line))
