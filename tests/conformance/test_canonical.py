"""The canonical form, held against the vectors of RFC 8785, and equality beside it."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import WriteError
from partwire.json.canonical import canonical, number_text
from partwire_testing.conformance.equality import difference

# RFC 8785, appendix B: the bits of a number, and how ECMAScript writes it.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize("bits", NUMBERS)
def test_numbers_of_the_rfc(bits: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert number_text(number) == NUMBERS[bits]
    assert float(NUMBERS[bits]) == number


@pytest.mark.parametrize(
    "number", [float("nan"), float("inf"), float("-inf"), 10**400], ids=["nan", "+", "-", "huge"]
)
def test_numbers_without_a_form_are_refused(number: float) -> None:
    with pytest.raises(WriteError) as caught:
        canonical([number])
    assert caught.value.rule == "document/not-finite"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (2**53 + 1, "9007199254740992"),
        (-(10**20), "-100000000000000000000"),
        (10**21, "1e+21"),
        (0.1, "0.1"),
        (1e-7, "1e-7"),
        (123.456, "123.456"),
        (10, "10"),
    ],
)
def test_integers_are_binary64(number: float, text: str) -> None:
    assert number_text(number) == text


def test_the_example_of_the_rfc() -> None:
    """Section 3.2.2, and what section 3.2.4 makes of it."""
    text = r"""{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"""
    assert (
        canonical(json.loads(text))
        == (
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
        ).encode()
    )


def test_names_are_sorted_by_utf16_code_units() -> None:
    """Section 3.2.3: the smiley's surrogates come before U+FB33."""
    names = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\x80": "Control",
        "\xf6": "Latin Small Letter O With Diaeresis",
    }
    assert list(json.loads(canonical(names)).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([], "[]"),
        ({}, "{}"),
        ({"b": [1, {}], "a": {"": ""}}, '{"a":{"":""},"b":[1,{}]}'),
        (["\x00\x1f\x7f\u2028"], '["\\u0000\\u001f\x7f\u2028"]'),
        (['\b\t\n\f\r"\\/'], '["\\b\\t\\n\\f\\r\\"\\\\/"]'),
        ([True, 1], "[true,1]"),
    ],
)
def test_forms(value: Any, text: str) -> None:
    assert canonical(value) == text.encode()


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("\ud800", "document/lone-surrogate"),
        ({"\udc00": 1}, "document/lone-surrogate"),
        ([b""], "shape/type"),
        ({1: 1}, "shape/type"),
        ((), "shape/type"),
    ],
)
def test_what_is_no_json_is_refused(value: Any, rule: str) -> None:
    with pytest.raises(WriteError) as caught:
        canonical(value)
    assert caught.value.rule == rule


def test_depth_is_no_matter() -> None:
    deep: Any = 0
    for _ in range(5000):
        deep = [deep]
    assert canonical(deep) == b"[" * 5000 + b"0" + b"]" * 5000


SAFE = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | SAFE | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_the_form_is_the_value(value: Any) -> None:
    text = canonical(value)
    again = json.loads(text)
    assert difference(value, again) is None
    assert canonical(again) == text


@given(VALUES, VALUES)
def test_values_are_equal_if_their_forms_are(one: Any, other: Any) -> None:
    assert (difference(one, other) is None) == (canonical(one) == canonical(other))


# --- equality -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (0, -0.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), (2**53 + 1, 2**53), ([], [])],
)
def test_equal(one: Any, other: Any) -> None:
    assert difference(one, other) is None
    assert difference(other, one) is None


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        (True, 1, ""),
        (0, False, ""),
        ({"a": None}, {}, "/a"),
        ({}, {"a": None}, "/a"),
        ([1, 2], [2, 1], "/0"),
        ([1], [1, None], "/1"),
        ({"a": [{"b/c": "x"}]}, {"a": [{"b/c": "y"}]}, "/a/0/b~1c"),
        ([], {}, ""),
        (None, "", ""),
        ("1", 1, ""),
        (10**400, 10**400 + 1, ""),
    ],
)
def test_different(one: Any, other: Any, place: str) -> None:
    found = difference(one, other)
    assert found is not None
    assert found.pointer == place
    assert difference(other, one) is not None


def test_large_integers_are_told_apart_where_that_is_asked_for() -> None:
    found = difference([2**53 + 1], [2**53], exact=True)
    assert str(found) == "at /0: expected 9007199254740993, got 9007199254740992"
    assert difference([2**53], [float(2**53)], exact=True) is None


def test_a_difference_says_what_is_not_there() -> None:
    assert str(difference({"a": 1}, {})) == "at /a: expected 1, got nothing"
    assert str(difference([], [{"a": 1}])) == "at /0: expected nothing, got object with 1 member"
