"""Arguments while they arrive: following them costs what arrives, however much came before."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from partwire.message.assembler.partial_json import PartialJSON
from tests.reference.partial_json_reference import GRIN, broken_texts, texts

pytestmark = pytest.mark.usefixtures("untraced")  # the same lines over and over

SHAPES: dict[str, Callable[[int], str]] = {
    "one long string": lambda n: json.dumps({"s": "some words, " * n}),
    "one long key": lambda n: json.dumps({"some words, " * n: 1}),
    "escapes": lambda n: json.dumps({"s": 'a\n"b\\' * n}),
    "pairs": lambda n: json.dumps({"s": GRIN * n}),
    "rows": lambda n: json.dumps({"rows": [{"id": i, "ok": True, "n": None} for i in range(n)]}),
    "numbers": lambda n: json.dumps({f"k{i}": i / 8 for i in range(n)}),
    "one long number": lambda n: f'{{"a":0.{"7" * n * 8}}}',
    "white space": lambda n: "{" + " " * n * 8 + "}",
    "brackets": lambda n: '{"a":[' + ",".join(["[]"] * n) + "]}",
    "garbage": lambda n: '{"a":' + "x" * n * 8,
}


def calls_made(pieces: list[str], look: bool) -> int:
    """Functions that were called to follow ``pieces``, those written in C included."""
    parser, count = PartialJSON(), 0

    def profile(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    previous: Any = sys.getprofile()
    sys.setprofile(profile)
    try:
        for piece in pieces:
            parser.feed(piece)
            if look:
                parser.value()
    finally:
        sys.setprofile(previous)
    return count


@pytest.mark.parametrize("look", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_steps_taken_grow_as_the_text_does(shape: str, look: bool) -> None:
    """PRF-01: twice the text, twice the calls; in pieces of one character and of seven."""
    for size in (1, 7):
        runs = []
        for n in (300, 600):
            text = SHAPES[shape](n)
            pieces = [text[i : i + size] for i in range(0, len(text), size)]
            runs.append(calls_made(pieces, look))
        assert runs[1] <= 2.1 * runs[0] + 50


@settings(deadline=None)
@given(texts() | broken_texts())
def test_what_is_scanned_again_is_bounded(text: str) -> None:
    parser = PartialJSON()
    for char in text:
        parser.feed(char)
        assert len(parser._held) <= 11
        assert len(parser._head) <= 7


class Copies(PartialJSON):
    """Count the characters that feeding may have copied into the open text."""

    __slots__ = ("copied",)

    def __init__(self) -> None:
        super().__init__()
        self.copied = 0

    def _fold(self) -> str:
        text = super()._fold()
        self.copied += len(text)
        return text


@pytest.mark.parametrize(
    ("before", "piece"),
    [
        ('{"a":"', "1"),
        ('{"a":"', "1234567890"),
        ('{"a":"', "\u00a0not printable"),
        ('{"', "1234567890"),
        ('{"a":0.', "1"),
        ('{"a":0.', "1234567890"),
    ],
)
def test_an_open_string_is_copied_seldom_and_kept_small(before: str, piece: str) -> None:
    """PRF-02: linear even where the interpreter never grows a string in place."""
    parser, size = Copies(), 0
    parser.feed(before)
    for _ in range(200_000):
        parser.feed(piece)
        size += len(piece)
        assert len(parser._pieces) <= max(1024, size / 64 + 1)
    assert parser.copied <= 66 * size


def test_a_string_after_a_long_one_is_kept_small_too() -> None:
    parser = PartialJSON()
    parser.feed('{"a":"')
    for piece in ["x" * 1000] * 2000 + ['","b":"'] + ["x"] * 5000:
        parser.feed(piece)
        assert len(parser._pieces) <= 1024 or len(parser._text) > 64 * 1024
    assert len(parser._pieces) < 1024
