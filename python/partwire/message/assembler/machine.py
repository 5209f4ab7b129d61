"""Deltas in, message out: the assembler of one stream.

idle → started → done | error. A delta is checked whole before anything is changed: one that is
refused raises and leaves everything as it was. What follows which kind of delta in which status is
in the table ``schemas/tables/stream.json``, the words of refusals are in :mod:`.checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, structs

from ...contract.current.message import (
    ApprovalRequest,
    ApprovalRequestDelta,
    Author,
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
    MediaDataDelta,
    MediaDataDeltaPayload,
    MediaEndDelta,
    MediaEndDeltaPayload,
    MediaStartDelta,
    MediaStartDeltaPayload,
    Message,
    MessageDelta,
    MessagePart,
    ServerToolCallArgsDelta,
    ServerToolCallEndDelta,
    ServerToolCallStartDelta,
    ServerToolResult,
    ServerToolResultDelta,
    StartDelta,
    StartDeltaPayload,
    TextCitationDelta,
    TextCitationDeltaPayload,
    TextDelta,
    TextDeltaPayload,
    TextFormat,
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
    WarningDelta,
    WarningDeltaPayload,
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
    used_id,
)
from .citations import on_citation
from .limits import DEFAULT, Limits
from .lines import DeltaModel, delta_of_document, is_checked
from .media import on_media_data, on_media_end, on_media_start
from .opaque import NOTHING, Packed, pack_opaque
from .payloads import Kept, checked, payload_size
from .slots import CallSlot, MediaSlot, Slot, TextSlot, WholeSlot
from .snapshot import (
    OpenCall,
    OpenMedia,
    PartialValue,
    Progress,
    Snapshot,
    StreamStart,
    ToolCallBuffer,
    read_slots,
)
from .text import room_in, utf8_length
from .whole_parts import on_approval_request, on_server_result

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
        "_answered", "_approvals", "_calls", "_cut", "_end_at", "_error", "_findings",
        "_finish_reason", "_given_run_id", "_last_seq", "_limits", "_media", "_media_left",
        "_message_id", "_opaque_left", "_open", "_open_media", "_own_open", "_payload_left",
        "_provider_reason", "_run_id", "_slots", "_start", "_status", "_text", "_text_kind",
        "_text_left", "_text_part", "_turn_id", "_usage", "_warned", "_warnings",
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
        self._own_open: dict[str, CallSlot] = {}  # those of the caller's tools
        self._answered: set[str] = set()  # calls that have their result
        self._approvals: set[str] = set()
        self._media: dict[str, MediaSlot] = {}
        self._open_media: dict[str, MediaSlot] = {}
        self._warnings: list[Kept] = []
        self._warned: set[tuple[Any, ...]] = set()
        self._text: TextSlot | None = None  # the last part, while text can join it
        self._text_part: TextSlot | None = None  # the last text
        self._text_left = self._limits.text_bytes
        self._opaque_left = self._limits.opaque_bytes
        self._payload_left = self._limits.payload_bytes
        self._media_left = self._limits.media_bytes
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
        """All calls of the caller's tools by id, in the order of their start, open and closed.

        Those of tools that the provider runs are nobody else's to run: see :meth:`progress`.
        """
        return {
            call_id: ToolCallBuffer(slot)
            for call_id, slot in self._calls.items()
            if not slot.is_server
        }

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

    def consume(
        self, delta: MessageDelta | OlderDelta | DeltaModel | Unknown | Mapping[str, Any]
    ) -> None:
        """Take the next delta: a struct (the fast way), a pydantic model, or a JSON object.

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
                piece, slot = payload.args_text_delta, self._own_open[payload.tool_call_id]
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
                and ((given := made.message_id) is UNSET or given == self._message_id)
                and ((given := made.turn_id) is UNSET or given == self._turn_id)
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
            is_document = is_model(delta) or isinstance(delta, Mapping)
            delta = delta_of_document(delta) if is_document else upgraded(delta)
            known = _KINDS.get(type(delta))
        elif is_checked(delta):
            delta = checked(delta)
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
        self._check_names(payload.author, payload.format, seq)
        check_timestamp(delta.timestamp, seq)
        self._start = StreamStart(
            delta.run_id,
            delta.timestamp,
            payload.model_id,
            payload.request_id,
            delta.message_id,
            delta.turn_id,
            payload.author,
            payload.format,
        )
        self._run_id = delta.run_id
        self._message_id, self._turn_id = delta.message_id, delta.turn_id

    def _check_names(
        self, author: Author | UnsetType, form: TextFormat | UnsetType, seq: int
    ) -> None:
        """Hold the names that a start brings against the limits."""
        most = self._limits
        names: list[tuple[str, str | UnsetType]] = []
        agents: list[str] = []
        if not isinstance(author, UnsetType):
            agents = [] if isinstance(author.agent_path, UnsetType) else author.agent_path
            names += [("author/name", author.name)]
            names += [(f"author/agentPath/{index}", name) for index, name in enumerate(agents)]
        if not isinstance(form, UnsetType):
            names += [("format/name", form.name), ("format/schemaRef", form.schema_ref)]
        for pointer, name in names:
            if name is not UNSET:
                check_id(f"/payload/{pointer}", name, seq, most.id_chars)
        if len(agents) > most.agents:
            raise limit_exceeded("agents", most.agents, seq, "/payload/author/agentPath")

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
            form = UNSET if thinking or self._start is None else self._start.form
            slot = self._text = TextSlot(thinking=thinking, form=form)
            self._slots.append(slot)
            if not thinking:
                self._text_part = slot
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

    def _on_call_start(
        self, delta: ToolCallStartDelta | ServerToolCallStartDelta, seq: int
    ) -> None:
        payload = delta.payload
        call_id, tool_name, opaque = payload.tool_call_id, payload.tool_name, payload.opaque
        limits = self._limits
        check_id("/payload/toolCallId", call_id, seq, limits.id_chars)
        check_name("/payload/toolName", tool_name, seq)
        if call_id in self._calls:
            raise used_id("stream/duplicate-tool-call", "toolCallId", call_id, seq)
        if len(self._calls) >= limits.tool_calls:
            raise limit_exceeded("tool_calls", limits.tool_calls, seq)
        self._check_parts(seq)
        packed = self._packed(opaque, NOTHING, seq) if opaque else None
        is_server = type(delta) is ServerToolCallStartDelta
        call = CallSlot(call_id, tool_name, limits.arguments_bytes, is_server=is_server)
        self._add_part(call)
        self._calls[call_id] = self._open[call_id] = call
        if not is_server:
            self._own_open[call_id] = call
        if packed is not None:
            self._keep_opaque(call, packed)

    def _on_args(self, delta: ToolCallArgsDelta | ServerToolCallArgsDelta, seq: int) -> None:
        is_server = type(delta) is ServerToolCallArgsDelta
        call = self._open_call(delta.payload.tool_call_id, is_server, seq)
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

    def _on_call_end(self, delta: ToolCallEndDelta | ServerToolCallEndDelta, seq: int) -> None:
        call_id = delta.payload.tool_call_id
        call = self._open_call(call_id, type(delta) is ServerToolCallEndDelta, seq)
        opaque = delta.payload.opaque
        packed = self._packed(opaque, call.opaque, seq) if opaque else None
        call.left -= call.settle()
        parsed = parse_arguments(call.text(), self._limits.arguments_depth)
        if parsed is None:
            raise limit_exceeded("arguments_depth", self._limits.arguments_depth, seq)
        del self._open[call_id]
        self._own_open.pop(call_id, None)
        call.arguments, call.keep_text, call.error = parsed
        call.closed_seq = seq
        call.preview = None
        if packed is not None:
            self._keep_opaque(call, packed)

    def _check_ended(self, call_id: str, seq: int) -> None:
        if call_id in self._open:
            raise refusal(
                "stream/tool-call-open",
                "The tool call has not ended",
                seq,
                pointer="/payload/toolCallId",
                expected="a tool call that has ended",
                actual=clip(call_id),
            )

    def _add_whole(self, part: Any, seq: int) -> None:
        self._check_parts(seq)
        self._payload_left -= payload_size(part.payload, self._payload_left, self._limits, seq)
        self._add_part(WholeSlot(Kept(seq, part)))

    def _on_warning(self, delta: WarningDelta, seq: int) -> None:
        payload = delta.payload
        said = payload.code, payload.message, payload.place
        if said in self._warned:
            return
        self._payload_left -= payload_size(payload, self._payload_left, self._limits, seq)
        self._warned.add(said)
        self._warnings.append(Kept(seq, payload))

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
        for media_id in self._open_media:
            raise refusal(
                "stream/media-open",
                f"Media is still open: {len(self._open_media)}",
                seq=seq,
                expected="media_end for each",
                actual=f"open: {clip(media_id)}",
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

    def _check_parts(self, seq: int) -> None:
        if len(self._slots) >= self._limits.parts:
            raise limit_exceeded("parts", self._limits.parts, seq)

    def _add_part(self, slot: Slot) -> None:
        """Add a part behind all others; the next text begins another one."""
        if self._text is not None:
            self._end_text()
        self._slots.append(slot)

    def _keep_opaque(self, slot: CallSlot | MediaSlot, packed: Packed) -> None:
        self._opaque_left += slot.opaque.size - packed.size
        slot.opaque = packed

    def _open_call(self, call_id: Any, is_server: bool, seq: int) -> CallSlot:
        """Return the open call of this kind: of a server's call the other kind knows nothing."""
        call = self._calls.get(call_id) if type(call_id) is str else None
        if call is None or call.is_server is not is_server:
            closed_seq = None
        elif call.closed_seq is None:
            return call
        else:
            closed_seq = call.closed_seq
        alike = [each for each, slot in self._open.items() if slot.is_server is is_server]
        raise call_refusal(call_id, closed_seq, alike, seq)

    # --- reading out ------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the message so far: all but open calls and media, and usage.

        Costs the same whatever has come, and never changes afterwards. Raises
        StreamProtocolError ``stream/not-started`` in ``idle``.
        """
        if self._start is None:
            raise refusal("stream/not-started", "There is nothing to show before start")
        text = self._text
        return Snapshot(
            self._start,
            self._slots,
            self._warnings,
            self._last_seq,
            None if text is None else text.mark(),
        )

    def progress(self) -> Progress:
        """Return a snapshot with what is open, and usage; raises as :meth:`snapshot`.

        Costs the number of open calls and media, and, where JSON was asked for, that of all parts.
        Argument text is joined, and parsed as far as it goes, when it is read; so is such text.
        """
        depth = self._limits.arguments_depth
        return Progress(
            self.snapshot(),
            tuple([OpenCall(call, depth) for call in self._open.values()]),
            self._usage,
            tuple([OpenMedia(media) for media in self._open_media.values()]),
            self._partial_values(depth),
        )

    def _partial_values(self, depth: int) -> tuple[PartialValue, ...]:
        if self._start is None or self._start.form is UNSET:
            return ()
        return tuple(
            [
                PartialValue(index, slot, depth)
                for index, slot in enumerate(self._slots)
                if isinstance(slot, TextSlot) and not slot.thinking
            ]
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

        Open tool calls are left out and named in ``meta.incomplete.openToolCallIds``, open media in
        ``openMediaIds``. In ``error`` the ending is ``error``; in ``started`` it is ``truncated``
        after :meth:`close`, else ``cancelled``, unless ``ending`` says otherwise. Raises
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
        incomplete: dict[str, Any] = {"ending": how, "openToolCallIds": list(self._open)}
        if self._open_media:
            incomplete["openMediaIds"] = list(self._open_media)
        message.meta["incomplete"] = incomplete  # type: ignore[index]
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
        meta = start.meta(self._warnings, self._last_seq)
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

_HANDLERS: tuple[tuple[type[Any], _Handler, type], ...] = (
    (StartDelta, MessageAssembler._on_start, StartDeltaPayload),
    (TextDelta, MessageAssembler._on_text, TextDeltaPayload),
    (ThinkingDelta, MessageAssembler._on_text, ThinkingDeltaPayload),
    (ToolCallStartDelta, MessageAssembler._on_call_start, ToolCallStartDeltaPayload),
    (ToolCallArgsDelta, MessageAssembler._on_args, ToolCallArgsDeltaPayload),
    (ToolCallEndDelta, MessageAssembler._on_call_end, ToolCallEndDeltaPayload),
    (ServerToolCallStartDelta, MessageAssembler._on_call_start, ToolCallStartDeltaPayload),
    (ServerToolCallArgsDelta, MessageAssembler._on_args, ToolCallArgsDeltaPayload),
    (ServerToolCallEndDelta, MessageAssembler._on_call_end, ToolCallEndDeltaPayload),
    (TextCitationDelta, on_citation, TextCitationDeltaPayload),
    (ServerToolResultDelta, on_server_result, ServerToolResult),
    (ApprovalRequestDelta, on_approval_request, ApprovalRequest),
    (MediaStartDelta, on_media_start, MediaStartDeltaPayload),
    (MediaDataDelta, on_media_data, MediaDataDeltaPayload),
    (MediaEndDelta, on_media_end, MediaEndDeltaPayload),
    (WarningDelta, MessageAssembler._on_warning, WarningDeltaPayload),
    (UsageDelta, MessageAssembler._on_usage, UsageSummary),
    (DoneDelta, MessageAssembler._on_done, DoneDeltaPayload),
    (ErrorDelta, MessageAssembler._on_error, ErrorDeltaPayload),
)
_KINDS = {kind: (kind.kind, handler, payload) for kind, handler, payload in _HANDLERS}
_KIND_NAMES = frozenset(each.kind for each in _KINDS)
