"""Server-sent events: the standard's rules, the same result at every cut, real failures by id.

Ids such as SSE-10 name entries of the failure catalogue.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.providers.framing import JSONLinesDecoder, SSEDecoder, SSEEvent, decode_value
from tests.reference.framing_reference import (
    assert_every_cut_agrees,
    by_bytes,
    cut_at,
    outcome,
    sse_reference,
)


def events_of(data: bytes) -> list[SSEEvent]:
    decoder = SSEDecoder()
    return decoder.feed(data) + decoder.close()


def texts_of(data: bytes) -> list[str]:
    return [event.data for event in events_of(data)]


def two_pieces(data: bytes) -> Iterable[list[bytes]]:
    return (cut_at(data, [place]) for place in range(len(data) + 1))


# --- the standard, rule by rule ------------------------------------------------------------------

RULES: dict[str, tuple[bytes, list[str]]] = {
    "one event": (b"data: a\n\n", ["a"]),
    "SSE-14 CRLF": (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
    "CR": (b"data: a\r\rdata: b\r\r", ["a", "b"]),
    "mixed line ends": (b"data: a\r\n\ndata: b\n\rdata: c\r\r\n", ["a", "b", "c"]),
    "SSE-15 leading BOM": (b"\xef\xbb\xbfdata: a\n\ndata: b\n\n", ["a", "b"]),
    "SSE-15 second BOM is data": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", ["b"]),
    "SSE-15 later BOM is data": (b"data: \xef\xbb\xbfa\n\n", ["\ufeffa"]),
    "SSE-16 no space": (b"data:a\n\n", ["a"]),
    "SSE-16 no space, named": (b"event:x\ndata:a\n\n", ["a"]),
    "one space goes, others stay": (b"data:  a \n\n", [" a "]),
    "a tab is data": (b"data:\ta\n\n", ["\ta"]),
    "several lines": (b"data: a\ndata:\ndata: b\n\n", ["a\n\nb"]),
    "several lines, named": (b"event: x\ndata: a\ndata: b\n\n", ["a\nb"]),
    "a field behind the data": (b"event: x\ndata: a\nid: 1\n\ndata: b\n\n", ["a", "b"]),
    "empty data line": (b"data:\n\n", [""]),
    "field without colon": (b"data\n\n", [""]),
    "two empty data lines": (b"data\ndata\n\n", ["\n"]),
    "no data, no event": (b"event: a\n\nid: 1\n\nretry: 1\n\n\n\n", []),
    "comments": (b": a\n\n:\ndata: b\n: c\n\n", ["b"]),
    "SSE-09 keep-alive": (b": keepalive\n\n: keepalive\n\ndata: hi\n\n: keepalive\n\n", ["hi"]),
    "unknown fields": (b"foo: 1\ndata: a\nfoo\nDATA: x\n data: x\n\n", ["a"]),
    "colon in the value": (b'data: {"a":1}\n\n', ['{"a":1}']),
    "SSE-10 four bytes": ("data: 你好🌍\n\n".encode(), ["你好🌍"]),
    "SSE-11 other line ends": (
        "data: a\u2028b\u2029c\u0085d\ve\ff\x1cg\n\n".encode(),
        ["a\u2028b\u2029c\u0085d\ve\ff\x1cg"],
    ),
    "SSE-18 escaped CR": (b'data: {"t":"one\\revent: steal"}\n\n', ['{"t":"one\\revent: steal"}']),
    "SSE-18 bare CR ends the line": (b"data: one\revent: steal\n\n", ["one"]),
    "NUL": (b"data: a\0b\n\n", ["a\0b"]),
    "surrogate halves as escapes": (b'data: "\\ud83c\\udf0d"\n\n', ['"\\ud83c\\udf0d"']),
    "SSE-01 cut in the data": (b"data: a\n\ndata: b", ["a", "b"]),
    "SSE-02 cut in the last frame": (b'event: stop\ndata: {"type":"m', ['{"type":"m']),
    "SSE-10 cut in a character": ("data: a🌍".encode()[:-1], ["a"]),
    "cut in a field name": (b"data: a\n\nda", ["a"]),
    "cut before the colon": (b"data: a\n\ndata", ["a"]),
    "cut after the colon": (b"data: a\n\ndata:", ["a", ""]),
    "nothing": (b"", []),
    "half a BOM": (b"\xef\xbb", []),
}


@pytest.mark.parametrize("name", RULES)
def test_rule_at_every_cut(name: str) -> None:
    data, expected = RULES[name]
    assert texts_of(data) == expected
    assert_every_cut_agrees(SSEDecoder, sse_reference(data), data, two_pieces(data))


def test_event_names_the_last_type_given() -> None:
    events = events_of(
        b"event: a\nevent: b\ndata: 1\n\ndata: 2\n\nevent:\ndata: 3\n\nevent: \ndata: 4\n\n"
    )
    assert [event.event for event in events] == ["b", "message", "message", "message"]


def test_a_type_does_not_reach_the_next_event() -> None:
    assert events_of(b"event: a\n\ndata: 1\n\n") == [SSEEvent("message", "1", line=3)]


def test_ids_persist_and_one_with_nul_is_ignored() -> None:
    decoder = SSEDecoder()
    events = decoder.feed(
        b"data: 0\n\nid: 7\ndata: 1\n\ndata: 2\n\nid: 8\0\ndata: 3\n\nid\ndata: 4\n\n"
    )
    assert [event.id for event in events] == ["", "7", "7", "7", ""]
    assert decoder.last_event_id == ""


def test_last_event_id_waits_for_the_end_of_the_event() -> None:
    decoder = SSEDecoder()
    decoder.feed(b"id: 1\n\nid: 2\ndata: x\n")
    assert decoder.last_event_id == "1"  # resuming after 2 would lose its data
    assert decoder.close() == [SSEEvent("message", "x", "2", None, 3, False)]
    assert decoder.last_event_id == "1"


def test_retry_takes_ascii_digits_only() -> None:
    texts = ["5", "05", " 6", "7 ", "-8", "+9", "", "1e3", "٣", "²", "9" * 16, "9" * 5000, "1"]
    data = "".join(f"retry: {text}\ndata: {text[:9]}\n\n" for text in texts).encode()
    given_by = {event.data: event.retry for event in events_of(data) if event.retry is not None}
    assert given_by == {"5": 5, "05": 5, "1": 1}


def test_retry_holds_up_to_the_largest_exact_integer() -> None:
    decoder = SSEDecoder()
    decoder.feed(b"retry: %d\n\n" % (2**53 - 1))
    decoder.feed(b"retry: %d\n\nretry: 0000000000000000000012x\n\n" % 2**53)
    assert decoder.reconnection_ms == 2**53 - 1
    decoder.feed(b"retry: 00000000000000000000120\n\n")
    assert decoder.reconnection_ms == 120


def test_an_event_knows_the_line_it_began_on() -> None:
    data = (
        b": note\n\n\n: note\nevent: a\ndata: 1\n\r\ndata: 2\ndata: 3\r\n\r\nid: 4\r\rdata: 5\r\r"
    )
    assert [(event.data, event.line) for event in events_of(data)] == [
        ("1", 5),
        ("2\n3", 8),
        ("5", 13),
    ]


def test_an_unterminated_event_says_so() -> None:
    events = events_of(b"data: a\n\nevent: b\ndata: c\n")
    assert [event.terminated for event in events] == [True, False]


def test_SSE_09_keep_alives_are_seen_by_a_watchdog() -> None:
    decoder = SSEDecoder()
    counts = []
    for chunk in (b": keepalive\n\n", b"", b": keep", b"alive\n\n"):
        assert decoder.feed(chunk) == []
        counts.append(decoder.lines_read)
    assert counts == [2, 2, 2, 4]


def test_SSE_04_a_frame_without_an_event_line_keeps_its_data() -> None:
    data = b'data: {"type":"error","error":{"type":"rate_limit_error"}}\n\n'
    assert events_of(data) == [SSEEvent("message", data[6:-2].decode())]


# --- laws ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("untraced")
def test_every_short_stream_agrees_with_the_reference() -> None:
    tokens = (b"data", b":", b" ", b"\r", b"\n", b"x")
    for length in range(7):
        for choice in itertools.product(tokens, repeat=length):
            data = b"".join(choice)
            expected = sse_reference(data)
            assert outcome(SSEDecoder(), [data]) == expected, data
            assert outcome(SSEDecoder(), by_bytes(data)) == expected, data


def test_every_pattern_of_line_ends_at_every_cut() -> None:
    for choice in itertools.product((b"\r", b"\n", b"data: b", b": c"), repeat=5):
        data = b"data: a" + b"".join(choice)
        expected = sse_reference(data)
        for chunks in two_pieces(data):
            assert outcome(SSEDecoder(), chunks) == expected, chunks


TOKENS = [
    *[b"data: ", b"data:", b"data", b"event: ", b"event:", b"id: ", b"id", b"retry: ", b"foo: "],
    *[b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b": c", b":", b" ", b"12", b"\0", b"a"],
    *["é\u2028".encode(), "🌍".encode(), b"\xef\xbb\xbf", b'{"a":"b"}', b"\xf0\x9f", b"\xff"],
]
STREAMS = st.lists(st.sampled_from(TOKENS) | st.binary(max_size=4), max_size=40).map(b"".join)
PLACES = st.lists(st.integers(0, 200), max_size=8)


@given(STREAMS, PLACES)
def test_any_cut_of_any_stream_agrees_with_the_reference(data: bytes, places: list[int]) -> None:
    assert_every_cut_agrees(SSEDecoder, sse_reference(data), data, [cut_at(data, places)])


@given(STREAMS, PLACES, st.integers(1, 40))
def test_any_cut_under_any_limit_agrees_with_the_reference(
    data: bytes, places: list[int], limit: int
) -> None:
    expected = sse_reference(data, limit)
    assert_every_cut_agrees(lambda: SSEDecoder(limit), expected, data, [cut_at(data, places)])


@given(st.lists(st.text().filter(lambda text: "\r" not in text)), PLACES)
def test_what_is_written_by_the_rules_comes_back(texts: list[str], places: list[int]) -> None:
    written = ("".join(f"data: {line}\n" for line in text.split("\n")) for text in texts)
    data = "".join(f"{event}\n" for event in written).encode()
    decoder = SSEDecoder()
    events = [event for chunk in cut_at(data, places) for event in decoder.feed(chunk)]
    assert [event.data for event in events] == texts
    assert decoder.close() == []


@given(STREAMS, STREAMS)
def test_trailing_bytes_change_no_event_before_them(data: bytes, more: bytes) -> None:
    before = [event for event in outcome(SSEDecoder(), [data]).events if event[-1]]
    assert outcome(SSEDecoder(), [data + more]).events[: len(before)] == before


# --- recordings ----------------------------------------------------------------------------------


def test_recordings_hold_the_events_beside_them(recordings: Path) -> None:
    files = sorted(recordings.glob("data/**/*.sse"))
    assert files
    for file in files:
        raw = file.read_bytes()
        lines = JSONLinesDecoder().feed(file.with_suffix(".jsonl").read_bytes())
        expected = [decode_value(line.data).value for line in lines]
        whole = sse_reference(raw)
        found = [
            decode_value(str(event[1])).value for event in whole.events if event[1] != "[DONE]"
        ]
        assert found == expected, file.name
        assert_every_cut_agrees(SSEDecoder, whole, raw, [cut_at(raw, range(0, len(raw), 7))])
