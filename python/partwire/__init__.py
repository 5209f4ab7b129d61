"""partwire: one contract for the messages of language models.

Versioned JSON Schemas say what messages, deltas, sessions, content blocks and queue messages look
like; bindings and validators are generated from them; an assembler turns delta streams into
messages; adapters turn providers' raw streams into deltas.

The names here are the short forms; the rooms (``partwire.message``, ``partwire.providers``, …)
hold the rest, and are imported when one of their names is asked for: a program that only validates
waits for no assembler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from .pydantic_models import to_model, to_struct
    from .reading import (
        ReadResult,
        SafeDefault,
        Unknown,
        dump,
        read,
        read_with_findings,
        to_wire,
        validate,
    )

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
    "SafeDefault",
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
    "to_model",
    "to_struct",
    "to_wire",
    "validate",
]

_ROOMS = {
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
        "DeltaGate",
        "HistoryChecker",
        "Limits",
        "MessageAssembler",
        "assemble",
        "assemble_async",
        "check_history",
        "repair_history",
    ),
    "migrate": (
        "DeltaDowngrade",
        "StoredRecord",
        "downgrade",
        "negotiate",
    ),
    "pydantic_models": ("to_model", "to_struct"),
    "reading": (
        "ReadResult",
        "SafeDefault",
        "Unknown",
        "dump",
        "read",
        "read_with_findings",
        "to_wire",
        "validate",
    ),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a public name, or a room, and keep it: this is asked once for each."""
        if name in _HOME:
            value = getattr(import_module(f".{_HOME[name]}", __name__), name)
        elif name in _ROOMS:
            value = import_module(f".{name}", __name__)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
