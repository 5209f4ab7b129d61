"""All that one run found out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.archive.messages import MessagesRow
from bench.archive.planned import PlannedRow
from bench.archive.rows import ArchiveRow
from bench.archive.scaled import ScaledRow
from bench.compat import CompatRow, History
from bench.formats import FormatRow, SessionRow, WriterRow
from bench.growth import GrowthRow, MemoryRow
from bench.imports import ImportRow
from bench.measure import Cell, Settings
from bench.providers import CostRow, ProviderRow
from bench.validate import Validated

__all__ = ["Results"]


@dataclass
class Results:
    """Figures by section; a section that did not run is empty.

    ``values``, ``service`` and ``fold`` hold named tuples, each a row; ``languages`` Markdown
    by heading. ``missing`` gives the reason by peer; ``problems`` are wrong results and crashes:
    with any of them the run ends with exit status 1.
    """

    settings: Settings
    cells: list[Cell] = field(default_factory=list)
    growth: list[GrowthRow] = field(default_factory=list)
    memory: list[MemoryRow] = field(default_factory=list)
    imports: list[ImportRow] = field(default_factory=list)
    providers: list[ProviderRow] = field(default_factory=list)
    costs: list[CostRow] = field(default_factory=list)
    validated: Validated | None = None
    values: list[Any] = field(default_factory=list)
    service: list[Any] = field(default_factory=list)
    fold: list[Any] = field(default_factory=list)
    archive: list[ArchiveRow] = field(default_factory=list)
    archive_planned: list[PlannedRow] = field(default_factory=list)
    archive_scaled: list[ScaledRow] = field(default_factory=list)
    archive_messages: list[MessagesRow] = field(default_factory=list)
    formats: list[FormatRow] = field(default_factory=list)
    format_writers: list[WriterRow] = field(default_factory=list)
    sessions: list[SessionRow] = field(default_factory=list)
    languages: dict[str, str] = field(default_factory=dict)
    compat: tuple[list[CompatRow], History] | None = None
    compat_ran: bool = False
    missing: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add_cells(self, cells: list[Cell]) -> None:
        """Take the cells of one mix and size; remember what went wrong in them."""
        self.cells.extend(cells)
        for cell in cells:
            if cell.state in ("wrong", "failed"):
                where = f"{cell.contestant.label}, {cell.mix}, {cell.size:,}"
                self.problems.append(f"{where}: {cell.note}")

    def mixes(self) -> list[str]:
        """Mixes that ran, in order."""
        return list(dict.fromkeys(cell.mix for cell in self.cells))

    def measured(
        self, keys: tuple[str, ...], mixes: tuple[str, ...], sizes: tuple[int, ...]
    ) -> Iterator[tuple[Cell, float]]:
        """Cells of these contestants, mixes and sizes that have figures, with their ratios."""
        for cell in self.cells:
            own = cell.contestant.key in keys and cell.mix in mixes and cell.size in sizes
            if own and cell.ratio is not None:
                yield cell, cell.ratio
