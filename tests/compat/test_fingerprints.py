"""What a break is known by stays the same when a list is sorted anew, and tells breaks apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from partwire.compat import Comparison, CompatError, Direction, SchemaSet, Verdict
from partwire.compat.changes.explanation import explain
from partwire.compat.changes.keywords import NOTHING
from partwire.compat.changes.places import canonical, located
from partwire.compat.report import Change, Pair
from tests.compat.builders import I, N, S, arr, obj, text
from tests.compat.schemas import SCHEMAS
from tests.fixture_cases import Case, cases

CASES = cases("compat")
CIRCLE = obj({"kind": {"const": "circle"}, "r": N}, "kind", "r")
SQUARE = obj({"kind": {"const": "square"}, "a": N}, "kind", "a")
LAWS = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def turned(schema: Any, keyword: str = "") -> Any:
    """Return a schema whose members, branches, types, names and values are the other way round.

    What a tuple holds, and what a value is, stays as it was.
    """
    if keyword in ("const", "default", "examples", "enum"):
        return schema[::-1] if keyword == "enum" else schema
    if isinstance(schema, dict):
        return {name: turned(part, name) for name, part in reversed(schema.items())}
    if not isinstance(schema, list):
        return schema
    if keyword in ("items", "prefixItems"):
        return [turned(part) for part in schema]
    return [turned(part) if isinstance(part, dict) else part for part in reversed(schema)]


def pair_of(old: Any, new: Any) -> Pair:
    sets = SchemaSet(), SchemaSet()
    return Pair("(root)", sets[0].add(old), sets[1].add(new), *sets)


def known(old: Any, new: Any, witness: Any, direction: Direction = "backward") -> set[str]:
    """The fingerprints of what a document runs into; of all that may break, for NOTHING."""
    verdict = Verdict("breaking", "exact", direction, True, witness)
    return {change.fingerprint for change in explain(pair_of(old, new), verdict)}


def inside(schema: Any) -> list[Any]:
    """The schema where lists are above it and beside it."""
    return [
        schema,
        {"allOf": [S | {"title": "x"}, {"not": {"not": schema}}, schema, {"minLength": 0}]},
        {"oneOf": [CIRCLE, SQUARE, obj({"kind": {"const": "it"}, "it": schema}, "it", "kind")]},
        {"anyOf": [obj({"a": S}, "a"), obj({"b": schema}, "b"), {"$ref": "#/$defs/Other"}]}
        | {"$defs": {"Other": {"type": "null"}}},
        arr(prefixItems=[S, obj({"m": schema}, "m")]),
    ]


WITNESSES: list[Any] = [
    lambda witness: witness,
    lambda witness: witness,
    lambda witness: {"kind": "it", "it": witness},
    lambda witness: {"b": witness},
    lambda witness: ["", {"m": witness}],
]


@pytest.mark.parametrize("depth", range(len(WITNESSES)))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_sorting_a_list_anew_changes_no_fingerprint(case: Case, depth: int) -> None:
    old, new = (inside(case.value(name))[depth] for name in ("old", "new"))
    witness = WITNESSES[depth](case.value("witness"))
    for document in (witness, NOTHING):
        before = known(old, new, document)
        assert before or document is NOTHING
        assert known(turned(old), new, document) == before
        assert known(old, turned(new), document) == before
        assert known(turned(old), turned(new), document) == before
        assert known(turned(new), turned(old), document, "forward") == known(
            new, old, document, "forward"
        )


@LAWS
@given(old=SCHEMAS, new=SCHEMAS)
def test_sorting_any_lists_anew_changes_no_fingerprint(old: Any, new: Any) -> None:
    try:
        before = known(old, new, NOTHING)
        found = known(turned(old), turned(new), NOTHING)
    except CompatError:
        assume(False)
        raise
    assert found == before


@LAWS
@given(schema=SCHEMAS)
def test_order_is_no_part_of_what_a_schema_says(schema: Any) -> None:
    assert canonical(turned(schema)) == canonical(schema)


def changes(old: Any, new: Any) -> tuple[Change, ...]:
    pair = pair_of(old, new)
    verdict = Comparison(pair.old_set, pair.new_set, [(pair.old, pair.new)]).verdict()
    assert verdict.status == "breaking"
    return explain(pair, replace(verdict, witness=NOTHING))


def places(old: Any, new: Any) -> list[str]:
    return [change.place for change in changes(old, new)]


def test_a_place_is_told_by_names() -> None:
    wider = obj({"kind": {"const": "circle"}, "r": N, "fill": S}, "kind", "r", "fill")
    found = places({"oneOf": [CIRCLE, SQUARE]}, {"oneOf": [SQUARE, wider]})
    assert found[0] == "#/oneOf/kind=circle/required"
    assert places(
        {"anyOf": [{"$ref": "#/$defs/Point"}, S], "$defs": {"Point": obj({})}},
        {"anyOf": [text(maxLength=3), {"$ref": "#/$defs/Point"}], "$defs": {"Point": obj({})}},
    ) == ["#/anyOf/string/maxLength"]
    assert places(arr(prefixItems=[S, N]), arr(prefixItems=[S, I])) == ["#/prefixItems/1/type"]


def test_branches_of_one_name_have_one_each() -> None:
    schemas = SchemaSet()
    branches = [obj({"a": S}), obj({"b": S}), obj({"b": N}), {"type": "null"}, True, S]
    schemas.add({"anyOf": branches}, "x")
    names = [located(schemas, "x", f"/anyOf/{number}") for number in range(len(branches))]
    assert len(set(names)) == len(branches)
    assert names[0] == "/anyOf/object(a)"
    assert names[1].startswith("/anyOf/object@")
    assert names[3:] == ["/anyOf/null", "/anyOf/true", "/anyOf/string"]


def test_a_pointer_is_not_cut_where_a_member_is_called_as_a_keyword() -> None:
    schemas = SchemaSet()
    schemas.add(obj({"required": {"oneOf": [S, N]}, "a/b": arr(prefixItems=[S])}), "x")
    assert located(schemas, "x", "/properties/required/oneOf/1") == (
        "/properties/required/oneOf/number"
    )
    assert located(schemas, "x", "/properties/a~1b/prefixItems/0") == (
        "/properties/a~1b/prefixItems/0"
    )


@pytest.mark.parametrize(
    ("before", "after", "other"),
    [
        (arr(), arr(items=S), arr(items=I)),
        (obj({}), obj({}, additionalProperties=S), obj({}, additionalProperties=I)),
        (obj({}), obj({}, propertyNames={"maxLength": 3}), obj({}, propertyNames={"maxLength": 2})),
        (obj({}), obj({"a": S}), obj({"a": I})),
        (
            obj({}),
            obj({}, patternProperties={"^a": S}),
            obj({}, patternProperties={"^a": I}),
        ),
        (arr(), arr(contains=S), arr(contains=S, minContains=2)),
        (obj({}), {**obj({}), "not": {"required": ["a"]}}, {**obj({}), "not": {"required": ["b"]}}),
        (
            obj({}),
            {**obj({}), "if": {"required": ["a"]}, "then": {"required": ["b"]}},
            {**obj({}), "if": {"required": ["c"]}, "then": {"required": ["b"]}},
        ),
    ],
    ids=lambda each: json.dumps(each)[:60],
)
def test_who_accepts_one_demand_accepts_no_other(before: Any, after: Any, other: Any) -> None:
    one, two = (known(before, each, NOTHING) for each in (after, other))
    assert one
    assert not one & two


def test_branches_that_are_no_likelier_than_others_pair_in_any_order() -> None:
    old = {"anyOf": [obj({"a": S}, "a"), obj({"b": N}, "b"), obj({"c": S}, "c")]}
    new = {"anyOf": [obj({"x": I}, "x"), obj({"y": S}, "y"), obj({"z": N}, "z")]}
    before = known(old, new, NOTHING)
    assert before
    assert known(turned(old), new, NOTHING) == before
    assert known(old, turned(new), NOTHING) == before
