"""JSON Lines: lines and numbers at every cut, and the values of lines with findings."""

from __future__ import annotations

import itertools
import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partwire.errors import FramingError
from partwire.providers.framing import JSONLinesDecoder, RawLine, decode_value
from partwire.providers.framing.jsonlines import LineBlock, LineBlockDecoder
from tests.reference.framing_reference import (
    assert_every_cut_agrees,
    by_bytes,
    cut_at,
    jsonlines_reference,
    outcome,
)


def lines_of(data: bytes) -> list[RawLine]:
    decoder = JSONLinesDecoder()
    return decoder.feed(data) + decoder.close()


RULES: dict[str, tuple[bytes, list[RawLine]]] = {
    "LF": (b"1\n2\n", [RawLine(b"1", 1), RawLine(b"2", 2)]),
    "CRLF": (b"1\r\n2\r\n", [RawLine(b"1", 1), RawLine(b"2", 2)]),
    "CR is white space": (b"[1,\r2]\n", [RawLine(b"[1,\r2]", 1)]),
    "no end of the last line": (b"1\n2", [RawLine(b"1", 1), RawLine(b"2", 2, False)]),
    "half an end of the last line": (b"1\r", [RawLine(b"1", 1, False)]),
    "blank lines count": (b"\n \t\n\r\n1\n\n", [RawLine(b"1", 4)]),
    "blank by a tab": (b"1\n\t\n2\n", [RawLine(b"1", 1), RawLine(b"2", 3)]),
    "blank at the end": (b"1\n \t\r", [RawLine(b"1", 1)]),
    "leading spaces stay": (b" 1\n\t2 \n", [RawLine(b" 1", 1), RawLine(b"\t2 ", 2)]),
    "SSE-12 U+2028 is data": (
        '"a\u2028b\u0085"\n'.encode(),
        [RawLine('"a\u2028b\u0085"'.encode(), 1)],
    ),
    "VT is not blank": (b"\v\n", [RawLine(b"\v", 1)]),
    "SSE-15 BOM": (b"\xef\xbb\xbf1\n", [RawLine(b"1", 1)]),
    "SSE-15 later BOM": (b"1\n\xef\xbb\xbf2\n", [RawLine(b"1", 1), RawLine(b"\xef\xbb\xbf2", 2)]),
    "only a BOM": (b"\xef\xbb\xbf", []),
    "half a BOM": (b"\xef\xbb", [RawLine(b"\xef\xbb", 1, False)]),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("name", RULES)
def test_rule_at_every_cut(name: str) -> None:
    data, expected = RULES[name]
    assert lines_of(data) == expected
    cuts = (cut_at(data, [place]) for place in range(len(data) + 1))
    assert_every_cut_agrees(JSONLinesDecoder, jsonlines_reference(data), data, cuts)


def test_every_short_file_agrees_with_the_reference() -> None:
    for length in range(7):
        for choice in itertools.product((b"\r", b"\n", b" ", b"1", b"\xef\xbb\xbf"), repeat=length):
            data = b"".join(choice)
            expected = jsonlines_reference(data)
            assert outcome(JSONLinesDecoder(), [data]) == expected, data
            assert outcome(JSONLinesDecoder(), by_bytes(data)) == expected, data


TOKENS = [b"\n", b"\r\n", b"\r", b" ", b"\t", b'{"a":1}', "🌍".encode(), b"\xef\xbb\xbf", b"\xff"]
FILES = st.lists(st.sampled_from(TOKENS) | st.binary(max_size=4), max_size=40).map(b"".join)


@given(FILES, st.lists(st.integers(0, 100), max_size=8), st.integers(1, 20) | st.just(1 << 26))
def test_any_cut_under_any_limit_agrees_with_the_reference(
    data: bytes, places: list[int], limit: int
) -> None:
    expected = jsonlines_reference(data, limit)
    cuts = [cut_at(data, places)]
    assert_every_cut_agrees(lambda: JSONLinesDecoder(limit), expected, data, cuts)


def test_lines_read_counts_blank_lines() -> None:
    decoder = JSONLinesDecoder()
    decoder.feed(b"1\n\n2\n3")
    assert decoder.lines_read == 3


# --- blocks of lines -----------------------------------------------------------------------------


class Lines:
    """The lines of the blocks, as JSONLinesDecoder gives them."""

    def __init__(self, limit: int = 1 << 26, *, midway: bool = False) -> None:
        self.decoder = LineBlockDecoder(limit, midway=midway)

    def feed(self, chunk: bytes) -> list[RawLine]:
        return self.of(self.decoder.feed(chunk), True)

    def close(self) -> list[RawLine]:
        return self.of(self.decoder.close(), False)

    def of(self, blocks: list[LineBlock], terminated: bool) -> list[RawLine]:
        assert all(block.lines for block in blocks)
        return [
            RawLine(line.removesuffix(b"\r"), number, terminated)
            for block in blocks
            for number, line in enumerate(block.lines, block.number)
            if line.strip(b" \t\r")
        ]


@pytest.mark.parametrize("name", RULES)
def test_blocks_keep_the_rules_of_lines_at_every_cut(name: str) -> None:
    data, _ = RULES[name]
    cuts = (cut_at(data, [place]) for place in range(len(data) + 1))
    assert_every_cut_agrees(Lines, jsonlines_reference(data), data, cuts)


@given(FILES, st.lists(st.integers(0, 100), max_size=8), st.integers(1, 20) | st.just(1 << 26))
def test_blocks_hold_the_lines_of_any_cut_under_any_limit(
    data: bytes, places: list[int], limit: int
) -> None:
    expected = jsonlines_reference(data, limit)
    assert_every_cut_agrees(lambda: Lines(limit), expected, data, [cut_at(data, places)])


def test_a_byte_order_mark_within_a_file_is_data() -> None:
    data = b"\xef\xbb\xbf1\n"
    assert outcome(Lines(midway=True), [data]).events == [(data[:-1], 1, True)]
    assert outcome(Lines(), [data]).events == [(b"1", 1, True)]


@given(FILES, st.lists(st.integers(0, 100), max_size=8), st.integers(1, 20) | st.just(1 << 26))
@example(b"12\r\n3\n", [], 2)
def test_lines_that_keep_their_ends_are_the_same(
    data: bytes, places: list[int], limit: int
) -> None:
    told: list[list[LineBlock]] = []
    errors = []
    for keep in (False, True):
        decoder = LineBlockDecoder(limit, keep_ends=keep)
        blocks: list[LineBlock] = []
        error = None
        try:
            for chunk in cut_at(data, places):
                blocks += decoder.feed(chunk)
            blocks += decoder.close()
        except FramingError as caught:
            error = caught.findings
        told.append(blocks)
        errors.append(error)
    without, kept = told
    assert errors[0] == errors[1]
    assert [block[1:] for block in without] == [block[1:] for block in kept]
    for one, other in zip(without, kept, strict=True):
        assert [line.removesuffix(b"\n") for line in other.lines] == one.lines
        assert sum(map(len, other.lines)) == other.size_bytes


def test_lines_that_come_together_are_one_block() -> None:
    decoder = LineBlockDecoder()
    assert decoder.feed(b"1\n\n2\r\n3") == [LineBlock([b"1", b"", b"2\r"], 1, 6)]
    assert decoder.feed(b"\n4") == [LineBlock([b"3"], 4, 2)]
    assert decoder.close() == [LineBlock([b"4"], 5, 1)]


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b' {"a": [1, null]} ', ' {"a": [1, null]} '])
def test_a_good_value_has_no_findings(data: bytes | str) -> None:
    assert decode_value(data) == ({"a": [1, None]}, ())


