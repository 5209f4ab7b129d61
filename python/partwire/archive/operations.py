"""The operations over an archive, by the options that say what each is to do."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

import msgspec

from ..contract.current import LATEST_VERSION
from ..reading.undeclared import UnknownMembers
from ..tables.limits import DEFAULT_LIMIT_BYTES
from .outputs import Compress
from .plan import Plan
from .steps import Operation
from .store import Store
from .streams.exact import OnUnknown

__all__ = [
    "DELTAS",
    "RECORDINGS",
    "Assemble",
    "Options",
    "Validate",
    "check_options",
    "operation_of",
]

DELTAS: Final = "deltas"
"""What files hold: deltas, of any streams."""
RECORDINGS: Final = "recordings"
"""What files hold: each the stream of a provider, or what a RecordingModel has written."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is to do. They are part of its plan: a run with others is another one."""

    name: ClassVar[str] = ""

    max_line_bytes: int = DEFAULT_LIMIT_BYTES
    """How long a line may be."""
    compress: Compress = "none"
    """How the files of the tables are compressed."""

    @property
    def takes_files(self) -> bool:
        """Whether it takes each file as a whole, and not lines, wherever they are."""
        return False


class Assemble(Options, frozen=True, kw_only=True):
    """A message of each stream: tables ``messages`` and ``quarantine``."""

    name: ClassVar[str] = "assemble"

    on_unknown: OnUnknown = "refuse"
    """What becomes of deltas of a kind that this version does not know."""
    source: str = DELTAS
    """What files hold: ``deltas``; or each is the stream of a provider, of this dialect; or
    ``recordings``: of the dialect that its beginning shows, or a file of a RecordingModel."""

    @property
    def takes_files(self) -> bool:
        """Whether it takes each file as a whole."""
        return self.source != DELTAS


class Validate(Options, frozen=True, kw_only=True):
    """What is wrong with documents: table ``findings``."""

    name: ClassVar[str] = "validate"

    type: str
    version: str = LATEST_VERSION
    unknown_members: UnknownMembers = "warn"
    max_findings: int = 100
    """How many findings of one document are given."""


def check_options(options: Options) -> None:
    """Raise UsageError for options that are wrong, or want an extra that is not installed."""
    if isinstance(options, Assemble):
        if options.takes_files:
            from .streams.recorded import check_recorded  # noqa: PLC0415 - the others do without

            check_recorded(options)
    else:
        from .documents.options import check_documents  # noqa: PLC0415 - the others do without

        check_documents(options)


def operation_of(
    options: Options, plan: Plan, target: Store, work: Path, held_bytes: int
) -> Operation:
    """Return what does it; ``held_bytes`` is about how much one task may hold."""
    # Each operation imports what only it needs.
    if isinstance(options, Assemble):
        if options.takes_files:
            from .streams.recorded import Recorded  # noqa: PLC0415

            return Recorded(plan, target, work, options)
        from .streams.assemble import Assembly  # noqa: PLC0415

        return Assembly(plan, target, work, options, held_bytes)
    from .documents.options import Convert, Dedupe, Statistics, ToParquet, line_map  # noqa: PLC0415
    from .documents.rows import RowMap, RowSum  # noqa: PLC0415

    if isinstance(options, Dedupe):
        from .documents.dedupe import Deduping  # noqa: PLC0415

        return Deduping(plan, target, work, options, held_bytes)
    if isinstance(options, Convert) and options.by != "line":
        from .documents.histories import Histories  # noqa: PLC0415

        return Histories(plan, target, work, options, held_bytes)
    most = options.max_line_bytes
    if isinstance(options, Statistics):
        from .statistics.lines import StatisticsSum  # noqa: PLC0415

        return RowSum(plan, target, work, most, StatisticsSum(options))
    if isinstance(options, ToParquet):
        from .columns.flat_tables import FlatTables  # noqa: PLC0415
        from .columns.tables import DocumentTables  # noqa: PLC0415

        kind = FlatTables if options.flat else DocumentTables
        return kind(plan, target, work, most, options, held_bytes)
    return RowMap(plan, target, work, most, line_map(options))
