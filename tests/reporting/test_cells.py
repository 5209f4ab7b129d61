"""Texts in columns: wrapped and clipped, whatever they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.reporting.cells import cell, clipped_to, columns, wrapped

TEXTS = st.text(st.sampled_from("ab  \t\n日👍🏽\u0301\u200d\ufe0f\x1b\x9b\u202e"), max_size=60)


def wide(text: str) -> int:
    return columns([cell(char) for char in text])


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [
        ("hello big world", 10, ["hello big", "world"]),
        ("日本語日本語", 5, ["日本", "語日", "本語"]),
        ("a" * 12 + " b", 5, ["aaaaa", "aaaaa", "aa b"]),
        ("a\n\nb\r\nc", 5, ["a", "", "b", "c"]),
        ("", 5, [""]),
        ("a\x1bb", 9, ["a\\x1bb"]),
        ("ab cdefg hi", 8, ["ab cdefg", "hi"]),
    ],
)
def test_lines(text: str, room: int, shown: list[str]) -> None:
    assert [each for _, each in wrapped(text, room)] == shown


@given(TEXTS, st.integers(11, 30))
def test_no_line_is_wider_and_nothing_but_spaces_is_lost(text: str, room: int) -> None:
    found = list(wrapped(text, room))
    assert all(wide(shown) <= room for _, shown in found)
    assert all(char.isprintable() for _, shown in found for char in shown)
    kept = "".join(raw for raw, _ in found)
    assert "".join(kept.split()) == "".join(text.split())


@given(TEXTS, TEXTS, st.integers(11, 30))
def test_the_last_line_goes_on_as_if_all_had_come_at_once(one: str, two: str, room: int) -> None:
    """What is written while a text comes is what is written of the whole of it."""
    text = one.replace("\t", "").replace("\r", "") + two.replace("\t", "")
    *lines, (rest, _) = wrapped(one.replace("\t", ""), room)
    again = [*(shown for _, shown in lines)]
    again += [shown for _, shown in wrapped(rest + two.replace("\t", ""), room)]
    whole = [shown for _, shown in wrapped(text, room)]
    assert "".join("".join(again).split()) == "".join("".join(whole).split())


@given(TEXTS, st.integers(11, 30))
def test_clipped(text: str, room: int) -> None:
    shown = clipped_to(text.replace("\n", ""), room)
    assert columns([cell(char) for char in shown]) <= room


def test_what_is_clipped_says_so() -> None:
    assert clipped_to("abcdef", 4) == "abc…"
    assert clipped_to("abcdef", 5, "ascii") == "ab..."
    assert clipped_to("abcd", 4) == "abcd"
