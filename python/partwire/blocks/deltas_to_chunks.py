"""Deltas of the contract → chunks of a streaming response."""

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
    TokenUsage,
    ToolUseChunk,
)
from ..contract.current.message import (
    ApprovalRequestDelta,
    DoneDelta,
    ErrorDelta,
    MediaDataDelta,
    MediaEndDelta,
    MediaStartDelta,
    MessageDelta,
    ServerToolCallArgsDelta,
    ServerToolCallEndDelta,
    ServerToolCallStartDelta,
    ServerToolResultDelta,
    StartDelta,
    TextCitationDelta,
    TextDelta,
    TextDeltaPayload,
    ThinkingDelta,
    ToolCallArgsDelta,
    ToolCallEndDelta,
    ToolCallStartDelta,
    UsageDelta,
    WarningDelta,
)
from ..errors import WriteError
from ..losses import Loss, LossLog
from ..message.assembler.checks import invalid_delta, refusal, upgraded
from ..message.assembler.limits import Limits
from ..message.assembler.machine import MessageAssembler
from ..message.assembler.slots import check_unicode
from ..reading.pipeline import Unknown, to_wire
from ..tables.losses import DELTA_LOSSES, KIND_CODES
from .lanes import Lane, Lanes

__all__ = ["DeltasToChunks"]

_NEW: Final = (
    TextCitationDelta,
    ServerToolCallStartDelta,
    ServerToolCallArgsDelta,
    ServerToolCallEndDelta,
    ServerToolResultDelta,
    ApprovalRequestDelta,
    MediaStartDelta,
    MediaDataDelta,
    MediaEndDelta,
    WarningDelta,
)
_PARTS: Final = {
    "server_tool_call_start",
    "server_tool_result",
    "approval_request",
    "media_start",
}
"""The kinds of these that make a part, which parts the text around it."""
_UNNAMED: Final = ("", "unknown")
_BESIDE: Final = (
    ("message-id", "message_id", "messageId"),
    ("turn-id", "turn_id", "turnId"),
    ("provider-raw", "provider_raw", "providerRaw"),
)
_COUNTS: Final = (
    ("reasoning_tokens", "reasoningTokens"),
    ("cache_read_tokens", "cacheReadTokens"),
    ("cache_write_tokens", "cacheWriteTokens"),
)


