"""What has been counted in an archive, or in a task: documents are added, and tallies are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec

from ...errors import Finding
from .counting import DRIFT, VALUES, Counted
from .measures import CALL_OPS, CALLS, MOST_SAMPLED, Table
from .sketches import Op, Sample, Sums

__all__ = ["FINDINGS", "Tally", "number_of"]

FINDINGS: Final = "findings"
"""The table of findings, by severity, rule and place."""

_MOST_NAMES: Final = 2000
_OWN: Final[Mapping[str, tuple[Op, ...]]] = {
    VALUES: ("sum",),
    DRIFT: ("sum", "min", "max"),
    FINDINGS: ("sum",),
}
_index: Final = re.compile(r"/[0-9]+(?=/|\Z)")
_LONGEST_PLACE: Final = 256

_LINE_BITS: Final = 40


def number_of(part: int, line: int) -> int:
    """Return the number of the document in a line of a part."""
    return part << _LINE_BITS | line


def _place_of(number: int) -> tuple[int, int]:
    return number >> _LINE_BITS, number & (1 << _LINE_BITS) - 1


class Tally:
    """What has been counted. Its room does not grow with the archive."""

    def __init__(self, tables: tuple[Table, ...]) -> None:
        self.invalid = 0
        """Documents with an error."""
        self.members: Counter[str] = Counter()
        self._tables = tables
        self.sums = {name: Sums(ops, _MOST_NAMES) for name, ops in _OWN.items()}
        self.samples: dict[str, Sample] = {CALLS: Sample(CALL_OPS, MOST_SAMPLED)}
        for table in tables:
            if table.is_sample:
                self.samples[table.name] = Sample(_ops(table), table.most)
            else:
                self.sums[table.name] = Sums(_ops(table), table.most)

    def add(self, counted: Counted) -> None:
        """Add what has been counted in some documents."""
        self.members.update(counted.members)
        for name, rows in counted.sums.items():
            sums = self.sums[name]
            for key, mark, at, values in rows:
                sums.add(key, (mark, *_place_of(at)), values)
        for name, found in counted.samples.items():
            self.samples[name].add(found)

    def find(self, finding: Finding, mark: int, at: int) -> None:
        """Add a finding of a document, by its number."""
        where = _index.sub("/*", finding.pointer)[:_LONGEST_PLACE]
        key = (finding.severity, finding.rule, where)
        self.sums[FINDINGS].add(key, (mark, *_place_of(at)), [1])

    def merge(self, other: Tally) -> None:
        """Add all that another tally has."""
        self.invalid += other.invalid
        self.members.update(other.members)
        for name, sums in self.sums.items():
            sums.merge(other.sums[name])
        for name, sample in self.samples.items():
            sample.merge(other.samples[name])

    def to_json(self) -> bytes:
        """Return the tally as JSON text; equal tallies are equal."""
        return msgspec.json.encode(
            {
                "invalid": self.invalid,
                "members": dict(sorted(self.members.items())),
                "sums": {name: each.to_wire() for name, each in self.sums.items()},
                "samples": {name: each.to_wire() for name, each in self.samples.items()},
            }
        )

    @staticmethod
    def of_json(tables: tuple[Table, ...], data: bytes) -> Tally:
        """Return the tally that JSON text says."""
        made, known = Tally(tables), msgspec.json.decode(data)
        made.invalid = known["invalid"]
        made.members.update(known["members"])
        for name, sums in made.sums.items():
            sums.load(known["sums"][name])
        for name, sample in made.samples.items():
            sample.load(known["samples"][name])
        return made


def _ops(table: Table) -> tuple[Op, ...]:
    return tuple(of.op for _, of in table.of)
