"""Arguments while they arrive: what is shown of a cut text, and what it costs."""

from __future__ import annotations

import copy
import gc
import itertools
import json
import math
import pickle
import random
import re
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from partwire.message.partial_json import FrozenDict, FrozenList, PartialJSON

LAWS = settings(deadline=None)
MAX_DEPTH = 128
SPACE = " \t\n\r"
SCALAR = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-.")
EXPONENTIAL = re.compile(r"[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+")
GRIN = "\U0001f600"

# --- what is right, found the slow way ------------------------------------------------------------


def parse(text: str) -> dict[str, Any] | None:
    """The object that ``text`` is, or None: strict JSON, finite numbers, no lone surrogate."""
    try:
        value = json.loads(text, parse_constant=lambda _: math.inf)
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


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
    for end in range(len(text), 0, -1):
        closers, inside = nesting(text[:end])
        follows = text[end : end + 1]
        if not inside and text[end - 1] in SCALAR and (not follows or follows in SCALAR):
            continue  # a number or literal that is not delimited yet
        found = parse(text[:end] + ('"' if inside else "") + closers)
        if found is not None:
            return found
    return {}


ESCAPE_ENDS = ("", "n", "u0000", "0000", "000", "00", "0")
PAIR_ENDS = [low[cut:] for low in (r"00\udc00", r"0\udc00") for cut in range(len(low))]
STRING_ENDS = [f'{end}"' for end in (*ESCAPE_ENDS, *PAIR_ENDS)]
LITERAL_ENDS = [word[cut:] for word in ("true", "false", "null") for cut in range(1, len(word))]
OTHER_ENDS = ["", "0", '"":0', ":0", *LITERAL_ENDS]


def can_become_valid(text: str) -> bool:
    """Whether some continuation makes ``text`` a valid object, by trying all that could."""
    closers, inside = nesting(text)
    if not text.strip(SPACE):
        return True
    if not inside:
        return any(parse(text + end + closers) is not None for end in OTHER_ENDS)
    ends = (end + colon for end in STRING_ENDS for colon in ("", ":0"))
    return any(parse(text + end + closers) is not None for end in ends)


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


def fed(*pieces: str, max_depth: int = MAX_DEPTH) -> PartialJSON:
    parser = PartialJSON(max_depth)
    for piece in pieces:
        parser.feed(piece)
    return parser


def shown(*pieces: str) -> tuple[dict[str, Any], bool]:
    parser = fed(*pieces)
    return parser.value(), parser.broken


# --- laws -----------------------------------------------------------------------------------------


@settings(LAWS)
@given(texts())
def test_a_whole_text_gives_what_json_gives(text: str) -> None:
    value, broken = shown(text)
    assert same(value, json.loads(text))
    assert not broken


@settings(LAWS, max_examples=60)
@given(texts())
@example('{"a":"\\ud83D\\uDE00\\\\\\u00e9", "a":-0.5e-7,"b":[ ],"c":{ },"d":[[1,true ],null]} ')
def test_every_prefix_shows_the_longest_part_that_is_certain(text: str) -> None:
    parser = PartialJSON()
    for end in range(len(text) + 1):
        assert same(parser.value(), expected_value(text[:end])), text[:end]
        assert not parser.broken
        parser.feed(text[end : end + 1])


@settings(LAWS, max_examples=300)
@given(texts(), st.integers(0, 2**32))
def test_a_value_only_grows_and_what_was_shown_stays(text: str, seed: int) -> None:
    parser = PartialJSON()
    results: list[tuple[dict[str, Any], str]] = []
    for piece in cut(text, random.Random(seed)):
        parser.feed(piece)
        value = parser.value()
        results.append((value, json.dumps(value)))
    assert all(json.dumps(value) == text for value, text in results)
    for (before, _), (after, _) in itertools.pairwise(results):
        assert grows(before, after)