class DeltasToChunks:
    """Turn the deltas of one stream into chunks; sans-IO, for one stream.

    The text parts and tool calls of the message, in their order, become blocks and ``tool_use``
    chunks; ``index`` is a block's place among both. A stream that is cut ends in an ``error``
    chunk. ``losses`` says what was lost, invented or moved; a pointer's first step is the
    0-based number of the delta. ``run_id`` and ``limits`` are the assembler's.
    Source: semantics, blocks and bridges.
    """

    def __init__(self, run_id: str | None = None, limits: Limits | None = None) -> None:
        self._assembler = MessageAssembler(run_id, limits)  # holds the rules of a delta stream
        self._log = LossLog(DELTA_LOSSES)
        self._number = -1
        self._closed = False
        self._out: list[StreamChunk] = []
        self._lanes: Lanes[ToolUseChunk] = Lanes()
        self._calls: dict[str, Lane[ToolUseChunk]] = {}
        self._run: Lane[ToolUseChunk] | None = None  # the block of the text that is being written
        self._kind: type | None = None  # of the part that text can join: TextDelta, ThinkingDelta
        self._place = 0  # in the content, of the block that begins next
        self._usage_at = ""  # pointer of the last usage
        self._counts_at: dict[str, str] = {}  # name → pointer of its last figure, in order
        self._once: set[str] = set()  # codes of what every delta says again

    @property
    def losses(self) -> list[Loss]:
        """What deltas say and chunks cannot, and the other way round; in order, bounded."""
        return self._log.losses

    @property
    def left_out(self) -> Mapping[str, int]:
        """How many more losses of a code there were than ``losses`` holds."""
        return self._log.left_out

    @property
    def ended(self) -> bool:
        """Whether ``message_stop`` or ``error`` has come out."""
        return self._closed or self._assembler.status in ("done", "error")

    def feed(self, delta: MessageDelta | Unknown) -> list[StreamChunk]:
        """Return the chunks of the next delta.

        Raises StreamProtocolError as :meth:`MessageAssembler.consume` does, also for what only
        a delta made in Python can bring; nothing has changed then, and the next delta may be fed.
        """
        self._number += 1
        delta = upgraded(delta)
        _check(delta)
        if self._closed:
            raise refusal("stream/after-terminal", "The stream is closed", pointer="/kind")
        self._assembler.consume(delta)
        pointer = f"/{self._number}"
        if not isinstance(delta, Unknown):
            self._note_members(delta, pointer)
        _WRITERS[type(delta)](self, delta, pointer)
        return self._take()

    def note_unknown_members(self, pointers: Iterable[str]) -> None:
        """Report members that reading left out of the delta that was fed last.

        ``pointers`` lead into the delta (:func:`partwire.reading.unknown_members`): a struct holds
        no trace of them.
        """
        self._log.note_unknown_members(self._number, pointers)

    def close(self) -> list[StreamChunk]:
        """Say that no more deltas come; return the last chunks of a stream that is cut."""
        if self.ended:
            return []
        self._closed = True
        self._flush()
        self._note_usage()
        self._log.note("truncated", f"/{self._number + 1}")
        self._out.append(ErrorChunk(message="The stream stopped before done or error"))
        return self._take()

    # --- one method per kind ---------------------------------------------------------------------

    def _on_start(self, delta: StartDelta, pointer: str) -> None:
        self._log.note("run-id", f"{pointer}/runId")
        self._log.note("timestamp", f"{pointer}/timestamp")
        for code, attribute in (("author", "author"), ("text-format", "format")):
            if getattr(delta.payload, attribute) is not UNSET:
                self._log.note(code, f"{pointer}/payload/{attribute}")
        if delta.payload.model_id not in _UNNAMED:
            self._log.note("model-id", f"{pointer}/payload/modelId")
        if delta.payload.request_id not in _UNNAMED:
            self._log.note("request-id", f"{pointer}/payload/requestId")

    def _on_text(self, delta: TextDelta, pointer: str) -> None:
        self._text(delta.payload.text_delta, pointer)
        if delta.payload.opaque is not UNSET:
            self._end_run()  # the state ends its part

    def _text(self, text: str, pointer: str) -> None:
        if not text:
            return
        lane = self._run
        if lane is None:
            self._end_run()
            lane = self._run = Lane(pointer)
            self._kind = TextDelta
            if self._lanes.add(lane):
                self._write(lane)
        if self._lanes.is_front(lane):
            self._out.append(ContentBlockDeltaChunk(index=lane.index, delta=text))
        else:
            if not lane.holds:
                self._log.note("held-back", pointer)
            lane.hold(text)

    def _on_thinking(self, delta: ThinkingDelta, pointer: str) -> None:
        if delta.payload.text_delta and self._kind is not ThinkingDelta:
            self._end_run()
            self._kind = ThinkingDelta
            self._log.note("thinking", pointer)
        if delta.payload.opaque is not UNSET:
            self._end_run()

    def _on_call_start(self, delta: ToolCallStartDelta, pointer: str) -> None:
        self._end_run()
        lane = self._calls[delta.payload.tool_call_id] = Lane(pointer, is_text=False)
        self._lanes.add(lane)

    def _on_args(self, _delta: ToolCallArgsDelta, _pointer: str) -> None:
        pass  # the assembler keeps them

    def _on_call_end(self, delta: ToolCallEndDelta, pointer: str) -> None:
        lane = self._calls.pop(delta.payload.tool_call_id)
        lane.open = False
        lane.item = self._tool_use(delta.payload.tool_call_id, lane.pointer)
        if self._lanes.is_front(lane):
            self._write(lane)
            self._advance()
        else:
            self._log.note("held-back", pointer)

    def _on_usage(self, delta: UsageDelta, pointer: str) -> None:
        self._usage_at = f"{pointer}/payload"
        for attribute, name in _COUNTS:
            if getattr(delta.payload, attribute) is not UNSET:
                self._counts_at.pop(name, None)  # to come behind the earlier ones
                self._counts_at[name] = f"{self._usage_at}/{name}"

    def _on_done(self, delta: DoneDelta, pointer: str) -> None:
        self._end_run()
        usage = self._assembler.usage
        if usage is None:
            self._log.note("no-usage", pointer)
            tokens = TokenUsage(input_tokens=0, output_tokens=0)
        else:
            if usage.cost is not UNSET:
                self._log.note("cost", f"{self._usage_at}/cost")
            for place in self._counts_at.values():
                self._log.note("token-counts", place)
            tokens = TokenUsage(
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                total_tokens=usage.total_tokens,
            )
        if delta.payload.finish_reason not in _UNNAMED:
            self._log.note("finish-reason", f"{pointer}/payload/finishReason")
        if delta.payload.provider_finish_reason is not UNSET:
            self._log.note("provider-finish-reason", f"{pointer}/payload/providerFinishReason")
        self._out.append(MessageStopChunk(usage=tokens))

    def _on_error(self, delta: ErrorDelta, pointer: str) -> None:
        self._flush()
        self._note_usage()
        error = delta.payload
        if error.error_code not in _UNNAMED or error.retryable is True:
            self._log.note("error-code", f"{pointer}/payload/errorCode")
        message = error.message
        if message is UNSET:
            self._log.note("no-error-message", f"{pointer}/payload")
            message = error.error_code
        self._out.append(ErrorChunk(message=message))

    def _on_new(self, delta: MessageDelta, pointer: str) -> None:
        """Leave out a delta of a kind that chunks have no place for."""
        kind = delta.__struct_config__.tag
        if kind in _PARTS:
            self._end_run()
        self._log.note(KIND_CODES[str(kind)], pointer)

    def _on_unknown(self, _delta: Unknown, pointer: str) -> None:
        self._log.note("unknown-delta", pointer)

    # --- blocks ----------------------------------------------------------------------------------

    def _end_run(self) -> None:
        """Let the next text begin a new block, as the assembler lets it begin a new part."""
        self._kind = None
        lane, self._run = self._run, None
        if lane is None:
            return
        lane.open = False
        if self._lanes.is_front(lane):
            self._out.append(ContentBlockStopChunk(index=lane.index))
            self._advance()

    def _advance(self) -> None:
        for lane in self._lanes.advance():
            self._write(lane)

    def _write(self, lane: Lane[ToolUseChunk]) -> None:
        """Write what a block that has become the front holds."""
        if not lane.is_text:
            if lane.item is not None:
                self._place += 1
                self._out.append(lane.item)
            return
        lane.index = self._place
        self._place += 1
        self._out.append(ContentBlockStartChunk(index=lane.index))
        if text := lane.held():
            self._out.append(ContentBlockDeltaChunk(index=lane.index, delta=text))
        if not lane.open:
            self._out.append(ContentBlockStopChunk(index=lane.index))

    def _flush(self) -> None:
        """Write all that waits: the stream has failed, and what arrived is not lost."""
        for lane in self._calls.values():
            self._log.note("open-tool-call", lane.pointer)
        for lane in self._lanes.rest():
            self._write(lane)

    def _tool_use(self, call_id: str, pointer: str) -> ToolUseChunk:
        # Not by the property: it makes a view of every call there was, each time.
        call = self._assembler._calls[call_id]
        if call.error is not None:
            self._log.note("arguments-text", pointer)
        made = call.complete_part().payload
        return ToolUseChunk(
            tool_name=made.tool_name, tool_use_id=call_id, parameters=made.arguments
        )

    # --- steps -----------------------------------------------------------------------------------

    def _note_usage(self) -> None:
        if self._assembler.usage is not None:
            self._log.note("usage", self._usage_at)

    def _note_members(self, delta: MessageDelta, pointer: str) -> None:
        """Note what any delta may say beside its kind; what all of them say again, once."""
        for code, attribute, name in _BESIDE:
            if getattr(delta, attribute) is not UNSET and code not in self._once:
                self._once.add(code)
                self._log.note(code, f"{pointer}/{name}")
        is_kept = _WRITERS[type(delta)] is not DeltasToChunks._on_new
        if is_kept and getattr(delta.payload, "opaque", UNSET) is not UNSET:
            self._log.note("opaque", f"{pointer}/payload/opaque")

    def _take(self) -> list[StreamChunk]:
        out, self._out = self._out, []
        return out


