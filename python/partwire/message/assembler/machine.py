"""Deltas in, message out: the assembler of one stream.

idle → started → done | error. A refused delta raises and changes nothing. ``consume`` and
``consume_batch`` take the frequent deltas with a few attribute reads; all others, and whatever
is wrong, are for :class:`partwire.message.assembler.state.StreamState`, which holds the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ...contract.current.message import (
    ErrorDeltaPayload,
    Message,
    MessageDelta,
    MessagePart,
    ToolCallArgsDelta,
    UsageSummary,
)
from ...errors import Finding, StreamFailed, bad_argument, clip
from ...reading.pipeline import Unknown
from .checks import refusal
from .fast.state import DIRECT, BatchState
from .limits import Limits
from .lines import DeltaModel
from .snapshot import OpenCall, Progress, Snapshot, ToolCallBuffer, read_slots
from .state import SHORT_CHARS, Status

if TYPE_CHECKING:
    from ...v0_1.structs.message import MessageDelta as OlderDelta

__all__ = ["Ending", "MessageAssembler", "Status"]

Ending = Literal["cancelled", "truncated"]


class MessageAssembler(BatchState):
    """Assemble one stream of deltas into one message.

    Not thread-safe; sans-IO. Deltas are the generated structs of any version. What it returns is
    immutable or belongs to the caller. ``providerRaw`` is never looked at or kept.
    Raises UsageError ``usage/invalid-argument`` for a ``run_id`` that no delta can have.
    Source: semantics, the assembler; requirements S001-11 … S001-16, S001-23 … S001-33.
    """

    __slots__ = ()

    def __init__(self, run_id: str | None = None, limits: Limits | None = None) -> None:
        limits = Limits() if limits is None else limits
        if not isinstance(limits, Limits):
            raise bad_argument("limits is wrong", "Limits", limits)
        most = limits.id_chars
        if run_id is not None and not (type(run_id) is str and 0 < len(run_id) <= most):
            raise bad_argument("run_id is wrong", f"a string of 1 to {most} characters", run_id)
        super().__init__(run_id, limits)

    def reset(self) -> None:
        """Go back to ``idle`` with everything cleared; a given ``run_id`` stays.

        Snapshots taken before are not touched. Source: requirements S001-64.
        """
        self._clear()

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
        """Return the error delta's payload, or None. Source: requirements S001-59."""
        return self._error

    # --- consuming ------------------------------------------------------------------------------

    def consume(self, delta: MessageDelta | OlderDelta | DeltaModel | Unknown) -> None:
        """Take the next delta: a struct (the fast way), or a pydantic model of the contract.

        Raises StreamProtocolError with one of the rules ``stream/…``; the state is then as it
        was, and the next delta may be consumed. Source: requirements S001-55, S001-60.
        """
        made: Any = delta
        kind = type(made)
        # Each kind reads its members in a place of its own, which the interpreter then knows how
        # to do. What says absent is falsy: that costs less to see than a comparison with UNSET.
        try:
            if kind is self._text_kind:
                seq, payload = made.seq, made.payload
                text = "" + payload.text_delta  # the fastest way to refuse what is no string
                if (
                    self._last_seq < seq < self._mark
                    and made.run_id == self._run_id
                    and not payload.opaque
                    and (not made.message_id or made.message_id == self._message_id)
                    and (not made.turn_id or made.turn_id == self._turn_id)
                    and len(text) < SHORT_CHARS
                ):
                    self._tail.append(text)
                    self._last_seq = seq
                    return
            elif kind is ToolCallArgsDelta:
                seq, payload = made.seq, made.payload
                text = "" + payload.args_text_delta
                if (
                    self._last_seq < seq < self._mark
                    and made.run_id == self._run_id
                    and not payload.opaque
                    and (not made.message_id or made.message_id == self._message_id)
                    and (not made.turn_id or made.turn_id == self._turn_id)
                    and len(text) < SHORT_CHARS
                ):
                    self._countable[payload.tool_call_id].tail.append(text)
                    self._last_seq = seq
                    return
            elif (handler := DIRECT.get(kind)) is not None:
                seq = made.seq
                if (
                    self._last_seq < seq < self._mark
                    and made.run_id == self._run_id
                    and (not made.message_id or made.message_id == self._message_id)
                    and (not made.turn_id or made.turn_id == self._turn_id)
                ):
                    handler(self, made, seq)
                    self._last_seq = seq
                    return
        except (KeyError, TypeError, AttributeError):
            pass  # not open, counted piece by piece, or not a delta: the slow path says which
        self._consume_slowly(delta)

    # --- reading out ------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the message so far: text, thinking and closed tool calls.

        Costs the same whatever has come, and never changes afterwards. Raises
        StreamProtocolError ``stream/not-started`` in ``idle``. Source: requirements S001-56,
        S001-61, S001-84.
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
        Python can bring. Source: requirements S001-57, S001-62, S001-63.
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
        finished message. Source: requirements S000-48, S001-68.
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
