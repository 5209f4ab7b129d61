"""A provider's history → its messages and losses, by the native core."""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec

from ..losses import Loss
from ..native_core import core
from ..reading.exact import exact_text
from ..tables.event_dialects import Dialect
from ..tables.losses import FORMAT_LOSSES
from .core.reading import INVENTED_RUN, FormatResult, Reading, clean_structs_of

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
    # To the core, a run that is not its usual one is the caller's.
    is_named = not is_run_given and reading.run_id != INVENTED_RUN
    if is_named and is_time_given:
        return None
    run_id = reading.run_id if is_run_given or is_named else None
    timestamp = reading.timestamp if is_time_given else None
    made: tuple[list[bytes], bytes] | None
    made = native.read_history(reading.format, text, run_id, timestamp)
    if made is None:
        return None
    messages = clean_structs_of(made[0])
    if messages is None:
        return None
    losses = _losses_of(made[1])
    if is_named:
        losses = [
            Loss("", _INVENTED, *FORMAT_LOSSES[_INVENTED]) if each.code == "given" else each
            for each in losses
        ]
    return FormatResult(messages, losses)


_INVENTED: Final = "run-id-invented"
