"""Many deltas at once: the frequent ones with a few attribute reads each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ....contract.current.message import ToolCallArgsDelta, ToolCallEndDelta, ToolCallStartDelta
from ..slots import CallSlot
from ..state import MAX_BATCH_BYTES, StreamState
from .deltas import BARE, BareArgs, full_delta

__all__ = ["DIRECT", "BatchState"]

_END: Any = object()  # what no stream holds

DIRECT: Final[dict[type, Any]] = {
    ToolCallStartDelta: StreamState._on_call_start,
    ToolCallEndDelta: StreamState._on_call_end,
}
"""Kinds that need no more than their own method once the stream has started."""


class BatchState(StreamState):
    """The state of a stream that takes deltas by the batch."""

    __slots__ = ()

    def consume_batch(self, deltas: Iterable[Any], size_bytes: int) -> None:
        """Take deltas that were decoded from ``size_bytes`` bytes of JSON text.

        The same as ``consume`` for one after the other, at about half the cost. Deltas before a
        refused one are consumed; with an iterator, the caller can tell how many.
        """
        self._take_batch(deltas, size_bytes, bare=False, plain=False)

    def _take_batch(
        self, deltas: Iterable[Any], size_bytes: int, *, bare: bool, plain: bool
    ) -> None:
        """Do so; ``bare``: from ``decode_bare_lines``; ``plain``: none has opaque data."""
        if size_bytes > MAX_BATCH_BYTES:
            for delta in deltas:
                self._consume_slowly(full_delta(delta))
            return
        self._bound(size_bytes)
        rest = iter(deltas)
        delta = None
        while True:
            # Text may stay open while a call goes on: whoever came last is likely to come next.
            if self._text_kind is None or isinstance(delta, ToolCallArgsDelta):
                delta = self._consume_calls(rest, bare, bare and plain)
            elif bare and plain:
                delta = self._consume_plain_texts(rest)
            else:
                delta = self._consume_texts(rest, bare)
            if delta is _END:
                return
            delta = full_delta(delta) if bare else delta
            self._consume_slowly(delta)

    def _consume_plain_texts(self, rest: Iterator[Any]) -> Any:
        """Do as the next one does, where there is nothing but text to look at."""
        last, run_id, tail = self._last_seq, self._run_id, self._tail
        text_kind: Any = BARE[self._text_kind]
        for delta in rest:
            if type(delta) is text_kind:
                seq = delta.seq
                if seq > last and delta.run_id == run_id:
                    tail.append(delta.payload.text_delta)
                    last = seq
                    continue
            self._last_seq = last
            return delta
        self._last_seq = last
        return _END

    def _consume_texts(self, rest: Iterator[Any], bare: bool) -> Any:
        """Take deltas of the open text run; return the first that is something else."""
        last, run_id, tail = self._last_seq, self._run_id, self._tail
        message_id, turn_id = self._message_id, self._turn_id
        text_kind: Any = BARE[self._text_kind] if bare else self._text_kind
        for delta in rest:
            if type(delta) is text_kind:
                seq = delta.seq
                if (
                    seq > last
                    and delta.run_id == run_id
                    and not delta.payload.opaque
                    and (bare or not delta.message_id or delta.message_id == message_id)
                    and (bare or not delta.turn_id or delta.turn_id == turn_id)
                ):
                    tail.append(delta.payload.text_delta)
                    last = seq
                    continue
            self._last_seq = last
            return delta
        self._last_seq = last
        return _END

    def _consume_calls(self, rest: Iterator[Any], bare: bool, plain: bool) -> Any:
        """Take deltas of tool calls; return the first that is something else."""
        last, run_id, calls = self._last_seq, self._run_id, self._countable
        message_id, turn_id = self._message_id, self._turn_id
        only_id, only_tail = _only(calls)
        direct = self._status == "started"
        args_kind: Any = BareArgs if bare else ToolCallArgsDelta
        for delta in rest:
            kind = type(delta)
            if kind is args_kind:
                seq = delta.seq
                if (
                    seq > last
                    and delta.run_id == run_id
                    and (plain or not delta.payload.opaque)
                    and (bare or not delta.message_id or delta.message_id == message_id)
                    and (bare or not delta.turn_id or delta.turn_id == turn_id)
                ):
                    payload = delta.payload
                    if payload.tool_call_id == only_id:
                        only_tail.append(payload.args_text_delta)
                        last = seq
                        continue
                    try:
                        calls[payload.tool_call_id].tail.append(payload.args_text_delta)
                        last = seq
                        continue
                    except KeyError:
                        pass  # the call is not open, or counted piece by piece
            elif direct and (handler := DIRECT.get(kind)) is not None:
                seq = delta.seq
                if (
                    seq > last
                    and delta.run_id == run_id
                    and (not delta.message_id or delta.message_id == message_id)
                    and (not delta.turn_id or delta.turn_id == turn_id)
                ):
                    self._last_seq = last
                    handler(self, delta, seq)
                    last = seq
                    only_id, only_tail = _only(calls)
                    continue
            self._last_seq = last
            return delta
        self._last_seq = last
        return _END


def _only(calls: dict[str, CallSlot]) -> tuple[str, list[str]]:
    """Return the id and tail of a call that is alone: comparing ids beats looking one up."""
    if len(calls) != 1:
        return "", []  # no call has this id
    (call,) = calls.values()
    return call.tool_call_id, call.tail
