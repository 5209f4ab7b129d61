"""Both validators read what the drafts say: a keyword that one of them takes otherwise is mended.

Where they differed, there was no witness that both confirm, and a break stayed unproven.
"""

from __future__ import annotations

from typing import Any

import pytest

from partwire.compat import Direction, SchemaSet, compare
from partwire.compat.logic.oracle import Oracle

URIS = {
    "draft-04": "http://json-schema.org/draft-04/schema#",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}


def agreed(schema: Any, document: Any, dialect: str = "2020-12") -> bool | None:
    schemas = SchemaSet(dialect=dialect)
    return Oracle(schemas).agree(schemas.add(schema), document)


@pytest.mark.parametrize("dialect", list(URIS))
@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [(r"^\d$", "4", "৪"), (r"^\p{Lu}$", "Ä", "ä"), (r"^\w$", "e", "é")],
)
def test_patterns_are_those_of_ecma_where_the_schema_names_its_draft(
    dialect: str, pattern: str, good: str, bad: str
) -> None:
    schema = {"$schema": URIS[dialect], "type": "string", "pattern": pattern}
    assert agreed(schema, good) is True
    assert agreed(schema, bad) is False
    assert agreed({"properties": {"$schema": {"type": "null"}}}, {"$schema": 1}) is False


def test_in_mixed_drafts_each_resource_keeps_its_own() -> None:
    """An exclusiveMinimum that is true says something in draft-04 alone."""
    inner = {"$schema": URIS["draft-07"], "$id": "https://example.org/i", "contains": {"const": 1}}
    schema = {"$schema": URIS["2020-12"], "$defs": {"i": inner}, "$ref": "https://example.org/i"}
    assert agreed(schema, [1]) is True
    assert agreed(schema, [2]) is False


@pytest.mark.parametrize("dialect", list(URIS))
@pytest.mark.parametrize("keyword", ["contentEncoding", "contentMediaType"])
def test_what_a_text_holds_is_said_only(dialect: str, keyword: str) -> None:
    value = "base64" if keyword == "contentEncoding" else "application/json"
    schema = {"type": "string", keyword: value, "minLength": 2}
    assert agreed(schema, "{:}", dialect) is True
    assert agreed(schema, "{", dialect) is False
    # A member of that name is a member.
    assert agreed({"properties": {keyword: {"type": "null"}}}, {keyword: 1}, dialect) is False


NAMED = {"additionalProperties": {"type": "string"}, "unevaluatedProperties": False}
"""jsonschema takes "type" for the only name that is evaluated here."""
DEEP = {"allOf": [{"additionalProperties": {"type": "string"}}], "unevaluatedProperties": False}


@pytest.mark.parametrize("schema", [NAMED, DEEP], ids=["beside", "below"])
def test_additional_properties_are_evaluated_in_2019_09(schema: Any) -> None:
    assert agreed(schema, {"a": "x", "type": "y"}, "2019-09") is True
    assert agreed(schema, {"a": 1}, "2019-09") is False
    closed = {"additionalProperties": False}
    verdict = compare(schema, closed, reading="exact", dialect="2019-09")
    assert verdict.status == "breaking"
    assert verdict.failures[0]["schema"] == "/additionalProperties"


def test_members_named_like_keywords_are_members() -> None:
    names: dict[str, Any] = {
        "additionalProperties": {"type": "object"},
        "items": True,
        "patternProperties": {"patternProperties": {r"\d": {"type": "null"}}},
    }
    schema = {"properties": names, "additionalProperties": {"type": "null"}}
    for dialect in ("2019-09", "2020-12"):
        good = {"items": 1, "additionalProperties": {}, "patternProperties": {"0": None}, "x": None}
        assert agreed(schema, good, dialect) is True
        assert agreed(schema, {**good, "allOf": 1}, dialect) is False
        assert agreed(schema, {**good, "patternProperties": {"0": 1}}, dialect) is False


PART = {"type": ["integer", "null"], "minimum": 2}
SAME = {"if": {"type": "null"}, "then": True, "else": {"type": "integer", "minimum": 2}}
WHOLE = {"type": ["integer", "null"], "minimum": 1}


