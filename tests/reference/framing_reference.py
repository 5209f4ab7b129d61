"""What the framing decoders have to do, written a second time: slow, plain, whole input at once."""

from __future__ import annotations

import binascii
import codecs
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from partwire.errors import FramingError

UNLIMITED = 1 << 60


class Outcome(NamedTuple):
    """Everything that a stream came to: its events, and the rule and line of the error if any."""

    events: list[tuple[Any, ...]]
    error: tuple[str, int | None] | None = None
    last_event_id: str = ""
    reconnection_ms: int | None = None


class Decoder(Protocol):
    def feed(self, chunk: bytes) -> list[Any]: ...
    def close(self) -> list[Any]: ...


def outcome(decoder: Decoder, chunks: Iterable[bytes]) -> Outcome:
    """Feed ``chunks``, then close; the events and the error as data."""
    events: list[tuple[Any, ...]] = []
    error = None
    try:
        for chunk in chunks:
            events += map(tuple, decoder.feed(chunk))
        events += map(tuple, decoder.close())
    except FramingError as refusal:
        error = (refusal.findings[0].rule, refusal.findings[0].line)
    return Outcome(
        events,
        error,
        getattr(decoder, "last_event_id", ""),
        getattr(decoder, "reconnection_ms", None),
    )


def by_bytes(data: bytes) -> Iterator[bytes]:
    """Cut ``data`` into single bytes."""
    return (data[i : i + 1] for i in range(len(data)))


def cut_at(data: bytes, places: Iterable[int]) -> list[bytes]:
    """Cut ``data`` at ``places``, in any order; equal ones make empty pieces."""
    bounds = [0, *sorted(min(place, len(data)) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(bounds)]


class _Stop(Exception):
    def __init__(self, rule: str) -> None:
        self.rule = rule


class _Reference:
    """The state of the standard's algorithm, and one method per step."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.events: list[tuple[Any, ...]] = []
        self.id = self.last_id = ""
        self.reconnection: int | None = None
        self.clear()

    def clear(self) -> None:
        self.name = ""
        self.values: list[str] = []
        self.retry: int | None = None
        self.first = 0

    def size_with(self, line: bytes) -> int:
        if not re.match(rb"data(:|$)", line):
            return len(line)
        value = re.sub(rb"\Adata:? ?", b"", line)
        return len("\n".join(self.values).encode()) + bool(self.values) + len(value)

    def decoded(self, raw: bytes, whole: bool) -> str:
        if self.size_with(raw) > self.limit:
            raise _Stop("framing/event-too-large")
        try:
            return codecs.getincrementaldecoder("utf-8")().decode(raw, final=whole)
        except UnicodeDecodeError:
            raise _Stop("framing/invalid-utf8") from None

    def end_event(self, terminated: bool) -> None:
        if self.values:
            name, data = self.name or "message", "\n".join(self.values)
            self.events.append((name, data, self.id, self.retry, self.first, terminated))
        self.clear()

    def take(self, line: str, number: int) -> None:
        if line == "":
            self.last_id = self.id
            self.end_event(True)
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field:
            self.first = self.first or number
        if field == "data":
            self.values.append(value)
        elif field == "event":
            self.name = value
        elif field == "id" and "\0" not in value:
            self.id = value
        elif field == "retry" and re.fullmatch("[0-9]+", value):
            digits = value.lstrip("0") or "0"
            if len(digits) < 17 and int(digits) < 2**53:
                self.retry = self.reconnection = int(digits)


def sse_reference(data: bytes, limit: int = UNLIMITED) -> Outcome:
    """The steps of the HTML standard, one field after the other, with this project's errors."""
    *lines, rest = re.split(rb"\r\n|\r|\n", data.removeprefix(codecs.BOM_UTF8))
    state = _Reference(limit)
    error = None
    number = 0
    try:
        for number, raw in enumerate(lines, 1):
            state.take(state.decoded(raw, whole=True), number)
        number = len(lines) + 1
        if rest not in (b"d", b"da", b"dat", b"data"):
            line = state.decoded(rest, whole=False)
            if ":" in line:
                state.take(line, number)
        state.end_event(False)
    except _Stop as stop:
        error = (stop.rule, number)
    return Outcome(state.events, error, state.last_id, state.reconnection)


def jsonlines_reference(data: bytes, limit: int = UNLIMITED) -> Outcome:
    """Split at LF, drop one CR before it, pass over blank lines."""
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    events: list[tuple[Any, ...]] = []
    for number, raw in enumerate(lines, 1):
        line = raw.removesuffix(b"\r")
        if len(line) > limit:
            return Outcome(events, ("framing/line-too-long", number))
        if line.strip(b" \t\r"):
            events.append((line, number, number < len(lines)))
    return Outcome(events)


class Frames(NamedTuple):
    """What a stream of frames came to; an error is its rule and the offset of its frame."""

    messages: list[tuple[Any, ...]]
    error: tuple[str, int] | None = None


_FIXED_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}


