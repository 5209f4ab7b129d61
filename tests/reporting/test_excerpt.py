"""The line of a finding with its caret: cut, and safe, whatever the line holds."""

from __future__ import annotations

import re
import unicodedata

import pytest

from partwire.reporting.excerpt import excerpt


def columns(text: str) -> int:
    """Return the columns of a text, counted by themselves."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) == "Mn" for char in text)


@pytest.mark.parametrize(
    ("text", "column", "width", "shown"),
    [
        ('{"a": 1}', 2, 80, ['  7 | {"a": 1}', "    |  ^"]),
        ("\t\tx", 3, 80, ["  7 |   x", "    |   ^"]),
        ("日本 x", 4, 80, ["  7 | 日本 x", "    |      ^"]),
        ("e\u0301 x", 4, 80, ["  7 | e\u0301 x", "    |   ^"]),
        ("\x1b[31m x", 7, 80, ["  7 | \\x1b[31m x", "    |          ^"]),
        ("a\u202eb x", 5, 80, ["  7 | a\\u202eb x", "    |          ^"]),
        (
            "x" * 50 + "!" + "y" * 50,
            51,
            27,
            ["  7 | …" + "x" * 13 + "!" + "y" * 5 + "…", "    | " + " " * 14 + "^"],
        ),
        ("!" + "y" * 50, 1, 27, ["  7 | !" + "y" * 19 + "…", "    | ^"]),
        ("x" * 50 + "!", 51, 27, ["  7 | …" + "x" * 19 + "!", "    | " + " " * 20 + "^"]),
        ("", 1, 80, ["  7 |", "    | ^"]),
        ("ab", 3, 80, ["  7 | ab", "    |   ^"]),
    ],
    ids=[
        "plain",
        "tabs",
        "wide",
        "combining",
        "escape",
        "bidi",
        "middle",
        "begin",
        "end",
        "empty",
        "behind",
    ],
)
def test_a_line(text: str, column: int, width: int, shown: list[str]) -> None:
    assert excerpt(text, 7, column, width) == shown


@pytest.mark.parametrize("width", [1, 40, 80, 200])
@pytest.mark.parametrize("column", [1, 2, 500, 999_999, 1_000_000, 1_000_001])
def test_no_line_is_wider_than_the_terminal(width: int, column: int) -> None:
    text = ("日本\u0301\x1b\u202e\t" * 166_667)[:1_000_000]
    for line in excerpt(text, 123, column, width):
        assert columns(line) <= max(width, len("  123 | ") + 20)
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202e]", line)


def test_the_caret_is_below_the_place() -> None:
    text = "日" * 40 + "!" + "本" * 40
    shown, below = excerpt(text, 1, 41, 60)
    assert columns(shown[: shown.index("!")]) == below.index("^")


def test_what_an_encoding_lacks_is_spelled_out() -> None:
    shown, below = excerpt("ü日" + "x" * 90 + "ö!", 1, 94, 40, "ascii")
    assert shown.isascii()
    assert shown.startswith("  1 | ...x")
    assert shown.index("!") == below.index("^")
    assert excerpt("ü!", 1, 2, 40, "ascii")[0] == "  1 | \\xfc!"
    assert excerpt("ü日!", 1, 3, 40, "latin-1")[0] == "  1 | ü\\u65e5!"


@pytest.mark.parametrize(
    ("text", "shown", "caret"),
    [
        ("👍🏽!", "👍\\U0001f3fd!", 12),  # a tone is two columns, or none
        ("❤\ufe0f!", "❤!", 1),  # a picture by request, or a text
        ("\u1112\u1161\u11ab!", "\u1112\u1161\u11ab!", 2),  # one syllable
        ("👩\u200d👧!", "👩\\u200d👧!", 10),
        ("\r\x00\x9b!", "\\r\\x00\\x9b!", 10),
    ],
    ids=["tone", "selector", "hangul", "joined", "controls"],
)
def test_what_terminals_give_several_widths(text: str, shown: str, caret: int) -> None:
    assert excerpt(text, 1, text.index("!") + 1, 80) == [f"  1 | {shown}", f"    | {' ' * caret}^"]


def test_a_text_that_begins_in_the_midst_of_its_line() -> None:
    assert excerpt("abc", 1, 102, 80, missing=100) == ["  1 | …abc", "    |   ^"]
