"""partwire: one contract for the messages of language models.

Versioned JSON Schemas say what messages, deltas, sessions, content blocks and queue messages look
like; bindings and validators are generated from them; an assembler turns delta streams into
messages; adapters turn providers' raw streams into deltas.

The names here are the short forms; the rooms (``partwire.message``, ``partwire.providers``, …)
hold the rest, and are imported when one of their names is asked for: a program that only validates
waits for no assembler.
"""

from typing import TYPE_CHECKING

from .lazy import attach
from .version import __version__ as __version__

if TYPE_CHECKING:
    from .build import adapt as adapt
    from .build import adapt_async as adapt_async
    from .build import approval_request as approval_request
    from .build import approval_response as approval_response
    from .build import assistant as assistant
    from .build import media as media
    from .build import new_id as new_id
    from .build import now as now
    from .build import server_tool_call as server_tool_call
    from .build import server_tool_result as server_tool_result
    from .build import system as system
    from .build import text as text
    from .build import tool as tool
    from .build import tool_call as tool_call
    from .build import tool_result as tool_result
    from .build import user as user
    from .contract.current.entrances import read as read
    from .contract.current.entrances import read_with_findings as read_with_findings
    from .convert import DeltaDowngrade as DeltaDowngrade
    from .convert import StoredRecord as StoredRecord
    from .convert import downgrade as downgrade
    from .convert import negotiate as negotiate
    from .errors import Finding as Finding
    from .errors import FramingError as FramingError
    from .errors import PartwireError as PartwireError
    from .errors import ReadError as ReadError
    from .errors import StreamFailed as StreamFailed
    from .errors import StreamProtocolError as StreamProtocolError
    from .errors import UsageError as UsageError
    from .errors import WriteError as WriteError
    from .message import Assembled as Assembled
    from .message import DeltaGate as DeltaGate
    from .message import HistoryChecker as HistoryChecker
    from .message import Limits as Limits
    from .message import LineAssembler as LineAssembler
    from .message import MessageAssembler as MessageAssembler
    from .message import StreamsAssembler as StreamsAssembler
    from .message import assemble as assemble
    from .message import assemble_async as assemble_async
    from .message import assemble_many as assemble_many
    from .message import check_history as check_history
    from .message import repair_history as repair_history
    from .native_core import native as native
    from .reading import ReadResult as ReadResult
    from .reading import SafeDefault as SafeDefault
    from .reading import Unknown as Unknown
    from .reading import dump as dump
    from .reading import to_model as to_model
    from .reading import to_struct as to_struct
    from .reading import to_wire as to_wire
    from .reading import validate as validate

_HOMES = {
    "build": (
        "adapt",
        "adapt_async",
        "approval_request",
        "approval_response",
        "assistant",
        "media",
        "new_id",
        "now",
        "server_tool_call",
        "server_tool_result",
        "system",
        "text",
        "tool",
        "tool_call",
        "tool_result",
        "user",
    ),
    "convert": (
        "DeltaDowngrade",
        "StoredRecord",
        "downgrade",
        "negotiate",
    ),
    "errors": (
        "Finding",
        "FramingError",
        "PartwireError",
        "ReadError",
        "StreamFailed",
        "StreamProtocolError",
        "UsageError",
        "WriteError",
    ),
    "message": (
        "Assembled",
        "DeltaGate",
        "HistoryChecker",
        "Limits",
        "LineAssembler",
        "MessageAssembler",
        "StreamsAssembler",
        "assemble",
        "assemble_async",
        "assemble_many",
        "check_history",
        "repair_history",
    ),
    "native_core": ("native",),
    "reading": (
        "ReadResult",
        "SafeDefault",
        "Unknown",
        "dump",
        "read",
        "read_with_findings",
        "to_model",
        "to_struct",
        "to_wire",
        "validate",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