def _check(delta: MessageDelta | Unknown) -> None:
    """Refuse what the assembler lets pass, since it is checked when the message is written."""
    if isinstance(delta, TextDelta):
        payload: Any = delta.payload
        text: Any = payload.text_delta if isinstance(payload, TextDeltaPayload) else None
        if isinstance(text, str) and not text.isascii():
            check_unicode(text)
    elif isinstance(delta, UsageDelta | ErrorDelta):
        try:
            to_wire(delta, "message.MessageDelta")
        except WriteError as error:
            wrong = error.findings[0]
            raise invalid_delta(wrong.pointer, wrong.message, delta, delta.seq) from None


_WRITERS: Final[dict[type, Callable[[DeltasToChunks, Any, str], None]]] = {
    StartDelta: DeltasToChunks._on_start,
    TextDelta: DeltasToChunks._on_text,
    ThinkingDelta: DeltasToChunks._on_thinking,
    ToolCallStartDelta: DeltasToChunks._on_call_start,
    ToolCallArgsDelta: DeltasToChunks._on_args,
    ToolCallEndDelta: DeltasToChunks._on_call_end,
    UsageDelta: DeltasToChunks._on_usage,
    DoneDelta: DeltasToChunks._on_done,
    ErrorDelta: DeltasToChunks._on_error,
    Unknown: DeltasToChunks._on_unknown,
    **dict.fromkeys(_NEW, DeltasToChunks._on_new),
}
