"""The rules that explain a verdict: each on its smallest pair, and none where nothing changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings

from partwire.compat import Comparison, CompatError, Direction, SchemaSet
from partwire.compat.changes.explanation import explain, notes
from partwire.compat.report import Change, Pair
from partwire.contract.resources import read_rules
from tests.compat.builders import B, I, N, S, arr, obj, text
from tests.compat.corpus import changes, corpus_dir, version_of
from tests.compat.explained import explained
from tests.compat.schemas import SCHEMAS
from tests.fixture_cases import Case, cases

CASES = cases("compat")
# A whole type that comes or goes is no matter of one schema against another.
RULES = {
    rule: row
    for rule, row in read_rules().items()
    if "mirror" in row and not rule.startswith("compat/entrypoint-")
}
LAWS = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def told(changes: tuple[Change, ...]) -> list[tuple[Any, ...]]:
    return [
        (c.rule, c.old_pointer, c.new_pointer, list(c.values), c.direction, c.bump) for c in changes
    ]


def rules_of(old: Any, new: Any, direction: Direction = "backward", **more: Any) -> list[str]:
    return [change.rule for change in explain(*explained(old, new, direction, **more))]


# --- fixtures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_only_change_is_the_rule(case: Case) -> None:
    old, new, expect = case.value("old"), case.value("new"), case.expect
    pair, verdict = explained(old, new, reading=case.spec["reading"])
    expected = [
        (
            *(expect[key] for key in ("rule", "old", "new", "values")),
            "backward",
            expect["bump"],
        )
    ]
    assert verdict.status == expect["status"]
    assert told(explain(pair, verdict)) == expected
    shown = replace(verdict, witness=case.value("witness"))
    assert told(explain(pair, shown)) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_change_back_is_the_mirror(case: Case) -> None:
    old, new, expect = case.value("old"), case.value("new"), case.expect
    pair, verdict = explained(new, old, "forward", case.spec["reading"])
    mirror = case.spec["mirror"]
    assert told(explain(pair, verdict)) == [
        (
            mirror["rule"],
            expect["new"],
            expect["old"],
            expect["values"],
            "forward",
            mirror["bump"],
        )
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_witness_is_one(case: Case) -> None:
    witness = case.value("witness")
    for validator in (jsonschema.Draft202012Validator, jsonschema_rs.Draft202012Validator):
        assert validator(case.value("old")).is_valid(witness)
        assert not validator(case.value("new")).is_valid(witness)


def test_every_backward_rule_has_its_pair() -> None:
    backward = {rule for rule, row in RULES.items() if "backward" in row["bump"]}
    assert {case.expect["rule"] for case in CASES} == backward
    assert {case.spec["name"] for case in CASES} == {rule.split("/")[1] for rule in backward}
    assert {case.spec["mirror"]["rule"] for case in CASES} | backward == set(RULES)


def test_mirrors_are_mutual() -> None:
    for rule, row in RULES.items():
        other = RULES[row["mirror"]]
        assert other["mirror"] == rule
        assert set(row["bump"]) | set(other["bump"]) == {"backward", "forward"}


@pytest.mark.parametrize(
    ("old", "new", "backward", "forward"),
    [
        (I, S, "integer is gone, string came", "integer is gone, string came"),
        ({"type": ["string", "null"]}, S, "null is gone", None),
        ({"type": ["string", "null", "boolean"]}, S, "boolean and null are gone", None),
        (S, {"type": ["string", "null"]}, None, "null came"),
        ({}, S, "any type was allowed, now only string", None),
        (S, {}, None, "only string was allowed, now any type"),
    ],
)
def test_a_change_of_type_says_what_is_gone_and_what_came(
    old: Any, new: Any, backward: str | None, forward: str | None
) -> None:
    sentences: dict[Direction, str | None] = {"backward": backward, "forward": forward}
    for direction, said in sentences.items():
        if said is not None:
            pair, verdict = explained(
                {"properties": {"a": old}}, {"properties": {"a": new}}, direction
            )
            (change,) = explain(pair, verdict)
            assert change.message.partition(": ")[2] == said


def test_a_change_of_a_bound_is_told_in_the_order_of_time() -> None:
    directions: tuple[Direction, ...] = ("backward", "forward")
    for direction in directions:
        old, new = {"maxLength": 9}, {"maxLength": 5}
        if direction == "forward":
            old, new = new, old
        pair, verdict = explained(old, new, direction)
        (change,) = explain(pair, verdict)
        told = " became ".join(f'"maxLength", {each["maxLength"]}' for each in (old, new))
        assert change.message.endswith(f": {told}")


# --- no changes ---------------------------------------------------------------------------------

CIRCLE = obj({"kind": {"const": "circle"}, "r": N}, "kind", "r")
SQUARE = obj({"kind": {"const": "square"}, "a": N}, "kind", "a")
POINT = obj({"x": N, "y": N, "label": {"type": ["string", "null"]}}, "x", "y")
SAME = {
    "moved-to-a-reference": (
        obj({"p": POINT, "q": POINT}),
        obj({n: {"$ref": "#/$defs/P"} for n in "pq"}) | {"$defs": {"P": POINT}},
    ),
    "wrapped-in-oneOf": (obj({"p": POINT}), obj({"p": {"oneOf": [POINT]}})),
    "wrapped-in-allOf": (obj({"p": POINT}), obj({"p": {"allOf": [POINT]}})),
    "split-by-allOf": (POINT, {"allOf": [obj({"x": N}, "x"), POINT]}),
    "branches-in-another-order": ({"oneOf": [CIRCLE, SQUARE]}, {"oneOf": [SQUARE, CIRCLE]}),
    "values-in-another-order": (text(enum=["a", "b"]), text(enum=["b", "a"])),
    "types-in-another-order": ({"type": ["string", "null"]}, {"type": ["null", "string"]}),
    "types-as-branches": ({"type": ["string", "null"]}, {"anyOf": [S, {"type": "null"}]}),
    "values-as-branches": (text(enum=["a", "b"]), {"oneOf": [{"const": "b"}, {"const": "a"}]}),
    "one-value-as-enum": (obj({"k": {"const": "a"}}), obj({"k": {"enum": ["a"]}})),
    "members-moved-into-branches": (
        {**obj({"id": S}, "id"), "oneOf": [CIRCLE, SQUARE]},
        {"oneOf": [{"allOf": [each, obj({"id": S}, "id")]} for each in (SQUARE, CIRCLE)]},
    ),
    "words-changed": (text(description="Old", title="T"), text(description="New")),
}


@pytest.mark.parametrize("name", SAME)
def test_rewriting_is_no_change(name: str) -> None:
    for old, new in (SAME[name], SAME[name][::-1]):
        for direction in ("backward", "forward"):
            pair, verdict = explained(old, new, direction)
            assert verdict.status == "compatible"
            assert explain(pair, verdict) == ()
        assert notes(pair) == ()


def reordered(schema: Any) -> Any:
    """Return the schema with members, branches, types and names in the opposite order."""
    if not isinstance(schema, dict):
        return schema
    turned: dict[str, Any] = {}
    for keyword, value in reversed(schema.items()):
        if keyword in ("anyOf", "oneOf", "allOf"):
            turned[keyword] = [reordered(part) for part in reversed(value)]
        elif keyword in ("required", "type", "enum") and isinstance(value, list):
            turned[keyword] = value[::-1]
        elif keyword in ("properties", "patternProperties", "dependentSchemas"):
            turned[keyword] = {name: reordered(part) for name, part in reversed(value.items())}
        else:
            turned[keyword] = value
    return turned


def held(schema: Any, definitions: Any) -> Any:
    return obj({"m": schema}, "m") | {"$defs": definitions}


REWRITES: dict[str, Callable[[Any], Any]] = {
    "reordered": reordered,
    "reference": lambda _: {"$ref": "#/$defs/Here"},
    "oneOf": lambda schema: {"oneOf": [schema]},
    "allOf": lambda schema: {"allOf": [schema]},
}


@pytest.mark.parametrize("name", REWRITES)
@LAWS
@given(schema=SCHEMAS)
def test_rewriting_any_schema_gives_no_change(name: str, schema: Any) -> None:
    try:
        pair, verdict = explained(held(schema, {}), held(REWRITES[name](schema), {"Here": schema}))
    except CompatError:
        assume(False)
        raise
    assert explain(pair, verdict) == ()
    assert notes(pair) == ()


@LAWS
@given(old=SCHEMAS, new=SCHEMAS)
def test_every_break_is_explained(old: Any, new: Any) -> None:
    try:
        pair, verdict = explained(old, new, reading="exact")
    except CompatError:
        assume(False)
        raise
    found = explain(pair, verdict)
    assert bool(found) is (verdict.status == "breaking")
    assert {change.rule for change in found} <= set(RULES)
    assert json.loads(json.dumps([change.values for change in found])) is not None
    assert len({change.fingerprint for change in found}) == len(found)


# --- what the rules have to distinguish ----------------------------------------------------------


def test_variants_pair_by_tag_and_not_by_position() -> None:
    wider = obj({"kind": {"const": "circle"}, "r": N, "fill": S}, "kind", "r", "fill")
    pair, verdict = explained({"oneOf": [CIRCLE, SQUARE]}, {"oneOf": [SQUARE, wider]})
    (change,) = explain(pair, verdict)
    assert (change.rule, change.new_pointer) == ("compat/required-added", "/oneOf/1/required/2")
    assert change.values == ("fill",)


def test_a_new_variant_breaks_older_readers_once() -> None:
    pair, verdict = explained(CIRCLE, {"oneOf": [SQUARE, CIRCLE]}, "forward")
    (change,) = explain(pair, verdict)
    assert (change.rule, change.old_pointer) == ("compat/variant-added", "")
    assert (change.new_pointer, change.values) == ("/oneOf/0", ("kind", "square"))


def test_a_renamed_member_of_an_open_object_is_noted() -> None:
    pair, verdict = explained(obj({"meta": S}), obj({"_meta": S}))
    assert verdict.status == "compatible"
    assert [(n.rule, n.values, n.bump) for n in notes(pair)] == [
        ("compat/property-removed", ("meta",), "minor"),
        ("compat/property-added", ("_meta",), "minor"),
    ]


@pytest.mark.parametrize(
    ("witness", "expected"),
    [
        ({"a": "x"}, [("compat/required-added", ("k",)), ("compat/type-narrowed", ("a",))]),
        ({"k": "y"}, [("compat/enum-value-removed", ("y",))]),
        ({"k": "z"}, [("compat/enum-value-removed", ("z",))]),
        ({"k": "x", "n": 1}, [("compat/bound-tightened", ("minimum",))]),
        ({"k": "x", "n": 9}, [("compat/bound-tightened", ("maximum",))]),
    ],
)
def test_only_what_the_witness_runs_into_is_named(
    witness: Any, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    old = obj({"a": S, "k": text(enum=["x", "y", "z"]), "n": I})
    new = obj({"a": I, "k": text(enum=["x"]), "n": I | {"minimum": 2, "maximum": 8}}, "k")
    pair, verdict = explained(old, new)
    found = explain(pair, replace(verdict, witness=witness))
    assert [change.rule for change in found] == [rule for rule, _ in expected]
    for change, (_, words) in zip(found, expected, strict=True):
        told = [*change.values, *str(change.new_pointer).split("/")]
        assert any(word in told for word in words)


def test_recursion_ends() -> None:
    def tree(leaf: Any) -> Any:
        node = obj({"kids": arr(items={"$ref": "#/$defs/T"}), "leaf": leaf}, "leaf")
        return {"$ref": "#/$defs/T", "$defs": {"T": node}}

    assert rules_of(tree(S), tree(S | {"minLength": 1})) == ["compat/bound-tightened"]
    assert rules_of(tree(S), tree(I)) == ["compat/type-narrowed"]


@pytest.mark.parametrize("draft", ["draft-04/schema#", "draft-07/schema#"])
def test_old_drafts_have_the_same_rules(draft: str) -> None:
    uri = f"http://json-schema.org/{draft}"
    assert rules_of(
        {"$schema": uri, "items": [S], "additionalItems": B},
        {"$schema": uri, "items": [S], "additionalItems": False},
    ) == ["compat/items-closed"]
    assert rules_of(
        {"$schema": uri, "dependencies": {"a": ["b"]}},
        {"$schema": uri, "dependencies": {"a": ["b", "c"]}},
        reading="exact",
    ) == ["compat/dependency-added"]


def test_two_branches_of_oneOf_with_one_value_are_no_enum() -> None:
    old, new = {"enum": [1, 2]}, {"oneOf": [{"enum": [1, 2, 3]}, {"enum": [1, 2]}]}
    assert rules_of(old, new) == ["compat/variants-overlap"]


# --- histories of others ------------------------------------------------------------------------


def history(series: str, old: str, new: str) -> tuple[set[str], set[str]]:
    """Return the rules of all breaks, and of all notes, by definition and of the whole."""
    sets = SchemaSet(dialect="draft-07"), SchemaSet(dialect="draft-07")
    documents = [version_of(series, version) for version in (old, new)]
    roots = [each.add(document) for each, document in zip(sets, documents, strict=True)]
    keys = ["$defs" if "$defs" in document else "definitions" for document in documents]
    names = [n for n in documents[0].get(keys[0], {}) if n in documents[1].get(keys[1], {})]
    places = [(roots[0], roots[1])] + [
        (sets[0].child(roots[0], keys[0], name), sets[1].child(roots[1], keys[1], name))
        for name in names
    ]
    comparison = Comparison(*sets, places)
    broken: set[str] = set()
    noted: set[str] = set()
    for number, (one, other) in enumerate(places):
        pair = Pair(str(number), one, other, *sets)
        noted |= {note.rule for note in notes(pair)}
        for direction in ("backward", "forward"):
            verdict = comparison.verdict(number, direction=direction)
            found = explain(pair, verdict)
            assert bool(found) is (verdict.status == "breaking")
            broken |= {change.rule for change in found}
    return broken, noted


@pytest.mark.usefixtures("untraced")
@pytest.mark.skipif(corpus_dir() is None, reason="no corpus: PARTWIRE_COMPAT names its folder")
@pytest.mark.parametrize("change", changes(), ids=lambda change: change.name)
def test_changelogs_have_rules(change: Any) -> None:
    broken, noted = history(change.series, change.old, change.new)
    assert not {rule for rule in broken if "semantic" in rule}
    if change.label == "breaking":
        assert broken | noted
    if (change.old, change.new) == ("v0.6.0", "v0.6.2"):
        assert {"compat/property-removed", "compat/property-added"} <= noted
    if (change.old, change.new) == ("v0.8.0", "v0.9.0"):
        assert broken == {"compat/type-narrowed"}


# --- docs ---------------------------------------------------------------------------------------


def test_the_table_of_rules_is_that_of_the_contract() -> None:
    page = (Path(__file__).parents[2] / "docs" / "compat.md").read_text("utf-8")
    rows = read_rules()
    expected = []
    for rule, row in sorted(rows.items()):
        if "mirror" in row and "backward" in row["bump"]:
            mirror = row["mirror"]
            names = rule.removeprefix("compat/"), mirror.removeprefix("compat/")
            bumps = row["bump"]["backward"], rows[mirror]["bump"]["forward"]
            told = row["summary"].rstrip(".")
            expected.append(f"| `{names[0]}` | {bumps[0]} | `{names[1]}` | {bumps[1]} | {told} |")
    table = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 6]
    assert table == expected
    elsewhere = ("compat/behaviour-", "compat/bindings-", "compat/document-")
    for rule in set(rows) - set(RULES):
        if rule.startswith("compat/") and not rule.startswith(elsewhere):
            assert f"`{rule.removeprefix('compat/')}`" in page, rule
