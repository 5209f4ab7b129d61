"""Lists of allowed tools as YAML: well made, changed in a few characters, and characters alone."""

from __future__ import annotations

import random
from typing import Final

from partwire.contract.current import LATEST_VERSION

from .request import Request

__all__ = ["list_request"]

_NAMES: Final = (
    *("a", "weather", "search_web", "x.y", "a:b", "http://a/b", "_x", "a-b", "a(b)", "n", "y"),
    *(
        "é",
        "天气",
        "😀",
        "b c",
        "Bash(git add:*)",
        "a -b (c) *d",
        "a*",
        "a~b",
        "a+b",
        "'it''s'",
        '"q"',
        '"a\\nb"',
        '"\\x41\\u00e9"',
        "'[a], #b'",
    ),
    *('"\\U0001F600 \\\\ud800"', "'\\ud800'", ">-\n  t\n", "|-\n  t\n", ">-\n\n  t\n\n"),
)
_OTHERS: Final = (
    *(
        "yes",
        "No",
        "TRUE",
        "null",
        "1.0",
        "~",
        "12:30",
        "0x1F",
        "2025-07-15",
        "=",
        "<<",
        "-x",
        "?x",
    ),
    *(":x", "a#b", "a #c", "a,b", "a]", "a: ", "- z", "k: v", "? k", "[c]", "{d: e}", "*a", "&a b"),
    *(
        "!!str a",
        "!x!y a",
        "@x",
        "`x",
        "%x",
        "b  c",
        "a : b",
        "a #b",
        "b: c",
        "a\n  b",
        "''",
        '""',
        "",
        "\\",
        '"',
        "'",
    ),
    *("'a\n  b'", '"a\n\n b"', '"a\\\n  b"', '"\\ud83d\\ude00"', '"\\UFFFFFFFF"', '"\\q"', '"\\/"'),
    *(
        "|\n  t\n",
        ">\n x\n\n  y\n",
        "|+1\n  x\n\n",
        "a\tb",
        "\ta",
        "a\t",
        "'it''",
        '"a\\"',
        "a\u00a0b",
    ),
)
_BEFORE: Final = (
    *("---\n", "--- ", "---\n\n", "# c\n", "--- # c\n", "\n\n", "---", "...\n", "\ufeff"),
    *(
        "%YAML 1.1\n---\n",
        "%YAML 1.2\n---\n",
        "%TAG ! x\n---\n",
        "%FOO a\n---\n",
        "&a\n",
        "!!seq\n",
    ),
)
_BEHIND: Final = (
    *("...\n", "\n...\n", "\n---\n", "# c", " # c\n", "#c", "\n... x", "\n--- a\n", "\n]", " x"),
    *("\n...\n...\n", "\n---\n...", "\nThese are all.\n"),
)
_MARKS: Final = "-[]{}&*!,:'\" \n\t#|>ab1.?%yesno"
_RARE: Final = "\r\\\0\x07\x7f\x85\u00a0\u2028\u200b\ufeff\ufffeé+@`=<~_/()$"


def list_request(seed: int, number: int) -> Request:
    """Return the request to read a text that is a YAML list, or nearly so, or not at all."""
    rng = random.Random(f"lists:{seed}:{number}")
    return Request("envelope", LATEST_VERSION, {"call": "allowed-tools", "text": _text(rng)})


def _text(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.2:
        start = rng.choice(("", "", "- ", "["))
        return start + "".join(rng.choice(_MARKS) for _ in range(rng.randrange(16)))
    text = _block(rng) if rng.random() < 0.5 else _flow(rng)
    if rng.random() < 0.12:
        text = rng.choice(_BEFORE) + text
    if rng.random() < 0.12:
        text += rng.choice(_BEHIND)
    if rng.random() < 0.15:
        text = text.replace("\n", rng.choice(("\r\n", "\r\n", "\r")))
    return _changed(rng, text) if kind < 0.6 else text


def _item(rng: random.Random) -> str:
    return rng.choice(_NAMES if rng.random() < 0.9 else _OTHERS)


def _block(rng: random.Random) -> str:
    indent = rng.choice(("", "", "  ", " ", "   "))
    lines: list[str] = []
    for _ in range(rng.randrange(1, 5)):
        if rng.random() < 0.1:
            lines.append(rng.choice(("", "# c", "  # c", "   ", "\t")))
        gap = rng.choice((" ", "   ", f"\n{indent}  ", "", "\t")) if rng.random() < 0.15 else " "
        item = _item(rng).replace("\n", "\n" + rng.choice((indent, indent, f"{indent}  ", "")))
        begin = indent if rng.random() < 0.95 else rng.choice(("", " ", "    "))
        end = rng.choice((*[""] * 6, " ", " # c", "  ", "#c", "\t"))
        lines.append(f"{begin}-{gap}{item}{end}")
    return "\n".join(lines) + rng.choice(("", "\n", "\n", "\n\n"))


def _flow(rng: random.Random) -> str:
    def space() -> str:
        if rng.random() < 0.8:
            return rng.choice(("", " "))
        return rng.choice(("\n", "\n  ", "  ", " # c\n", "#c\n", "\t"))

    items = ",".join(space() + _item(rng) + space() for _ in range(rng.randrange(5)))
    comma = rng.choice(("", "", "", ",", " ,", ",,"))
    return f"[{items}{comma}{rng.choice((*(']',) * 12, '', ']]'))}{rng.choice(('', chr(10)))}"


def _changed(rng: random.Random, text: str) -> str:
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        char = rng.choice(_MARKS if rng.random() < 0.8 else _RARE)
        before, behind = text[:at], text[at:]
        text = rng.choice((before + char + behind, before + behind[1:], before + char + behind[1:]))
        if rng.random() < 0.05:
            text = before
    return text
