"""The state of one stream, and every rule that its deltas have to keep.

:mod:`.machine` lets the frequent deltas pass; this is the way for all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec import UNSET, UnsetType, structs

from ...contract.current.message import (
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
    StartDelta,
    StartDeltaPayload,
    TextDelta,
    TextDeltaPayload,
    ThinkingDelta,
    ThinkingDeltaPayload,
    ToolCallArgsDelta,
    ToolCallArgsDeltaPayload,
    ToolCallEndDelta,
    ToolCallEndDeltaPayload,
    ToolCallStartDelta,
    ToolCallStartDeltaPayload,
    UsageDelta,
    UsageSummary,
)
from ...contract.versions import is_model
from ...errors import Finding, clip
from ...reading.pipeline import Unknown
from ...tables.limits import MAX_UNKNOWN
from .arguments import parse_arguments
from .checks import (
    MAX_SEQ,
    Head,
    call_refusal,
    check_head,
    check_id,
    check_name,
    check_string,
    check_timestamp,
    check_unknown,
    check_usage,
    head_of,
    invalid_delta,
    limit_exceeded,
    refusal,
    unknown_kind,
    upgraded,
)
from .limits import Limits
from .lines import delta_of_model
from .opaque import NOTHING, Packed, pack_opaque
from .slots import CallSlot, Slot, TextSlot
from .snapshot import StreamStart
from .text import utf8_length

__all__ = [
    "MANY",
    "MAX_BATCH_BYTES",
    "PIECE_BYTES",
    "SETTLE_BYTES",
    "SHORT_CHARS",
    "SLACK",
    "WINDOW",
    "Status",
    "StreamFields",
    "StreamState",
]


# --- fields and figures ---------------------------------------------------------------------------

Status = Literal["idle", "started", "done", "error"]

SHORT_CHARS = 128
"""A piece of this length or more is counted when it comes."""

WINDOW = 1024  # deltas between two visits of the slow path
PIECE_BYTES = 4 * SHORT_CHARS
SETTLE_BYTES = WINDOW * PIECE_BYTES  # bytes that may be uncounted before they are counted
_FEW = 16  # pieces of a call that are not worth joining
MANY = 1024  # pieces that are worth joining in any case

MAX_BATCH_BYTES = SETTLE_BYTES // 4
"""Most bytes of JSON text in a batch whose pieces are bounded by that number."""

# Uncounted at worst: two times SETTLE_BYTES, a window, and few pieces of a batch each.
SLACK = 3 * SETTLE_BYTES + _FEW * MAX_BATCH_BYTES


class StreamFields:
    """What is known of a stream, and how much of it has come."""

    # fmt: off
    __slots__ = (
        "_calls", "_countable", "_cut", "_end_at", "_error", "_findings", "_finish_reason",
        "_given_run_id", "_last_seq", "_limits", "_mark", "_message_id", "_opaque_left", "_open",
        "_provider_reason", "_run_id", "_run_kind", "_slots", "_start", "_status", "_tail",
        "_text", "_text_exact", "_text_kind", "_text_left", "_turn_id", "_uncounted", "_usage",
        "_visited",
    )
    # fmt: on

    def __init__(self, run_id: str | None, limits: Limits) -> None:
        self._given_run_id = run_id
        self._limits = limits
        self._clear()

    def _clear(self) -> None:
        self._status: Status = "idle"
        self._run_id = self._given_run_id
        self._message_id: str | UnsetType = UNSET
        self._turn_id: str | UnsetType = UNSET
        self._last_seq = -1
        self._start: StreamStart | None = None
        self._finish_reason: str | None = None
        self._provider_reason: str | UnsetType = UNSET
        self._end_at: str | None = None
        self._usage: UsageSummary | None = None
        self._error: ErrorDeltaPayload | None = None
        self._findings: dict[str, Finding] = {}
        self._cut = False
        self._slots: list[Slot] = []
        self._calls: dict[str, CallSlot] = {}
        self._open: dict[str, CallSlot] = {}
        # The text run is the last part while text can join it: its kind, its slot, and its kind
        # again if pieces may be bounded.
        self._run_kind: type | None = None
        self._text: TextSlot | None = None
        self._tail: list[str] = []  # that of the slot
        self._text_kind: Any = None
        self._text_left = self._limits.text_bytes
        self._text_exact = self._text_left < SLACK
        self._opaque_left = self._limits.opaque_bytes
        # Open calls whose pieces may be bounded; none once the stream has ended.
        self._countable: dict[str, CallSlot] = {}
        self._mark = -1
        self._visited = -1
        self._uncounted = 0

    def _end_run(self) -> None:
        """Let the next text start a new part."""
        if self._run_kind is not None:
            self._settle_text()
            self._run_kind = self._text_kind = self._text = None

    def _bound(self, size_bytes: int) -> None:
        """Make room for pieces that take at most ``size_bytes`` together."""
        # Half of what would do: pieces that are joined soon are still in the processor's cache.
        if self._uncounted + size_bytes > SETTLE_BYTES // 2:
            self._settle()
        self._uncounted += size_bytes

    def _settle(self) -> None:
        """Count what has come uncounted, and join what is worth it."""
        self._uncounted = 0
        self._settle_text()
        for call in [each for each in self._countable.values() if len(each.tail) >= _FEW]:
            self._settle_call(call)

    def _count_text(self, text: str, seq: int) -> None:
        """Count a piece that comes now; refuse it if it is too much."""
        size = utf8_length(text)
        self._settle_text()
        if size > self._text_left:
            raise limit_exceeded("text_bytes", self._limits.text_bytes, seq)
        self._text_left -= size
        self._text_exact = self._text_left < SLACK

    def _settle_text(self) -> None:
        slot = self._text
        if slot is None:
            return
        if self._text_exact:
            if len(slot.tail) >= MANY:
                slot.coalesce()
            return
        self._text_left -= utf8_length(slot.coalesce())
        self._tail = slot.tail
        if self._text_left < SLACK:
            self._text_exact = True
            self._text_kind = None

    def _settle_call(self, call: CallSlot) -> None:
        if call.exact:
            if len(call.tail) >= MANY:
                call.coalesce()
            return
        call.left -= utf8_length(call.coalesce())
        self._watch(call)

    def _watch(self, call: CallSlot) -> None:
        """Count every piece of ``call`` from now on if its limit is near."""
        if not call.exact and call.left < SLACK:
            call.exact = True
            del self._countable[call.tool_call_id]


# --- rules ----------------------------------------------------------------------------------------

_Handler = Callable[[Any, Any, int], None]
_MAY_BE_ABSENT = ("cost", "reasoning_tokens", "cache_read_tokens", "cache_write_tokens")


class StreamState(StreamFields):
    """The fields, changed by deltas only, and by none that breaks a rule."""

    __slots__ = ()

    def _consume_slowly(self, delta: Any) -> None:
        handler: _Handler
        kind = type(delta)
        known = _HANDLERS.get(kind)
        if known is None:
            delta = delta_of_model(delta) if is_model(delta) else upgraded(delta)
            kind = type(delta)
            known = _HANDLERS.get(kind)
        if known is None:
            seq = check_unknown(delta, _KINDS)
            check_head(head_of(delta, seq), self._status, self._expected())
            handler = StreamState._on_unknown
        else:
            handler, payload_type = known
            seq = delta.seq
            # What can be wrong is looked at piece by piece only if this says that something is.
            if not (
                self._status == "started"
                and kind is not StartDelta
                and delta.run_id == self._run_id
                and (not delta.message_id or delta.message_id == self._message_id)
                and (not delta.turn_id or delta.turn_id == self._turn_id)
                and type(seq) is int
                and self._last_seq < seq <= MAX_SEQ
                and type(delta.payload) is payload_type
            ):
                check_head(head_of(delta, seq), self._status, self._expected())
                if type(delta.payload) is not payload_type:
                    raise invalid_delta("/payload", payload_type.__name__, delta.payload, seq)
        self._uncounted += (self._last_seq - self._visited + 1) * PIECE_BYTES
        self._visited = self._last_seq
        if self._uncounted > SETTLE_BYTES:
            self._settle()
        handler(self, delta, seq)
        self._last_seq = self._visited = seq
        self._mark = seq + WINDOW if self._status == "started" else -1

    def _expected(self) -> Head:
        return Head("", self._run_id, self._last_seq, self._message_id, self._turn_id)

    # --- one method per kind: check all, then change ---------------------------------------------

    def _on_start(self, delta: StartDelta, seq: int) -> None:
        payload = delta.payload
        check_id("/runId", delta.run_id, seq, self._limits.id_chars)
        for pointer, value in (
            ("/payload/modelId", payload.model_id),
            ("/payload/requestId", payload.request_id),
        ):
            if value != "":
                check_id(pointer, value, seq, self._limits.id_chars)
        for pointer, own in (("/messageId", delta.message_id), ("/turnId", delta.turn_id)):
            if own is not UNSET:
                check_id(pointer, own, seq, self._limits.id_chars)
        check_timestamp(delta.timestamp, seq)
        self._start = StreamStart(
            delta.run_id,
            delta.timestamp,
            payload.model_id,
            payload.request_id,
            delta.message_id,
            delta.turn_id,
        )
        self._run_id = delta.run_id
        self._message_id, self._turn_id = delta.message_id, delta.turn_id
        self._status = "started"

    def _on_text(self, delta: TextDelta | ThinkingDelta, seq: int) -> None:
        text, opaque = delta.payload.text_delta, delta.payload.opaque
        check_string("/payload/textDelta", text, seq)
        kind = type(delta)
        if not text and not opaque:
            return
        slot = self._text if kind is self._run_kind else None
        if slot is None and len(self._slots) >= self._limits.parts:
            raise limit_exceeded("parts", self._limits.parts, seq)
        packed = self._packed(opaque, NOTHING, seq) if opaque else None
        is_long = len(text) >= SHORT_CHARS
        if is_long or self._text_exact:
            self._count_text(text, seq)
        if slot is None:
            self._end_run()
            slot = self._text = TextSlot(thinking=kind is ThinkingDelta)
            self._slots.append(slot)
            self._run_kind = kind
        if text:
            self._text_kind = None if self._text_exact else kind
            slot.add(text, is_long)
            self._tail = slot.tail
        if packed is not None:
            slot.opaque = packed
            self._opaque_left -= packed.size
            self._end_run()

    def _packed(self, opaque: Any, before: Packed, seq: int) -> Packed:
        """Return opaque data that takes the place of ``before``, as it is kept."""
        return pack_opaque(opaque, self._opaque_left + before.size, self._limits, seq)

    def _on_call_start(self, delta: ToolCallStartDelta, seq: int) -> None:
        payload = delta.payload
        call_id, tool_name, opaque = payload.tool_call_id, payload.tool_name, payload.opaque
        limits = self._limits
        # The checks stand here once more, in short: calls are many where they are parallel.
        if type(call_id) is not str or not 0 < len(call_id) <= limits.id_chars:
            check_id("/payload/toolCallId", call_id, seq, limits.id_chars)
        if type(tool_name) is not str or not tool_name:
            check_name("/payload/toolName", tool_name, seq)
        if not (call_id.isascii() and tool_name.isascii()):
            check_name("/payload/toolCallId", call_id, seq)
            check_name("/payload/toolName", tool_name, seq)
        if call_id in self._calls:
            raise refusal(
                "stream/duplicate-tool-call",
                "The tool call id has been used already",
                seq,
                pointer="/payload/toolCallId",
                expected="an id of its own",
                actual=clip(call_id),
            )
        if len(self._calls) >= limits.tool_calls:
            raise limit_exceeded("tool_calls", limits.tool_calls, seq)
        if len(self._slots) >= limits.parts:
            raise limit_exceeded("parts", limits.parts, seq)
        packed = self._packed(opaque, NOTHING, seq) if opaque else None
        if self._run_kind is not None:
            self._end_run()
        left = limits.arguments_bytes
        exact = left < SLACK
        call = CallSlot([], [], call_id, tool_name, left, exact)
        if packed is not None:
            self._keep_opaque(call, packed)
        self._slots.append(call)
        self._calls[call_id] = self._open[call_id] = call
        if not exact:
            self._countable[call_id] = call

    def _on_args(self, delta: ToolCallArgsDelta, seq: int) -> None:
        call = self._open_call(delta.payload.tool_call_id, seq)
        text = delta.payload.args_text_delta
        check_string("/payload/argsTextDelta", text, seq)
        opaque = delta.payload.opaque
        packed = self._packed(opaque, call.opaque, seq) if opaque else None
        is_long = len(text) >= SHORT_CHARS
        if is_long or call.exact:
            size = utf8_length(text)
            self._settle_call(call)
            if size > call.left:
                raise limit_exceeded("arguments_bytes", self._limits.arguments_bytes, seq)
            call.left -= size
            self._watch(call)
        call.add(text, is_long)
        if packed is not None:
            self._keep_opaque(call, packed)

    def _on_call_end(self, delta: ToolCallEndDelta, seq: int) -> None:
        call_id = delta.payload.tool_call_id
        call = self._open_call(call_id, seq)
        opaque = delta.payload.opaque
        packed = self._packed(opaque, call.opaque, seq) if opaque else None
        text = call.text()
        parsed = parse_arguments(text, self._limits.arguments_depth)
        if parsed is None:
            # The text stays, joined, and what was not counted of it is counted now.
            call.left = self._limits.arguments_bytes - utf8_length(text)
            self._watch(call)
            raise limit_exceeded("arguments_depth", self._limits.arguments_depth, seq)
        del self._open[call_id]
        if not call.exact:
            del self._countable[call_id]
        call.arguments, call.keep_text, call.error = parsed
        call.closed_seq = seq
        call.preview = None
        if packed is not None:
            self._keep_opaque(call, packed)

    def _on_usage(self, delta: UsageDelta, seq: int) -> None:
        latest, before = delta.payload, self._usage
        check_usage(latest, seq)
        if before is not None:
            kept = {
                name: value
                for name in _MAY_BE_ABSENT
                if getattr(latest, name) is UNSET and (value := getattr(before, name)) is not UNSET
            }
            latest = structs.replace(latest, **kept) if kept else latest
        self._usage = latest

    def _on_done(self, delta: DoneDelta, seq: int) -> None:
        if self._open:
            first = next(iter(self._open))
            raise refusal(
                "stream/tool-call-open",
                f"{len(self._open)} tool call(s) are still open",
                seq=seq,
                expected="tool_call_end for each",
                actual=f"open: {clip(first)}",
            )
        reason = delta.payload.finish_reason
        check_name("/payload/finishReason", reason, seq)
        provider_reason = delta.payload.provider_finish_reason
        if provider_reason is not UNSET:
            check_name("/payload/providerFinishReason", provider_reason, seq)
        self._end(delta.timestamp, seq)
        self._finish_reason, self._provider_reason = reason, provider_reason
        self._status = "done"

    def _on_error(self, delta: ErrorDelta, seq: int) -> None:
        check_name("/payload/errorCode", delta.payload.error_code, seq)
        self._end(delta.timestamp, seq)
        self._error = delta.payload
        self._status = "error"

    def _on_unknown(self, delta: Unknown, _seq: int) -> None:
        if delta.tag not in self._findings and len(self._findings) < MAX_UNKNOWN:
            self._findings[delta.tag] = unknown_kind(delta.tag)

    # --- steps ------------------------------------------------------------------------------------

    def _end(self, timestamp: Any, seq: int) -> None:
        check_timestamp(timestamp, seq)
        self._end_run()
        self._end_at = timestamp
        self._countable = {}

    def _keep_opaque(self, call: CallSlot, packed: Packed) -> None:
        self._opaque_left += call.opaque.size - packed.size
        call.opaque = packed

    def _open_call(self, call_id: Any, seq: int) -> CallSlot:
        try:
            return self._open[call_id]
        except (KeyError, TypeError):
            closed = self._calls.get(call_id) if type(call_id) is str else None
        closed_seq = None if closed is None else closed.closed_seq
        raise call_refusal(call_id, closed_seq, list(self._open), seq)


_HANDLERS: dict[type[Any], tuple[_Handler, type]] = {
    StartDelta: (StreamState._on_start, StartDeltaPayload),
    TextDelta: (StreamState._on_text, TextDeltaPayload),
    ThinkingDelta: (StreamState._on_text, ThinkingDeltaPayload),
    ToolCallStartDelta: (StreamState._on_call_start, ToolCallStartDeltaPayload),
    ToolCallArgsDelta: (StreamState._on_args, ToolCallArgsDeltaPayload),
    ToolCallEndDelta: (StreamState._on_call_end, ToolCallEndDeltaPayload),
    UsageDelta: (StreamState._on_usage, UsageSummary),
    DoneDelta: (StreamState._on_done, DoneDeltaPayload),
    ErrorDelta: (StreamState._on_error, ErrorDeltaPayload),
}

_KINDS = frozenset(each.kind for each in _HANDLERS)
