"""Schemas made to hang a checker, or to lead it astray: an answer, soon, and no wrong one."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pytest

from partwire.compat import Budget, Comparison, Direction, Reading, SchemaSet, compare
from partwire.compat.comparison import check
from partwire.compat.logic.oracle import Oracle
from partwire.compat.report import SINGLE
from partwire.compat.sources.inputs import Source, Text
from partwire.errors import PartwireError
from tests.compat.builders import PROVED
from tests.cost import costs_at_most
from tests.patience import PATIENCE


def deep(levels: int, leaf: Any) -> Any:
    for _ in range(levels):
        leaf = {"type": "object", "properties": {"a": leaf}, "required": ["a"]}
    return leaf


def stacked(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"allOf": [schema, {"minLength": 1}]}
    return schema


def members(count: int, kind: str, **more: Any) -> Any:
    names = [f"p{n}" for n in range(count)]
    return {"type": "object", "properties": {name: {"type": kind} for name in names}, **more}


def untagged(count: int, kind: str, keyword: str) -> Any:
    return {
        keyword: [
            {"properties": {f"p{n}": {"type": kind}}, "required": [f"p{n}"]} for n in range(count)
        ]
    }


def tagged(tags: list[int], kind: str) -> Any:
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": {"t": {"const": f"k{n}"}, "v": {"type": kind}},
                "required": ["t"],
            }
            for n in tags
        ]
    }


def overlapping(count: int, kind: str) -> Any:
    return {
        "type": "object",
        "patternProperties": {f"p{n}": {"type": kind} for n in range(count)},
        "additionalProperties": False,
    }


HARD: dict[str, tuple[Any, Any, str, str]] = {
    "deep": (deep(60, {"type": "string"}), deep(60, {"type": "integer"}), "!", "!"),
    "stacked": (stacked(60), stacked(59), "=", "="),
    "enum": ({"enum": [*range(20_000)]}, {"enum": [*range(20_001)]}, "=", "!"),
    "enum-of-pattern": (
        {"enum": [f"k{n}" for n in range(5_000)]},
        {"type": "string", "pattern": "^k[0-9]+$"},
        "=",
        "!",
    ),
    "catastrophic": (
        {"type": "string", "pattern": "^(a+)+$", "minLength": 40},
        {"type": "string", "pattern": "^(a|aa)+b$"},
        "!",
        "!",
    ),
    "exponential": (
        {"type": "string", "pattern": "(a|b)*a(a|b){12}$"},
        {"type": "string", "pattern": "(a|b)*b(a|b){12}$"},
        "!",
        "!",
    ),
    "unending": ({"type": "string", "pattern": "^a{1,1000}$"}, {"minLength": 1}, "=", "!"),
    "too-large": ({"minimum": 10**400 + 1}, {"minimum": 10**400}, "=", "!"),
    "too-small": ({"minimum": 1e-300}, {"exclusiveMinimum": 1e-300}, "!", "="),
    "large-primes": (
        {"type": "integer", "multipleOf": 999_983},
        {"type": "integer", "multipleOf": 999_979},
        "!",
        "!",
    ),
    "any-of": (untagged(30, "integer", "anyOf"), untagged(30, "number", "anyOf"), "=", "!"),
    "one-of": (untagged(20, "integer", "oneOf"), untagged(20, "number", "oneOf"), "!", "!"),
    "tags": (tagged([*range(60)], "integer"), tagged([*range(59, -1, -1)], "number"), "=", "!"),
    "patterns": (overlapping(10, "integer"), overlapping(10, "number"), "=", "!"),
    "members": (members(1_500, "integer"), members(1_500, "number"), "=", "!"),
    "pigeons": (
        {"type": "array", "uniqueItems": True, "minItems": 12, "items": {"enum": [*range(11)]}},
        False,
        "=",
        "=",
    ),
    "many-members": (
        {"type": "object", "minProperties": 500},
        {"type": "object", "minProperties": 501},
        "!",
        "=",
    ),
    "grids": (
        {
            "type": "integer",
            "minimum": 1,
            "not": {"anyOf": [{"multipleOf": n} for n in (2, 3, 5, 7)]},
        },
        {"type": "integer", "minimum": 1},
        "=",
        "!",
    ),
}


def overlapping_branches(count: int, kind: str, **more: Any) -> Any:
    """Branches that each share a member with the next one: any set of them may apply."""
    branches = [
        {"properties": {f"p{n}": {"type": kind}, f"p{n + 1}": {"type": kind}}} for n in range(count)
    ]
    return {"type": "object", "anyOf": branches, **more}


def conditional(count: int, kind: str, **more: Any) -> Any:
    """A condition for each value of a member that tells kinds apart."""
    conditions = [
        {
            "if": {"properties": {"k": {"const": n}}, "required": ["k"]},
            "then": {"properties": {f"v{n}": {"type": kind}}, "required": [f"v{n}"]},
        }
        for n in range(count)
    ]
    return {"type": "object", "properties": {"k": {"type": "integer"}}, "allOf": conditions, **more}


def dependent(count: int, kind: str, **more: Any) -> Any:
    schemas = {f"a{n}": {"properties": {f"b{n}": {"type": kind}}} for n in range(count)}
    names: dict[str, Any] = {f"a{n}": {} for n in range(count)}
    return {"type": "object", "properties": names, "dependentSchemas": schemas, **more}


CLOSED = {"unevaluatedProperties": False}
HARD |= {
    "branches": (overlapping_branches(15, "integer"), overlapping_branches(16, "number"), "=", "!"),
    "closed-branches": (
        overlapping_branches(15, "integer", **CLOSED),
        overlapping_branches(16, "number", **CLOSED),
        "=",
        "!",
    ),
    "conditions": (conditional(30, "integer"), conditional(30, "number"), "=", "!"),
    "closed-conditions": (
        conditional(30, "integer", **CLOSED),
        conditional(30, "number", **CLOSED),
        "=",
        "!",
    ),
    "closed-dependencies": (
        dependent(15, "integer", **CLOSED),
        dependent(15, "number", **CLOSED),
        "=",
        "!",
    ),
    "password": (
        {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*[a-z])(?=.*\\d).{10,64}$"},
        {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*\\d).{8,64}$"},
        "=",
        "!",
    ),
    "not-this-one": (
        {"type": "string", "pattern": "^(?!aux$|con$)[a-z]+$"},
        {"type": "string", "pattern": "^(?!con$)[a-z]+$"},
        "=",
        "!",
    ),
    "whole-words": (
        {"type": "string", "pattern": "\\bfoo\\b"},
        {"type": "string", "pattern": "foo"},
        "=",
        "!",
    ),
    "letters": (
        {"type": "string", "pattern": "^\\p{Lu}\\p{Ll}*$"},
        {"type": "string", "pattern": "^[\\p{L}\\p{N}]+$"},
        "=",
        "!",
    ),
    "many-times": (
        {"type": "string", "pattern": "^[a-z]{1,4000}$"},
        {"type": "string", "pattern": "^[a-z]{1,5000}$"},
        "=",
        "!",
    ),
    "the-same-again": (
        {"type": "string", "pattern": "^(a|b)\\1$"},
        {"type": "string", "pattern": "^(a|b)(a|b)$"},
        "=",
        "!",
    ),
    "unevaluated-under-a-condition": (
        {"anyOf": [{"unevaluatedItems": {"type": "number"}}]},
        {"prefixItems": [{"if": {}, "then": {"additionalProperties": False}}]},
        "=",
        "!",
    ),
}

# What is honestly left open; no answer would be wrong, but none is given.
OPEN: dict[str, tuple[Any, Any]] = {
    "long-text": (
        {"type": "string", "minLength": 10**6},
        {"type": "string", "minLength": 10**6 + 1},
    ),
    "back-reference": (
        {"type": "string", "pattern": "^(a*)b\\1$"},
        {"type": "string", "pattern": "^(b|a+ba+)$"},
    ),
    "property": (
        {"type": "string", "pattern": "^\\p{Script=Greek}+$"},
        {"type": "string", "pattern": "^.+$"},
    ),
}

PATIENT = Budget(seconds=PATIENCE)
"""The steps decide, on a slow machine as well."""


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("name", HARD)
def test_an_answer_comes_soon(name: str, direction: Direction) -> None:
    old, new, backward, forward = HARD[name]
    with costs_at_most(10):
        verdict = compare(old, new, reading="exact", direction=direction, budget=PATIENT)
    expected = backward if direction == "backward" else forward
    assert verdict.status in (PROVED if expected == "=" else ("breaking",))


def test_more_times_than_anybody_counts_are_some() -> None:
    old = {"type": "string", "pattern": "^a{1,1000000000}$"}
    assert compare(old, {"type": "string", "pattern": "^a*$"}).status == "compatible"
    assert compare(old, {"type": "string", "minLength": 1}).status == "compatible"


@pytest.mark.parametrize("reading", ["exact", "declared"])
def test_as_deep_as_schemas_may_be_there_is_a_verdict(reading: Reading) -> None:
    limit = sys.getrecursionlimit()
    old, new = deep(95, {"type": "string"}), deep(95, {"type": "string", "minLength": 1})
    with costs_at_most(10):
        assert compare(old, new, reading=reading).status == "breaking"
        assert compare(new, old, reading=reading).status == "compatible"
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_is_said_to_be(name: str) -> None:
    verdict = compare(*OPEN[name], reading="exact")
    assert verdict.status == "unproven"
    assert verdict.open
    assert verdict.tried > 100


def test_an_open_place_has_a_pointer() -> None:
    def of(pattern: str) -> Any:
        member = {"type": "string", "pattern": pattern}
        return {"type": "object", "properties": {"a/b": member}, "required": ["a/b"]}

    verdict = compare(of("^(a*)b\\1$"), of("^(b|a+ba+)$"))
    assert {found.pointer for found in verdict.open} >= {"/a~1b"}


def test_a_small_budget_ends_in_open_not_in_wrong() -> None:
    old, new, *_ = HARD["tags"]
    verdict = compare(old, new, reading="exact", budget=Budget(5, 1.0, 10))
    assert verdict.status == "unproven"
    assert "the budget was used up" in {found.reason for found in verdict.open}


def test_nesting_beyond_the_limit_is_an_error() -> None:
    for schema in (deep(300, True), {"const": deep(300, 1)}):
        with pytest.raises(PartwireError) as caught:
            compare(schema, {})
        assert caught.value.rule == "compat/invalid-schema"


def test_recursion_without_end_has_no_documents() -> None:
    endless = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    assert compare(endless, False).status == "no-documents"
    item = {**endless, "properties": {"a": {"$ref": "#/$defs/item"}}}
    within = {"type": "array", "items": {"$ref": "#/$defs/item"}, "$defs": {"item": item}}
    assert compare(within, {"maxItems": 0}).status == "compatible"


def test_mutual_recursion_is_unfolded_differently() -> None:
    one = {
        "$ref": "#/$defs/even",
        "$defs": {
            "even": {"properties": {"next": {"$ref": "#/$defs/odd"}}, "type": "object"},
            "odd": {"properties": {"next": {"$ref": "#/$defs/even"}}, "type": "object"},
        },
    }
    other = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert compare(one, other, reading="exact").status == "compatible"
    assert compare(other, one, reading="exact").status == "compatible"
    deeper = {**other, "properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}}}
    assert compare(other, deeper, reading="exact").status == "breaking"
    assert compare(deeper, other, reading="exact").status == "compatible"


def test_what_rests_on_an_assumption_is_not_kept_as_proved() -> None:
    """While "outer" is in question, "inner" seems to have no documents; it has."""
    definitions = {
        "outer": {
            "type": "object",
            "anyOf": [
                {"properties": {"m": {"$ref": "#/$defs/inner"}}, "required": ["m"]},
                {"properties": {"z": {"type": "null"}}, "required": ["z"]},
            ],
        },
        "inner": {
            "type": "object",
            "properties": {"n": {"$ref": "#/$defs/outer"}},
            "required": ["n"],
        },
    }
    old, new = SchemaSet(), SchemaSet()
    root = old.add({"$defs": definitions})
    nothing = new.add(False)
    places = [old.child(root, "$defs", name) for name in ("outer", "inner")]
    comparison = Comparison(old, new, [(place, nothing) for place in places])
    assert comparison.verdict(0, reading="exact").witness == {"z": None}
    assert comparison.verdict(1, reading="exact").witness == {"n": {"z": None}}


def test_schemas_that_differ_far_away_are_not_taken_for_one() -> None:
    """ "c" and "b" say the same in both; what differs is reached only by way back to "a"."""

    def definitions(kind: str) -> Any:
        a, b, c = ({"$ref": f"#/$defs/{name}"} for name in "abc")
        return {
            "$defs": {
                "a": {"type": "object", "properties": {"v": {"type": kind}, "b": b}},
                "b": {"type": "object", "properties": {"a": a, "c": c}},
                "c": {"type": "object", "properties": {"b": b}},
            }
        }

    old, new = SchemaSet(), SchemaSet()
    roots = old.add(definitions("number")), new.add(definitions("integer"))
    pairs = [
        (old.child(roots[0], "$defs", name), new.child(roots[1], "$defs", name)) for name in "abc"
    ]
    comparison = Comparison(old, new, pairs)
    verdict = comparison.verdict(2, reading="exact")
    assert (verdict.status, verdict.witness) == ("breaking", {"b": {"a": {"v": 0.5}}})
    assert comparison.verdict(2, reading="exact", direction="forward").status == "compatible"


def test_documents_are_tried_for_a_while_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*_of: Any) -> None:
        time.sleep(0.002)

    monkeypatch.setattr(Oracle, "agree", gives_up)
    verdict = compare({}, False, budget=Budget(seconds=0.2))  # every document is asked
    assert verdict.status == "unproven"
    assert 0 < verdict.tried < Budget().documents // 2
    assert verdict.open


def of_unions(count: int, kind: str) -> Any:
    """Unions beside one another: as many variants as there are ways to take one of each."""
    pairs = [{"anyOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(count)]
    return {"allOf": pairs, "properties": {"x": {"type": kind}}}


def chained(count: int, step: Any, leaf: Any) -> Any:
    """Definitions each of which leads to the next one in more than one way."""
    definitions = {f"d{n}": step({"$ref": f"#/$defs/d{n + 1}"}) for n in range(count)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{count}": leaf}}


WAYS: dict[str, Any] = {
    "any-of": lambda below: {"anyOf": [below, {"allOf": [below]}]},
    "if": lambda below: {"if": below, "then": {"minLength": 1}, "else": below},
    "members": lambda below: {
        "type": "object",
        "properties": {"a": below, "b": below},
        "required": ["a", "b"],
    },
}


@pytest.mark.parametrize("count", [4, 12, 14])
def test_an_explanation_comes_soon(count: int) -> None:
    sources = [as_source(of_unions(count, kind)) for kind in ("string", "integer")]
    with costs_at_most(10):
        report = check(*sources)
    (verdict,) = report.verdicts
    assert verdict.status == "breaking"
    assert [change.rule for change in verdict.changes] == ["compat/type-narrowed"]
    cuts = [note for note in report.notes if note.rule == "compat/unexplained"]
    assert [note.old_source for note in cuts] == ([SINGLE] if count > 4 else [])
    assert report == check(*sources)


@pytest.mark.parametrize("way", WAYS)
def test_ways_that_double_end_in_an_answer(way: str) -> None:
    old, new = (chained(20, WAYS[way], {"type": kind}) for kind in ("string", "integer"))
    with costs_at_most(10):
        verdict = check(as_source(old), as_source(new)).verdicts[0]
    assert verdict.status == "unproven"
    assert verdict.open


def as_source(schema: Any) -> Source:
    return Source("a", {SINGLE: Text(SINGLE, "a", json.dumps(schema).encode())}, single=True)
