"""What is behind the first witness: every break is found, and what cannot be is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from partwire.compat import Comparison, Direction
from partwire.compat.changes.explanation import explain
from partwire.compat.changes.masked import explain_all
from tests.compat.builders import I, N, S, obj, text
from tests.compat.explained import explained

CIRCLE = obj({"kind": {"const": "circle"}, "r": N}, "kind", "r")
SQUARE = obj({"kind": {"const": "square"}, "a": N}, "kind", "a")
POINT = obj({"x": N, "y": N}, "x", "y")
MANY_OLD = obj(
    {"a": S, "b": S, "k": text(enum=["x", "y", "z"]), "t": obj({"u": S, "v": S}), "w": {}},
    "a",
)
MANY_NEW = obj(
    {
        "a": I,
        "b": S | {"maxLength": 3},
        "k": text(enum=["x"]),
        "t": obj({"u": I, "v": S}, "v"),
        "w": {},
    },
    *("a", "b", "k"),
)
MANY = {
    ("required", "/required/1"),
    ("required", "/required/2"),
    ("type", "/properties/a/type"),
    ("bound", "/properties/b/maxLength"),
    ("enum", "/properties/k/enum"),
    ("required", "/properties/t/required/0"),
    ("type", "/properties/t/properties/u/type"),
}


def test_every_break_is_found_not_only_the_first() -> None:
    pair, verdict = explained(MANY_OLD, MANY_NEW)
    first = explain(pair, verdict)
    (found,) = explain_all([pair], [verdict])
    told = {(c.rule.split("/")[1].split("-")[0], c.new_pointer) for c in found.changes}
    assert (told, found.complete) == (MANY, True)
    assert found.changes[: len(first)] == first
    assert len(first) < len(found.changes)
    gone = [c.values for c in found.changes if c.rule == "compat/enum-value-removed"]
    assert gone == [("y",), ("z",)]


def test_every_break_is_found_forward_as_well() -> None:
    pair, verdict = explained(MANY_NEW, MANY_OLD, "forward")
    (found,) = explain_all([pair], [verdict])
    told = {(c.rule.split("/")[1].split("-")[0], c.old_pointer) for c in found.changes}
    assert (told, found.complete) == (MANY, True)
    assert {c.direction for c in found.changes} == {"forward"}


def test_a_tagged_variant_can_be_lifted() -> None:
    strict = obj({"kind": {"const": "circle"}, "r": I}, "kind", "r")
    line = obj({"kind": {"const": "line"}}, "kind")
    pair, verdict = explained({"oneOf": [CIRCLE, SQUARE, line]}, {"oneOf": [line, strict]})
    (found,) = explain_all([pair], [verdict])
    rules = {change.rule for change in found.changes}
    assert (rules, found.complete) == ({"compat/variant-removed", "compat/type-narrowed"}, True)


def test_compatible_pairs_have_nothing_to_lift() -> None:
    pair, verdict = explained(POINT, POINT)
    assert explain_all([pair], [verdict]) == [((), True, "")]


# Two breaks each, the second behind the first: what hides it, and where it is.
BEHIND: dict[str, tuple[Any, Any, list[tuple[str, str]]]] = {
    "an untagged variant": (
        {"anyOf": [S, N, obj({"a": S})]},
        {"anyOf": [S, obj({"a": I})]},
        [("variant-removed", "/anyOf/number"), ("type-narrowed", "/anyOf/object/properties")],
    ),
    "an untagged variant of oneOf": (
        {"oneOf": [S, N, obj({"a": S})]},
        {"oneOf": [S, obj({"a": I})]},
        [("variant-removed", "/oneOf/number"), ("type-narrowed", "/oneOf/object/properties")],
    ),
    "null": (
        obj({"a": {"type": ["string", "null"]}, "b": S}),
        obj({"a": {"anyOf": [S, {"$ref": "#/$defs/P"}]}, "b": I}) | {"$defs": {"P": POINT}},
        [("type-narrowed", "/properties/a"), ("type-narrowed", "/properties/b/type")],
    ),
    "variants that overlap": (
        obj({"a": {"anyOf": [N, {"multipleOf": 2}]}, "b": S}),
        obj({"a": {"oneOf": [N, {"multipleOf": 2}]}, "b": I}),
        [("variants-overlap", "/properties/a/anyOf"), ("type-narrowed", "/properties/b/type")],
    ),
    "variants that overlap, and one is narrower": (
        {"anyOf": [N, obj({"b": S})]},
        {"oneOf": [N, N | {"multipleOf": 2}, obj({"b": I})]},
        [("variants-overlap", "/anyOf"), ("type-narrowed", "/anyOf/object/properties/b/type")],
    ),
    "a value that is the only one left": (
        obj({"a": text(enum=["x", "y", "z"])}),
        obj({"a": text(const="x")}),
        [
            ("enum-value-removed", "/properties/a/enum"),
            ("enum-value-removed", "/properties/a/enum"),
        ],
    ),
    "values as branches": (
        obj({"a": {"oneOf": [{"const": "x"}, {"const": "y"}, {"const": "z"}]}}),
        obj({"a": {"oneOf": [{"const": "x"}]}}),
        [("enum-value-removed", "/properties/a/oneOf")] * 2,
    ),
    "an object that closes": (
        obj({"a": S, "b": S}, additionalProperties=True),
        obj({"a": S}, additionalProperties=False),
        [("additional-closed", "/additionalProperties"), ("property-removed", "/properties/b")],
    ),
    "two members less": (
        obj({"a": S, "b": S, "c": S}, additionalProperties=False),
        obj({"a": S}, additionalProperties=False),
        [("property-removed", "/properties/b"), ("property-removed", "/properties/c")],
    ),
    "two dependencies": (
        obj({"a": S, "b": S, "c": S}),
        obj({"a": S, "b": S, "c": S}, dependentRequired={"a": ["b", "c"]}),
        [("dependency-added", "/dependentRequired")] * 2,
    ),
    "a bound of an old draft": (
        {"$schema": "http://json-schema.org/draft-04/schema#"} | obj({"a": N, "b": S}),
        {"$schema": "http://json-schema.org/draft-04/schema#"}
        | obj({"a": N | {"minimum": 0, "exclusiveMinimum": True}, "b": I}),
        [("bound-tightened", "/properties/a/minimum"), ("type-narrowed", "/properties/b/type")],
    ),
    "the root": (
        {"$defs": {"A": S}, "$ref": "#/$defs/A"},
        {"$defs": {"A": False}, "$ref": "#/$defs/A"},
        [("value-forbidden", "")],
    ),
}


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("name", BEHIND)
def test_a_break_hides_no_other(name: str, direction: Direction) -> None:
    old, new, expected = BEHIND[name]
    pair = (old, new) if direction == "backward" else (new, old)
    asked, verdict = explained(*pair, direction)
    (found,) = explain_all([asked], [verdict])
    assert (found.complete, found.reason) == (True, "")
    assert len(found.changes) == len(expected)
    assert {change.direction for change in found.changes} == {direction}
    if direction == "backward":
        told = sorted((c.rule.split("/")[1], c.place) for c in found.changes)
        for (rule, place), (wanted, start) in zip(told, sorted(expected), strict=True):
            assert rule == wanted
            assert place.startswith(f"#{start}")


def test_more_breaks_than_rounds_are_said_to_be_more() -> None:
    names = [f"m{number}" for number in range(12)]
    old, new = (obj(dict.fromkeys(names, each)) for each in (S, I))
    pair, verdict = explained(old, new)
    (all_of_them,) = explain_all([pair], [verdict])
    assert (len(all_of_them.changes), all_of_them.complete) == (12, True)
    (some,) = explain_all([pair], [verdict], rounds=3)
    assert (len(some.changes), some.complete) == (4, False)
    assert "more than 3" in some.reason


def test_what_is_open_behind_a_break_is_said() -> None:
    old = obj({"a": S, "b": text(pattern="^(a*)b\\1$")})
    new = obj({"a": I, "b": text(pattern="^(b|a+ba+)$")})
    pair, verdict = explained(old, new)
    (found,) = explain_all([pair], [verdict])
    assert [change.rule for change in found.changes] == ["compat/type-narrowed"]
    assert not found.complete
    assert found.reason.startswith("without it the verdict is unproven: ")


def test_pairs_share_what_is_taken_back() -> None:
    old = {"$defs": {"A": obj({"z": {"$ref": "#/$defs/Z"}, "a": S}), "Z": S}}
    new = {"$defs": {"A": obj({"z": {"$ref": "#/$defs/Z"}, "a": I}), "Z": I}}
    pair, _ = explained(old, new)
    names = ("A", "Z")
    pairs = [
        replace(
            pair,
            entrypoint=name,
            old=pair.old_set.child(pair.old, "$defs", name),
            new=pair.new_set.child(pair.new, "$defs", name),
        )
        for name in names
    ]
    comparison = Comparison(pair.old_set, pair.new_set, [(each.old, each.new) for each in pairs])
    verdicts = [comparison.verdict(number) for number in range(2)]
    found = explain_all(pairs, verdicts)
    assert [each.complete for each in found] == [True, True]
    places = {change.place for each in found for change in each.changes}
    assert places == {"#/$defs/Z/type", "#/$defs/A/properties/a/type"}
