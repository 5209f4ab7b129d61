"""Schemas that come upon themselves at the location where they are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from partwire.compat import Comparison, CompatError, Direction, SchemaSet, compare
from partwire.compat.logic.oracle import Oracle

TEXT = {"type": "string"}
AGAIN = {"$defs": {"v": {"allOf": [{"$ref": "#/$defs/v"}, TEXT]}}, "$ref": "#/$defs/v"}
IN_TURN = {
    "$defs": {
        "v": {"allOf": [{"$ref": "#/$defs/w"}, TEXT]},
        "w": {"$ref": "#/$defs/v", "minLength": 2},
    },
    "properties": {"a": {"$ref": "#/$defs/w"}, "b": {"$ref": "#/$defs/v"}},
}
LONG = {"type": "string", "minLength": 2}
TREE = {"allOf": [{"$ref": "#"}], "type": "object", "properties": {"a": {"$ref": "#"}}}
CLOSED = {**TREE, "unevaluatedProperties": False}
SAME = [
    (AGAIN, TEXT),
    (IN_TURN, {"properties": {"a": LONG, "b": LONG}}),
    (TREE, {"type": "object", "properties": {"a": {"$ref": "#"}}}),
    (CLOSED, {"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": False}),
    ({"$dynamicAnchor": "n", "allOf": [{"$dynamicRef": "#n"}], **TEXT}, TEXT),
]


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("number", range(len(SAME)))
def test_to_demand_oneself_once_more_is_to_demand_nothing_more(
    number: int, direction: Direction
) -> None:
    verdict = compare(*SAME[number], reading="exact", direction=direction)
    assert verdict.status == "compatible"


@pytest.mark.parametrize(
    ("old", "new", "witness"),
    [
        (TEXT, {**AGAIN, "minLength": 1}, ""),
        ({"properties": {"a": TEXT}}, IN_TURN, {"a": ""}),
        ({}, AGAIN, None),
        (AGAIN, {"type": "string", "maxLength": 0}, "a"),
    ],
)
def test_what_breaks_beside_it_has_a_witness(old: Any, new: Any, witness: Any) -> None:
    verdict = compare(old, new, reading="exact")
    assert (verdict.status, verdict.witness) == ("breaking", witness)


def test_the_same_value_twice_is_looked_at_twice() -> None:
    """Only a question that waits for itself is passed over, not one that was asked before."""
    schemas = SchemaSet()
    place = schemas.add({"$defs": {"t": LONG}, "items": {"$ref": "#/$defs/t"}})
    short = "x"
    oracle = Oracle(schemas)
    assert oracle.agree(place, [short, short]) is False
    assert len(oracle.failures(place, [short, short])) == 2


HANGING: list[tuple[Any, str]] = [
    ({"anyOf": [{"$ref": "#"}, TEXT]}, ""),
    ({"oneOf": [{"$ref": "#"}]}, ""),
    ({"not": {"$ref": "#"}}, ""),
    ({"if": {"$ref": "#"}, "then": TEXT}, ""),
    ({"dependentSchemas": {"a": {"$ref": "#"}}}, ""),
    ({"properties": {"m": {"allOf": [{"anyOf": [{"$ref": "#/properties/m"}]}]}}}, "/properties/m"),
    ({"anyOf": [{"allOf": [{"$ref": "#/$defs/b"}]}], "$defs": {"b": {"$ref": "#"}}}, ""),
]


@pytest.mark.parametrize(("schema", "pointer"), HANGING)
def test_an_answer_that_hangs_on_itself_is_an_error(schema: Any, pointer: str) -> None:
    with pytest.raises(CompatError, match=re.escape("by way of itself")) as caught:
        compare(schema, TEXT)
    (finding,) = caught.value.findings
    assert finding.rule == "compat/invalid-schema"
    assert finding.pointer.startswith(pointer)
    with pytest.raises(CompatError):
        compare(TEXT, schema)


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"$ref": "#"}, ""),
        ({"title": "t", "allOf": [{"$ref": "#"}, True]}, ""),
        (
            {
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                "$ref": "#/$defs/a",
            },
            "/$defs/",
        ),
    ],
)
def test_what_says_nothing_but_itself_is_an_error(schema: Any, pointer: str) -> None:
    with pytest.raises(CompatError, match=re.escape("by way of itself")) as caught:
        compare({}, schema)
    (finding,) = caught.value.findings
    assert finding.rule == "compat/invalid-schema"
    assert finding.pointer.startswith(pointer)


def test_through_a_member_it_is_recursion() -> None:
    tree = {"anyOf": [TEXT, {"type": "object", "properties": {"a": {"$ref": "#"}}}]}
    assert compare(tree, tree, reading="exact").status == "compatible"


def test_the_error_names_the_document_that_has_the_loop() -> None:
    schemas = SchemaSet()
    plain = schemas.add(TEXT, uri="https://example.test/plain")
    looped = schemas.add({"anyOf": [{"$ref": "#"}]}, uri="https://example.test/looped")
    with pytest.raises(CompatError) as caught:
        Comparison(schemas, schemas, [(plain, plain), (looped, looped)])
    (finding,) = caught.value.findings
    assert finding.source == "https://example.test/looped"
