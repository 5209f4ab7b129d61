"""The statistics of an archive, as what its tasks add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from ...contract.versions import parse_type
from ...errors import ReadError
from ...json.text import decode_json
from ...reading.pipeline import Binding
from ..rows import Lines
from ..steps import Totals
from .calls import CALLS, calls_of
from .counting import Counting, mark_of
from .figures import figures_of
from .report import report_of
from .tally import Tally

if TYPE_CHECKING:
    from ..row_options import Statistics

__all__ = ["StatisticsSum"]


@dataclass(frozen=True)
class StatisticsSum:
    """Counts documents, and makes the page and the JSON of it."""

    options: Statistics

    @cached_property
    def _counting(self) -> Counting:
        return Counting(parse_type(self.options.type, self.options.version))

    def begin(self, first_part: int) -> StatisticsLines:
        """Return what takes the lines of a task; its first part is that one of all."""
        return StatisticsLines(self.options, self._counting, first_part)

    def end(
        self,
        states: Iterable[bytes],
        totals: Totals,
        place: Callable[[int, int], tuple[str, int]],
    ) -> dict[str, bytes]:
        """Return the files by name, of what tasks have counted."""
        counting = self._counting
        whole = Tally(counting.tables)
        for state in states:
            whole.merge(Tally.of_json(counting.tables, state))
        figures = figures_of(whole, counting, self.options, totals, place)
        return {"statistics.json": figures.to_json(), "report.html": report_of(figures)}


class StatisticsLines:
    """Takes the lines of a task."""

    keeps_text: ClassVar[bool] = True

    def __init__(self, options: Statistics, counting: Counting, first_part: int) -> None:
        self._most = options.max_findings
        self._binding = Binding.of(options.type, options.version)
        self._counting = counting
        self._first_part = first_part
        self._tally = Tally(counting.tables)
        found = calls_of(str(self._binding.type))
        self._calls = None if found is None else found[0]

    def state(self) -> bytes:
        """Return what has been counted."""
        return self._tally.to_json()

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        tally, binding = self._tally, self._binding
        part, number = lines.place
        part += self._first_part
        odd = set(binding.refused(lines.texts, "ignore"))
        documents = []
        for at, text in lines.documents():
            try:
                value = decode_json(text)
            except ReadError as error:
                lines.quarantine(at, error.findings[0])
                continue
            documents.append((at, text, value))
            tally.documents += 1
            tally.bytes += len(text)
            if self._calls is not None:
                for digest, *told in self._calls(value):
                    tally.samples[CALLS].add(digest, told)
            if at in odd:
                found, _ = binding.findings_within(text, self._most, unknown="ignore")
                for each in found:
                    tally.find(each, mark_of(text), (part, number + at))
                tally.invalid += any(each.severity == "error" for each in found)
        tally.add(self._counting(documents), lambda at: (part, number + at))
        lines.used += len(documents)
