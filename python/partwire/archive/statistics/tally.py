"""What has been counted in an archive, or in a task: documents are added, and tallies are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from ...contract.versions import TypeName
from ...errors import Finding
from .calls import CALLS, new_calls
from .counting import DRIFT, VALUES, Counted
from .measures import Table
from .sketches import Op, Sample, Sums

__all__ = ["FINDINGS", "Tally"]

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

Place = Callable[[int], tuple[int, int]]
"""Returns the part and the line of a document."""


class Tally:
    """What has been counted. Its room does not grow with the archive."""

    def __init__(self, tables: tuple[Table, ...]) -> None:
        self.documents = 0
        self.bytes = 0
        self.invalid = 0
        """Documents with an error."""
        self.members: Counter[str] = Counter()
        self._tables = tables
        self.sums = {name: Sums(ops, _MOST_NAMES) for name, ops in _OWN.items()}
        self.samples: dict[str, Sample] = {CALLS: new_calls()}
        for table in tables:
            if table.is_sample:
                self.samples[table.name] = Sample(_ops(table), table.most)
            else:
                self.sums[table.name] = Sums(_ops(table), table.most)

    def add(self, counted: Counted, place: Place) -> None:
        """Add what has been counted in some documents."""
        self.members.update(counted.members)
        for name, rows in counted.rows.items():
            if name in self.samples:
                sample = self.samples[name]
                for key, found in rows.items():
                    sample.add_key(key, found.values)
                continue
            sums = self.sums[name]
            for key, found in rows.items():
                sums.add(key, (found.mark, *place(found.at)), found.values)

    def find(self, finding: Finding, mark: int, place: tuple[int, int]) -> None:
        """Add a finding of a document."""
        where = _index.sub("/*", finding.pointer)[:_LONGEST_PLACE]
        key = (finding.severity, finding.rule, where)
        self.sums[FINDINGS].add(key, (mark, *place), [1])

    def merge(self, other: Tally) -> None:
        """Add all that another tally has."""
        self.documents += other.documents
        self.bytes += other.bytes
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
                "documents": self.documents,
                "bytes": self.bytes,
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
        made.documents, made.bytes = known["documents"], known["bytes"]
        made.invalid = known["invalid"]
        made.members.update(known["members"])
        for name, sums in made.sums.items():
            sums.load(known["sums"][name])
        for name, sample in made.samples.items():
            sample.load(known["samples"][name])
        return made


def _ops(table: Table) -> tuple[Op, ...]:
    return tuple(of.op for _, of in table.of)
