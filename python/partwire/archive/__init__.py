"""Any amount of documents: in tasks that can be killed and gone on with, in bounded memory.

What a run is to do is said by options: :class:`Assemble`, :class:`Statistics` and others. What it
has made is read by :func:`tables` and :func:`read_table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .documents.options import Convert as Convert
    from .documents.options import Dedupe as Dedupe
    from .documents.options import FromParquet as FromParquet
    from .documents.options import Migrate as Migrate
    from .documents.options import Redact as Redact
    from .documents.options import Sample as Sample
    from .documents.options import Split as Split
    from .documents.options import Statistics as Statistics
    from .documents.options import ToParquet as ToParquet
    from .operations import Assemble as Assemble
    from .operations import Options as Options
    from .operations import Validate as Validate
    from .readers import Summary as Summary
    from .readers import Table as Table
    from .readers import read_table as read_table
    from .readers import tables as tables
    from .run import ArchiveRun as ArchiveRun
    from .run import Cost as Cost

_HOMES = {
    "documents.options": (
        "Convert",
        "Dedupe",
        "FromParquet",
        "Migrate",
        "Redact",
        "Sample",
        "Split",
        "Statistics",
        "ToParquet",
    ),
    "operations": (
        "Assemble",
        "Options",
        "Validate",
    ),
    "readers": (
        "Summary",
        "Table",
        "read_table",
        "tables",
    ),
    "run": (
        "ArchiveRun",
        "Cost",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
