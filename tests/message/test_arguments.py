"""Argument texts: the one strict parse, against the standard library and by hand."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partwire.message.assembler.arguments import parse_again, parse_arguments
from tests.message.delta_streams import parse_reference

NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)
PIECES = st.sampled_from(
    [
        *('{"a":', "}", "[", "]", ",", ":", '"', "1", "9007199254740991", "9007199254740992", "e5"),
        *("-", ".5", "1e400", "9" * 400, "true", "nul", "NaN", "Infinity", "\\", "\\ud83d"),
        *("\\ude00", " ", "\t", "\u00a0", "\ufeff", "é", "🌍", "\ud800", "\x01", "\x00", "//", "'"),
    ]
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans(), st.integers(1, 6))
def test_json_gives_what_the_reference_gives(
    value: Any, indent: int | None, ascii_only: bool, max_depth: int
) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert parse_arguments(raw, max_depth) == parse_reference(raw, max_depth)


@given(st.lists(PIECES, max_size=12).map("".join), st.integers(1, 4))
@example("[[[[[", 4)
@example('"[[[[["', 4)
@example('{"a":"\\"[[[[["}', 4)
@example("}" * 9 + "[" * 5, 4)
@example('"' + "[" * 9, 4)
def test_any_text_gives_what_the_reference_gives(raw: str, max_depth: int) -> None:
    assert parse_arguments(raw, max_depth) == parse_reference(raw, max_depth)


@pytest.mark.parametrize("padding", [0, 600, 65_510])  # over the edge of a 64 Ki piece
@pytest.mark.parametrize("before", range(9))
@pytest.mark.parametrize(
    ("number", "unsafe"),
    [
        *(("9007199254740991", False), ("-9007199254740991", False), ("1" * 15, False)),
        *(("9007199254740992", True), ("-9007199254740992", True), ("1" * 300, True)),
        *(("9007199254740992.0", False), ("1e20", False), ("0.12345678901234567890", False)),
    ],
)
def test_unsafe_integers_are_found_wherever_they_stand(
    number: str, unsafe: bool, before: int, padding: int
) -> None:
    raw = '{"a":"' + "é" * padding + "x" * before + '","n":{"m":[' + number + "]}}"
    assert parse_arguments(raw, 128) == (json.loads(raw), unsafe, None)


@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_that_are_infinite_as_a_double(sign: str) -> None:
    least = 2**1024 - 2**970
    for number, error in ((least - 1, None), (least, "invalid_json")):
        parsed = parse_arguments(f'{{"n":{sign}{number}}}', 128)
        assert parsed is not None
        assert parsed[1:] == (True, error)


def test_digits_in_strings_are_no_integers() -> None:
    raw = json.dumps({"card": "9" * 40, "rows": [{"id": 1, "at": "1730000000000"}] * 40})
    assert parse_arguments(raw, 128) == (json.loads(raw), False, None)


@pytest.mark.parametrize("depth", [1, 2, 128, 400, 500])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_depth_is_exact(depth: int, brackets: str) -> None:
    opening = "[" if brackets == "[]" else '{"a":'
    raw = '{"a":' + opening * (depth - 1) + "1" + brackets[1] * (depth - 1) + "}"
    parsed = parse_arguments(raw, depth)
    assert parsed is not None
    assert parsed[2] is None
    assert parse_arguments(raw, depth - 1) is None if depth > 1 else True
    assert parse_arguments(raw[:-1], depth) == ({}, True, "invalid_json")


def test_wide_values_are_not_deep() -> None:
    raw = json.dumps({"rows": [{"n": [1, 2]}] * 5000, "more": [[]] * 300})
    assert parse_arguments(raw, 4) == (json.loads(raw), False, None)
    assert parse_arguments(raw, 3) is None


def test_a_full_stack_is_not_called_bad_json() -> None:
    """The caller's own recursion: an error of the program, and none of the text."""
    raw = '{"a":' * 120 + "1" + "}" * 120

    def dig(frames: int) -> Any:
        return parse_arguments(raw, 128) if frames == 0 else dig(frames - 1)

    depth = len(inspect.stack(0))
    room = sys.getrecursionlimit() - depth
    results = set()
    for frames in range(max(0, room - 140), room - 20, 10):
        try:
            parsed = dig(frames)
            results.add("parsed" if parsed and parsed[2] is None else str(parsed))
        except RecursionError:
            results.add("RecursionError")
    assert results <= {"parsed", "RecursionError"}
    assert "parsed" in results


def test_parsing_again_gives_a_value_of_its_own() -> None:
    assert parse_again(" ") == {}
    assert parse_again('{"a":[1]}') is not parse_again('{"a":[1]}')
