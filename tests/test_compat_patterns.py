"""Regular expressions of ECMA 262: what they match, and which texts two of them tell apart."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.compat.automata import Undecided, automaton, matches
from partwire.compat.regex import RegexError, parse_regex, to_python
from partwire.compat.strings import EMPTY, UNKNOWN, StringGoal, find_string

MATCHES: list[tuple[str, str, bool]] = [
    ("a", "bab", True),
    ("^a$", "a\n", False),
    ("^$", "", True),
    ("x^", "x", False),
    ("a$b", "ab", False),
    ("(^|,)a(,|$)", "b,a", True),
    ("^\\d+$", "\u0663", False),
    ("^\\w$", "é", False),
    ("^\\s$", "\ufeff", True),
    ("^.$", "\u2028", False),
    ("^.$", "😀", True),
    ("^[^]$", "\n", True),
    ("^[]$", "a", False),
    ("^\\cJ$", "\n", True),
    ("^[\\b]$", "\x08", True),
    ("^a{2,3}?$", "aaa", True),
    ("^a{,3}$", "a{,3}", True),
    ("^\\u{1F600}$", "😀", True),
    ("^\\ud83d\\ude00$", "😀", True),
    ("^\\-\\/$", "-/", True),
    ("^(?:a|b)*c$", "abac", True),
    ("^(?=ab)a", "ab", True),
    ("^(?!ab)a", "ab", False),
    ("\\bfoo\\b", "a foo b", True),
    ("\\bfoo\\b", "éfoo", True),
    ("^[\\d-x]$", "-", True),
    ("^\\0$", "\0", True),
]
MALFORMED = ["(", ")", "[a", "a**", "*", "a{2,1}", "(?<n", "(?<n>a)(?<n>b)", "\\", "[b-a]", "(?x)"]


@pytest.mark.parametrize(("pattern", "text", "expected"), MATCHES)
def test_a_pattern_matches_as_ecma_says(pattern: str, text: str, expected: bool) -> None:
    assert matches(pattern, text) is expected


@pytest.mark.parametrize("pattern", MALFORMED)
def test_a_malformed_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError):
        parse_regex(pattern)


@pytest.mark.parametrize("pattern", ["(a)\\1", "\\p{L}", "(?<=a+)b"])
def test_what_python_reads_differently_is_not_decided(pattern: str) -> None:
    with pytest.raises(Undecided):
        matches(pattern, "ab")


ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "\\d", "^", "$", "(a|b)", "(?:ab)", ""])
SUFFIXES = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}"])


@st.composite
def patterns(draw: Any) -> str:
    parts = draw(st.lists(st.tuples(ATOMS, SUFFIXES), max_size=4))
    return "".join(atom + (suffix if atom not in ("", "^", "$") else "") for atom, suffix in parts)


TEXTS = st.text("ab1\n", max_size=6)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(patterns(), TEXTS)
def test_automaton_translation_and_rust_agree(pattern: str, text: str) -> None:
    found = automaton(pattern)
    assert found is not None
    expected = jsonschema_rs.Draft202012Validator({"pattern": pattern}).is_valid(text)
    assert found.matches(text) is expected
    assert (re.search(to_python(parse_regex(pattern)), text) is not None) is expected


@settings(max_examples=200, deadline=None, derandomize=True)
@given(patterns(), patterns(), st.integers(0, 4), st.lists(TEXTS, max_size=30))
def test_what_is_found_fits_and_nothing_fits_what_is_empty(
    wanted: str, unwanted: str, least: int, texts: list[str]
) -> None:
    goal = StringGoal(frozenset((wanted,)), frozenset((unwanted,)), least, least + 3)
    found = find_string(goal)
    assert found is not UNKNOWN
    candidates = texts if found is EMPTY else [found]
    for text in candidates:
        fits = (
            least <= len(text) <= least + 3
            and matches(wanted, text)
            and not matches(unwanted, text)
        )
        assert fits is (found is not EMPTY)


def test_excluded_texts_are_not_found_again() -> None:
    seen: set[str] = set()
    for _ in range(4):
        text = find_string(StringGoal(frozenset(("^[ab]{1,2}$",)), excluded=frozenset(seen)))
        assert isinstance(text, str)
        seen.add(text)
    assert len(seen) == 4
    full = frozenset(("a", "b", "aa", "ab", "ba", "bb"))
    assert find_string(StringGoal(frozenset(("^[ab]{1,2}$",)), excluded=full)) is EMPTY
    assert find_string(StringGoal(most=0, excluded=frozenset(("",)))) is EMPTY


def test_a_text_of_a_million_characters_is_not_written() -> None:
    assert find_string(StringGoal(least=10**6)) is UNKNOWN