def counted(kind: Any, least: int, most: int) -> Any:
    return {"contains": kind, "minContains": least, "maxContains": most}


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize(("least", "most"), [(0, 2), (1, 3), (2, 2)])
def test_kinds_that_are_the_same_are_counted_alike(
    direction: Direction, least: int, most: int
) -> None:
    pair = counted(PART, least, most), counted(SAME, least, most)
    verdict = compare(*pair, reading="exact", direction=direction)
    assert verdict.status == "compatible"


def test_a_part_is_counted_with_the_whole() -> None:
    """Two of the part are two of the whole; two of the whole may be none of the part."""
    assert compare(counted(PART, 2, 2), counted(WHOLE, 2, 9), reading="exact").status == "breaking"
    at_least = {"contains": PART, "minContains": 2}, {"contains": WHOLE, "minContains": 2}
    assert compare(*at_least, reading="exact").status == "compatible"
    at_most = counted(WHOLE, 0, 2), counted(PART, 0, 2)
    assert compare(*at_most, reading="exact").status == "compatible"
    reverse = compare(*at_most, reading="exact", direction="forward")
    assert reverse.status == "breaking"
    assert len(reverse.witness) == 3


DEPENDS = {"dependencies": {"a": ["b"]}}


@pytest.mark.parametrize("dialect", ["2019-09", "2020-12"])
def test_a_keyword_that_later_drafts_dropped_decides_nothing(dialect: str) -> None:
    def status(old: Any, new: Any, direction: Direction = "backward") -> str:
        options: dict[str, Any] = {"reading": "exact", "dialect": dialect}
        return compare(old, new, direction=direction, **options).status

    # Whether or not it is applied, these are the same, or one allows more.
    spelled = {"dependencies": {"a": {"allOf": [{"required": ["b"]}]}}}
    assert status(DEPENDS, spelled) == status(spelled, DEPENDS) == "compatible"
    assert status({"dependencies": {"a": ["b", "c"]}}, DEPENDS) == "compatible"
    assert status(DEPENDS, {}) == "compatible"
    # What breaks beside it breaks; what breaks by it alone does so for some.
    small = {**DEPENDS, "type": "object", "maxProperties": 2}
    assert status({**small, "maxProperties": 3}, small) == "breaking"
    assert status({}, DEPENDS) == "unproven"
    assert status(DEPENDS, {"dependencies": {"a": ["b", "c"]}}) == "unproven"


@pytest.mark.parametrize("dialect", ["draft-04", "draft-07"])
def test_ids_are_found_beside_the_list_of_a_dependency(dialect: str) -> None:
    """jsonschema falls over it on its way to them, where a schema comes first."""
    name = "id" if dialect == "draft-04" else "$id"
    mixed: dict[str, Any] = {"z": {"minProperties": 2}, "a": ["b"]}
    inner = {name: "inner.json", "type": "object", "dependencies": mixed}
    schema = {
        name: "https://example.org/outer.json",
        "properties": {"m": {"$ref": "inner.json"}},
        "definitions": {"inner": inner},
    }
    assert agreed(schema, {"m": {"a": 1, "b": 1}}, dialect) is True
    assert agreed(schema, {"m": {"a": 1}}, dialect) is False


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            {"items": {"type": "null"}, "contains": {"type": "null"}, "maxContains": 1},
            {"items": {"type": "null"}, "contains": {"type": ["null", "string"]}, "maxContains": 1},
        ),
        (
            {"type": "array", "items": {"const": 1}, "minItems": 3, "contains": {"const": 1}},
            {"not": {"contains": {"const": 1}, "maxContains": 2}},
        ),
        (
            {
                "type": "array",
                "items": {"type": "null"},
                "uniqueItems": True,
                "contains": {"type": "null"},
                "maxContains": 1,
            },
            {
                "anyOf": [
                    {"contains": {"type": "integer"}, "maxContains": 1},
                    {"type": "array", "maxItems": 1, "items": {"type": "null"}},
                ]
            },
        ),
    ],
)
def test_items_that_must_count_are_counted_under_two_limits(old: Any, new: Any) -> None:
    assert compare(old, new, reading="exact").status == "compatible"
