"""All that one run found out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.compat import CompatRow, History
from bench.extras import ExtraRow
from bench.growth import CostRow, GrowthRow, MemoryRow
from bench.measure import Cell, Settings
from bench.providers import ProviderRow
from bench.validate import Validated

__all__ = ["OURS", "Results"]

OURS = ("assemble_buffer", "assemble_lines", "consume")


@dataclass
class Results:
    """Figures by section; a section that did not run is empty.

    ``missing`` gives the reason by peer; ``problems`` are wrong results and crashes: with any of
    them the run ends with exit status 1.
    """

    settings: Settings
    cells: list[Cell] = field(default_factory=list)
    cost: list[CostRow] = field(default_factory=list)
    growth: list[GrowthRow] = field(default_factory=list)
    memory: list[MemoryRow] = field(default_factory=list)
    import_time: ExtraRow | None = None
    validation: list[ExtraRow] = field(default_factory=list)
    framing: list[ExtraRow] = field(default_factory=list)
    providers: list[ProviderRow] = field(default_factory=list)
    validated: Validated | None = None
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

    def measured(self, key: str) -> Iterator[Cell]:
        """Cells of one contestant that have figures."""
        return (c for c in self.cells if c.contestant.key == key and c.state == "measured")

    def cell(self, key: str, mix: str, size: int) -> Cell | None:
        """One cell, None if it was not part of the run."""
        for cell in self.cells:
            if (cell.contestant.key, cell.mix, cell.size) == (key, mix, size):
                return cell
        return None
