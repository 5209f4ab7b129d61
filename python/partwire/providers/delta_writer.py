"""The writing half of every adapter: deltas that keep the contract, whatever the provider sent.

What holds for every stream that comes out of here:

- The first delta is ``start``, exactly one ``done`` or ``error`` is the last, ``seq`` counts from
  0 without a gap.
- No text, thinking or argument delta is empty, and none holds half a character: the two halves
  of a surrogate pair are joined, also across deltas; a half whose other half never comes becomes
  U+FFFD, with a finding.
- A tool call has a name, an id that the run has not used, one start and one end; ``done`` comes
  with no call open.

Source: requirements S000-47 to S000-53, S000-56, S001-53; semantics, model and adapters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from partwire.errors import clip
from partwire.v0_2.structs.message import (
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
    MessageDelta,
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

from .error_codes import RETRYABLE
from .findings import FindingLog
from .opaque import OpaqueItem, well_formed

__all__ = ["MAX_ID_CHARS", "UNKNOWN", "DeltaWriter", "OpenCall"]

UNKNOWN: Final = "unknown"
"""Model id and request id of a stream whose provider names none."""

MAX_ID_CHARS: Final = 512
"""The assembler's limit: a longer call id is replaced, longer other names are cut."""

_ID_CHARS: Final = 24
_NOT_ID: Final = re.compile(r"[^A-Za-z0-9_-]+")


class OpenCall:
    """A tool call that has started: its id and part, and half a character held back."""

    __slots__ = ("half", "part", "tool_call_id")

    def __init__(self, tool_call_id: str, part: int) -> None:
        self.tool_call_id = tool_call_id
        self.part = part
        self.half = ""


