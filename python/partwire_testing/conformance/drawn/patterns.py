"""Strings that a pattern matches, by walking the pattern."""

from __future__ import annotations

import importlib
import random
from functools import cache
from typing import Any

# The standard library's parser of patterns has no public name any more.
_sre: Any = importlib.import_module("re._constants")
_sre_parser: Any = importlib.import_module("re._parser")


@cache
def _parsed(pattern: str) -> Any:
    return _sre_parser.parse(pattern)


def string_of(pattern: str, rng: random.Random) -> str:
    """Return a string that ``pattern`` matches."""
    return _text_of(_parsed(pattern), rng)


def _text_of(nodes: Any, rng: random.Random) -> str:
    text = ""
    for op, argument in nodes:
        if op is _sre.LITERAL:
            text += chr(argument)
        elif op is _sre.IN:
            low, high = rng.choice([_span(each) for each in argument])
            text += chr(rng.randint(low, high))
        elif op is _sre.BRANCH:
            text += _text_of(rng.choice(argument[1]), rng)
        elif op is _sre.SUBPATTERN:
            text += _text_of(argument[3], rng)
        elif op is _sre.MAX_REPEAT:
            least, most, inner = argument
            count = rng.randint(int(least), min(int(most), int(least) + 9))
            text += "".join(_text_of(inner, rng) for _ in range(count))
        else:
            assert op is _sre.AT, f"make text for {op} too"
    return text


def _span(item: Any) -> tuple[int, int]:
    kind, value = item
    low, high = (value, value) if kind is _sre.LITERAL else value
    return low, high
