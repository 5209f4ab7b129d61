"""Streams of deltas, the messages that they make, and histories of messages."""

from .assemble import assemble, assemble_async
from .assembler import MessageAssembler
from .delta_gate import DeltaGate, Gated
from .history import HistoryChecker, check_history
from .history_policy import REPAIRS, HistoryChange, RepairResult
from .history_repair import repair_history
from .limits import Limits
from .snapshot import OpenCall, Progress, Snapshot, ToolCallBuffer

__all__ = [
    "REPAIRS",
    "DeltaGate",
    "Gated",
    "HistoryChange",
    "HistoryChecker",
    "Limits",
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
