"""What a delta has to be in itself and in its place, and the words of each refusal."""

from __future__ import annotations

from collections.abc import Container
from math import inf
from typing import Any, Final, NamedTuple, get_args

import msgspec
from msgspec import UNSET

from ...contract.current import message as current
from ...contract.older import is_older, moved
from ...contract.times import is_timestamp
from ...contract.versions import struct_wanted
from ...errors import Finding, StreamProtocolError, clip
from ...reading.pipeline import Unknown
from ...severities import SEVERITIES

__all__ = [
    "MAX_SEQ",
    "Head",
    "call_refusal",
    "check_head",
    "check_id",
    "check_name",
    "check_string",
    "check_timestamp",
    "check_unknown",
    "check_usage",
    "head_of",
    "invalid_delta",
    "limit_exceeded",
    "refusal",
    "unknown_kind",
    "upgraded",
]


# --- older versions -------------------------------------------------------------------------------

_DELTAS: Final = frozenset(kind.__name__ for kind in get_args(current.MessageDelta))


def upgraded(delta: Any) -> Any:
    """Return a struct of an older version as this version's; anything else as it is.

    Every version's deltas are deltas of the next one. Members are taken over as they are: what
    is wrong with one made in Python is found where it is consumed.
    """
    if not (is_older(delta, "message") and type(delta).__name__ in _DELTAS):
        return delta
    made = moved(delta, "message")
    if is_older(made.payload, "message"):
        return msgspec.structs.replace(made, payload=moved(made.payload, "message"))
    return made


# --- checks ---------------------------------------------------------------------------------------

_COUNTS: Final = (
    ("inputTokens", "input_tokens"),
    ("outputTokens", "output_tokens"),
    ("totalTokens", "total_tokens"),
)
_PARTS_OF_COUNTS: Final = (
    ("reasoningTokens", "reasoning_tokens"),
    ("cacheReadTokens", "cache_read_tokens"),
    ("cacheWriteTokens", "cache_write_tokens"),
)
_IDS: Final = ("messageId", "turnId")
_MAX_COUNT: Final = 2**53 - 1
MAX_SEQ: Final = 2**53 - 1


def refusal(
    rule: str,
    message: str,
    seq: int | None = None,
    *,
    pointer: str = "",
    expected: str | None = None,
    actual: str | None = None,
) -> StreamProtocolError:
    """Return the error; ``pointer`` points into the delta."""
    finding = Finding(rule, message, pointer, expected=expected, actual=actual)
    return StreamProtocolError(finding, seq=seq)


def limit_exceeded(name: str, most: int, seq: int, pointer: str = "") -> StreamProtocolError:
    """Return the error for a delta that would pass the limit ``name``."""
    return refusal(
        "stream/limit-exceeded",
        f"The limit {name} is passed",
        seq,
        pointer=pointer,
        expected=f"at most {most} ({name})",
        actual="more",
    )


def invalid_delta(pointer: str, expected: str, value: Any, seq: Any = None) -> StreamProtocolError:
    """Return the error for a value that no reader would have let pass."""
    return refusal(
        "stream/invalid-delta",
        "Not a delta of the contract",
        seq if type(seq) is int else None,
        pointer=pointer,
        expected=struct_wanted(expected, value),
        actual=clip(value),
    )


def check_string(pointer: str, value: Any, seq: int) -> None:
    """Refuse what is no string."""
    if type(value) is not str:
        raise invalid_delta(pointer, "a string", value, seq)


def check_name(pointer: str, value: Any, seq: int) -> None:
    """Refuse what is no non-empty string of well-formed Unicode."""
    if type(value) is not str or not value or not (value.isascii() or _is_unicode(value)):
        raise invalid_delta(pointer, "a non-empty string of well-formed Unicode", value, seq)


def check_id(pointer: str, value: Any, seq: int, most: int) -> None:
    """Refuse what is no id: a name of at most ``most`` code points."""
    check_name(pointer, value, seq)
    if len(value) > most:
        raise limit_exceeded("id_chars", most, seq, pointer)


def check_timestamp(value: Any, seq: int) -> None:
    """Refuse a timestamp that would make the message invalid."""
    if not is_timestamp(value):
        raise refusal(
            "stream/invalid-timestamp",
            "The timestamp goes into the message and does not have its form",
            seq,
            pointer="/timestamp",
            expected="RFC 3339 with a zone, such as 2026-01-02T03:04:05Z",
            actual=clip(value),
        )


def check_usage(usage: Any, seq: int) -> None:
    """Refuse figures that would make the message invalid."""
    for wire, name in _COUNTS + _PARTS_OF_COUNTS:
        value = getattr(usage, name)
        if value is UNSET and (wire, name) in _PARTS_OF_COUNTS:
            continue
        if type(value) is not int or not 0 <= value <= _MAX_COUNT:
            raise invalid_delta(f"/payload/{wire}", "a count of tokens", value, seq)
    cost = usage.cost
    if cost is not UNSET and not (type(cost) in (int, float) and 0 <= cost < inf):
        raise invalid_delta("/payload/cost", "a finite number of at least 0", cost, seq)


