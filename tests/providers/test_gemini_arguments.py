"""Arguments that come by path: whatever the order of the pieces, the text says what they say."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.providers.gemini.arguments import StreamedArguments

NAMES = st.text("ab.[]'\"\\ \n$ø\ud83d", max_size=3)
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.just(0.5) | st.text(max_size=6)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(NAMES, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=4)


def path_of(steps: tuple[str | int, ...]) -> str:
    return "$" + "".join(f"[{json.dumps(step)}]" for step in steps)


def leaves(value: Any, steps: tuple[str | int, ...] = ()) -> list[tuple[str, Any]]:
    if isinstance(value, (dict, list)):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, member in members for leaf in leaves(member, (*steps, key))]
    return [(path_of(steps), value)]


def pieces_of(path: str, value: Any, rng: random.Random) -> list[dict[str, Any]]:
    """Return the pieces of one leaf: a string in several, in either of Google's manners."""
    if value is None:
        return [{"jsonPath": path, "nullValue": rng.choice([None, "NULL_VALUE"])}]
    if isinstance(value, bool):
        return [{"jsonPath": path, "boolValue": value}]
    if not isinstance(value, str):
        return [{"jsonPath": path, "numberValue": value}]
    at = rng.randrange(len(value) + 1)
    texts = [value] if rng.random() < 0.3 else [value[:at], value[at:], ""]
    pieces = [{"jsonPath": path, "stringValue": text, "willContinue": True} for text in texts]
    if rng.random() < 0.8:
        del pieces[-1]["willContinue"]
    return pieces


def text_of(pieces: list[dict[str, Any]]) -> tuple[str, StreamedArguments]:
    arguments = StreamedArguments()
    text = "".join([arguments.add(piece) for piece in pieces])
    return text + arguments.end(), arguments


@given(ARGUMENTS, st.randoms(use_true_random=False))
def test_pieces_in_order_are_written_as_they_come(value: Any, rng: random.Random) -> None:
    pieces = [piece for leaf in leaves(value) for piece in pieces_of(*leaf, rng)]
    text, arguments = text_of(pieces)
    assert text == (json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else "")
    assert (arguments.broken, arguments.again) == (None, None)


@given(ARGUMENTS, st.randoms(use_true_random=False))
def test_pieces_in_another_order_say_the_same(value: Any, rng: random.Random) -> None:
    """BLK-28: strings go on after others, members come back; items keep their order."""
    queues = [pieces_of(*leaf, rng) for leaf in leaves(value)]
    pieces: list[dict[str, Any]] = []
    while queues:
        queue = rng.choice(queues)
        pieces.append(queue.pop(0))
        queues = [rest for rest in queues if rest]
    text, arguments = text_of(pieces)
    if arguments.broken is None:
        assert (json.loads(text) if text else {}) == value
    else:
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)
        assert "[" in "".join(path for path, _ in leaves(value))


def test_only_an_item_out_of_order_is_refused() -> None:
    for paths, broken in (
        (["$.a[0]", "$.a[1]"], False),
        (["$.a[0].x", "$.b", "$.a[0].y", "$.a[1].x"], False),
        (["$.a[1]"], True),
        (["$.a[0]", "$.a[2]"], True),
        (["$.a[0]", "$.a.b"], True),
        (["$.a.b", "$.a[0]"], True),
        (["$.a.b", "$.a"], True),
        (["$.a", "$.a.b"], True),
    ):
        text, arguments = text_of([{"jsonPath": path, "numberValue": 1} for path in paths])
        assert (arguments.broken is not None) == broken, paths
        assert text.endswith("}") != broken


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("$.a", ["a"]),
        ("$.a-b.c d", ["a-b", "c d"]),
        ("$['a.b'][\"c\"]", ["a.b", "c"]),
        (r"$['it\'s \"\u00f8\n\\']", ["it's \"ø\n\\"]),
        ("$['\"']", ['"']),
        ("$['']", [""]),
        ("$.ø", ["ø"]),
        ("$.__proto__", ["__proto__"]),
    ],
)
def test_paths(path: str, steps: list[str]) -> None:
    """SEC-02: a name is a name."""
    due: Any = True
    for step in reversed(steps):
        due = {step: due}
    text, _ = text_of([{"jsonPath": path, "boolValue": True}])
    assert json.loads(text) == due


@pytest.mark.parametrize(
    "path",
    [
        *[None, 7, "", "a", "$", "$.", "$..a", "$.*", "$.a[*]", "$.a[-1]", "$.a[1:2]", "$[0]"],
        *["$.a[", "$.a['b]", "$['\\x']", "$.a[0][99999999]", "$.a\n[0", "$.a[?@.b]"],
        *["$" + ".a" * 101, "$." + "a" * 5000],
    ],
)
def test_what_is_no_path_breaks_the_arguments(path: object) -> None:
    """ARG-14: never taken for complete."""
    good = {"jsonPath": "$.ok", "boolValue": True}
    for pieces in ([{"jsonPath": path, "boolValue": True}], [good, {"jsonPath": path}, good]):
        text, arguments = text_of(pieces)
        assert arguments.broken == "a path that cannot be read"
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"stringValue": 7},
        {"numberValue": "7"},
        {"numberValue": True},
        {"boolValue": 1},
        {"nullValue": "x"},
        {"nullValue": None, "stringValue": None},
        {"structValue": {}},
    ],
)
def test_a_piece_without_a_value_breaks_the_arguments(value: dict[str, Any]) -> None:
    assert text_of([{"jsonPath": "$.a", **value}])[1].broken == "a piece without a value"


def test_a_string_may_end_with_a_piece_without_a_value() -> None:
    more = {"jsonPath": "$.a", "stringValue": "x", "willContinue": True}
    assert text_of([more, {"jsonPath": "$.a"}, {"jsonPath": "$.b", "numberValue": 1}])[0] == (
        '{"a":"x","b":1}'
    )


def _seconds(count: int) -> float:
    arguments = StreamedArguments()
    piece = {"jsonPath": "$.a", "stringValue": "xy", "willContinue": True}
    begun = time.process_time()
    sizes = {len(arguments.add(piece)) for _ in range(count)}
    taken = time.process_time() - begun
    assert sizes == {len('{"a":"xy'), len("xy")}
    assert arguments.end() == '"}'
    return taken


@pytest.mark.usefixtures("untraced")
def test_cost_is_proportional_to_the_pieces() -> None:
    """A long string in small pieces: none of them is copied again."""
    few = min(_seconds(3_000) for _ in range(3))
    assert min(_seconds(30_000) for _ in range(2)) < 25 * few
