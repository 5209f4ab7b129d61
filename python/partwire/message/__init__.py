"""Streams of deltas, the messages that they make, and histories of messages."""

from .assemble import LineAssembler, assemble, assemble_async
from .assembler.limits import Limits
from .assembler.machine import MessageAssembler
from .assembler.snapshot import OpenCall, Progress, Snapshot, ToolCallBuffer
from .gate import DeltaGate, Gated
from .history.check import HistoryChecker, check_history
from .history.repair import REPAIRS, HistoryChange, RepairResult, repair_history

__all__ = [
    "REPAIRS",
    "DeltaGate",
    "Gated",
    "HistoryChange",
    "HistoryChecker",
    "Limits",
    "LineAssembler",
    "MessageAssembler",
    "OpenCall",
    "Progress",
    "RepairResult",
    "Snapshot",
    "ToolCallBuffer",
    "assemble",
    "assemble_async",
    "check_history",
    "repair_history",
]
