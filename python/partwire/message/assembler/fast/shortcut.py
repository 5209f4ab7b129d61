"""What may be appended to a stream without a look at the rules, and how much of it.

Text and arguments of open parts are appended to the tails of their buffers, and counted later. That
is right as long as they cannot pass a limit: a buffer is open here only while ``SLACK`` bytes may
still come, and what comes uncounted between two times of counting is never more than that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
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

__all__ = ["MAX_BATCH_BYTES", "SHORT_CHARS", "SLACK", "follow", "take_batch"]

SHORT_CHARS = 128
"""A single piece of this length or more goes by the rules."""

_TEXT_KINDS = frozenset(BARE_TEXT)
_BARE_KINDS = frozenset(BARE_TEXT.values())

_WINDOW = 1024  # deltas between two that go by the rules
_PIECE_BYTES = 4 * SHORT_CHARS
_WINDOW_BYTES = _WINDOW * _PIECE_BYTES
_SETTLE_BYTES = 2 * _WINDOW_BYTES  # bytes that may come uncounted before they are counted

MAX_BATCH_BYTES = _WINDOW_BYTES // 4
"""Most bytes of JSON text in a batch: the bound of its pieces."""

SLACK = _SETTLE_BYTES + _WINDOW_BYTES + MAX_BATCH_BYTES
"""What comes uncounted at most: what is known of, a window of single deltas, and a batch."""


def follow(stream: Any, delta: Any) -> None:
    """Open and close the short ways after a delta that went by the rules."""
    if stream._status != "started":
        stream._short_end, stream._short_text, stream._short_calls = -1, None, {}
        return
    seq, kind = stream._last_seq, type(delta)
    passed = seq - stream._short_seen
    stream._short_seen = seq
    stream._short_bytes += passed * _PIECE_BYTES if passed < _WINDOW else _WINDOW_BYTES
    stream._short_end = seq + _WINDOW
    if kind is ToolCallEndDelta:
        stream._short_calls.pop(delta.payload.tool_call_id, None)
    elif kind is ToolCallStartDelta or kind is ToolCallArgsDelta:
        call_id = delta.payload.tool_call_id
        _open_call(stream, call_id, stream._open[call_id])
        if stream._text is None:
            stream._short_text = None  # a call's start ends it
    else:
        _open_text(stream)
    if stream._short_bytes > _SETTLE_BYTES:
        _settle(stream)


def _settle(stream: Any) -> None:
    """Count what has come uncounted."""
    stream._short_bytes = 0
    stream._settle_text()
    _open_text(stream)
    for call_id, call in list(stream._short_calls.items()):
        if len(call.tail) > call.settled:
            call.left -= call.settle()
            _open_call(stream, call_id, call)


def _open_text(stream: Any) -> None:
    text = stream._text
    if text is None or stream._text_left < SLACK:
        stream._short_text = None
    else:
        stream._short_text = ThinkingDelta if text.thinking else TextDelta


def _open_call(stream: Any, call_id: str, call: CallSlot) -> None:
    if call.left >= SLACK:
        stream._short_calls[call_id] = call
    else:
        stream._short_calls.pop(call_id, None)


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
    # Settled sooner than need be: pieces that are joined soon are still in the processor's cache.
    if stream._short_bytes + size_bytes > _WINDOW_BYTES // 2:
        _settle(stream)
    stream._short_bytes += size_bytes
    text_kinds = _BARE_KINDS if bare else _TEXT_KINDS
    args_kind: Any = BareArgs if bare else ToolCallArgsDelta
    for delta in rest:
        odd, kind = delta, type(delta)
        if kind in text_kinds or kind is args_kind:
            odd = _append(stream, chain((delta,), rest), bare, args_kind)
            if odd is None:
                return
        stream._take(full_delta(odd) if bare else odd)


def _append(stream: Any, rest: Iterator[Any], bare: bool, args_kind: Any) -> Any:
    """Append pieces as long as they belong to what is open; return the delta that does not."""
    # All this changes only when a delta goes by the rules.
    last, run_id = stream._last_seq, stream._run_id
    message_id, turn_id = stream._message_id, stream._turn_id
    calls, text_kind = stream._short_calls, stream._short_text
    tail = stream._text.tail if text_kind else []
    # Comparing the id of a call that is alone beats looking it up.
    only_id, only = next(iter(calls.items())) if len(calls) == 1 else ("", None)
    text_kind = BARE_TEXT.get(text_kind) if bare else text_kind
    try:
        for delta in rest:
            kind = type(delta)
            if (
                (kind is not text_kind and kind is not args_kind)
                or delta.seq <= last
                or delta.run_id != run_id
            ):
                return delta
            if not bare and (
                delta.payload.opaque
                or (delta.message_id and delta.message_id != message_id)
                or (delta.turn_id and delta.turn_id != turn_id)
            ):
                return delta
            if kind is text_kind:
                tail.append(delta.payload.text_delta)
            else:
                call_id = delta.payload.tool_call_id
                call = only if call_id == only_id else calls.get(call_id)
                if call is None:
                    return delta
                call.tail.append(delta.payload.args_text_delta)
            last = delta.seq
        return None
    finally:
        stream._last_seq = last