def _header(raw: bytes) -> tuple[str, Any, bytes]:
    """Read one header; return name, value and the rest."""
    length = raw[0]
    if len(raw) <= length:
        raise IndexError
    name, kind = raw[1 : 1 + length].decode(), raw[1 + length]
    rest = raw[2 + length :]
    size = _FIXED_SIZES.get(kind)
    if kind in (6, 7):
        size, rest = rest[0] * 256 + rest[1], rest[2:]
    if size is None or len(rest) < size:
        raise IndexError
    data, rest = rest[:size], rest[size:]
    if kind in (0, 1):
        return name, not kind, rest
    if kind in (2, 3, 4, 5, 8):
        return name, int.from_bytes(data, "big", signed=True), rest
    return name, data.decode() if kind == 7 else data, rest


def _headers(raw: bytes) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    while raw:
        name, value, raw = _header(raw)
        if name in headers:
            raise IndexError
        headers[name] = value
    return headers


def eventstream_reference(data: bytes, limit: int = UNLIMITED) -> Frames:
    """Frame by frame from the front: lengths, checksums, headers."""
    messages: list[tuple[Any, ...]] = []
    at = 0
    while at < len(data):
        rest = data[at:]
        if len(rest) < 12:
            return Frames([*messages, ({}, b"", at, False)])
        size, length, checksum = (int.from_bytes(rest[i : i + 4], "big") for i in (0, 4, 8))
        if binascii.crc32(rest[:8]) != checksum:
            return Frames(messages, ("framing/checksum-mismatch", at))
        if length > 128 * 1024 or size < 16 + length:
            return Frames(messages, ("framing/invalid-frame", at))
        if size > limit:
            return Frames(messages, ("framing/event-too-large", at))
        if len(rest) < size:
            return Frames([*messages, ({}, b"", at, False)])
        if binascii.crc32(rest[: size - 4]) != int.from_bytes(rest[size - 4 : size], "big"):
            return Frames(messages, ("framing/checksum-mismatch", at))
        try:
            headers = _headers(rest[12 : 12 + length])
        except UnicodeDecodeError:
            return Frames(messages, ("framing/invalid-utf8", at))
        except IndexError:
            return Frames(messages, ("framing/invalid-frame", at))
        messages.append((headers, rest[12 + length : size - 4], at, True))
        at += size
    return Frames(messages)


def frames(decoder: Decoder, chunks: Iterable[bytes]) -> Frames:
    """Feed ``chunks``, then close; the messages and the error as data."""
    messages: list[tuple[Any, ...]] = []
    try:
        for chunk in chunks:
            messages += map(tuple, decoder.feed(chunk))
        messages += map(tuple, decoder.close())
    except FramingError as refusal:
        found = refusal.findings[0]
        named = re.search(r"byte (\d+)", found.message, re.IGNORECASE)
        assert named is not None, found
        return Frames(messages, (found.rule, int(named.group(1))))
    return Frames(messages)


def assert_every_cut_agrees(
    make: Callable[[], Decoder], expected: Outcome, data: bytes, cuts: Iterable[list[bytes]]
) -> None:
    """Whole, byte by byte and in every one of ``cuts``: always ``expected``."""
    assert outcome(make(), [data]) == expected
    assert outcome(make(), by_bytes(data)) == expected
    for chunks in cuts:
        assert outcome(make(), chunks) == expected, chunks