@settings(LAWS, max_examples=300)
@given(texts() | broken_texts(), st.integers(0, 2**32), st.booleans())
@example('{"a":"\\ud83d\\ude00\\ud83d"}', 1, True)
def test_any_cutting_gives_the_same_at_the_same_place(text: str, seed: int, look: bool) -> None:
    parser, end = PartialJSON(), 0
    for piece in cut(text, random.Random(seed)):
        parser.feed(piece)
        end += len(piece)
        if look:
            whole, broken = shown(text[:end])
            assert same(parser.value(), whole)
            assert parser.broken == broken
    assert (json.dumps(parser.value()), parser.broken) == (
        json.dumps(shown(text)[0]),
        shown(text)[1],
    )


@settings(LAWS, max_examples=150)
@given(broken_texts())
@example('{"a":[1}')
@example('{"a":"\\ud83d\\u0041"}')
@example('{"a":01}')
@example('{"a":tru }')
@example("\ufeff{}")
def test_the_first_impossible_character_breaks_and_adds_nothing(text: str) -> None:
    assume(not overflows(text))
    parser = PartialJSON()
    for end in range(len(text)):
        before = parser.value()
        parser.feed(text[end])
        if not can_become_valid(text[: end + 1]):
            assert parser.broken, text[: end + 1]
            assert same(parser.value(), before)
            parser.feed(text[end + 1 :] + '"}]}')
            assert same(parser.value(), before)
            return
        assert not parser.broken, text[: end + 1]
        assert same(parser.value(), expected_value(text[: end + 1]))


@settings(LAWS)
@given(st.text(st.characters() | st.sampled_from('{}[]",:\\ue0-')))
def test_no_text_raises(text: str) -> None:
    value, broken = shown(*text)
    assert isinstance(value, dict)
    assert (parse(text) is None) or (not broken and same(value, parse(text)))


# --- places that the laws name --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        (" \n", {}),
        ('{"a"', {}),
        ('{"a":', {}),
        ('{"a":"', {"a": ""}),
        ('{"a":1', {}),
        ('{"a":1,', {"a": 1}),
        ('{"a":1 ', {"a": 1}),
        ('{"a":true', {}),
        ('{"a":true}', {"a": True}),
        ('{"a":[', {"a": []}),
        ('{"a":[12', {"a": []}),
        ('{"a":{"b":"x', {"a": {"b": "x"}}),
        ('{"a":"x\\', {"a": "x"}),
        ('{"a":"x\\u00e', {"a": "x"}),
        ('{"a":"x\\u00e9', {"a": "x\u00e9"}),
        ('{"a":"\\ud83d', {"a": ""}),
        ('{"a":"\\ud83d\\ude0', {"a": ""}),
        ('{"a":"\\ud83d\\ude00', {"a": GRIN}),
        ('{"a":1,"b":2,"a":', {"a": 1, "b": 2}),
        ('{"a":1,"b":2,"a":3', {"a": 1, "b": 2}),
        ('{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
        ('{"a":"long","b":2,"a":"', {"a": "", "b": 2}),
    ],
)
def test_a_cut_text_shows(text: str, value: dict[str, Any]) -> None:
    assert shown(text) == (value, False)
    assert shown(*text) == (value, False)
    assert list(shown(text)[0]) == list(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1]", {}),
        ('"a"', {}),
        ("null", {}),
        ("\ufeff{}", {}),
        ('{"a":NaN}', {}),
        ('{"a":-Infinity}', {}),
        ('{"a":1}}', {"a": 1}),
        ('{"a":1}</s', {"a": 1}),
        ('{"a":1}{"a":2}', {"a": 1}),
        ('{"a":1,}', {"a": 1}),
        ('{"a":[1,]', {"a": [1]}),
        ('{"a":[,', {"a": []}),
        ('{"a":}', {}),
        ('{"a" 1}', {}),
        ("{a:1}", {}),
        ("{'a':1}", {}),
        ('{"a":1]', {}),
        ('{"a":[1}', {"a": []}),
        ('{"a":"x\ny"}', {"a": "x"}),
        ('{"a":"x\\q"}', {"a": "x"}),
        ('{"a":"x\\u00g', {"a": "x"}),
        ('{"a":"x\\ud83d"', {"a": "x"}),
        ('{"a":"x\\ud83dy', {"a": "x"}),
        ('{"a":"x\\ud83d\\n', {"a": "x"}),
        ('{"a":"x\\udE00', {"a": "x"}),
        ('{"a":"x\ud83d\ude00"}', {"a": "x"}),
        ('{"\\udc00":1}', {}),
        ('{"a":1e999,"b":2}', {}),
        ('{"a":-1e999 ', {}),
        ('{"a":' + "9" * 4301 + ',"b":2}', {}),
        ('{"a":1,"b":-' + "9" * 100_000 + "}", {"a": 1}),
    ],
)
def test_a_broken_text_stays_at_the_last_good_state(text: str, value: dict[str, Any]) -> None:
    assert shown(text) == (value, True)
    assert shown(*text) == (value, True)
    assert shown(text, ' "more":"x"}') == (value, True)


