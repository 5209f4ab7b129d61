"""Any amount of documents: in tasks that can be killed and gone on with, in bounded memory.

What a run is to do is said by options: :class:`Assemble`, :class:`Validate` and others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .operations import Assemble as Assemble
    from .operations import Options as Options
    from .operations import Validate as Validate
    from .run import ArchiveRun as ArchiveRun
    from .run import Cost as Cost
    from .run import Summary as Summary

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "operations": ("Assemble", "Options", "Validate"),
        "run": ("ArchiveRun", "Cost", "Summary"),
    },
)
