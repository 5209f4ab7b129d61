"""A provider's history → its messages and losses, by the native core."""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec

from ..losses import Loss
from ..native_core import core
from ..reading.exact import exact_text
from ..tables.event_dialects import Dialect
from .core.reading import FormatResult, Reading, clean_structs_of

__all__ = ["read_native"]

_DIALECTS: Final = frozenset(get_args(Dialect))
"""The formats that the core knows."""

_losses_of: Final = msgspec.json.Decoder(list[Loss]).decode


def read_native(data: Any, text: bytes | None, reading: Reading) -> FormatResult | None:
    """Return what :func:`.api.read` makes of ``data``, which is ``text`` where it is JSON text.

    None without the native core, for other formats, and for what is odd: it is wrong, or not
    exactly JSON, or may have an integer beyond 64 bits.
    """
    native = core()
    if native is None or reading.format not in _DIALECTS:
        return None
    # Writing a value takes a tenth of the time that reading it plainly does.
    text = exact_text(data) if text is None else text
    if text is None:
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