def test_long_numbers_are_read_as_json_reads_them() -> None:
    for token in ("9" * 4300, "-" + "9" * 4300, "0." + "0" * 9000 + "1", "1" * 300 + ".5e-2"):
        text = f'{{"a":{token}}}'
        assert same(shown(text)[0], json.loads(text))
        assert same(shown(*text)[0], json.loads(text))


def test_an_interpreter_with_a_lower_limit_breaks_and_does_not_raise() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        result = shown('{"a":1,"b":' + "9" * 641 + "}")
    finally:
        sys.set_int_max_str_digits(limit)
    assert result == ({"a": 1}, True)


@pytest.mark.parametrize(("left", "right"), [('{"a":', "}"), ("[", "]")])
def test_nesting_beyond_the_limit_breaks(left: str, right: str) -> None:
    def nested(depth: int) -> str:
        return '{"a":' + left * (depth - 1) + "0" + right * (depth - 1) + "}"

    assert shown(nested(MAX_DEPTH)) == (json.loads(nested(MAX_DEPTH)), False)
    value, broken = shown(nested(MAX_DEPTH + 1))
    assert broken
    assert sum(map(json.dumps(value).count, "{[")) == MAX_DEPTH
    assert shown(*nested(MAX_DEPTH + 1)) == (value, True)
    assert fed(nested(2), max_depth=1).broken
    assert not fed(nested(3), max_depth=3).broken


def test_no_depth_overflows_the_stack() -> None:
    """PRF-09: a hundred thousand brackets, below a limit that allows them."""
    parser = fed('{"a":' + "[" * 100_000, "]" * 100_000 + "}", max_depth=200_000)
    assert not parser.broken
    assert list(parser.value()) == ["a"]


# --- what the caller gets -------------------------------------------------------------------------


def test_a_result_refuses_changes_at_every_level() -> None:
    value = fed('{"a":[1,{"b":[2]}],"c":{"d":"e').value()
    places = [value, value["a"], value["a"][1], value["a"][1]["b"], value["c"]]
    changes: dict[type, tuple[Any, ...]] = {
        FrozenDict: ("clear", "popitem", ("pop", "a"), ("setdefault", "z"), ("update", {"z": 1})),
        FrozenList: (
            "clear", "pop", "reverse", "sort", ("append", 1), ("extend", [1]),
            ("insert", 0, 1), ("remove", 1), ("__iadd__", [1]), ("__imul__", 2),
        ),
    }  # fmt: skip
    common = (("__setitem__", 0, 1), ("__delitem__", 0))
    before = json.dumps(value)
    for place in places:
        for change in (*changes[type(place)], *common):
            name, *arguments = (change,) if isinstance(change, str) else change
            with pytest.raises(TypeError, match="copy it first"):
                getattr(place, name)(*arguments)
    with pytest.raises(TypeError, match="copy it first"):
        value |= {"z": 1}
    assert json.dumps(value) == before


