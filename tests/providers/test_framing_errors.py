"""Framing refuses: sizes, encodings and wrong calls, and what happens to the events before."""

from __future__ import annotations

from typing import Any, Self

import pytest

from partwire.errors import FramingError, UsageError
from partwire.providers.framing import (
    DEFAULT_LIMIT_BYTES,
    JSONLinesDecoder,
    RawLine,
    SSEDecoder,
    SSEEvent,
)
from partwire.providers.framing.feeder import LineFeeder
from tests.reference.framing_reference import by_bytes, outcome

MIB = 1024 * 1024


def refusal(decoder: LineFeeder[Any], *chunks: bytes) -> FramingError:
    try:
        for chunk in chunks:
            decoder.feed(chunk)
        decoder.close()
    except FramingError as error:
        return error
    raise AssertionError("nothing was refused")


# --- sizes ---------------------------------------------------------------------------------------

WITHIN_FIVE = {
    "data": b"data: 12345\n\n",
    "data without a space": b"data:12345\n\n",
    "two lines": b"data: 12\ndata: 34\n\n",
    "characters of several bytes": "data: éé1\n\n".encode(),
    "other lines beside it": b"id: 1\nabcde\n:1234\ndata: 12345\n:1234\n\n",
    "two events": b"data: 12345\n\ndata: 12345\n\n",
    "unterminated": b"data: 12345",
    "behind a BOM": b"\xef\xbb\xbfdata: 12345\r\n\r\n",
}
BEYOND_FIVE = {
    "data": (b"data: 123456\n\n", 1),
    "data without a space": (b"data:123456\n\n", 1),
    "two lines": (b"data: 12\ndata: 345\n\n", 2),
    "many lines": (b"data\n" * 7 + b"\n", 7),
    "characters of several bytes": ("data: ééé\n\n".encode(), 1),
    "a comment": (b"data: 1\n\n:12345\n", 3),
    "a type": (b"event:\n", 1),
    "an unknown field": (b"abcdef\n", 1),
    "unterminated": (b"\r\ndata: 123456", 2),
    "behind a BOM": (b"\xef\xbb\xbfdata: 123456", 1),
    "with bytes that are not UTF-8": (b"data: \xff23456\n\n", 1),
}


@pytest.mark.parametrize("name", WITHIN_FIVE)
def test_an_event_at_the_limit_passes(name: str) -> None:
    data = WITHIN_FIVE[name]
    assert outcome(SSEDecoder(5), [data]).error is None
    assert outcome(SSEDecoder(5), by_bytes(data)) == outcome(SSEDecoder(5), [data])


@pytest.mark.parametrize("name", BEYOND_FIVE)
def test_an_event_beyond_the_limit_is_refused_with_its_line(name: str) -> None:
    data, line = BEYOND_FIVE[name]
    assert outcome(SSEDecoder(5), [data]).error == ("framing/event-too-large", line)
    assert outcome(SSEDecoder(5), by_bytes(data)) == outcome(SSEDecoder(5), [data])


def test_half_a_byte_order_mark_counts_as_a_line() -> None:
    assert outcome(SSEDecoder(1), [b"\xef\xbb"]).error == ("framing/event-too-large", 1)
    assert outcome(JSONLinesDecoder(1), [b"\xef\xbb"]).error == ("framing/line-too-long", 1)


def test_SSE_19_an_event_of_64_MiB_passes_and_one_byte_more_is_refused() -> None:
    piece = b"x" * MIB
    decoder = SSEDecoder()
    assert decoder.feed(b"event: big\ndata: ") == []
    for _ in range(64):
        assert decoder.feed(piece) == []
    (event,) = decoder.feed(b"\n\n")
    assert (event.event, len(event.data)) == ("big", DEFAULT_LIMIT_BYTES)

    assert decoder.feed(b"data: ") == []
    for _ in range(64):
        decoder.feed(piece)
    error = refusal(decoder, b"y")
    assert error.rule == "framing/event-too-large"
    assert error.findings[0].expected == "at most 67108864 bytes"
    assert error.findings[0].line == 4


