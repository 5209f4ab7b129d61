"""Streams of deltas and the messages that they make."""

from .assemble import assemble, assemble_async
from .assembler import MessageAssembler
from .delta_gate import DeltaGate, Gated
from .limits import Limits
from .snapshot import OpenCall, Progress, Snapshot, ToolCallBuffer

__all__ = [
    "DeltaGate",
    "Gated",
    "Limits",
    "MessageAssembler",
    "OpenCall",
    "Progress",
    "Snapshot",
    "ToolCallBuffer",
    "assemble",
    "assemble_async",
]