BAD_VALUES = {
    "document/empty": b" ",
    "document/invalid-utf8": b'"\xff"',
    "document/invalid-json": b'{"a":1',
    "document/not-finite": b"[NaN]",
    "document/too-deep": b"[" * 100_000,
}


@pytest.mark.parametrize("rule", BAD_VALUES)
def test_a_bad_value_is_a_finding_with_its_line(rule: str) -> None:
    value, findings = decode_value(BAD_VALUES[rule], line=7, source="a.jsonl")
    assert value is msgspec.UNSET
    assert [(f.rule, f.line, f.source) for f in findings] == [(rule, 7, "a.jsonl")]


@pytest.mark.parametrize("code", [0xD83C, 0xDF0D])
def test_SSE_10_half_a_character_is_kept_and_reported(code: int) -> None:
    half = chr(code)
    whole = {"a": [half, "x"], half: 1}
    value, findings = decode_value(json.dumps(whole), line=2)
    assert value == whole
    assert {(f.rule, f.line) for f in findings} == {("document/lone-surrogate", 2)}
    assert len(findings) == 2


def test_half_a_character_does_not_hide_another_error() -> None:
    value, findings = decode_value(b'["\\ud83c", 1e999]')
    assert value is msgspec.UNSET
    assert [f.rule for f in findings] == ["document/lone-surrogate", "document/not-finite"]


def test_text_that_is_no_unicode_is_a_finding() -> None:
    value, findings = decode_value('"\ud83c"')
    assert value is msgspec.UNSET
    assert [f.rule for f in findings] == ["document/invalid-utf8"]


@given(st.binary(max_size=30) | st.text(max_size=30))
def test_decode_value_never_raises(data: bytes | str) -> None:
    value, findings = decode_value(data)
    assert findings or value is not msgspec.UNSET
