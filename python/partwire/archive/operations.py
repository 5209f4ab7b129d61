"""The operations over an archive, by the options that say what each is to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import msgspec

from ..contract.current import LATEST_VERSION
from ..reading.undeclared import UnknownMembers
from ..tables.limits import DEFAULT_LIMIT_BYTES
from .outputs import Compress
from .plan import Plan
from .steps import Operation
from .store import Store
from .streams.exact import OnUnknown

__all__ = ["Assemble", "Options", "Validate", "operation_of"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is to do. A plan has them by name: of another run with others it is not one."""

    name: ClassVar[str] = ""

    max_line_bytes: int = DEFAULT_LIMIT_BYTES
    """How long a line may be."""
    compress: Compress = "none"
    """How the files of the tables are compressed."""


class Assemble(Options, frozen=True, kw_only=True):
    """A message of each stream of deltas: tables ``messages`` and ``quarantine``."""

    name: ClassVar[str] = "assemble"

    on_unknown: OnUnknown = "refuse"
    """What becomes of deltas of a kind that this version does not know."""


class Validate(Options, frozen=True, kw_only=True):
    """What is wrong with documents: table ``findings``."""

    name: ClassVar[str] = "validate"

    type: str
    version: str = LATEST_VERSION
    unknown_members: UnknownMembers = "warn"
    max_findings: int = 100
    """How many findings of one document are given."""


def operation_of(
    options: Options, plan: Plan, target: Store, work: Path, held_bytes: int
) -> Operation:
    """Return what does it; ``held_bytes`` is about how much one task may hold."""
    # Each operation imports what only it needs.
    if isinstance(options, Assemble):
        from .streams.assemble import Assembly  # noqa: PLC0415

        return Assembly(plan, target, work, options, held_bytes)
    if options.name == "dedupe":
        from .documents.dedupe import Deduping  # noqa: PLC0415

        return Deduping(plan, target, work, options, held_bytes)  # type: ignore[arg-type]
    if options.name == "convert" and options.by != "line":  # type: ignore[attr-defined]
        from .documents.histories import Histories  # noqa: PLC0415

        return Histories(plan, target, work, options, held_bytes)  # type: ignore[arg-type]
    if options.name == "statistics":
        from .documents.rows import RowSum  # noqa: PLC0415
        from .statistics.lines import StatisticsSum  # noqa: PLC0415

        counted = StatisticsSum(options)  # type: ignore[arg-type]
        return RowSum(plan, target, work, options.max_line_bytes, counted)
    if options.name == "to-parquet":
        from .columns.flat_tables import FlatTables  # noqa: PLC0415
        from .columns.tables import DocumentTables  # noqa: PLC0415

        kind: Any = FlatTables if options.flat else DocumentTables  # type: ignore[attr-defined]
        made: Operation = kind(plan, target, work, options.max_line_bytes, options, held_bytes)
        return made
    from .documents.rows import RowMap  # noqa: PLC0415

    return RowMap(plan, target, work, options.max_line_bytes, _line_map(options))


def _line_map(options: Any) -> Any:
    if isinstance(options, Validate):
        from .documents.validate import ValidateLines  # noqa: PLC0415

        return ValidateLines(options)
    from .documents.options import line_map  # noqa: PLC0415

    return line_map(options)
