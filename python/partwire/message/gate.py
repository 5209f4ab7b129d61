"""A gate before the assembler: repeats, gaps and reordering of a stream that crosses a wire.

The assembler takes whatever increases. Where deltas are replayed, resumed or relayed, the upper
loop lets them pass this gate first: the same delta twice goes on once, deltas beyond a gap wait
until it is filled, and ``resume_from`` says what to ask for.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import structs

from ..contract.current.message import MessageDelta
from ..errors import Finding, bad_argument, clip
from ..reading.tolerant import Unknown
from ..severities import SEVERITIES
from .assembler.checks import invalid_delta, upgraded
from .assembler.lines import unknown_document

if TYPE_CHECKING:
    from ..v0_1.structs.message import MessageDelta as OlderDelta

__all__ = ["DeltaGate", "Gated", "OnGap", "conflicting_repeat", "gap_finding"]

OnGap = Literal["hold", "pass"]

_encode = msgspec.json.Encoder(order="sorted", enc_hook=unknown_document).encode


class Gated(NamedTuple):
    """What one delta brought about."""

    deltas: list[Any]
    """Deltas to pass on, in the order of their seq: often one, or none."""
    findings: list[Finding]
    """``gate/conflicting-repeat`` (error), ``gate/gap`` and ``gate/reordered`` (warnings)."""


class DeltaGate:
    """Let each ``seq`` of one stream pass once, and in order.

    A delta with a seq that has come already is dropped. If its digest is still known, it is
    compared: one that differs (in anything but ``providerRaw``) is a ``gate/conflicting-repeat``,
    and the first one stands. Digests of the last ``window`` deltas are kept; an older repeat is
    dropped without being compared.

    A delta beyond a gap is reported (``gate/gap``, once per gap) and, with ``on_gap="hold"``,
    waits until the gap is filled; then all go on in order, and the late ones are reported
    (``gate/reordered``). At most ``window`` deltas wait: what comes beyond is dropped without
    digest, so that a replay from ``resume_from`` brings it again. :meth:`release` gives up on
    the gap. With ``on_gap="pass"``, for streams whose seqs have gaps by nature, nothing waits,
    and a delta that belongs into a gap passed over is reported (``gate/reordered``) and dropped.

    The first delta begins the stream, unless ``first_seq`` says where it is to begin. The gate
    knows nothing of runs and kinds: that is the assembler's business.
    Source: semantics, ``DeltaGate``.
    """

    __slots__ = ("_digests", "_held", "_next", "_on_gap", "_reported", "_skipped", "_window")

    def __init__(
        self, *, first_seq: int | None = None, window: int = 1024, on_gap: OnGap = "hold"
    ) -> None:
        """Raise UsageError ``usage/invalid-argument`` for arguments out of range."""
        if first_seq is not None and (type(first_seq) is not int or first_seq < 0):
            raise bad_argument("first_seq is wrong", "an integer of at least 0", first_seq)
        if type(window) is not int or window < 1:
            raise bad_argument("window is wrong", "an integer of at least 1", window)
        if on_gap not in ("hold", "pass"):
            raise bad_argument("on_gap is wrong", "hold or pass", on_gap)
        self._next = first_seq
        self._window = window
        self._on_gap = on_gap
        self._held: dict[int, _Held] = {}
        # In the order in which they passed, which is the order of seq.
        self._digests: dict[int, bytes] = {}
        self._skipped: deque[range] = deque(maxlen=window)
        self._reported: int | None = None  # the gap, by its first seq, that has its finding

    @property
    def resume_from(self) -> int | None:
        """The first seq that has not passed: where a replay has to begin; None at the start."""
        return self._next

    @property
    def held(self) -> int:
        """How many deltas wait for a gap to be filled."""
        return len(self._held)

    def accept(self, delta: MessageDelta | OlderDelta | Unknown) -> Gated:
        """Take the next delta from the wire; say which to pass on, and what is to be reported.

        Raises StreamProtocolError ``stream/invalid-delta`` for what is not a delta.
        """
        seq = _seq_of(delta)
        digest = _digest(delta, seq)
        expected = seq if self._next is None else self._next
        if seq < expected:
            return Gated([], self._repeat(seq, delta, digest))
        if seq == expected:
            late = bool(self._held)
            passed = [delta, *self._pass(seq, digest)]
            findings = [_reordered(seq, "passed on, with what waited for it")] if late else []
            return Gated(passed, findings)
        findings = self._gap(expected, seq)
        if self._on_gap == "pass":
            self._skipped.append(range(expected, seq))
            self._pass(seq, digest)
            return Gated([delta], findings)
        if seq in self._held:
            return Gated([], findings + _compare(seq, self._held[seq].digest, delta, digest))
        if len(self._held) < self._window:
            self._held[seq] = _Held(delta, digest)
        return Gated([], findings)

    def release(self) -> list[Any]:
        """Give up on what is missing: return the waiting deltas, in order.

        From now on, the gate expects the seq after the last one; what was missing and comes
        later is reported and dropped.
        """
        released: list[Any] = []
        for seq in sorted(self._held):
            held = self._held[seq]
            if self._next is not None and seq > self._next:
                self._skipped.append(range(self._next, seq))
            self._remember(seq, held.digest)
            released.append(held.delta)
        self._held.clear()
        return released

    def _pass(self, seq: int, digest: bytes) -> list[Any]:
        """Let a delta pass; return those that have waited for it, in order."""
        self._remember(seq, digest)
        followers = []
        while self._held and (follower := self._held.pop(seq + 1, None)) is not None:
            seq += 1
            self._remember(seq, follower.digest)
            followers.append(follower.delta)
        return followers

    def _remember(self, seq: int, digest: bytes) -> None:
        self._next = seq + 1
        self._digests[seq] = digest
        if len(self._digests) > self._window:
            del self._digests[next(iter(self._digests))]

    def _repeat(self, seq: int, delta: Any, digest: bytes) -> list[Finding]:
        known = self._digests.get(seq)
        if known is not None:
            return _compare(seq, known, delta, digest)
        if any(seq in skipped for skipped in self._skipped):
            return [_reordered(seq, "dropped: later deltas have passed")]
        return []

    def _gap(self, expected: int, seq: int) -> list[Finding]:
        if self._reported == expected:
            return []
        self._reported = expected
        return [gap_finding(expected, seq)]


def gap_finding(expected: int, seq: int) -> Finding:
    """Return the warning that ``seq`` came where ``expected``, a lower one, was next."""
    missing = f"{expected}" if seq == expected + 1 else f"{expected} to {seq - 1}"
    return Finding(
        "gate/gap",
        f"seq {missing} has not come",
        "/seq",
        SEVERITIES["gate/gap"],
        expected=str(expected),
        actual=str(seq),
    )


def _seq_of(delta: Any) -> int:
    if type(delta) is Unknown:
        if type(delta.document) is not dict:
            raise invalid_delta("", "an object", delta.document)
        seq = delta.document.get("seq")
    elif isinstance(upgraded(delta), MessageDelta):
        seq = delta.seq
    else:
        raise invalid_delta("", "a message delta", delta)
    if type(seq) is not int or seq < 0:
        raise invalid_delta("/seq", "an integer of at least 0", seq)
    return seq


class _Held(NamedTuple):
    delta: Any
    digest: bytes


def _digest(delta: Any, seq: int) -> bytes:
    """Return the digest of all but ``providerRaw``; refuse what no wire can have brought."""
    if type(delta) is Unknown:
        content = {name: value for name, value in delta.document.items() if name != "providerRaw"}
    else:
        content = structs.replace(delta, provider_raw=msgspec.UNSET)
    try:
        digest: bytes = _blake2b()(_encode(content), digest_size=16).digest()
    except (TypeError, ValueError, BufferError, RecursionError):
        raise invalid_delta("", "a delta that is JSON", delta, seq) from None
    return digest


@cache
def _blake2b() -> Any:
    from hashlib import blake2b  # noqa: PLC0415  # it takes longer than all of this room

    return blake2b


def conflicting_repeat(seq: int, first: Any, delta: Any) -> Finding | None:
    """Return what is wrong with a delta of the same ``seq`` as another; None for a repeat of it."""
    return next(iter(_compare(seq, _digest(first, seq), delta, _digest(delta, seq))), None)


def _compare(seq: int, known: bytes, delta: Any, digest: bytes) -> list[Finding]:
    if known == digest:
        return []
    return [
        Finding(
            "gate/conflicting-repeat",
            f"seq {seq} comes again with other content; the first one stands",
            "/seq",
            expected="the delta that came first",
            actual=f"another one, of kind {clip(_kind_of(delta))}",
        )
    ]


def _kind_of(delta: Any) -> str:
    return str(delta.tag if type(delta) is Unknown else delta.kind)


def _reordered(seq: int, fate: str) -> Finding:
    return Finding(
        "gate/reordered",
        f"seq {seq} comes late; {fate}",
        "/seq",
        SEVERITIES["gate/reordered"],
        expected="deltas in the order of their seq",
        actual=str(seq),
    )
