"""The start of a stream, and what stands beside its parts: usage, warnings, provider state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from functools import partial
from typing import Any, Final, Literal, NamedTuple, get_args

from msgspec import UNSET

from partwire.contract.current.message import (
    MessageDelta,
    StartDelta,
    StartDeltaPayload,
    TextFormat,
    UsageDelta,
    UsageSummary,
    WarningDelta,
    WarningDeltaPayload,
)

from ..call_ids import MAX_ID_CHARS
from ..findings import FindingLog
from ..kept_state import KeptState
from ..opaque import OpaqueItem, well_formed
from ..stream_words import StreamWords

__all__ = ["UNKNOWN", "Items", "StreamInit", "StreamWriter", "TextKind", "as_name"]


UNKNOWN: Final = "unknown"
"""Model id and request id of a stream whose provider names none."""

Items = Iterable[tuple[str, Any]]
"""What the provider wants back with one thing: kind and data of each item."""

TextKind = Literal["text", "thinking"]
"""Kinds of parts that hold text: of the answer, and of the reasoning."""

_KINDS: Final[tuple[type[MessageDelta], ...]] = get_args(MessageDelta)


class StreamInit(NamedTuple):
    """What a writer is opened with.

    ``clock`` is called once per delta and gives the contract's timestamp; ``ids`` are message and
    turn id, which every delta says, as far as they are given. ``says_new`` is False where the
    caller wants the deltas of v0.2: nothing that v0.2 does not know may be written then. ``words``
    are the caller's, for the start.
    """

    run_id: str
    clock: Callable[[], str]
    used_tool_call_ids: Set[str]
    log: FindingLog
    state: KeptState
    ids: dict[str, Any]
    says_new: bool = True
    words: StreamWords = StreamWords()


class StreamWriter:
    """Write the start of a stream, and what stands beside its parts; ``out`` holds the deltas.

    ``state`` is what the provider wants back with them. Part positions (``part``, ``chars``)
    follow the assembler's rule: text, or thinking, joins the last part if that is of its kind and
    nothing has ended it. ``collect`` is called before a part is ended, for what is to be kept with
    it.
    """

    def __init__(self, stream: StreamInit) -> None:
        self.out: list[MessageDelta] = []
        self.says_new = stream.says_new
        self.state = stream.state
        self.collect: Callable[[], None] | None = None
        self.model_id = ""
        self.request_id = ""
        self.ended = False
        self.kind: TextKind | None = None  # None after a call and before all
        self.part = -1  # index of the part that is being written
        self.chars = 0  # of text in it
        self.wrote: set[str] = set()  # kinds of parts
        self._run_id = stream.run_id
        self._clock = stream.clock
        self._time: str | None = None  # of the delta that comes next, where it is settled
        self._log = stream.log
        # Ids that are not there cost nothing.
        ids = stream.ids
        self._deltas: dict[type[MessageDelta], Callable[..., MessageDelta]] = {
            kind: partial(kind, **ids) if ids else kind for kind in _KINDS
        }
        self._seq = 0
        self._usage: UsageSummary | None = None
        self._usage_due = False
        self._words = stream.words
        self._warned: set[WarningDeltaPayload] = set()
        self._to_warn: list[WarningDeltaPayload] = []  # once the stream has started

    def identify(self, model_id: object, request_id: object) -> bool:
        """Take the stream's names as far as they are given; start once both are known."""
        if isinstance(model_id, str) and model_id and not self.model_id:
            self.model_id = as_name(model_id)
        if isinstance(request_id, str) and request_id and not self.request_id:
            self.request_id = as_name(request_id)
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
            said = TextFormat(name=as_name(name) or UNSET)
            self._words = self._words._replace(format=said)

    # --- usage, warnings, state ------------------------------------------------------------------

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

    def read_warnings(self, holder: dict[str, Any], place: str, code: str = "code") -> None:
        """Write the ``warnings`` of an event, or of what it holds at ``place``.

        ``code`` is the member that says the code where none is called so.
        """
        given = holder.get("warnings")
        if given is None or not self.says_new:
            return
        if type(given) is not list:
            self._log.invalid(f"{place}/warnings", "an array", given)
            return
        for number, each in enumerate(given):
            if isinstance(each, str):
                self.warn(None, each)
            elif isinstance(each, dict):
                names = (code if each.get("code") is None else "code", "message", "place")
                for name in names:
                    self._log.string(each.get(name), f"{place}/warnings/{number}/{name}")
                self.warn(*map(each.get, names))
            else:
                self._log.invalid(f"{place}/warnings/{number}", "an object or text", each)

    def keep(self, kind: str, data: Any, start: int | None = None) -> None:
        """Keep provider state that belongs to this place.

        ``start`` is the character of the current part from which on it belongs; without it, the
        item stands between what has been written and what comes next.
        """
        inside = start is not None or self.kind is not None
        part, at = (self.part, self.chars) if inside else (self.part + 1, 0)
        self.state.keep(OpaqueItem(kind, data, part, at if start is None else start, at))

    def _add(self, kind: type[MessageDelta], payload: object) -> None:
        seq, now = self._seq, self._time or self._clock()
        self._seq, self._time = seq + 1, None
        delta = self._deltas[kind]
        self.out.append(delta(run_id=self._run_id, seq=seq, payload=payload, timestamp=now))


def as_name(text: str | None) -> str:
    """Return a name as deltas have it: no longer than the assembler takes."""
    return well_formed(text)[:MAX_ID_CHARS] if text else ""
