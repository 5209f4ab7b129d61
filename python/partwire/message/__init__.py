"""Streams of deltas, the messages that they make, and histories of messages."""

from typing import TYPE_CHECKING

from ..lazy import attach
from .assemble import assemble as assemble  # before its module takes the name

if TYPE_CHECKING:
    from .assemble import LineAssembler as LineAssembler
    from .assemble import assemble_async as assemble_async
    from .assembler.limits import Limits as Limits
    from .assembler.machine import MessageAssembler as MessageAssembler
    from .assembler.snapshot import OpenCall as OpenCall
    from .assembler.snapshot import OpenMedia as OpenMedia
    from .assembler.snapshot import PartialValue as PartialValue
    from .assembler.snapshot import Progress as Progress
    from .assembler.snapshot import Snapshot as Snapshot
    from .assembler.snapshot import ToolCallBuffer as ToolCallBuffer
    from .gate import DeltaGate as DeltaGate
    from .gate import Gated as Gated
    from .history.check import HistoryChecker as HistoryChecker
    from .history.check import check_history as check_history
    from .history.repair import REPAIRS as REPAIRS
    from .history.repair import HistoryChange as HistoryChange
    from .history.repair import RepairResult as RepairResult
    from .history.repair import repair_history as repair_history
    from .routes import OpenStream as OpenStream
    from .streams import Assembled as Assembled
    from .streams import StreamsAssembler as StreamsAssembler
    from .streams import assemble_many as assemble_many

_HOMES = {
    "assemble": (
        "LineAssembler",
        "assemble",
        "assemble_async",
    ),
    "assembler.limits": ("Limits",),
    "assembler.machine": ("MessageAssembler",),
    "assembler.snapshot": (
        "OpenCall",
        "OpenMedia",
        "PartialValue",
        "Progress",
        "Snapshot",
        "ToolCallBuffer",
    ),
    "gate": (
        "DeltaGate",
        "Gated",
    ),
    "history.check": (
        "HistoryChecker",
        "check_history",
    ),
    "history.repair": (
        "REPAIRS",
        "HistoryChange",
        "RepairResult",
        "repair_history",
    ),
    "routes": ("OpenStream",),
    "streams": (
        "Assembled",
        "StreamsAssembler",
        "assemble_many",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
