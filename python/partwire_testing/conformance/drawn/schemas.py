"""Schemas as strategies and walks see them: definitions, references, groups of members.

Everything here is led by the generated bundles, so a new type or member is covered without a
change; a keyword that is not known here fails loudly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import bundle

__all__ = [
    "Schema",
    "at_least_one_of",
    "definitions",
    "exactly_one_groups",
    "member_of_union",
    "resolve",
    "tag_name",
]

Schema: TypeAlias = Mapping[str, Any]

_KEYWORDS: Final = frozenset(
    (
        *("type", "properties", "required", "additionalProperties", "allOf", "anyOf", "oneOf"),
        *("discriminator", "$ref", "const", "enum", "items", "minItems", "minimum", "maximum"),
        *("minLength", "maxLength", "pattern", "title", "description", "examples", "x-rules"),
        *("x-entrypoint", "x-status", "x-safe-default", "x-closed", "x-known-values"),
        *("x-unknown-value", "x-transitions"),
    )
)
_JSON_TYPES: Final[tuple[tuple[type | tuple[type, ...], str], ...]] = (
    (bool, "boolean"),
    (str, "string"),
    ((int, float), "number"),
    (dict, "object"),
    (list, "array"),
)


@cache
def definitions(family: str, version: str = LATEST_VERSION) -> Mapping[str, Schema]:
    """Return the definitions of a family: its flat 2020-12 bundle. Raises as :func:`.bundle`."""
    found: Mapping[str, Schema] = bundle(family, version)["$defs"]
    for schema in found.values():
        for each in _parts_of(schema):
            unknown = set(each) - _KEYWORDS
            if unknown:
                raise NotImplementedError(f"generate documents for {sorted(unknown)} too")
    return found


def _parts_of(schema: Schema) -> Iterator[Schema]:
    yield schema
    inner = [schema["items"]] if "items" in schema else []
    inner += [*schema.get("properties", {}).values(), *schema.get("oneOf", ())]
    if schema.get("additionalProperties"):
        inner.append(schema["additionalProperties"])
    for each in inner:
        yield from _parts_of(each)


def resolve(schema: Schema, defs: Mapping[str, Schema]) -> Schema:
    """Return what ``schema`` refers to, or itself."""
    while "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    return schema


def exactly_one_groups(schema: Schema) -> list[list[str]]:
    """Return the groups of members of which exactly one has to be present."""
    return [[one["required"][0] for one in each["oneOf"]] for each in schema.get("allOf", ())]


def at_least_one_of(schema: Schema) -> list[str]:
    """Return the members of which one at least has to be present; none where any may be absent."""
    return [each["required"][0] for each in schema.get("anyOf", ())]


def tag_name(schema: Schema) -> str | None:
    """Return the member that distinguishes the variants of a union; None where types do."""
    tag: str | None = schema.get("discriminator", {}).get("propertyName")
    return tag


def member_of_union(value: Any, schema: Schema, defs: Mapping[str, Schema]) -> Schema:
    """Return the variant of a union that a valid ``value`` is of."""
    tag = tag_name(schema)
    for each in schema["oneOf"]:
        variant = resolve(each, defs)
        if tag is None:
            if variant["type"] == _json_type(value):
                return variant
        elif resolve(variant["properties"][tag], defs)["const"] == value[tag]:
            return variant
    raise AssertionError("a valid value is of one of the variants")


def _json_type(value: object) -> str:
    return next(name for types, name in _JSON_TYPES if isinstance(value, types))
