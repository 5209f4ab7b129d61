"""The writing half of every adapter: deltas that keep the contract, whatever the provider sent.

What holds for every stream that comes out of here:

- The first delta is ``start``, exactly one ``done`` or ``error`` is the last, ``seq`` counts from
  0 without a gap.
- No text, thinking or argument delta is empty, but for one that ends its part and carries what
  the provider wants back with it; none holds half a character: the two halves of a surrogate pair
  are joined, also across deltas; a half whose other half never comes becomes U+FFFD, with a
  finding.
- A tool call has a name, an id that the run has not used, one start and one end; ``done`` comes
  with no call open.

Source: semantics, model and adapters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal, get_args

from msgspec import UNSET, UnsetType

from partwire.contract.current.message import (
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
    MessageDelta,
    Opaque,
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
from partwire.errors import clip

from .call_ids import MAX_ID_CHARS, CallIds, OpenCall
from .errors import RETRYABLE
from .findings import FindingLog
from .kept_state import KeptState
from .opaque import OpaqueItem, well_formed

__all__ = ["UNKNOWN", "DeltaWriter", "OpenCall", "TextKind"]

UNKNOWN: Final = "unknown"
"""Model id and request id of a stream whose provider names none."""


TextKind = Literal["text", "thinking"]
"""Kinds of parts that hold text: of the answer, and of the reasoning."""

_TEXT: Final[dict[TextKind, tuple[type[MessageDelta], Any]]] = {
    "text": (TextDelta, TextDeltaPayload),
    "thinking": (ThinkingDelta, ThinkingDeltaPayload),
}
_KINDS: Final[tuple[type[MessageDelta], ...]] = get_args(MessageDelta)


class DeltaWriter:
    """Append deltas to ``out``; ``state`` is what the provider wants back with them.

    ``clock`` is called once per delta and gives the contract's timestamp; ``ids`` are message and
    turn id, which every delta says, as far as they are given. Part positions (``part``,
    ``chars``) follow the assembler's rule: text, or thinking, joins the last part if that is of
    its kind and nothing has ended it.
    ``collect`` is called before a part is ended, for what is to be kept with it.
    """

    def __init__(
        self,
        run_id: str,
        clock: Callable[[], str],
        used_tool_call_ids: frozenset[str],
        log: FindingLog,
        state: KeptState,
        ids: dict[str, Any],
    ) -> None:
        self.out: list[MessageDelta] = []
        self.state = state
        self.collect: Callable[[], None] | None = None
        self.model_id = ""
        self.request_id = ""
        self.ended = False
        self.kind: TextKind | None = None  # None after a call and before all
        self.part = -1  # index of the part that is being written
        self.chars = 0  # of text in it
        self.wrote: set[str] = set()  # kinds of parts
        self._run_id = run_id
        self._clock = clock
        self._time: str | None = None  # of the delta that comes next, where it is settled
        self._log = log
        # Ids that are not there cost nothing.
        self._deltas: dict[type[MessageDelta], Callable[..., MessageDelta]] = {
            kind: partial(kind, **ids) if ids else kind for kind in _KINDS
        }
        self._text = {
            kind: (self._deltas[delta], payload) for kind, (delta, payload) in _TEXT.items()
        }
        self._seq = 0
        self._call_ids = CallIds(run_id, used_tool_call_ids)
        self._open: dict[str, OpenCall] = {}
        self._half = ""  # of a character of text or thinking; deltas of calls may come between
        self._half_kind: TextKind = "text"
        self._usage: UsageSummary | None = None
        self._usage_due = False

    # --- the beginning and the end ---------------------------------------------------------------

    def identify(self, model_id: object, request_id: object) -> bool:
        """Take the stream's names as far as they are given; start once both are known."""
        if isinstance(model_id, str) and model_id and not self.model_id:
            self.model_id = well_formed(model_id)[:MAX_ID_CHARS]
        if isinstance(request_id, str) and request_id and not self.request_id:
            self.request_id = well_formed(request_id)[:MAX_ID_CHARS]
        if self.model_id and self.request_id:
            self.start()
            return True
        return False

    def start(self) -> None:
        """Emit ``start``, once; what the provider has not named by now is ``unknown``."""
        if self._seq:
            return
        payload = StartDeltaPayload(
            model_id=self.model_id or UNKNOWN, request_id=self.request_id or UNKNOWN
        )
        self._add(StartDelta, payload)

    def done(self, finish_reason: str, said: str | None = None) -> None:
        """Close what is open and end the stream as complete; ``said`` is the provider's reason."""
        self.start()
        calls = list(self._open.values())
        for call in calls:
            # Text that is still open is ended behind the calls, and carries the rest.
            self.end_call(call, last=call is calls[-1] and self.kind is None)
        self._end_parts()
        payload = DoneDeltaPayload(
            finish_reason=finish_reason,
            provider_finish_reason=well_formed(said)[:MAX_ID_CHARS] if said else UNSET,
        )
        self._add(DoneDelta, payload)
        self.ended = True

    def fail(self, error_code: str, message: str | None, retryable: bool | None = None) -> None:
        """End the stream as failed. Open calls stay open: nothing may take them for complete."""
        self.start()
        self._end_parts()
        payload = ErrorDeltaPayload(
            error_code=error_code,
            message=UNSET if message is None else well_formed(message),
            retryable=RETRYABLE[error_code] if retryable is None else retryable,
        )
        self._add(ErrorDelta, payload)
        self.ended = True

    def _end_parts(self) -> None:
        """End the last part; whatever the provider wants back has its place in a delta now."""
        if self._half:
            self._drop_half()
        if self.collect is not None:
            self.collect()
        state = self.state
        if self.kind is None and state:
            # The last part is a tool call, or there is none: an empty part carries the rest.
            self.kind = "thinking"
            self.part += 1
            self.chars = 0
        if self.kind is not None:
            left_out = {call.part for call in self._open.values()}
            self._seal(state.rest(self.part, left_out=left_out) if state else UNSET)
        self._report_usage()

    # --- text and thinking -----------------------------------------------------------------------

    def write(self, kind: TextKind, text: str) -> None:
        """Append text of the answer, or of the reasoning; "" neither makes a part nor ends one."""
        if self.kind != kind and text:
            self._begin(kind)
        if self._half or not text.isascii():
            text, self._half = self._whole(self._half + text)
        if text:
            # As _add does it: most deltas are made here.
            self.chars += len(text)
            delta, payload = self._text[kind]
            seq = self._seq
            self._seq = seq + 1
            self.out.append(
                delta(
                    run_id=self._run_id,
                    seq=seq,
                    payload=payload(text_delta=text),
                    timestamp=self._time or self._clock(),
                )
            )
            self._time = None

    def _begin(self, kind: TextKind) -> None:
        self.start()
        if self._half and self._half_kind != kind:
            self._drop_half()
        if self.kind is not None:
            self._leave()
        self._report_usage()
        self.kind = self._half_kind = kind
        self.part += 1
        self.chars = 0
        self.wrote.add(kind)

    def _break_part(self) -> None:
        if self._half:
            self._drop_half()
        if self.kind is not None:
            self._leave()
        self._report_usage()

    def _leave(self) -> None:
        """End the text, or thinking, that is being written."""
        if self.collect is not None:
            self.collect()
        self._seal(self.state.of_part(self.part) if self.state else UNSET)

    def _seal(self, opaque: Opaque | UnsetType) -> None:
        """End the part with what the provider wants back with it."""
        kind, self.kind = self.kind, None
        if kind is not None and opaque is not UNSET:
            # Made for the sake of the delta that follows, and at the same instant.
            delta, payload = _TEXT[kind]
            self._add(delta, payload(text_delta="", opaque=opaque))
            self._time = self.out[-1].timestamp

    def _drop_half(self) -> None:
        """Give up waiting for the other half of a character of text, or of thinking."""
        self._half = ""
        self._lone()
        self.write(self._half_kind, "\ufffd")

    def _whole(self, text: str) -> tuple[str, str]:
        """Return ``text`` without surrogates, and the half at its end that may yet be joined."""
        half = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, half = text[:-1], text[-1]
        try:
            text.encode()
        except UnicodeEncodeError:
            whole = well_formed(text)
            if whole.count("\ufffd") > text.count("\ufffd"):
                self._lone()
            text = whole
        return text, half

    def _lone(self) -> None:
        self._log.note(
            "adapter/lone-surrogate",
            "Half a character came without its other half and became U+FFFD",
            expected="well-formed Unicode",
        )

    # --- tool calls ------------------------------------------------------------------------------

    def open_call(self, provider_id: str | None, name: str) -> OpenCall:
        """Start a tool call; its id is the provider's, or a minted one where that cannot stand.

        ``provider_ids`` of the state maps a minted id to the provider's own.
        """
        self.start()
        self._break_part()
        call_id = self._call_ids.take(provider_id, self.request_id)
        if call_id != provider_id:
            self.state.provider_ids[call_id] = provider_id
            self._log.note(
                "adapter/minted-id",
                "The tool call has no id of its own that the run has not used; it got a new one",
                expected="an id that is unique in the run",
                actual="no id" if provider_id is None else clip(provider_id),
            )
        self.part += 1
        self.chars = 0
        self.wrote.add("tool_call")
        call = self._open[call_id] = OpenCall(call_id, self.part)
        self._add(
            ToolCallStartDelta,
            ToolCallStartDeltaPayload(tool_call_id=call_id, tool_name=well_formed(name)),
        )
        return call

    def args(self, call: OpenCall, text: str) -> None:
        """Append argument text to an open call; a part of text around it stays open."""
        if call.half or not text.isascii():
            text, call.half = self._whole(call.half + text)
        if text:
            payload = ToolCallArgsDeltaPayload(tool_call_id=call.tool_call_id, args_text_delta=text)
            self._add(ToolCallArgsDelta, payload)

    def end_call(self, call: OpenCall, *, last: bool = False) -> None:
        """End an open call; the ``last`` one of all carries what no other delta can."""
        if call.half:
            call.half = ""
            self._lone()
            self.args(call, "\ufffd")
        if self.collect is not None:
            self.collect()
        call_id = call.tool_call_id
        del self._open[call_id]
        take = self.state.rest if last else self.state.of_part
        payload = ToolCallEndDeltaPayload(tool_call_id=call_id, opaque=take(call.part, call_id))
        self._add(ToolCallEndDelta, payload)

    @property
    def open_calls(self) -> int:
        """How many calls are open."""
        return len(self._open)

    # --- beside the content ----------------------------------------------------------------------

    def usage(self, usage: UsageSummary) -> None:
        """Report usage so far; nothing is emitted if it has not changed.

        Inside a part of text it waits for the part's end: some vendors report at every piece of
        text, and every other delta would be one of usage.
        """
        if usage == self._usage:
            return
        self._compare(usage, self._usage or usage)
        self._usage = usage
        self._usage_due = True
        if self.kind is None:
            self.start()
            self._report_usage()

    def _compare(self, usage: UsageSummary, before: UsageSummary) -> None:
        if usage.total_tokens < usage.input_tokens + usage.output_tokens:
            self._log.usage("a total below its sum")
        if (
            usage.input_tokens < before.input_tokens
            or usage.output_tokens < before.output_tokens
            or usage.total_tokens < before.total_tokens
        ):
            self._log.usage("a figure below an earlier one")

    def _report_usage(self) -> None:
        if self._usage_due:
            self._usage_due = False
            self._add(UsageDelta, self._usage)

    def keep(self, kind: str, data: Any, start: int | None = None) -> None:
        """Keep provider state that belongs to this place.

        ``start`` is the character of the current part from which on it belongs; without it, the
        item stands between what has been written and what comes next.
        """
        inside = start is not None or self.kind is not None
        part, at = (self.part, self.chars) if inside else (self.part + 1, 0)
        self.state.keep(OpaqueItem(kind, data, part, at if start is None else start, at))

    def keep_with(self, call: OpenCall, kind: str, data: Any) -> None:
        """Keep provider state that belongs to a tool call, open or ended."""
        self.state.keep(OpaqueItem(kind, data, call.part))

    def _add(self, kind: type[MessageDelta], payload: object) -> None:
        seq, now = self._seq, self._time or self._clock()
        self._seq, self._time = seq + 1, None
        delta = self._deltas[kind]
        self.out.append(delta(run_id=self._run_id, seq=seq, payload=payload, timestamp=now))
