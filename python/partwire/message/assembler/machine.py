"""Deltas in, message out: the assembler of one stream.

idle → started → done | error. A delta is checked whole before anything is changed: one that is
refused raises and leaves everything as it was. What follows which kind of delta in which status is
in the table ``schemas/tables/stream.json``, the words of refusals are in :mod:`.checks`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, structs

from ...contract.current.message import (
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
    Message,
    MessageDelta,
    MessagePart,
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
from ...errors import Finding, StreamFailed, bad_argument, clip, counted
from ...reading.tolerant import Unknown
from ...tables.limits import MAX_UNKNOWN
from .arguments import parse_arguments
from .checks import (
    MAX_SEQ,
    Status,
    call_refusal,
    check_id,
    check_name,
    check_string,
    check_timestamp,
    check_unknown,
    check_usage,
    invalid_delta,
    late,
    limit_exceeded,
    other_id,
    refusal,
    step_of,
    unknown_kind,
    upgraded,
)
from .limits import DEFAULT, Limits
from .lines import DeltaModel, delta_of_model
from .opaque import NOTHING, Packed, pack_opaque
from .slots import CallSlot, Slot, TextSlot
from .snapshot import OpenCall, Progress, Snapshot, StreamStart, ToolCallBuffer, read_slots
from .text import room_in, utf8_length

if TYPE_CHECKING:
    from ...v0_1.structs.message import MessageDelta as OlderDelta

__all__ = ["Ending", "MessageAssembler", "Status"]

Ending = Literal["cancelled", "truncated"]

_MAY_BE_ABSENT = ("cost", "reasoning_tokens", "cache_read_tokens", "cache_write_tokens")


class MessageAssembler:
    """Assemble one stream of deltas into one message.

    Not thread-safe; sans-IO. Deltas are the generated structs of any version. What it returns is
    immutable or belongs to the caller. ``providerRaw`` is never looked at or kept.
    Raises UsageError ``usage/invalid-argument`` for a ``run_id`` that no delta can have.
    Source: semantics, the assembler.
    """

    # fmt: off
    __slots__ = (
        "_calls", "_cut", "_end_at", "_error", "_findings", "_finish_reason", "_given_run_id",
        "_last_seq", "_limits", "_message_id", "_opaque_left", "_open", "_provider_reason",
        "_run_id", "_slots", "_start", "_status", "_text", "_text_kind", "_text_left", "_turn_id",
        "_usage",
    )
    # fmt: on

    def __init__(self, run_id: str | None = None, limits: Limits | None = None) -> None:
        limits = DEFAULT if limits is None else limits
        if not isinstance(limits, Limits):
            raise bad_argument("limits is wrong", "Limits", limits)
        most = limits.id_chars
        if run_id is not None and not (type(run_id) is str and 0 < len(run_id) <= most):
            raise bad_argument("run_id is wrong", f"a string of 1 to {most} characters", run_id)
        self._given_run_id = run_id
        self._limits = limits
        self.reset()

    def reset(self) -> None:
        """Go back to ``idle`` with everything cleared; a given ``run_id`` stays.

        Snapshots taken before are not touched.
        """
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
        self._text: TextSlot | None = None  # the last part, while text can join it
        self._text_left = self._limits.text_bytes
        self._opaque_left = self._limits.opaque_bytes
        self._text_kind: type | None = None  # of the deltas that can join it

    # --- fields ---------------------------------------------------------------------------------

    @property
    def run_id(self) -> str | None:
        """The given run id, else the start delta's; None before that."""
        return self._run_id

    @property
    def message_id(self) -> str | UnsetType:
        """The start delta's ``messageId``; UNSET before that, and if it has none."""
        return self._message_id

    @property
    def turn_id(self) -> str | UnsetType:
        """The start delta's ``turnId``; UNSET before that, and if it has none."""
        return self._turn_id

    @property
    def status(self) -> Status:
        """``idle``, ``started``, ``done`` or ``error``."""
        return self._status

    @property
    def last_seq(self) -> int:
        """The last consumed delta's ``seq``; -1 before the first."""
        return self._last_seq

    @property
    def parts(self) -> list[MessagePart]:
        """The parts of a snapshot taken now; empty in ``idle``."""
        return [] if self._start is None else self.snapshot().parts

    @property
    def tool_calls(self) -> dict[str, ToolCallBuffer]:
        """All tool calls by id, in the order of their start, open and closed."""
        return {call_id: ToolCallBuffer(slot) for call_id, slot in self._calls.items()}

    @property
    def usage(self) -> UsageSummary | None:
        """Usage as far as it is known: per field the last value that was reported."""
        return self._usage

    @property
    def error(self) -> ErrorDeltaPayload | None:
        """The error delta's payload, in ``error`` only."""
        return self._error

    @property
    def findings(self) -> list[Finding]:
        """Warnings: one ``stream/unknown-delta-kind`` for each unknown kind."""
        return list(self._findings.values())

    def get_error(self) -> ErrorDeltaPayload | None:
        """Return the error delta's payload, or None."""
        return self._error

    # --- consuming ------------------------------------------------------------------------------

    def consume(self, delta: MessageDelta | OlderDelta | DeltaModel | Unknown) -> None:
        """Take the next delta: a struct (the fast way), or a pydantic model of the contract.

        Raises StreamProtocolError with one of the rules ``stream/…``; the state is then as it
        was, and the next delta may be consumed.
        """
        # Nearly all deltas are pieces of an open part that has room for them: those are appended at
        # once. All others, and whatever is wrong, go by the rules.
        made: Any = delta
        slot: Any
        kind = type(made)
        try:
            payload = made.payload
            if kind is ToolCallArgsDelta:
                piece, slot = payload.args_text_delta, self._open[payload.tool_call_id]
            elif kind is self._text_kind:
                piece, slot = payload.text_delta, self._text
            else:
                self._take(delta)
                return
            seq, room = made.seq, slot.room - len(piece)
            if (
                room >= 0
                and self._last_seq < seq <= MAX_SEQ
                and made.run_id == self._run_id
                and payload.opaque is UNSET
                and (made.message_id is UNSET or made.message_id == self._message_id)
                and (made.turn_id is UNSET or made.turn_id == self._turn_id)
            ):
                slot.tail.append("" + piece)
                slot.room = room
                self._last_seq = seq
                return
        except (KeyError, TypeError, AttributeError):
            pass  # no such open call, or what is in the delta is of another type: the rules say
        self._take(delta)

    def _take(self, delta: Any) -> None:
        """Take any delta by the rules: first those of every delta, then those of its kind."""
        known = _KINDS.get(type(delta))
        if known is None:
            delta = delta_of_model(delta) if is_model(delta) else upgraded(delta)
            known = _KINDS.get(type(delta))
        if known is not None:
            kind, handler, payload_type = known
            seq, run_id = delta.seq, delta.run_id
            message_id, turn_id = delta.message_id, delta.turn_id
        else:
            seq = check_unknown(delta, _KIND_NAMES)
            kind, handler, payload_type = delta.tag, MessageAssembler._on_unknown, None
            run_id, message_id, turn_id = map(delta.document.get, ("runId", "messageId", "turnId"))
        if type(seq) is not int or not 0 <= seq <= MAX_SEQ:
            raise invalid_delta("/seq", "an integer from 0 to 2^53 - 1", seq)
        status = step_of(self._status, kind, seq)
        if run_id != self._run_id and self._run_id is not None:
            raise other_id("run", run_id, self._run_id, seq)
        if self._start is not None:
            # A delta need not repeat these; what says absent is falsy.
            if message_id and message_id != self._message_id:
                raise other_id("message", message_id, self._message_id, seq)
            if turn_id and turn_id != self._turn_id:
                raise other_id("turn", turn_id, self._turn_id, seq)
        if seq <= self._last_seq:
            raise late(seq, self._last_seq)
        if payload_type is not None and type(delta.payload) is not payload_type:
            raise invalid_delta("/payload", payload_type.__name__, delta.payload, seq)
        handler(self, delta, seq)
        self._status = status
        self._last_seq = seq

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

    def _on_text(self, delta: TextDelta | ThinkingDelta, seq: int) -> None:
        text, opaque = delta.payload.text_delta, delta.payload.opaque
        check_string("/payload/textDelta", text, seq)
        if not text and not opaque:
            return
        thinking = type(delta) is ThinkingDelta
        slot = self._text
        if slot is not None and slot.thinking is not thinking:
            slot = None
        if slot is None and len(self._slots) >= self._limits.parts:
            raise limit_exceeded("parts", self._limits.parts, seq)
        packed = self._packed(opaque, NOTHING, seq) if opaque else None
        self._settle_text()
        size = utf8_length(text)
        if size > self._text_left:
            raise limit_exceeded("text_bytes", self._limits.text_bytes, seq)
        self._text_left -= size
        if slot is None:
            slot = self._text = TextSlot(thinking=thinking)
            self._slots.append(slot)
        slot.add(text)
        slot.room = room_in(self._text_left)
        self._text_kind = type(delta)
        if packed is not None:
            slot.opaque = packed
            self._opaque_left -= packed.size
            self._text = self._text_kind = None

    def _packed(self, opaque: Any, before: Packed, seq: int) -> Packed:
        """Return opaque data that takes the place of ``before``, as it is kept."""
        return pack_opaque(opaque, self._opaque_left + before.size, self._limits, seq)

    def _on_call_start(self, delta: ToolCallStartDelta, seq: int) -> None:
        payload = delta.payload
        call_id, tool_name, opaque = payload.tool_call_id, payload.tool_name, payload.opaque
        limits = self._limits
        check_id("/payload/toolCallId", call_id, seq, limits.id_chars)
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
        if self._text is not None:
            self._end_text()
        call = CallSlot(call_id, tool_name, limits.arguments_bytes)
        self._slots.append(call)
        self._calls[call_id] = self._open[call_id] = call
        if packed is not None:
            self._keep_opaque(call, packed)

    def _on_args(self, delta: ToolCallArgsDelta, seq: int) -> None:
        call = self._open_call(delta.payload.tool_call_id, seq)
        text = delta.payload.args_text_delta
        check_string("/payload/argsTextDelta", text, seq)
        opaque = delta.payload.opaque
        packed = self._packed(opaque, call.opaque, seq) if opaque else None
        call.left -= call.settle()
        size = utf8_length(text)
        if size > call.left:
            raise limit_exceeded("arguments_bytes", self._limits.arguments_bytes, seq)
        call.left -= size
        call.add(text)
        call.room = room_in(call.left)
        if packed is not None:
            self._keep_opaque(call, packed)

    def _on_call_end(self, delta: ToolCallEndDelta, seq: int) -> None:
        call_id = delta.payload.tool_call_id
        call = self._open_call(call_id, seq)
        opaque = delta.payload.opaque
        packed = self._packed(opaque, call.opaque, seq) if opaque else None
        call.left -= call.settle()
        parsed = parse_arguments(call.text(), self._limits.arguments_depth)
        if parsed is None:
            raise limit_exceeded("arguments_depth", self._limits.arguments_depth, seq)
        del self._open[call_id]
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
                f"{counted(len(self._open), 'tool call')} still open",
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

    def _on_error(self, delta: ErrorDelta, seq: int) -> None:
        check_name("/payload/errorCode", delta.payload.error_code, seq)
        self._end(delta.timestamp, seq)
        for call in self._open.values():
            call.room = -1
        self._error = delta.payload

    def _on_unknown(self, delta: Unknown, _seq: int) -> None:
        if delta.tag not in self._findings and len(self._findings) < MAX_UNKNOWN:
            self._findings[delta.tag] = unknown_kind(delta.tag)

    # --- steps ------------------------------------------------------------------------------------

    def _end(self, timestamp: Any, seq: int) -> None:
        check_timestamp(timestamp, seq)
        self._end_text()
        self._end_at = timestamp

    def _end_text(self) -> None:
        """Let the next text begin a new part."""
        self._settle_text()
        self._text = self._text_kind = None

    def _settle_text(self) -> None:
        """Count the text that was appended at once."""
        if self._text is not None:
            self._text_left -= self._text.settle()

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

    # --- reading out ------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the message so far: text, thinking and closed tool calls.

        Costs the same whatever has come, and never changes afterwards. Raises
        StreamProtocolError ``stream/not-started`` in ``idle``.
        """
        if self._start is None:
            raise refusal("stream/not-started", "There is nothing to show before start")
        text = self._text
        return Snapshot(
            self._start, self._slots, self._last_seq, None if text is None else text.mark()
        )

    def progress(self) -> Progress:
        """Return a snapshot with the open calls and usage; raises as :meth:`snapshot`.

        Costs the number of open calls. Argument text is joined, and parsed as far as it goes,
        when it is read.
        """
        depth = self._limits.arguments_depth
        return Progress(
            self.snapshot(),
            tuple([OpenCall(call, depth) for call in self._open.values()]),
            self._usage,
        )

    def build_final_message(self) -> Message:
        """Return the finished message, a new one at every call; only in ``done``.

        Raises StreamProtocolError ``stream/not-done`` before that, StreamFailed in ``error``,
        and StreamProtocolError ``document/lone-surrogate`` for a text that only a delta made in
        Python can bring.
        """
        if self._status == "done":
            return self._message()
        if self._error is not None:
            code = clip(self._error.error_code)
            raise StreamFailed(
                Finding("stream/failed", f"The stream ended with the error {code}", actual=code),
                error=self._error,
                partial=self.build_partial(),
            )
        raise refusal(
            "stream/not-done",
            "The stream is not finished",
            expected="the status done",
            actual=self._status,
        )

    def build_partial(self, ending: Ending | None = None) -> Message:
        """Return what arrived of a message that will not be finished, marked in its ``meta``.

        Open tool calls are left out and named in ``meta.incomplete.openToolCallIds``. In
        ``error`` the ending is ``error``; in ``started`` it is ``truncated`` after
        :meth:`close`, else ``cancelled``, unless ``ending`` says otherwise. Raises
        StreamProtocolError ``stream/not-started`` in ``idle``, ``stream/already-done`` in
        ``done``.
        """
        if self._status == "done":
            raise refusal(
                "stream/already-done",
                "The message is finished",
                expected="build_final_message()",
                actual="build_partial()",
            )
        if ending not in (None, "cancelled", "truncated"):
            raise bad_argument("ending is wrong", "cancelled or truncated", ending)
        how = "error" if self._status == "error" else ending or self._default_ending()
        message = self._message()
        message.meta["incomplete"] = {"ending": how, "openToolCallIds": list(self._open)}  # type: ignore[index]
        return message

    def close(self) -> None:
        """Say that no more deltas come; nothing happens after ``done`` or ``error``.

        Raises StreamProtocolError ``stream/truncated`` otherwise: a cut stream is never a
        finished message.
        """
        if self._status in ("done", "error"):
            return
        self._cut = True
        raise refusal(
            "stream/truncated",
            "The stream stops without done or error",
            expected="done or error",
            actual="nothing" if self._start is None else f"the end after seq {self._last_seq}",
        )

    def _default_ending(self) -> Ending:
        return "truncated" if self._cut else "cancelled"

    def _message(self) -> Message:
        if self._start is None:
            raise refusal("stream/not-started", "There is nothing to show before start")
        start, text = self._start, self._text
        open_text = None if text is None else (text, text.mark())
        parts, errors = read_slots(self._slots, self._last_seq, open_text)
        meta = start.meta()
        if self._finish_reason is not None:
            meta["finishReason"] = self._finish_reason
        if self._provider_reason is not UNSET:
            meta["providerFinishReason"] = self._provider_reason
        if self._end_at is not None:
            meta["completedAt"] = self._end_at
        if self._usage is not None:
            meta["usage"] = msgspec.to_builtins(self._usage)
        if errors:
            meta["toolCallParseErrors"] = errors
        return start.message(parts, meta)


_Handler = Callable[[MessageAssembler, Any, int], None]

_KINDS: dict[type[Any], tuple[str, _Handler, type]] = {
    StartDelta: (StartDelta.kind, MessageAssembler._on_start, StartDeltaPayload),
    TextDelta: (TextDelta.kind, MessageAssembler._on_text, TextDeltaPayload),
    ThinkingDelta: (ThinkingDelta.kind, MessageAssembler._on_text, ThinkingDeltaPayload),
    ToolCallStartDelta: (
        ToolCallStartDelta.kind,
        MessageAssembler._on_call_start,
        ToolCallStartDeltaPayload,
    ),
    ToolCallArgsDelta: (
        ToolCallArgsDelta.kind,
        MessageAssembler._on_args,
        ToolCallArgsDeltaPayload,
    ),
    ToolCallEndDelta: (
        ToolCallEndDelta.kind,
        MessageAssembler._on_call_end,
        ToolCallEndDeltaPayload,
    ),
    UsageDelta: (UsageDelta.kind, MessageAssembler._on_usage, UsageSummary),
    DoneDelta: (DoneDelta.kind, MessageAssembler._on_done, DoneDeltaPayload),
    ErrorDelta: (ErrorDelta.kind, MessageAssembler._on_error, ErrorDeltaPayload),
}

_KIND_NAMES = frozenset(each.kind for each in _KINDS)
