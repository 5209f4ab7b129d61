"""Chunks of a streaming response → deltas of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec import UNSET

from ..contract.current.blocks import (
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ContentBlockStopChunk,
    ErrorChunk,
    MessageStopChunk,
    StreamChunk,
    ToolUseChunk,
)
from ..contract.current.message import (
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
    MessageDelta,
    StartDelta,
    StartDeltaPayload,
    TextDelta,
    TextDeltaPayload,
    ToolCallArgsDelta,
    ToolCallArgsDeltaPayload,
    ToolCallEndDelta,
    ToolCallEndDeltaPayload,
    ToolCallStartDelta,
    ToolCallStartDeltaPayload,
    UsageDelta,
    UsageSummary,
)
from ..errors import bad_argument, printable
from ..losses import Loss, LossLog
from ..message.assembler.limits import DEFAULT, Limits
from ..reading.pipeline import Unknown
from ..tables.losses import CHUNK_LOSSES
from .chunk_state import ChunkState
from .lanes import Lane, Lanes
from .older_chunks import upgraded

__all__ = ["ChunksToDeltas"]

_UNKNOWN: Final = "unknown"
_MAX: Final = 2**53 - 1

_Call = tuple[ToolUseChunk, str]
"""A tool_use chunk and the JSON text of its parameters."""


class ChunksToDeltas:
    """Turn the chunks of one response into deltas; sans-IO, for one stream.

    ``seq`` counts from 0, ``clock`` gives each delta's timestamp (RFC 3339); ``model_id``,
    ``request_id``, ``message_id`` and ``turn_id`` are what chunks cannot say; the last two are
    absent where they are not given. An assembler with the same ``limits`` takes every
    stream that comes out, closed or not; a stream that is cut ends in an ``error`` delta with
    ``truncated_stream``. ``losses`` says what was lost, invented or moved; a pointer's first
    step is the 0-based number of the chunk. Raises UsageError ``usage/invalid-argument``.
    Source: semantics, blocks and bridges.
    """

    def __init__(
        self,
        run_id: str,
        clock: Callable[[], str],
        *,
        model_id: str | None = None,
        request_id: str | None = None,
        message_id: str | None = None,
        turn_id: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        limits = DEFAULT if limits is None else limits
        self._run_id = _checked("run_id", run_id, limits)
        self._clock = clock
        self._state = ChunkState(limits)
        self._log = LossLog(CHUNK_LOSSES)
        self._payload = StartDeltaPayload(
            model_id=_UNKNOWN if model_id is None else _checked("model_id", model_id, limits),
            request_id=(
                _UNKNOWN if request_id is None else _checked("request_id", request_id, limits)
            ),
        )
        ids = {"message_id": message_id, "turn_id": turn_id}
        self._ids = {
            name: _checked(name, value, limits) for name, value in ids.items() if value is not None
        }
        self._unnamed = [
            code
            for code, value in (("no-model-id", model_id), ("no-request-id", request_id))
            if value is None
        ]
        self._seq = 0
        self._out: list[MessageDelta] = []
        self._lanes: Lanes[_Call] = Lanes()
        self._open: dict[int, Lane[_Call]] = {}
        self._place = 0  # in the content, of the block that begins next
        self._last_text: Lane[_Call] | None = None  # the block written last, if it is text

    @property
    def losses(self) -> list[Loss]:
        """What chunks say and deltas cannot, and the other way round; in order, bounded."""
        return self._log.losses

    @property
    def left_out(self) -> Mapping[str, int]:
        """How many more losses of a code there were than ``losses`` holds."""
        return self._log.left_out

    @property
    def ended(self) -> bool:
        """Whether ``done`` or ``error`` has come out."""
        return self._state.last is not None

    def feed(self, chunk: StreamChunk | Unknown) -> list[MessageDelta]:
        """Return the deltas of the next chunk.

        Raises StreamProtocolError with the rules of :meth:`ChunkState.take`, ``seq`` being the
        chunk's number; nothing has changed then, and the next chunk may be fed.
        """
        chunk = upgraded(chunk)
        self._state.take(chunk)
        self._begin_stream()
        _WRITERS[type(chunk)](self, chunk, f"/{self._state.number}")
        return self._take()

    def note_unknown_members(self, pointers: Iterable[str]) -> None:
        """Report members that reading left out of the chunk that was fed last.

        ``pointers`` lead into the chunk (:func:`partwire.reading.unknown_members`): a struct holds
        no trace of them.
        """
        self._log.note_unknown_members(self._state.number, pointers)

    def close(self) -> list[MessageDelta]:
        """Say that no more chunks come; return the last deltas of a stream that is cut."""
        if self._state.last is not None:
            return []
        self._begin_stream()
        self._flush()
        message = "The stream stopped before message_stop"
        self._state.last = ErrorChunk(message=message)
        self._log.note("truncated", f"/{self._state.number + 1}")
        payload = ErrorDeltaPayload(error_code="truncated_stream", message=message, retryable=True)
        self._add(ErrorDelta, payload)
        return self._take()

    # --- one method per type ---------------------------------------------------------------------

    def _on_start(self, chunk: ContentBlockStartChunk, pointer: str) -> None:
        lane = self._open[chunk.index] = Lane[_Call](pointer, index=chunk.index)
        self._lanes.add(lane)

    def _on_delta(self, chunk: ContentBlockDeltaChunk, pointer: str) -> None:
        lane = self._open[chunk.index]
        if not chunk.delta:
            self._log.note("empty-delta", pointer)
        elif self._lanes.is_front(lane):
            self._text(lane, chunk.delta)
        else:
            if not lane.holds:
                self._log.note("held-back", pointer)
            lane.hold(chunk.delta)

    def _on_stop(self, chunk: ContentBlockStopChunk, _pointer: str) -> None:
        lane = self._open.pop(chunk.index)
        lane.open = False
        if self._lanes.is_front(lane):
            self._check_empty(lane)
            self._advance()

    def _on_tool_use(self, chunk: ToolUseChunk, pointer: str) -> None:
        lane = Lane[_Call](pointer, is_text=False)
        lane.item = chunk, self._state.arguments[0]
        lane.open = False
        if self._lanes.add(lane):
            self._write(lane)
            self._advance()
        else:
            self._log.note("held-back", pointer)

    def _on_message_stop(self, chunk: MessageStopChunk, pointer: str) -> None:
        usage = chunk.usage
        total = usage.total_tokens
        if total is UNSET:
            self._log.note("no-total-tokens", f"{pointer}/usage")
            total = min(usage.input_tokens + usage.output_tokens, _MAX)
        summary = UsageSummary(
            input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, total_tokens=total
        )
        self._add(UsageDelta, summary)
        self._log.note("no-finish-reason", pointer)
        self._add(DoneDelta, DoneDeltaPayload(finish_reason=_UNKNOWN))

    def _on_error(self, chunk: ErrorChunk, pointer: str) -> None:
        self._flush()
        last = self._last_text
        if last is not None and not last.open:
            self._log.note("block-end", last.pointer)
        self._log.note("no-error-code", pointer)
        payload = ErrorDeltaPayload(error_code=_UNKNOWN, message=chunk.message, retryable=False)
        self._add(ErrorDelta, payload)

    def _on_unknown(self, _chunk: Unknown, pointer: str) -> None:
        self._log.note("unknown-chunk", pointer)

    # --- blocks ----------------------------------------------------------------------------------

    def _advance(self) -> None:
        for lane in self._lanes.advance():
            self._write(lane)

    def _write(self, lane: Lane[_Call]) -> None:
        """Write what a block that has become the front holds."""
        if lane.item is not None:
            self._call(*lane.item)
            return
        if text := lane.held():
            self._text(lane, text)
        if not lane.open:
            self._check_empty(lane)

    def _check_empty(self, lane: Lane[_Call]) -> None:
        if not lane.begun:
            self._log.note("empty-block", lane.pointer)

    def _flush(self) -> None:
        """Write all that waits: the stream has failed, and what arrived is not lost."""
        for lane in self._lanes.rest():
            self._write(lane)
        for lane in self._open.values():
            self._check_empty(lane)

    def _text(self, lane: Lane[_Call], text: str) -> None:
        if not lane.begun:
            lane.begun = True
            if self._last_text is not None:
                self._log.note("block-boundary", lane.pointer)
            if lane.index != self._place:
                self._log.note("block-index", f"{lane.pointer}/index")
            self._place += 1
            self._last_text = lane
        self._add(TextDelta, TextDeltaPayload(text_delta=text))

    def _call(self, chunk: ToolUseChunk, arguments: str) -> None:
        call_id = chunk.tool_use_id
        self._place += 1
        self._last_text = None
        self._add(
            ToolCallStartDelta,
            ToolCallStartDeltaPayload(tool_call_id=call_id, tool_name=chunk.tool_name),
        )
        self._add(
            ToolCallArgsDelta,
            ToolCallArgsDeltaPayload(tool_call_id=call_id, args_text_delta=arguments),
        )
        self._add(ToolCallEndDelta, ToolCallEndDeltaPayload(tool_call_id=call_id))

    # --- deltas ----------------------------------------------------------------------------------

    def _begin_stream(self) -> None:
        if self._seq:
            return
        for code in self._unnamed:
            self._log.note(code)
        self._add(StartDelta, self._payload)

    def _add(self, delta: Callable[..., MessageDelta], payload: object) -> None:
        made = delta(
            run_id=self._run_id,
            seq=self._seq,
            payload=payload,
            timestamp=self._clock(),
            **self._ids,
        )
        self._out.append(made)
        self._seq += 1

    def _take(self) -> list[MessageDelta]:
        out, self._out = self._out, []
        return out


def _checked(name: str, value: object, limits: Limits) -> str:
    most = limits.id_chars
    if type(value) is str and 0 < len(value) <= most and printable(value) == value:
        return value
    raise bad_argument(
        f"{name} is wrong", f"a string of well-formed Unicode, 1 to {most} characters", value
    )


_WRITERS: Final[dict[type, Callable[[ChunksToDeltas, Any, str], None]]] = {
    ContentBlockStartChunk: ChunksToDeltas._on_start,
    ContentBlockDeltaChunk: ChunksToDeltas._on_delta,
    ContentBlockStopChunk: ChunksToDeltas._on_stop,
    ToolUseChunk: ChunksToDeltas._on_tool_use,
    MessageStopChunk: ChunksToDeltas._on_message_stop,
    ErrorChunk: ChunksToDeltas._on_error,
    Unknown: ChunksToDeltas._on_unknown,
}