class DeltaWriter:
    """Append deltas to ``out``; what was found and what the provider wants back beside it.

    ``clock`` is called once per delta and gives the contract's timestamp. Part positions
    (``part``, ``chars``) follow the assembler's rule: consecutive text, or thinking, is one part.
    """

    def __init__(
        self,
        run_id: str,
        clock: Callable[[], str],
        used_tool_call_ids: frozenset[str],
        log: FindingLog,
    ) -> None:
        self.out: list[MessageDelta] = []
        self.opaque: list[OpaqueItem] = []
        self.provider_ids: dict[str, str | None] = {}
        self.model_id = ""
        self.request_id = ""
        self.ended = False
        self.kind: str | None = None  # "text", "thinking", or None after a call and before all
        self.part = -1  # index of the part that is being written
        self.chars = 0  # of text in it
        self.wrote: set[str] = set()  # kinds of parts
        self._run_id = run_id
        self._clock = clock
        self._log = log
        self._seq = 0
        self._used = set(used_tool_call_ids)
        self._open: dict[str, OpenCall] = {}
        self._calls = 0
        self._half = ""  # of a character of text or thinking; deltas of calls may come between
        self._half_kind = ""
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

    def done(self, finish_reason: str) -> None:
        """Close what is open and end the stream as complete."""
        self.start()
        for call in list(self._open.values()):
            self.end_call(call)
        self._break_part()
        self._add(DoneDelta, DoneDeltaPayload(finish_reason=finish_reason))
        self.ended = True

    def fail(self, error_code: str, message: str | None, retryable: bool | None = None) -> None:
        """End the stream as failed. Open calls stay open: nothing may take them for complete."""
        self.start()
        self._break_part()
        if retryable is None:
            retryable = RETRYABLE[error_code]
        payload = (
            ErrorDeltaPayload(error_code=error_code, retryable=retryable)
            if message is None
            else ErrorDeltaPayload(
                error_code=error_code, message=well_formed(message), retryable=retryable
            )
        )
        self._add(ErrorDelta, payload)
        self.ended = True

    # --- text and thinking -----------------------------------------------------------------------

    def text(self, text: str) -> None:
        """Append text of the answer."""
        if self.kind != "text":
            self._begin("text", text)
        if self._half or not text.isascii():
            text, self._half = self._whole(self._half + text)
        if text:
            self.chars += len(text)
            seq = self._seq
            self._seq = seq + 1
            self.out.append(
                TextDelta(
                    run_id=self._run_id,
                    seq=seq,
                    payload=TextDeltaPayload(text_delta=text),
                    timestamp=self._clock(),
                )
            )

    def thinking(self, text: str) -> None:
        """Append text of the reasoning."""
        if self.kind != "thinking":
            self._begin("thinking", text)
        if self._half or not text.isascii():
            text, self._half = self._whole(self._half + text)
        if text:
            self.chars += len(text)
            seq = self._seq
            self._seq = seq + 1
            self.out.append(
                ThinkingDelta(
                    run_id=self._run_id,
                    seq=seq,
                    payload=ThinkingDeltaPayload(text_delta=text),
                    timestamp=self._clock(),
                )
            )

    def _begin(self, kind: str, text: str) -> None:
        if not text:
            return  # an empty delta neither makes a part nor parts two others
        self.start()
        if self._half and self._half_kind != kind:
            self._drop_half()
        self._report_usage()
        self.kind = self._half_kind = kind
        self.part += 1
        self.chars = 0
        self.wrote.add(kind)

    def _break_part(self) -> None:
        if self._half:
            self._drop_half()
        self.kind = None
        self._report_usage()

    def _drop_half(self) -> None:
        """Give up waiting for the other half of a character of text, or of thinking."""
        self._half = ""
        self._lone()
        write = self.text if self._half_kind == "text" else self.thinking
        write("\ufffd")

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

        ``provider_ids`` maps a minted id to the provider's own, None where it sent none.
        """
        self.start()
        self._break_part()
        ordinal = self._calls
        self._calls += 1
        call_id = provider_id if provider_id and self._may_stand(provider_id) else None
        if call_id is None:
            call_id = self._mint(ordinal)
            self.provider_ids[call_id] = provider_id
            self._log.note(
                "adapter/minted-id",
                "The tool call has no id of its own that the run has not used; it got a new one",
                expected="an id that is unique in the run",
                actual="no id" if provider_id is None else clip(provider_id),
            )
        self._used.add(call_id)
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
        """Append argument text to an open call; it ends a part of text, as any delta does."""
        self.kind = None
        if call.half or not text.isascii():
            text, call.half = self._whole(call.half + text)
        if text:
            seq = self._seq
            self._seq = seq + 1
            self.out.append(
                ToolCallArgsDelta(
                    run_id=self._run_id,
                    seq=seq,
                    payload=ToolCallArgsDeltaPayload(
                        tool_call_id=call.tool_call_id, args_text_delta=text
                    ),
                    timestamp=self._clock(),
                )
            )

    def end_call(self, call: OpenCall) -> None:
        """End an open call."""
        if call.half:
            call.half = ""
            self._lone()
            self.args(call, "\ufffd")
        self.kind = None
        del self._open[call.tool_call_id]
        self._add(ToolCallEndDelta, ToolCallEndDeltaPayload(tool_call_id=call.tool_call_id))

    @property
    def open_calls(self) -> int:
        """How many calls are open."""
        return len(self._open)

    def _may_stand(self, call_id: str) -> bool:
        if call_id in self._used or len(call_id) > MAX_ID_CHARS:
            return False
        return call_id.isascii() or well_formed(call_id) == call_id

    def _mint(self, ordinal: int) -> str:
        """Return ``call_<request>_<ordinal>``: the same stream always gives the same ids.

        At most 40 letters, digits, "_" and "-", which every provider accepts on the way back.
        """
        source = self.request_id or self._run_id
        token = _NOT_ID.sub("_", source)
        if token != source or len(token) > _ID_CHARS:
            digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            token = f"{token[: _ID_CHARS - 9]}-{digest}"
        call_id = f"call_{token}_{ordinal}"
        repeat = 1
        while call_id in self._used:
            repeat += 1
            call_id = f"call_{token}_{ordinal}-{repeat}"
        return call_id

    # --- beside the content ----------------------------------------------------------------------

    def usage(self, input_tokens: int, output_tokens: int, total: int, cost: float | None) -> None:
        """Report usage so far; nothing is emitted if it has not changed.

        Inside a part it waits for the part's end: some vendors report at every piece of text,
        and a delta of another kind would cut the text into as many parts.
        """
        usage = UsageSummary(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            total_tokens=total,
            cost=UNSET if cost is None else cost,
        )
        if usage == self._usage:
            return
        self._usage = usage
        self._usage_due = True
        if self.kind is None:
            self.start()
            self._report_usage()

    def _report_usage(self) -> None:
        if self._usage_due:
            self._usage_due = False
            self._add(UsageDelta, self._usage)

    def keep(self, kind: str, data: Any, start: int | None = None) -> None:
        """Keep provider state that belongs to this place.

        ``start`` is the character of the current part from which on it belongs; without it, the
        item stands between what has been written and what comes next.
        """
        if start is not None:
            self.opaque.append(OpaqueItem(kind, data, self.part, start, self.chars))
        elif self.kind is not None:
            self.opaque.append(OpaqueItem(kind, data, self.part, self.chars, self.chars))
        else:
            self.opaque.append(OpaqueItem(kind, data, self.part + 1, 0, 0))

    def keep_with(self, call: OpenCall, kind: str, data: Any) -> None:
        """Keep provider state that belongs to a tool call, open or ended."""
        self.opaque.append(OpaqueItem(kind, data, call.part))

    @property
    def open_parts(self) -> list[int]:
        """Indexes of the parts of open calls: a partial message leaves them out."""
        return [call.part for call in self._open.values()]

    def _add(self, delta: Callable[..., MessageDelta], payload: object) -> None:
        seq = self._seq
        self._seq = seq + 1
        self.out.append(
            delta(run_id=self._run_id, seq=seq, payload=payload, timestamp=self._clock())
        )
