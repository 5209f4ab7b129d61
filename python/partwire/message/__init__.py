"""Streams of deltas, the messages that they make, and histories of messages."""

from .assemble import LineAssembler, assemble, assemble_async
from .assembler.limits import Limits
from .assembler.machine import MessageAssembler
from .assembler.snapshot import OpenCall, Progress, Snapshot, ToolCallBuffer
from .gate import DeltaGate, Gated
from .history.check import HistoryChecker, check_history
from .history.repair import REPAIRS, HistoryChange, RepairResult, repair_history
from .routes import OpenStream
from .streams import Assembled, StreamsAssembler, assemble_many

__all__ = [
    "REPAIRS",
    "Assembled",
    "DeltaGate",
    "Gated",
    "HistoryChange",
    "HistoryChecker",
    "Limits",
    "LineAssembler",
    "MessageAssembler",
    "OpenCall",
    "OpenStream",
    "Progress",
    "RepairResult",
    "Snapshot",
    "StreamsAssembler",
    "ToolCallBuffer",
    "assemble",
    "assemble_async",
    "assemble_many",
    "check_history",
    "repair_history",
]