def test_every_method_that_changes_a_container_is_refused() -> None:
    for frozen, plain in ((FrozenDict, dict), (FrozenList, list)):
        reading = set(dir(tuple)) | {"copy", "fromkeys", "get", "items", "keys", "values"}
        reading |= {"__reversed__", "__or__", "__ror__", "__init__"}
        changing = {name for name in dir(plain) if name not in reading}
        assert {n for n in changing if getattr(frozen, n) is getattr(plain, n, None)} == set()


def test_a_copy_is_plain_and_the_callers_own() -> None:
    value = fed('{"a":[{"b":1}],"c":"').value()
    for mine in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert mine == value
        assert [type(mine), type(mine["a"]), type(mine["a"][0])] == [dict, list, dict]
        mine["a"][0]["b"] = 2
    assert type(copy.copy(value)) is type(value.copy()) is type(dict(value)) is dict
    assert value == {"a": [{"b": 1}], "c": ""}


def test_a_result_is_written_like_a_plain_object() -> None:
    value = fed('{"a":[{"b":1.5}],"c":"x').value()
    assert msgspec.json.encode(value) == b'{"a":[{"b":1.5}],"c":"x"}'
    assert type(msgspec.to_builtins(value)) is dict


def test_complete_parts_are_shared_and_an_unchanged_value_is_the_same() -> None:
    parser = fed('{"a":{"b":[1]},"c":"x')
    first = parser.value()
    assert parser.value() is first
    parser.feed("y")
    assert parser.value()["a"] is first["a"]
    parser.feed('","key')
    second = parser.value()
    parser.feed(' cut"  : 12')
    assert parser.value() is second


def test_a_parser_is_freed_without_the_collector() -> None:
    class Seen(PartialJSON):
        __slots__ = ("__weakref__",)

    gc.disable()
    try:
        parser = Seen()
        parser.feed('{"a":["x')
        gone = weakref.ref(parser)
        del parser
        assert gone() is None
    finally:
        gc.enable()


# --- cost -----------------------------------------------------------------------------------------

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


@settings(LAWS)
@given(texts() | broken_texts())
def test_what_is_scanned_again_is_bounded(text: str) -> None:
    parser = PartialJSON()
    for char in text:
        parser.feed(char)
        assert len(parser._held) <= 11
        assert len(parser._head) <= 7


class Copies(PartialJSON):
    """Count the characters that feeding may have copied into the open text."""

    __slots__ = ("copied", "most_pieces")

    def __init__(self) -> None:
        super().__init__()
        self.copied = self.most_pieces = 0

    def _fold(self) -> str:
        self.most_pieces = max(self.most_pieces, len(self._pieces))
        text = super()._fold()
        self.copied += len(text)
        return text


@pytest.mark.parametrize("before", ['{"a":"', '{"', '{"a":0.'])
@pytest.mark.parametrize("piece", ["1", "1234567890"])
def test_an_open_string_is_copied_seldom_and_kept_small(before: str, piece: str) -> None:
    """PRF-02: linear even where the interpreter never grows a string in place."""
    parser, n = Copies(), 300_000
    parser.feed(before)
    for _ in range(n):
        parser.feed(piece)
    size = n * len(piece)
    assert parser.copied <= 66 * size
    assert parser.most_pieces <= max(1024, size / 64 + 1)


@pytest.mark.parametrize("look", [False, True])
def test_time_per_piece_does_not_grow_with_a_long_string(look: bool) -> None:
    def seconds(n: int) -> float:
        parser = fed('{"a":"')
        start = time.perf_counter()
        for _ in range(n):
            parser.feed("some words, ")
            if look:
                parser.value()
        return time.perf_counter() - start

    tracing = sys.gettrace()
    sys.settrace(None)  # a traced interpreter never grows a string in place
    try:
        small = min(seconds(5_000) for _ in range(5))
        large = min(seconds(100_000) for _ in range(3))
    finally:
        sys.settrace(tracing)
    assert large / small < 20 * 2
