"""What may be appended to a stream without a look at the rules, and how much of it.

Text and arguments of open parts are appended to the tails of their buffers, and counted later. That
is right as long as they cannot pass a limit: a buffer is open here only while ``SLACK`` bytes may
still come, and what comes uncounted between two times of counting is never more than that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....contract.current.message import (
    TextDelta,
    ThinkingDelta,
    ToolCallArgsDelta,
    ToolCallEndDelta,
    ToolCallStartDelta,
)
from ..slots import CallSlot
from .bare import BARE_TEXT, BareArgs, full_delta

__all__ = ["MAX_BATCH_BYTES", "SHORT_CHARS", "SLACK", "Shortcut", "take_batch"]

SHORT_CHARS = 128
"""A single piece of this length or more goes by the rules."""

_WINDOW = 1024  # deltas between two that go by the rules
_PIECE_BYTES = 4 * SHORT_CHARS
_WINDOW_BYTES = _WINDOW * _PIECE_BYTES
_SETTLE_BYTES = 2 * _WINDOW_BYTES  # bytes that may come uncounted before they are counted

MAX_BATCH_BYTES = _WINDOW_BYTES // 4
"""Most bytes of JSON text in a batch: the bound of its pieces."""

SLACK = _SETTLE_BYTES + _WINDOW_BYTES + MAX_BATCH_BYTES
"""What comes uncounted at most: what is known of, a window of single deltas, and a batch."""


class Shortcut:
    """Where pieces of a started stream may be appended; ``stream`` is its MessageAssembler."""

    __slots__ = ("_seen", "_uncounted", "calls", "end", "text_kind")

    def __init__(self) -> None:
        self.end = -1  # seqs from here on go by the rules: none is short before the start
        self.text_kind: type | None = None  # deltas of this type join the open text
        self.calls: dict[str, CallSlot] = {}
        self._seen = -1  # the last seq that is in the figure of uncounted bytes
        self._uncounted = 0

    def follow(self, stream: Any, delta: Any) -> None:
        """Open and close the short ways after a delta that went by the rules."""
        if stream._status != "started":
            self.end, self.text_kind, self.calls = -1, None, {}
            return
        seq, kind = stream._last_seq, type(delta)
        passed = seq - self._seen
        self._seen = seq
        self._uncounted += passed * _PIECE_BYTES if passed < _WINDOW else _WINDOW_BYTES
        self.end = seq + _WINDOW
        if kind is ToolCallEndDelta:
            self.calls.pop(delta.payload.tool_call_id, None)
        elif kind is ToolCallStartDelta or kind is ToolCallArgsDelta:
            call_id = delta.payload.tool_call_id
            self._open_call(call_id, stream._open[call_id])
        if self._uncounted > _SETTLE_BYTES:
            self._settle(stream)
        else:
            self._open_text(stream)

    def make_room(self, stream: Any, size_bytes: int) -> None:
        """Make room for pieces that take at most ``size_bytes`` together."""
        # Sooner than need be: pieces that are joined soon are still in the processor's cache.
        if self._uncounted + size_bytes > _WINDOW_BYTES // 2:
            self._settle(stream)
        self._uncounted += size_bytes

    def _settle(self, stream: Any) -> None:
        """Count what has come uncounted."""
        self._uncounted = 0
        stream._settle_text()
        self._open_text(stream)
        for call_id, call in list(self.calls.items()):
            if len(call.tail) > call.settled:
                call.left -= call.settle()
                self._open_call(call_id, call)

    def _open_text(self, stream: Any) -> None:
        text = stream._text
        if text is None or stream._text_left < SLACK:
            self.text_kind = None
        else:
            self.text_kind = ThinkingDelta if text.thinking else TextDelta

    def _open_call(self, call_id: str, call: CallSlot) -> None:
        if call.left >= SLACK:
            self.calls[call_id] = call
        else:
            self.calls.pop(call_id, None)


def take_batch(stream: Any, deltas: Iterable[Any], size_bytes: int, *, bare: bool = False) -> None:
    """Take deltas that were decoded from ``size_bytes`` bytes of JSON text into an assembler.

    ``bare`` says that the frequent ones are of the types that ``decode_batch`` makes. Deltas before
    a refused one are taken; with an iterator, the caller can tell how many.
    """
    rest = iter(deltas)
    if size_bytes > MAX_BATCH_BYTES:
        for delta in rest:
            stream._take(full_delta(delta))
        return
    shortcut: Shortcut = stream._shortcut
    shortcut.make_room(stream, size_bytes)
    args_kind: Any = BareArgs if bare else ToolCallArgsDelta
    while True:
        # What only a delta that goes by the rules can change.
        last, run_id = stream._last_seq, stream._run_id
        message_id, turn_id = stream._message_id, stream._turn_id
        text_kind: Any = shortcut.text_kind
        tail = stream._text.tail if text_kind else []
        text_kind = BARE_TEXT.get(text_kind) if bare else text_kind
        calls = shortcut.calls
        try:
            for delta in rest:
                kind = type(delta)
                if kind is text_kind:
                    piece, pieces = delta.payload.text_delta, tail
                elif kind is args_kind:
                    call = calls.get(delta.payload.tool_call_id)
                    if call is None:
                        break
                    piece, pieces = delta.payload.args_text_delta, call.tail
                else:
                    break
                if (
                    delta.seq <= last
                    or delta.run_id != run_id
                    or (not bare and delta.payload.opaque)
                    or (not bare and delta.message_id and delta.message_id != message_id)
                    or (not bare and delta.turn_id and delta.turn_id != turn_id)
                ):
                    break
                pieces.append(piece)
                last = delta.seq
            else:
                return
        finally:
            stream._last_seq = last
        stream._take(full_delta(delta) if bare else delta)
