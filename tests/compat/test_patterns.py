"""Regular expressions of ECMA 262: what they match, and which texts two of them distinguish."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partwire.compat.logic.strings import EMPTY, UNKNOWN, StringGoal, find_string
from partwire.compat.patterns.automata import Undecided, automaton, matches, wider
from partwire.compat.patterns.regex import RegexError, parse_regex, to_python

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
    ("^\\p{Lu}\\p{Ll}+$", "Été", True),
    ("^\\p{Lu}\\p{Ll}+$", "été", False),
    ("^\\P{L}$", "é", False),
    ("^[\\p{L}\\d]+$", "é5", True),
    ("^[^\\p{Letter}]$", "é", False),
    ("^\\p{General_Category=Decimal_Number}$", "\u0663", True),
    ("^\\p{LC}\\p{ASCII}\\p{Any}$", "ab😀", True),
    ("(?:^)*a(?:$){1,2}", "a", True),
    ("(?:\\b)+a", "ba", False),
    ("^\\B$", "", True),
    ("^(a|b)\\1$", "bb", True),
    ("^(a|b)\\1$", "ba", False),
    ("^(?:(?!ab).)*$", "aab", False),
    ("a\\Bb", "ab", True),
    ("^(?=.*\\d)(?=.*[A-Z]).{3,}$", "a1B", True),
    ("^(?=.*\\d)(?=.*[A-Z]).{3,}$", "a1b", False),
]
MALFORMED = ["(", ")", "[a", "a**", "*", "a{2,1}", "(?<n", "(?<n>a)(?<n>b)", "\\", "[b-a]", "(?x)"]


@pytest.mark.parametrize(("pattern", "text", "expected"), MATCHES)
def test_a_pattern_matches_as_ecma_says(pattern: str, text: str, expected: bool) -> None:
    assert matches(pattern, text) is expected


@pytest.mark.parametrize("pattern", MALFORMED)
def test_a_malformed_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError):
        parse_regex(pattern)


@pytest.mark.parametrize("pattern", ["(a)?\\1", "(a|(b))\\2", "\\p{Script=Greek}", "(?<=a+)b"])
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
LOOKING = st.sampled_from(
    [
        *("a", "b", "[ab]", "^", "$", "(a|b)", "\\b", "\\B", "(?=a)", "(?!b)", "(?!^ab)"),
        *("(?=.b$)", "(?:(?!ab).)", "\\p{Ll}", "\\P{L}", "(?=(?!a).)"),
    ]
)


@st.composite
def looking(draw: Any) -> str:
    """Patterns with word boundaries, properties, and looks ahead, also within repetitions."""
    atoms = st.tuples(LOOKING, st.sampled_from(["", "", "|"]))
    inside = "".join(map("".join, draw(st.lists(atoms, min_size=1, max_size=5))))
    form: str = draw(st.sampled_from(["{}", "^{}$", "(?:{})*b", "(?:a{}){{1,2}}$"]))
    return form.format(inside)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(looking(), st.lists(TEXTS, max_size=5))
def test_automata_that_look_ahead_agree_with_others(pattern: str, texts: list[str]) -> None:
    found = automaton(pattern)
    assert found is not None
    try:
        rust = jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except jsonschema_rs.ValidationError:
        assume(False)  # it refuses to repeat what reads nothing, which ECMA allows
        raise
    python = re.compile(to_python(parse_regex(pattern)))
    for text in texts:
        assert found.matches(text) is rust.is_valid(text)
        assert found.matches(text) is (python.search(text) is not None)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(looking(), looking(), st.lists(TEXTS, max_size=20))
def test_what_is_proved_of_looking_patterns_no_text_refutes(
    wanted: str, unwanted: str, texts: list[str]
) -> None:
    found = find_string(StringGoal(frozenset((wanted,)), frozenset((unwanted,)), 0, 4))
    assert found is not UNKNOWN
    for text in texts if found is EMPTY else [found]:
        fits = len(text) <= 4 and matches(wanted, text) and not matches(unwanted, text)
        assert fits is (found is not EMPTY)


FOREIGN = [
    *("(?<=a)b", "(a)?b\\1", "^(a|b)\\1$", "^(a*)b\\1$", "[\\p{Script=Greek}a]"),
    pytest.param("a{40000}", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("pattern", FOREIGN)
def test_a_wider_pattern_matches_all_that_the_pattern_does(pattern: str) -> None:
    assert automaton(pattern) is None
    machine = wider(pattern)
    assert machine is not None
    rust = jsonschema_rs.Draft202012Validator({"pattern": pattern})
    texts = ["".join(letters) for size in range(5) for letters in product("abα1", repeat=size)]
    hits = [text for text in [*texts, "a" * 40_000] if rust.is_valid(text)]
    assert hits
    assert all(machine.matches(text) for text in hits)


def test_behind_a_negative_look_nothing_is_wider() -> None:
    assert wider("(?!(a)\\1)") is None
    assert find_string(StringGoal(frozenset(("^(?!(a)\\1)a$",)))) is UNKNOWN


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
