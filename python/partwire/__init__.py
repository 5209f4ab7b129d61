"""partwire: one contract for the messages of language models.

Versioned JSON Schemas say what messages, deltas, sessions, content blocks and queue messages look
like; bindings and validators are generated from them; an assembler turns delta streams into
messages; adapters turn providers' raw streams into deltas.

The names here are the short forms; the rooms (``partwire.message``, ``partwire.providers``, …)
hold the rest. Importing this module imports neither pydantic nor the command line.
"""

from .errors import (
    Finding,
    FramingError,
    PartwireError,
    ReadError,
    StreamFailed,
    StreamProtocolError,
    UsageError,
    WriteError,
)
from .message import (
    DeltaGate,
    HistoryChecker,
    Limits,
    MessageAssembler,
    assemble,
    assemble_async,
    check_history,
    repair_history,
)
from .migrate import DeltaDowngrade, StoredRecord, downgrade, negotiate
from .reading import ReadResult, Unknown, dump, read, read_with_findings, to_wire, validate

__version__ = "0.2.0"

__all__ = [
    "DeltaDowngrade",
    "DeltaGate",
    "Finding",
    "FramingError",
    "HistoryChecker",
    "Limits",
    "MessageAssembler",
    "PartwireError",
    "ReadError",
    "ReadResult",
    "StoredRecord",
    "StreamFailed",
    "StreamProtocolError",
    "Unknown",
    "UsageError",
    "WriteError",
    "assemble",
    "assemble_async",
    "check_history",
    "downgrade",
    "dump",
    "negotiate",
    "read",
    "read_with_findings",
    "repair_history",
    "to_wire",
    "validate",
]
