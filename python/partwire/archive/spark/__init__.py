"""Archives on Spark: the same passes over lines, with Spark's shuffle between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy import attach

if TYPE_CHECKING:
    from .frames import assemble as assemble
    from .frames import totals_of as totals_of
    from .live import assemble_live as assemble_live

_HOMES = {
    "frames": (
        "assemble",
        "totals_of",
    ),
    "live": ("assemble_live",),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
