"""The statistics of an archive, as what its tasks add up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from ...contract.versions import parse_type
from ...errors import ReadError
from ...json.text import decode_json
from ...reading.pipeline import Binding
from ..documents.rows import Lines
from ..lines import BLANK
from ..steps import Totals
from .counting import Counting, Measured, mark_of
from .figures import figures_of
from .native import native_counting
from .report import report_of
from .tally import Tally, number_of

if TYPE_CHECKING:
    from ..documents.options import Statistics

__all__ = ["StatisticsSum"]

_MOST_ROWS: Final = 20_000
"""How many rows are counted before they are added to the tally, in which they take longer."""


@dataclass(frozen=True)
class StatisticsSum:
    """Counts documents, and makes the page and the JSON of it."""

    options: Statistics

    @cached_property
    def _measured(self) -> Measured:
        return Measured.of(parse_type(self.options.type, self.options.version))

    def begin(self, first_part: int) -> StatisticsLines:
        """Return what takes the lines of a task; its first part is that one of all."""
        return StatisticsLines(self.options, self._measured, first_part)

    def end(
        self,
        states: Iterable[bytes],
        totals: Totals,
        place: Callable[[int, int], tuple[str, int]],
    ) -> dict[str, bytes]:
        """Return the files by name, of what tasks have counted."""
        measured = self._measured
        whole = Tally(measured.tables)
        for state in states:
            whole.merge(Tally.of_json(measured.tables, state))
        figures = figures_of(whole, measured, self.options, totals, place)
        return {"statistics.json": figures.to_json(), "report.html": report_of(figures)}


class StatisticsLines:
    """Takes the lines of a task."""

    keeps_text: ClassVar[bool] = True

    def __init__(self, options: Statistics, measured: Measured, first_part: int) -> None:
        self._most = options.max_findings
        self._binding = Binding.of(options.type, options.version)
        self._counting = Counting(measured)
        self._native = native_counting(measured)
        self._first_part = first_part
        self._tally = Tally(measured.tables)

    def state(self) -> bytes:
        """Return what has been counted."""
        self._add_up(0)
        return self._tally.to_json()

    def _add_up(self, most: int) -> None:
        """Add to the tally what is counted, if it is more than some rows."""
        if self._counting.rows > most:
            self._tally.add(self._counting.take_out())
        if self._native is not None and self._native.rows > most:
            self._tally.add(self._native.take_out())
            self._native.bound({name: each.bound for name, each in self._tally.samples.items()})

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        texts = lines.texts
        part, number = lines.place
        first = number_of(part + self._first_part, number)
        if self._native is None:
            refused: Collection[int] = set(self._binding.refused(texts, "ignore"))
            left: Iterable[int] = range(len(texts))
        else:
            left = self._native.take(texts, first)
            refused = range(len(texts))  # each of them may have findings
        for at in left:
            text = texts[at]
            if not text.strip(BLANK):
                lines.blank += 1
                continue
            try:
                value = decode_json(text)
            except ReadError as error:
                lines.quarantine(at, error.findings[0])
                continue
            self._counting.take(first + at, text, value)
            if at in refused:
                self._find(text, first + at)
        lines.used += len(texts) - lines.blank - lines.quarantined
        self._add_up(_MOST_ROWS)

    def _find(self, text: bytes, at: int) -> None:
        found, _ = self._binding.findings_within(text, self._most, unknown="ignore")
        for each in found:
            self._tally.find(each, mark_of(text), at)
        self._tally.invalid += any(each.severity == "error" for each in found)
