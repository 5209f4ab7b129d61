"""The writing half of every adapter: deltas that keep the contract, whatever the provider sent.

What holds for every stream that comes out of here:

- The first delta is ``start``, exactly one ``done`` or ``error`` is the last, ``seq`` counts from
  0 without a gap.
- No text, thinking or argument delta is empty, but for one that ends its part and carries what
  the provider wants back with it; none holds half a character: the two halves of a surrogate pair
  are joined, also across deltas; a half whose other half never comes becomes U+FFFD, with a
  finding.
- A tool call has a name, an id that the run has not used, one start and one end; ``done`` comes
  with no call and no media open.
- A citation has a text part, a result of a server tool is the first of its call, an approval
  request has a call that has ended, media has bytes. What cannot be written is not, and who asked
  for it is told so by False.

Source: semantics, model and adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, Literal, get_args

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from partwire.contract.current.message import (
    ApprovalRequest,
    ApprovalRequestDelta,
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
    MessageDelta,
    Opaque,
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
    UrlSource,
    UsageDelta,
    UsageSummary,
    WarningDelta,
    WarningDeltaPayload,
)
from partwire.errors import clip

from .call_ids import MAX_ID_CHARS, CallIds, OpenCall, WaitingCalls
from .citations import citation_of
from .errors import RETRYABLE
from .findings import FindingLog
from .kept_state import KeptState
from .media import OpenMedia, whole_base64
from .opaque import OpaqueItem, storable, well_formed
from .stream_words import StreamWords

__all__ = ["UNKNOWN", "DeltaWriter", "Items", "OpenCall", "OpenMedia", "TextKind"]

UNKNOWN: Final = "unknown"
"""Model id and request id of a stream whose provider names none."""


Items = Iterable[tuple[str, Any]]
"""What the provider wants back with one thing: kind and data of each item."""

TextKind = Literal["text", "thinking"]
"""Kinds of parts that hold text: of the answer, and of the reasoning."""

_TEXT: Final[dict[TextKind, tuple[type[MessageDelta], Any]]] = {
    "text": (TextDelta, TextDeltaPayload),
    "thinking": (ThinkingDelta, ThinkingDeltaPayload),
}
_KINDS: Final[tuple[type[MessageDelta], ...]] = get_args(MessageDelta)

_BYTES: Final = "application/octet-stream"  # of media whose type nobody says


class DeltaWriter:
    """Append deltas to ``out``; ``state`` is what the provider wants back with them.

    ``clock`` is called once per delta and gives the contract's timestamp; ``ids`` are message and
    turn id, which every delta says, as far as they are given. Part positions (``part``,
    ``chars``) follow the assembler's rule: text, or thinking, joins the last part if that is of
    its kind and nothing has ended it.
    ``collect`` is called before a part is ended, for what is to be kept with it.
    ``says_new`` is False where the caller wants the deltas of v0.2: nothing that v0.2 does not
    know may be written then. ``words`` are the caller's, for the start.
    """

    def __init__(
        self,
        run_id: str,
        clock: Callable[[], str],
        used_tool_call_ids: frozenset[str],
        log: FindingLog,
        state: KeptState,
        ids: dict[str, Any],
        *,
        says_new: bool = True,
        words: StreamWords = StreamWords(),  # noqa: B008 - a tuple
    ) -> None:
        self.out: list[MessageDelta] = []
        self.says_new = says_new
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
        self._words = words
        self._text_parts: set[int] = set()
        self._last_text = -1
        self._waiting = WaitingCalls()
        self._ended: set[str] = set()  # ids of calls
        self._answered: set[str] = set()  # ids of server calls
        self._approvals: set[str] = set()
        self._media_ids = CallIds(run_id, frozenset())
        self._media: dict[OpenMedia, None] = {}  # in the order of their announcement
        self._warned: set[WarningDeltaPayload] = set()
        self._to_warn: list[WarningDeltaPayload] = []  # once the stream has started

    # --- the beginning and the end ---------------------------------------------------------------

    def identify(self, model_id: object, request_id: object) -> bool:
        """Take the stream's names as far as they are given; start once both are known."""
        if isinstance(model_id, str) and model_id and not self.model_id:
            self.model_id = _as_name(model_id)
        if isinstance(request_id, str) and request_id and not self.request_id:
            self.request_id = _as_name(request_id)
        if self.model_id and self.request_id:
            self.start()
            return True
        return False

    def start(self) -> None:
        """Emit ``start``, once; what the provider has not named by now is ``unknown``."""
        if self._seq:
            return
        payload = StartDeltaPayload(
            model_id=self.model_id or UNKNOWN,
            request_id=self.request_id or UNKNOWN,
            author=self._words.author,
            format=self._words.format,
        )
        self._add(StartDelta, payload)
        for warning in self._to_warn:
            self._add(WarningDelta, warning)

    def say_format(self, name: str | None = None) -> None:
        """Say that the provider repeats the form that JSON was asked for in; the caller's wins."""
        if self.says_new and self._words.format is UNSET:
            said = TextFormat(name=_as_name(name) or UNSET)
            self._words = self._words._replace(format=said)

    def done(self, finish_reason: str, said: str | None = None) -> None:
        """Close what is open and end the stream as complete; ``said`` is the provider's reason."""
        self.start()
        for media in list(self._media):
            if not self.end_media(media):
                for kind, data in media.kept:
                    self.keep(kind, data)
        calls = list(self._open.values())
        for call in calls:
            # Text that is still open is ended behind the calls, and carries the rest.
            self.end_call(call, last=call is calls[-1] and self.kind is None)
        self._end_parts()
        payload = DoneDeltaPayload(
            finish_reason=finish_reason,
            provider_finish_reason=_as_name(said) or UNSET,
        )
        self._add(DoneDelta, payload)
        self.ended = True

    def fail(self, error_code: str, message: str | None, retryable: bool | None = None) -> None:
        """End the stream as failed. Open calls and media stay open: nothing may take them for
        complete.
        """
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
            left_out |= {media.part for media in self._media if media.part >= 0}
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
        self._new_part(kind)
        if kind == "text":
            self._text_parts.add(self.part)
            self._last_text = self.part

    def _new_part(self, kind: str) -> None:
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

    def flush_half(self) -> None:
        """Write a half character of text that is held back, for who counts its characters now."""
        if self._half and self._half_kind == "text":
            self._drop_half()

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
            self._minted(provider_id)
        self._new_part("tool_call")
        call = self._open[call_id] = OpenCall(call_id, self.part)
        self._add(
            ToolCallStartDelta,
            ToolCallStartDeltaPayload(tool_call_id=call_id, tool_name=well_formed(name)),
        )
        return call

    def _minted(self, provider_id: str | None) -> None:
        self._log.note(
            "adapter/minted-id",
            "The tool call has no id of its own that the run has not used; it got a new one",
            expected="an id that is unique in the run",
            actual="no id" if provider_id is None else clip(provider_id),
        )

    def args(self, call: OpenCall, text: str) -> None:
        """Append argument text to an open call; a part of text around it stays open."""
        if call.half or not text.isascii():
            text, call.half = self._whole(call.half + text)
        if text:
            payload = ToolCallArgsDeltaPayload(tool_call_id=call.tool_call_id, args_text_delta=text)
            self._add(ServerToolCallArgsDelta if call.server else ToolCallArgsDelta, payload)

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
        self._ended.add(call_id)
        take = self.state.rest if last else self.state.of_part
        payload = ToolCallEndDeltaPayload(tool_call_id=call_id, opaque=take(call.part, call_id))
        self._add(ServerToolCallEndDelta if call.server else ToolCallEndDelta, payload)

    @property
    def open_calls(self) -> int:
        """How many calls are open."""
        return len(self._open)

    def is_open(self, call: OpenCall) -> bool:
        """Return whether a call has not ended: a result, or a question, ends the call it is of."""
        return self._open.get(call.tool_call_id) is call

    # --- tools that the provider runs, approvals -------------------------------------------------

    def open_server_call(self, provider_id: str | None, name: str) -> OpenCall:
        """Start a call of a tool that the provider runs; its id is the provider's, or minted.

        Text, :meth:`args` and :meth:`end_call` go on as with any call. The provider's own id is in
        what is kept with the call.
        """
        self.start()
        self._break_part()
        call_id = self._call_ids.take(provider_id, self.request_id, "srv")
        if call_id != provider_id:
            self._minted(provider_id)
        self._new_part("server_tool_call")
        call = self._open[call_id] = OpenCall(call_id, self.part, server=True)
        self._waiting.add(call_id, "" if call_id == provider_id else _as_name(provider_id))
        self._add(
            ServerToolCallStartDelta,
            ToolCallStartDeltaPayload(tool_call_id=call_id, tool_name=well_formed(name)),
        )
        return call

    def server_result(
        self,
        call_id: str | None,
        *,
        is_error: bool,
        content: str,
        outcome: str | None = None,
        structured: object = None,
        opaque: Items = (),
    ) -> bool:
        """Write the result of a server tool, whole; its call ends if it is open.

        ``call_id`` is the call's, or the provider's own for it; it may be of an earlier message.
        Without one it is the first call of the stream that has no result. Returns False, with
        nothing written, where there is none, where the call has a result already, and where it is
        a call of the other kind. ``structured`` is any JSON value; None is none.
        """
        if (found := self.answers(call_id)) is None:
            return False
        value = None if structured is None else storable(structured)
        if call := self._open.get(found):
            self.end_call(call)
        self._waiting.remove(found)
        self._answered.add(found)
        self._call_ids.retire(found)
        self.start()
        self._break_part()
        self._new_part("server_tool_result")
        payload = ServerToolResult(
            tool_call_id=found,
            is_error=is_error,
            content=well_formed(content),
            outcome=well_formed(outcome) if outcome else UNSET,
            structured=UNSET if value is None else value,
            opaque=self._carried(opaque),
        )
        self._add(ServerToolResultDelta, payload)
        return True

    def answers(self, call_id: str | None) -> str | None:
        """Return the id of the call that a result answers, None where it answers none."""
        call_id = _as_name(call_id)
        waiting = self._waiting.find(call_id)
        if waiting or not call_id:
            return waiting
        is_taken = call_id in self._answered or call_id in self._open or call_id in self._ended
        return None if is_taken else call_id

    def approval_request(
        self, *, approval_id: str, call_id: str, reason: str | None = None, opaque: Items = ()
    ) -> bool:
        """Ask for approval of a call of this stream, which ends if it is open.

        Returns False, with nothing written, where there is no such call, and for an id that has
        been used.
        """
        approval_id = _as_name(approval_id)
        if call := self._open.get(call_id):
            self.end_call(call)
        if not approval_id or approval_id in self._approvals or call_id not in self._ended:
            return False
        self._approvals.add(approval_id)
        self._break_part()
        self._new_part("approval_request")
        payload = ApprovalRequest(
            approval_id=approval_id,
            tool_call_id=call_id,
            reason=well_formed(reason) if reason else UNSET,
            opaque=self._carried(opaque),
        )
        self._add(ApprovalRequestDelta, payload)
        return True

    def _carried(self, items: Items) -> Opaque | UnsetType:
        """Return ``items`` and what else is due, as the part that has just begun carries them."""
        for kind, data in items:
            self.state.keep(OpaqueItem(kind, data, self.part))
        return self.state.of_part(self.part) if self.state else UNSET

    # --- citations -------------------------------------------------------------------------------

    def cite(self, citation: dict[str, Any], opaque: Items = (), part: int | None = None) -> bool:
        """Write a citation, a JSON object of the contract, for the last text part or ``part``.

        Members that are not as the contract has them are left out. ``opaque`` is the
        provider's own, where its requests take it back: ``[("citation", event)]``. Returns False,
        with nothing written, without such a text part, and for what is not a citation.
        """
        at = self._last_text if part is None else part
        if at not in self._text_parts:
            return False
        made = citation_of(citation)
        if made is None:
            return False
        self.flush_half()
        if items := [OpaqueItem(kind, data, at) for kind, data in opaque]:
            made = replace(made, opaque=self.state.carry(items))
        payload = TextCitationDeltaPayload(
            citation=made, part_index=UNSET if at == self._last_text else at
        )
        self._add(TextCitationDelta, payload)
        return True

    # --- media -----------------------------------------------------------------------------------

    def open_media(
        self, media_id: str | None, mime_type: str | None, name: str | None = None
    ) -> OpenMedia:
        """Announce media; its part begins with its first bytes.

        Its id is the provider's, else ``media_<request>_<ordinal>``.
        """
        mime_type = well_formed(mime_type) if mime_type else _BYTES
        media = OpenMedia(media_id, mime_type, well_formed(name) if name else None)
        self._media[media] = None
        return media

    def media_data(
        self,
        media: OpenMedia,
        *,
        data_delta: object = None,
        data: object = None,
        transcript: str = "",
    ) -> bool:
        """Append ``data_delta``, Base64 by itself, or put ``data`` in place of all bytes before.

        Returns False where one of them is not Base64: the words are taken then all the same. What
        comes when the media has ended is not written.
        """
        delta, whole = whole_base64(data_delta), whole_base64(data)
        is_sound = (data_delta is None or delta is not None) and (data is None or whole is not None)
        if media not in self._media:
            return False
        words = media.words
        if transcript:
            more, media.half = self._whole(media.half + transcript)
            words += more
        if not (delta or whole) and (media.part < 0 or not words):
            media.words = words
            return is_sound
        if media.part < 0:
            self._begin_media(media)
        media.words = ""
        payload = MediaDataDeltaPayload(
            media_id=media.media_id or "",
            data=whole or UNSET,
            data_delta=delta or UNSET,
            transcript_delta=words or UNSET,
        )
        self._add(MediaDataDelta, payload)
        return is_sound

    def _begin_media(self, media: OpenMedia) -> None:
        self.start()
        self._break_part()
        media.media_id = self._media_ids.take(media.media_id, self.request_id, "media")
        self._new_part("media")
        media.part = self.part
        payload = MediaStartDeltaPayload(
            media_id=media.media_id, mime_type=media.mime_type, name=media.name or UNSET
        )
        self._add(MediaStartDelta, payload)

    def end_media(
        self,
        media: OpenMedia,
        *,
        mime_type: str | None = None,
        url: str | None = None,
        opaque: Items = (),
    ) -> bool:
        """End media; ``url`` is where it is to be had, in place of bytes. Returns False where
        neither has come: nothing has been written of it then, and ``opaque`` is not kept.
        """
        if media not in self._media:
            return media.part >= 0
        if url and media.part < 0:
            self._begin_media(media)
        if media.half:
            media.half = ""
            self._lone()
            media.words += "\ufffd"
        if media.part >= 0 and media.words:
            self.media_data(media)
        del self._media[media]
        if media.part < 0:
            return False
        items = [OpaqueItem(kind, data, media.part) for kind, data in (*media.kept, *opaque)]
        for item in items:
            self.state.keep(item)
        changed = well_formed(mime_type) if mime_type else media.mime_type
        payload = MediaEndDeltaPayload(
            media_id=media.media_id or "",
            mime_type=UNSET if changed == media.mime_type else changed,
            source=UrlSource(url=well_formed(url)) if url else UNSET,
            opaque=self.state.of_part(media.part) if self.state else UNSET,
        )
        self._add(MediaEndDelta, payload)
        return True

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

    def warn(self, code: object, message: object = None, place: object = None) -> None:
        """Write a warning of the provider, each once; without a code it is ``other``.

        One that comes before the stream's names are known waits for the start.
        """
        said = [well_formed(each) if isinstance(each, str) else "" for each in (code, place)]
        payload = WarningDeltaPayload(
            code=said[0] or "other",
            message=well_formed(message) if isinstance(message, str) else UNSET,
            place=said[1] or UNSET,
        )
        if payload in self._warned:
            return
        self._warned.add(payload)
        if self._seq:
            self._add(WarningDelta, payload)
        else:
            self._to_warn.append(payload)

    def keep(self, kind: str, data: Any, start: int | None = None) -> None:
        """Keep provider state that belongs to this place.

        ``start`` is the character of the current part from which on it belongs; without it, the
        item stands between what has been written and what comes next.
        """
        inside = start is not None or self.kind is not None
        part, at = (self.part, self.chars) if inside else (self.part + 1, 0)
        self.state.keep(OpaqueItem(kind, data, part, at if start is None else start, at))

    def keep_with(self, place: OpenCall | OpenMedia, kind: str, data: Any) -> None:
        """Keep provider state that belongs to a tool call, open or ended, or to open media."""
        if isinstance(place, OpenMedia) and place in self._media:
            place.kept.append((kind, data))
        else:
            self.state.keep(OpaqueItem(kind, data, place.part))

    def _add(self, kind: type[MessageDelta], payload: object) -> None:
        seq, now = self._seq, self._time or self._clock()
        self._seq, self._time = seq + 1, None
        delta = self._deltas[kind]
        self.out.append(delta(run_id=self._run_id, seq=seq, payload=payload, timestamp=now))


def _as_name(text: str | None) -> str:
    """Return a name as deltas have it: no longer than the assembler takes."""
    return well_formed(text)[:MAX_ID_CHARS] if text else ""
