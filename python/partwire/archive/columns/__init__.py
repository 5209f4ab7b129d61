"""Documents as tables: their columns, Parquet and back, and flat tables of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy import attach

if TYPE_CHECKING:
    from .flat_files import write_flat as write_flat
    from .parquet import from_table as from_table
    from .parquet import read_parquet as read_parquet
    from .parquet import to_batches as to_batches
    from .parquet import to_table as to_table
    from .parquet import write_parquet as write_parquet
    from .schema import arrow_schema as arrow_schema

_HOMES = {
    "flat_files": ("write_flat",),
    "parquet": (
        "from_table",
        "read_parquet",
        "to_batches",
        "to_table",
        "write_parquet",
    ),
    "schema": ("arrow_schema",),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