def test_the_limit_is_counted_before_memory_is_taken() -> None:
    decoder = SSEDecoder(1000)
    for _ in range(10):
        decoder.feed(b"data: " + b"x" * 90 + b"\n")
    held = len(decoder._buffer)
    refusal(decoder, b"data: " + b"x" * MIB)
    assert held + len(decoder._buffer) + len(decoder._more) + len(decoder._data or "") == 0


def test_PRF_03_every_byte_is_handled_a_fixed_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bytes appended and bytes read are counted: a buffer that copies its prefix shows at once."""
    work = {"appended": 0, "read": 0}

    class Counting(bytearray):
        def __iadd__(self, more: Any) -> Self:  # type: ignore[misc]  # __add__ stays as it is
            work["appended"] += len(more)
            return super().__iadd__(more)

    read_block = SSEDecoder._read_block

    def count(decoder: SSEDecoder, block: bytes, events: list[SSEEvent]) -> None:
        work["read"] += len(block)
        read_block(decoder, block, events)

    monkeypatch.setattr(SSEDecoder, "_read_block", count)
    data = (b"data: " + b"x" * 50_000 + b"\n") * 3 + b"\n"
    for size in (1, 1024, len(data)):
        decoder = SSEDecoder()
        decoder._buffer = Counting()
        work.update(appended=0, read=0)
        chunks = [data[i : i + size] for i in range(0, len(data), size)]
        assert len(outcome(decoder, chunks).events) == 1
        assert work["read"] == len(data)
        assert work["appended"] <= len(data)


def test_a_line_at_the_limit_passes_and_one_byte_more_is_refused() -> None:
    good = b"12345\n12345\r\n\xef\xbb\xbf12\r\n12345\r"
    for chunks in ([good], list(by_bytes(good))):
        result = outcome(JSONLinesDecoder(5), chunks)
        assert (len(result.events), result.error) == (4, None)
    for bad in (b"1\n123456\n", b"1\n123456", b"1\r\n12345\r\r\n", b"\n      \n"):
        for chunks in ([bad], list(by_bytes(bad))):
            assert outcome(JSONLinesDecoder(5), chunks).error == ("framing/line-too-long", 2)


def test_a_line_of_64_MiB_passes_and_one_byte_more_is_refused() -> None:
    decoder = JSONLinesDecoder()
    piece = b"1" * MIB
    for _ in range(64):
        decoder.feed(piece)
    (line,) = decoder.feed(b"\n")
    assert len(line.data) == DEFAULT_LIMIT_BYTES
    for _ in range(64):
        decoder.feed(piece)
    assert refusal(decoder, b"1").findings[0].expected == "at most 67108864 bytes"


# --- encoding ------------------------------------------------------------------------------------

NOT_UTF8 = {
    "a byte that never occurs": (b"data: a\xff\n\n", 1, 7, "0xff"),
    "a lone continuation": (b"\r\ndata: \x80\n\n", 2, 8, "0x80"),
    "an overlong form": (b"data: \xc0\xaf\n\n", 1, 6, "0xc0"),
    "an encoded surrogate": (b"data: \xed\xa0\xbd\n\n", 1, 6, "0xed"),
    "beyond Unicode": (b"data: \xf4\x90\x80\x80\n\n", 1, 6, "0xf4"),
    "a character cut by a line end": (b"data: \xe4\xbd\n\n", 1, 6, "0xe4"),
    "in a comment": (b": \xe9\n\n", 1, 2, "0xe9"),
    "in an unknown field": (b"data: a\r\r\n\xe9\n\n", 3, 10, "0xe9"),
    "in an unterminated line": (b"data: a\n\ndata: \xff", 3, 15, "0xff"),
    "behind a BOM": (b"\xef\xbb\xbf\n\xff\n", 2, 4, "0xff"),
    "UTF-16": (b"\xff\xfed\0a\0\n\0", 1, 0, "0xff"),
}


@pytest.mark.parametrize("name", NOT_UTF8)
def test_SSE_10_other_bytes_than_utf8_are_named_by_line_and_offset(name: str) -> None:
    data, line, offset, byte = NOT_UTF8[name]
    for chunks in ([data], list(by_bytes(data))):
        finding = refusal(SSEDecoder(), *chunks).findings[0]
        assert (finding.rule, finding.line, finding.actual) == ("framing/invalid-utf8", line, byte)
        assert f"Byte {offset} " in finding.message


# --- what an error does to the rest --------------------------------------------------------------


def test_events_before_an_error_in_the_same_chunk_are_returned_first() -> None:
    decoder = SSEDecoder()
    assert SSEDecoder().error is None
    assert [event.data for event in decoder.feed(b"data: a\n\ndata: \xff\n\ndata: b\n\n")] == ["a"]
    assert decoder.error is not None
    first = refusal(decoder, b"data: c\n\n")
    assert first.findings == decoder.error.findings
    assert refusal(decoder).findings == first.findings  # close raises it as well
    assert refusal(decoder, b"").findings == first.findings


def test_lines_before_an_error_in_the_same_chunk_are_returned_first() -> None:
    decoder = JSONLinesDecoder(3)
    assert decoder.feed(b"1\n22\n4444\n5\n") == [RawLine(b"1", 1), RawLine(b"22", 2)]
    assert refusal(decoder).findings[0].line == 3


def test_an_error_with_nothing_before_it_is_raised_at_once() -> None:
    decoder = SSEDecoder()
    with pytest.raises(FramingError):
        decoder.feed(b"data: \xff\n\n")
    with pytest.raises(FramingError):
        decoder.close()


def test_an_error_at_the_end_stays() -> None:
    decoder = SSEDecoder()
    decoder.feed(b"data: \xff")
    findings = refusal(decoder).findings
    assert refusal(decoder).findings == findings
    assert refusal(decoder, b"x").findings == findings


# --- wrong calls ---------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [SSEDecoder, JSONLinesDecoder])
@pytest.mark.parametrize("limit", [0, -1, 1.5, "1", True, None])
def test_a_limit_is_a_positive_integer(make: Any, limit: Any) -> None:
    with pytest.raises(UsageError) as caught:
        make(limit)
    assert caught.value.rule == "usage/invalid-argument"


@pytest.mark.parametrize("make", [SSEDecoder, JSONLinesDecoder])
def test_a_refused_call_changes_nothing(make: Any) -> None:
    decoder = make()
    decoder.feed(b"data: 1")
    wrong: list[Any] = ["data: x\n\n", None, 5, [1]]
    for chunk in wrong:
        with pytest.raises(UsageError, match="feed takes bytes"):
            decoder.feed(chunk)
    assert [event.terminated for event in decoder.close()] == [False]
    assert decoder.close() == []
    with pytest.raises(UsageError, match="after close"):
        decoder.feed(b"\n")


@pytest.mark.parametrize("make", [SSEDecoder, JSONLinesDecoder])
def test_a_closed_decoder_holds_no_bytes(make: Any) -> None:
    decoder = make()
    decoder.feed(b"data: " + b"x" * MIB)
    assert len(decoder.close()) == 1
    assert len(decoder._buffer) == 0
    assert len(getattr(decoder, "_data", None) or "") == 0


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_buffers_are_bytes_too_and_are_not_kept(kind: Any) -> None:
    source = bytearray(b"data: a\n\ndata: b")
    decoder = SSEDecoder()
    events = decoder.feed(kind(source))
    source[:] = b"-" * len(source)
    assert [event.data for event in events + decoder.close()] == ["a", "b"]
