"""Text of a document → its messages and losses, by the native core."""

from __future__ import annotations

from typing import Final

import msgspec

from ..losses import Loss
from ..native_core import core
from .core.reading import FormatResult, Reading, clean_structs_of

__all__ = ["read_text"]

_losses_of: Final = msgspec.json.Decoder(list[Loss]).decode


def read_text(text: bytes, reading: Reading) -> FormatResult | None:
    """Return what :func:`.api.read` makes of JSON text; None without the native core, for formats
    that it does not know, and for a document that is odd: wrong, or one with an integer beyond 64
    bits.
    """
    native = core()
    if native is None:
        return None
    is_run_given, is_time_given = reading.is_given
    run_id = reading.run_id if is_run_given else None
    timestamp = reading.timestamp if is_time_given else None
    made: tuple[list[bytes], bytes] | None
    made = native.read_history(reading.format, text, run_id, timestamp)
    if made is None:
        return None
    messages = clean_structs_of(made[0])
    return None if messages is None else FormatResult(messages, _losses_of(made[1]))
