"""What a cut JSON object shows, found the slow way, and texts to try it on."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

SPACE = " \t\n\r"
SCALAR = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-.")
EXPONENTIAL = re.compile(r"[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+")
GRIN = "\U0001f600"

# --- what is right, found the slow way ------------------------------------------------------------


def parse(text: str) -> dict[str, Any] | None:
    """The object that ``text`` is, or None."""
    found = parse_any(text)
    return found[0] if found is not None and isinstance(found[0], dict) else None


def parse_any(text: str) -> tuple[Any] | None:
    """The value that ``text`` is, or None: strict JSON, finite numbers, no lone surrogate."""
    try:
        value = json.loads(text, parse_constant=lambda _: math.inf, parse_int=_integer)
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return (value,)


def _integer(digits: str) -> float:
    """Return an integer; one beyond the largest double is infinite, however it is written."""
    return math.inf if math.isinf(float(digits)) else int(digits)


def nesting(text: str) -> tuple[str, bool]:
    """The brackets that close ``text``, innermost first, and whether it ends inside a string."""
    closers, inside, escaped = "", False, False
    for char in text:
        if inside:
            inside = escaped or char != '"'
            escaped = not escaped and char == "\\"
        elif char == '"':
            inside = True
        elif char in "{[":
            closers = ("}" if char == "{" else "]") + closers
        elif char in "}]":
            closers = closers[1:]
    return closers, inside


def expected_value(text: str) -> dict[str, Any]:
    """What is shown of a text that can still become valid: its longest end that can be closed."""
    found = expected_of_any(text)
    return found[0] if found is not None and isinstance(found[0], dict) else {}


def expected_of_any(text: str) -> tuple[Any] | None:
    """The same of a text that is any JSON value; None where nothing is shown."""
    for end in range(len(text), 0, -1):
        closers, inside = nesting(text[:end])
        follows = text[end : end + 1]
        if not inside and text[end - 1] in SCALAR and (not follows or follows in SCALAR):
            continue  # a number or literal that is not delimited yet
        found = parse_any(text[:end] + ('"' if inside else "") + closers)
        if found is not None:
            return found
    return None


ESCAPE_ENDS = ("", "n", "u0000", "0000", "000", "00", "0")
PAIR_ENDS = [low[cut:] for low in (r"00\udc00", r"0\udc00") for cut in range(len(low))]
STRING_ENDS = [f'{end}"' for end in (*ESCAPE_ENDS, *PAIR_ENDS)]
LITERAL_ENDS = [word[cut:] for word in ("true", "false", "null") for cut in range(1, len(word))]
OTHER_ENDS = ["", "0", '"":0', ":0", *LITERAL_ENDS]


def can_become_valid(text: str) -> bool:
    """Whether some continuation makes ``text`` a valid object, by trying all that could."""
    return _can_become(text, parse)


def can_become_any(text: str) -> bool:
    """Whether some continuation makes ``text`` any valid JSON value."""
    return _can_become(text, parse_any)


def _can_become(text: str, read: Callable[[str], Any]) -> bool:
    closers, inside = nesting(text)
    if not text.strip(SPACE):
        return True
    if not inside:
        return any(read(text + end + closers) is not None for end in OTHER_ENDS)
    ends = (end + colon for end in STRING_ENDS for colon in ("", ":0"))
    return any(read(text + end + closers) is not None for end in ends)


def overflows(text: str) -> bool:
    """Whether a double cannot hold some number in ``text``: refused where the number ends."""
    return any(math.isinf(float(token)) for token in EXPONENTIAL.findall(text))


def grows(before: Any, after: Any) -> bool:
    """The order in which values grow, where no key comes twice."""
    if isinstance(before, dict) and isinstance(after, dict):
        return list(after)[: len(before)] == list(before) and grows(
            list(before.values()), list(after.values())
        )
    if isinstance(before, list) and isinstance(after, list):
        last = len(before) - 1
        return len(before) <= len(after) and (
            not before or (same(before[:last], after[:last]) and grows(before[last], after[last]))
        )
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    return same(before, after)


def same(left: Any, right: Any) -> bool:
    """Equal as JSON texts: 1, 1.0 and true are three values."""
    return json.dumps(left) == json.dumps(right)


# --- texts ----------------------------------------------------------------------------------------

characters = st.characters(exclude_categories=["Cs"])
strings = st.text(
    characters | st.sampled_from(f'"\\/\b\n\u2028\u00a0\x00\x7f{GRIN}\ufeff/'), max_size=12
)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | strings
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(strings, values, max_size=5)


def write(value: Any, rng: random.Random) -> str:
    """A JSON text of ``value`` with random white space, escapes and number forms."""
    pad = "".join(rng.choices(SPACE, k=rng.choice((0, 0, 0, 1, 2))))
    if isinstance(value, dict):
        members = (f"{write(k, rng)}{pad}:{write(v, rng)}" for k, v in value.items())
        return f"{pad}{{{','.join(members) or pad}}}{pad}"
    if isinstance(value, list):
        return f"{pad}[{','.join(write(item, rng) for item in value) or pad}]{pad}"
    if isinstance(value, str):
        return f"{pad}{write_string(value, rng)}{pad}"
    text = json.dumps(value)
    if isinstance(value, float):
        text = text.replace("e+", rng.choice(("e+", "E+", "e", "E")))
    return f"{pad}{text}{pad}"


def write_string(value: str, rng: random.Random) -> str:
    def one(char: str) -> str:
        plain = json.dumps(char, ensure_ascii=False)[1:-1]
        units = char.encode("utf-16-be").hex()
        escaped = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
        if char == "/":
            plain = rng.choice(("/", "\\/"))
        return rng.choice((plain, plain, plain, escaped, escaped.upper().replace("U", "u")))

    return f'"{"".join(map(one, value))}"'


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A valid object text."""
    return write(draw(objects), random.Random(draw(st.integers(0, 2**32))))


@st.composite
def broken_texts(draw: st.DrawFn) -> str:
    """An object text with a few characters put in, changed or taken out."""
    text = draw(texts())
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        put = draw(
            st.sampled_from([*'{}[]",:\\0-+.eEtfnu /x\x01\ud800\udc00\ufeff', "", "\\u", "dc"])
        )
        text = text[:at] + put + text[at + draw(st.integers(0, 1)) :]
    return text


def cut(text: str, rng: random.Random, longest: int = 9) -> list[str]:
    """``text`` in pieces of 0 to ``longest`` characters."""
    pieces = []
    while text:
        size = rng.randint(0, longest)
        pieces.append(text[:size])
        text = text[size:]
    return pieces
