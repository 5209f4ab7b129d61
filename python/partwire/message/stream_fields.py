"""What is known of one stream, and the counting of what has come of it.

Limits count UTF-8 bytes, too slow to do for every piece. Short pieces are bounded instead, by
their number (``_mark`` ends a window of seqs) or by the bytes of their batch, and ``_settle``
counts them now and then. A text with less than ``SLACK`` bytes left is ``exact``: counted piece
by piece.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from ..errors import Finding
from ..v0_2.structs.message import ErrorDeltaPayload, UsageSummary
from .delta_checks import limit_exceeded
from .limits import Limits
from .slots import CallSlot, Slot, TextSlot
from .snapshot import StreamStart
from .text_buffer import utf8_length

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
]

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
