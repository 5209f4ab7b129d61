"""What a delta has to be in itself and in its place, and the words of each refusal."""

from __future__ import annotations

from collections.abc import Container, Mapping
from math import inf
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec import UNSET

from ...contract.current import message as current
from ...contract.older import is_older, moved
from ...contract.times import is_timestamp
from ...contract.versions import struct_wanted
from ...errors import Finding, StreamProtocolError, clip
from ...reading.tolerant import Unknown
from ...severities import SEVERITIES
from ...tables.stream import DONE, ERROR, IDLE, STARTED, Step

__all__ = [
    "MAX_SEQ",
    "STEPS",
    "Status",
    "call_refusal",
    "check_id",
    "check_name",
    "check_string",
    "check_timestamp",
    "check_unknown",
    "check_usage",
    "invalid_delta",
    "late",
    "limit_exceeded",
    "media_refusal",
    "misplaced",
    "other_id",
    "refusal",
    "step_of",
    "unknown_kind",
    "upgraded",
    "used_id",
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
    if not is_older(made.payload, "message"):
        return made
    payload = moved(made.payload, "message")
    opaque = getattr(payload, "opaque", UNSET)
    if is_older(opaque, "message"):
        payload = msgspec.structs.replace(payload, opaque=moved(opaque, "message"))
    return msgspec.structs.replace(made, payload=payload)


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
_MAX_COUNT: Final = 2**53 - 1
MAX_SEQ: Final = 2**53 - 1

Status = Literal["idle", "started", "done", "error"]
_ANY_OTHER: Final = "*"  # the kind of the table that stands for those of newer versions

STEPS: Final[Mapping[Status, Mapping[str, Step]]] = {
    "idle": IDLE,
    "started": STARTED,
    "done": DONE,
    "error": ERROR,
}
"""The stream's table: by status and kind the status that follows, or the rule that is broken."""

# What is said of a step that is not a status.
_MISPLACED: Final[Mapping[Step, tuple[str, str]]] = {
    "stream/start-expected": ("The stream has not started", "start"),
    "stream/duplicate-start": ("The stream has started already", "any kind but start"),
    "stream/after-terminal": ("The stream has ended with {}", "no more deltas"),
}


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
    """Refuse what is not a string."""
    if type(value) is not str:
        raise invalid_delta(pointer, "a string", value, seq)


def check_name(pointer: str, value: Any, seq: int) -> None:
    """Refuse what is not a non-empty string of well-formed Unicode."""
    if type(value) is not str or not value or not (value.isascii() or _is_unicode(value)):
        raise invalid_delta(pointer, "a non-empty string of well-formed Unicode", value, seq)


def check_id(pointer: str, value: Any, seq: int, most: int) -> None:
    """Refuse what is not an id: a name of at most ``most`` code points."""
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
        is_text = isinstance(delta, (str, bytes, bytearray, memoryview))
        way = "; LineAssembler takes JSON Lines" if is_text else ""
        raise invalid_delta("", f"a message delta: a struct, a model or a JSON object{way}", delta)
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


def step_of(status: Status, kind: str, seq: int) -> Status:
    """Return the status that a delta of this kind leads to; refuse one that may not come here."""
    row: Mapping[str, Any] = STEPS[status]
    step = row.get(kind) or row[_ANY_OTHER]
    if step in _MISPLACED:
        raise misplaced(step, status, kind, seq)
    following: Status = step
    return following


def misplaced(rule: Step, status: str, kind: str, seq: int | None) -> StreamProtocolError:
    """Return the error for a delta of a kind that may not come in this status."""
    message, expected = _MISPLACED[rule]
    message = message.format(status)
    return refusal(rule, message, seq, pointer="/kind", expected=expected, actual=clip(kind))


def other_id(what: str, given: Any, expected: Any, seq: int) -> StreamProtocolError:
    """Return the error for a delta of another run, message or turn."""
    return refusal(
        f"stream/{what}-id-mismatch",
        f"The delta belongs to another {what}",
        seq,
        pointer=f"/{what}Id",
        expected="none, as in the start delta" if expected is UNSET else clip(expected),
        actual=clip(given),
    )


def late(seq: int, last: int) -> StreamProtocolError:
    """Return the error for a delta whose seq is not greater than the last one's."""
    return refusal(
        "stream/seq-not-increasing",
        "seq does not increase",
        seq,
        pointer="/seq",
        expected=f"more than {last}",
        actual=str(seq),
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


def media_refusal(media_id: str, closed_seq: int | None, seq: int) -> StreamProtocolError:
    """Return the error for media that is not open; ``closed_seq`` says when it ended."""
    known = closed_seq is not None
    return refusal(
        "stream/media-closed" if known else "stream/unknown-media",
        "The media has ended already" if known else "The media was never started",
        seq,
        pointer="/payload/mediaId",
        expected="open media",
        actual=clip(media_id) + (f" (ended by seq {closed_seq})" if known else ""),
    )


_USED: Final[Mapping[str, str]] = {
    "stream/duplicate-tool-call": "The tool call id has been used already",
    "stream/duplicate-tool-result": "The tool call has its result already",
    "stream/duplicate-approval": "The approval id has been used already",
    "stream/duplicate-media": "The media id has been used already",
}


def used_id(rule: str, member: str, value: str, seq: int) -> StreamProtocolError:
    """Return the error for an id that has been used."""
    return refusal(
        rule,
        _USED[rule],
        seq,
        pointer=f"/payload/{member}",
        expected="an id that has not been used",
        actual=clip(value),
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
