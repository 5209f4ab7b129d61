"""Random schemas, small enough that every document of a few shapes can be tried on them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["DOCUMENTS", "SCHEMAS"]

NAMES = st.sampled_from(["a", "b", "c", "kind"])
PATTERNS = st.sampled_from(["^a", "b$", "^[a-c]+$", "a|b", "^(ab)*$", "^x-", "."])
SIZES = st.integers(0, 3)
BOUNDS = st.sampled_from([-1, 0, 1, 2, 0.5, 3])
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 2, -1, 1.5, "", "a", "b", "ab", [], [1], [1, 1], {}, {"a": 1}]
)
LEAVES: st.SearchStrategy[Any] = st.sampled_from(
    [True, False, {}, {"type": "integer"}, {"type": "string"}, {"type": ["string", "null"]}]
) | VALUES.map(lambda value: {"const": value})
TYPES = st.sampled_from(
    ["object", "array", "string", "number", "integer", ["object", "string"], ["array", "null"]]
)


def few(schema: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas of 2020-12 with a few keywords each, made of smaller schemas."""

    @st.composite
    def build(draw: st.DrawFn) -> dict[str, Any]:
        made: dict[str, Any] = {}
        parts = draw(st.lists(st.sampled_from(KEYWORDS), min_size=1, max_size=4, unique=True))
        lists = st.lists(schema, min_size=1, max_size=3)
        for keyword in parts:
            made[keyword] = draw(_values(keyword, schema, lists))
        return made

    return build()


def _values(
    keyword: str, schema: st.SearchStrategy[Any], lists: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    if keyword in ("minimum", "exclusiveMaximum"):
        return BOUNDS
    table: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES,
        "properties": st.dictionaries(NAMES, schema, max_size=3),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "patternProperties": st.dictionaries(PATTERNS, schema, max_size=2),
        "dependentRequired": st.dictionaries(
            NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=1
        ),
        "dependentSchemas": st.dictionaries(NAMES, schema, max_size=1),
        "uniqueItems": st.booleans(),
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 1.5]),
        "pattern": PATTERNS,
        "enum": st.lists(VALUES, min_size=1, max_size=3),
    }
    if keyword in table:
        return table[keyword]
    if keyword in ("prefixItems", "allOf", "anyOf", "oneOf"):
        return lists
    return SIZES if keyword.startswith(("min", "max")) else schema


KEYWORDS = [
    *("type", "properties", "properties", "required", "patternProperties"),
    *("additionalProperties", "unevaluatedProperties", "propertyNames", "dependentRequired"),
    *("dependentSchemas", "minProperties", "maxProperties", "items", "prefixItems", "contains"),
    *("minContains", "maxContains", "unevaluatedItems", "uniqueItems", "minItems", "maxItems"),
    *("minimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum"),
]

SCHEMAS: st.SearchStrategy[Any] = st.recursive(LEAVES, few, max_leaves=6)
DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)