def check_unknown(delta: Any, known: Container[str]) -> Any:
    """Return the ``seq`` of a delta of an unknown kind; refuse what is not even that.

    Tolerant reading lets nothing else through; what is made in Python may be anything.
    """
    if type(delta) is not Unknown:
        raise invalid_delta("", "a message delta", delta)
    tag, document = delta.tag, delta.document
    if type(document) is not dict:
        raise invalid_delta("", "an object", document)
    seq = document.get("seq")
    if type(seq) is float and seq.is_integer():
        seq = int(seq)  # 7.0 is an integer; of known kinds, reading has made it one
    if type(tag) is not str or tag in known:
        raise invalid_delta("/kind", "a kind that this version does not know", tag, seq)
    return seq


def unknown_kind(tag: str) -> Finding:
    """Report that the content of such deltas is passed over."""
    return Finding(
        "stream/unknown-delta-kind",
        "A delta of an unknown kind: its content is ignored",
        "/kind",
        SEVERITIES["stream/unknown-delta-kind"],
        expected="a kind of this version",
        actual=clip(tag),
    )


class Head(NamedTuple):
    """What says whether a delta may come; the last two are falsy where it has none."""

    kind: str
    run_id: Any
    seq: Any
    message_id: Any
    turn_id: Any


def head_of(delta: Any, seq: Any) -> Head:
    """Return the head of a delta struct, or of a checked :class:`Unknown`."""
    if type(delta) is not Unknown:
        return Head(delta.kind, delta.run_id, seq, delta.message_id, delta.turn_id)
    document = delta.document
    return Head(delta.tag, document.get("runId"), seq, *map(document.get, _IDS))


def check_head(head: Head, status: str, expected: Head) -> None:
    """Refuse a delta that may not come here, whatever it says.

    ``expected`` is the head of the last delta that was taken, with the ids of the stream; its
    run id is None where any will do.
    """
    seq = head.seq
    if type(seq) is not int or not 0 <= seq <= MAX_SEQ:
        raise invalid_delta("/seq", "an integer from 0 to 2^53 - 1", seq)
    _check_order(status, head.kind, seq)
    if expected.run_id is not None and head.run_id != expected.run_id:
        raise refusal(
            "stream/run-id-mismatch",
            "The delta belongs to another run",
            seq,
            pointer="/runId",
            expected=clip(expected.run_id),
            actual=clip(head.run_id),
        )
    if status == "started":
        _check_same("message", head.message_id, expected.message_id, seq)
        _check_same("turn", head.turn_id, expected.turn_id, seq)
    if seq <= expected.seq:
        raise refusal(
            "stream/seq-not-increasing",
            "seq does not increase",
            seq,
            pointer="/seq",
            expected=f"more than {expected.seq}",
            actual=str(seq),
        )


def _check_same(what: str, given: Any, expected: Any, seq: int) -> None:
    """Refuse an id that is not the start delta's; a delta need not repeat it."""
    if given and given != expected:
        raise refusal(
            f"stream/{what}-id-mismatch",
            f"The delta belongs to another {what}",
            seq,
            pointer=f"/{what}Id",
            expected="none, as in the start delta" if expected is UNSET else clip(expected),
            actual=clip(given),
        )


def _check_order(status: str, tag: str, seq: int) -> None:
    """Refuse a delta kind that the status does not allow."""
    if status in ("done", "error"):
        raise refusal(
            "stream/after-terminal",
            f"The stream has ended with {status}",
            seq,
            pointer="/kind",
            expected="no more deltas",
            actual=tag,
        )
    if status == "idle" and tag != "start":
        raise refusal(
            "stream/start-expected",
            "The stream has not started",
            seq,
            pointer="/kind",
            expected="start",
            actual=clip(tag),
        )
    if status == "started" and tag == "start":
        raise refusal(
            "stream/duplicate-start",
            "The stream has started already",
            seq,
            pointer="/kind",
            expected="any kind but start",
            actual="start",
        )


def call_refusal(call_id: Any, closed_seq: int | None, open_ids: list[str], seq: int) -> Exception:
    """Return the error for a call that is not open; ``closed_seq`` says when it was closed."""
    known = closed_seq is not None
    return refusal(
        "stream/tool-call-closed" if known else "stream/unknown-tool-call",
        "The tool call is closed already" if known else "The tool call was never started",
        seq,
        pointer="/payload/toolCallId",
        expected=f"an open tool call: {clip(open_ids[0])}" if open_ids else "an open tool call",
        actual=clip(call_id) + (f" (closed by seq {closed_seq})" if known else ""),
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
