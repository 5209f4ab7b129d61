"""What each draft of JSON Schema calls its keywords, and where schemas are in a schema."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["ANNOTATIONS", "DIALECTS", "Dialect", "dialect_of_uri"]

ANNOTATIONS: Final = frozenset(
    {
        "$anchor",
        "$comment",
        "$id",
        "$schema",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "deprecated",
        "description",
        "discriminator",
        "example",
        "examples",
        "format",
        "id",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""What says nothing of documents."""
_MAPS: Final = frozenset(
    {"properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies"}
)
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_SINGLE: Final = frozenset(
    {
        "items",
        "additionalItems",
        "contains",
        "additionalProperties",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)

_DRAFT_4: Final = frozenset(
    {
        "$ref",
        "type",
        "enum",
        "multipleOf",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "properties",
        "patternProperties",
        "additionalProperties",
        "required",
        "minProperties",
        "maxProperties",
        "dependencies",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
    }
)
_DRAFT_6: Final = _DRAFT_4 | {
    "const",
    "contains",
    "propertyNames",
    "exclusiveMinimum",
    "exclusiveMaximum",
}
_DRAFT_7: Final = _DRAFT_6 | {"if"}
_DRAFT_2019: Final = _DRAFT_7 | {
    "$recursiveRef",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
}
_DRAFT_2020: Final = (_DRAFT_2019 | {"prefixItems", "$dynamicRef"}) - {"$recursiveRef"}


class Dialect(NamedTuple):
    """One draft. ``ref_alone``: beside ``$ref`` nothing else counts."""

    name: str
    uri: str
    keywords: frozenset[str]
    id_keyword: str = "$id"
    ref_alone: bool = False
    year: int = 2020

    def subschemas(self, keyword: str, value: object) -> str:
        """Return where schemas are in the value of a keyword: "map", "list", "one" or ""."""
        if keyword in _MAPS and isinstance(value, dict):
            return "map"
        if keyword in _LISTS and isinstance(value, list):
            return "list"
        return "one" if keyword in _SINGLE and isinstance(value, (dict, bool)) else ""


DIALECTS: Final = {
    dialect.name: dialect
    for dialect in (
        Dialect("draft-04", "http://json-schema.org/draft-04/schema", _DRAFT_4, "id", True, 2013),
        Dialect("draft-06", "http://json-schema.org/draft-06/schema", _DRAFT_6, "$id", True, 2017),
        Dialect("draft-07", "http://json-schema.org/draft-07/schema", _DRAFT_7, "$id", True, 2018),
        Dialect("2019-09", "https://json-schema.org/draft/2019-09/schema", _DRAFT_2019, year=2019),
        Dialect("2020-12", "https://json-schema.org/draft/2020-12/schema", _DRAFT_2020),
    )
}


def dialect_of_uri(uri: str) -> Dialect | None:
    """Return the draft that ``$schema`` names; with or without an empty fragment."""
    plain = uri.rstrip("#").replace("https://", "http://")
    for dialect in DIALECTS.values():
        if dialect.uri.replace("https://", "http://") == plain:
            return dialect
    return None
