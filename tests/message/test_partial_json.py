"""Arguments while they arrive: what is shown of a text that is cut anywhere."""

from __future__ import annotations

import copy
import gc
import itertools
import json
import pickle
import random
import sys
import weakref
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from partwire.message.assembler import partial_json
from partwire.message.assembler.partial_json import FrozenDict, FrozenList, PartialJSON
from tests.reference.partial_json_reference import (
    GRIN,
    broken_texts,
    can_become_valid,
    cut,
    expected_value,
    grows,
    overflows,
    parse,
    same,
    texts,
)

pytestmark = pytest.mark.usefixtures("untraced")  # the same lines over and over

LAWS = settings(deadline=None)
MAX_DEPTH = 128


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


@settings(LAWS, max_examples=20)
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


HOLDS: tuple[Callable[[Any], Any], ...] = (
    lambda part: part,
    iter,
    lambda part: part.items() if isinstance(part, dict) else reversed(part),
)
"""What keeps a part of a result alive: it, or something made of it."""


@settings(LAWS, max_examples=300)
@given(texts(), st.integers(0, 2**32))
@example('{"a":{"b":[1,"xy",{"c":1}],"b":[2,3]}}', 1)
def test_whatever_part_is_held_stays(text: str, seed: int) -> None:
    chooser = random.Random(seed)
    parser = PartialJSON()
    kept: list[tuple[Any, Any]] = []
    for piece in cut(text, chooser):
        parser.feed(piece)
        part: Any = parser.value()
        while part and chooser.random() < 0.7:
            last = list(part.values() if isinstance(part, dict) else part)[-1]
            if not isinstance(last, dict | list):
                break
            part = last
        if chooser.random() < 0.5:
            hold = chooser.choice(HOLDS)
            kept.append((hold(part), list(hold(copy.deepcopy(part)))))
        part = last = None
    assert all(list(part) == as_it_was for part, as_it_was in kept)


@pytest.mark.skipif(partial_json._COPIES, reason="references are not counted exactly")
def test_what_nobody_holds_grows_in_place() -> None:
    parser = fed('{"rows":[{"id":1},{"id":')
    places = [id(parser.value()), id(parser.value()["rows"])]
    for piece in ("2", "}", ',{"id":3', ',"name":"x', 'y"}', ",4"):
        parser.feed(piece)
        assert [id(parser.value()), id(parser.value()["rows"])] == places
    held = parser.value()["rows"]
    parser.feed(",5,")
    assert parser.value()["rows"] is not held
    assert id(parser.value()) == places[0]


def test_where_references_are_not_counted_all_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_json, "_COPIES", True)
    parser = fed('{"rows":[1')
    first, rows = parser.value(), parser.value()["rows"]
    parser.feed(",2,")
    assert (first, rows) == ({"rows": []}, [])
    assert parser.value() == {"rows": [1, 2]}


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


@settings(LAWS, max_examples=50)
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
        ('{"a":1},{"a":2}', {"a": 1}),
        ('{"a":1}]', {"a": 1}),
        ("{}0", {}),
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
        ('{"a":1,\f"b":2}', {"a": 1}),
        ('{"a":1\u00a0}', {}),
        ('{"a":01}', {}),
        ('{"a":-01}', {}),
        ('{"a":+1}', {}),
        ('{"a":.5}', {}),
        ('{"a":\u0661}', {}),
        ('{"a":1.}', {}),
        ('{"a":1.e5}', {}),
        ('{"a":-}', {}),
        ('{"a":1e+}', {}),
        ('{"a":nul}', {}),
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
    longest = str(2**1024 - 2**970 - 1)  # the greatest integer that is finite as a double
    for token in (longest, "-" + longest, "0." + "0" * 9000 + "1", "1" * 300 + ".5e-2"):
        text = f'{{"a":{token}}}'
        assert same(shown(text)[0], json.loads(text))
        assert same(shown(*text)[0], json.loads(text))


@pytest.mark.parametrize("token", [str(2**1024 - 2**970), "9" * 309, "-" + "9" * 400, "9" * 5000])
def test_an_integer_beyond_the_largest_double_breaks(token: str) -> None:
    assert shown(f'{{"a":1,"b":{token}}}') == ({"a": 1}, True)
    assert shown('{"a":1,"b":', *token, ",") == ({"a": 1}, True)


@pytest.mark.parametrize(("limit", "digits"), [(640, 641), (0, 4301)])
def test_the_interpreters_own_limit_on_digits_neither_raises_nor_widens(
    limit: int, digits: int
) -> None:
    usual = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(limit)
    try:
        result = shown('{"a":1,"b":' + "9" * digits + "}")
    finally:
        sys.set_int_max_str_digits(usual)
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
