"""What documents of a type have, and may have: variants, members and values of enums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from partwire_testing.conformance.drawn.schemas import Schema, member_of_union, resolve, tag_name

__all__ = ["possible", "seen_in"]


def seen_in(value: Any, schema: Schema, defs: Mapping[str, Schema], name: str) -> Iterator[str]:
    """Yield the variants, members and enum values that a document has."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
    schema = resolve(schema, defs)
    if "oneOf" in schema:
        variant = member_of_union(value, schema, defs)
        yield f"{name} as {variant_name(schema, variant, defs)}"
        yield from seen_in(value, variant, defs, f"{name}|{variant_name(schema, variant, defs)}")
    elif schema.get("type") == "object":
        for member, inner in schema.get("properties", {}).items():
            yield f"{name} {'with' if member in value else 'without'} {member}"
            if member in value:
                yield from seen_in(value[member], inner, defs, f"{name}.{member}")
    elif schema.get("type") == "array":
        for item in value:
            yield from seen_in(item, schema["items"], defs, f"{name}[]")
    elif "enum" in schema:
        yield f"{name} = {value}"


def variant_name(union: Schema, variant: Schema, defs: Mapping[str, Schema]) -> str:
    tag = tag_name(union)
    return str(
        variant["type"] if tag is None else resolve(variant["properties"][tag], defs)["const"]
    )


def possible(schema: Schema, defs: Mapping[str, Schema], name: str, known: set[str]) -> None:
    """Collect into ``known`` what documents of a schema may have: as :func:`seen_in` names it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
    schema = resolve(schema, defs)
    if f"({name})" in known:
        return
    known.add(f"({name})")
    for each in schema.get("oneOf", ()):
        variant = resolve(each, defs)
        said = variant_name(schema, variant, defs)
        known.add(f"{name} as {said}")
        possible(variant, defs, f"{name}|{said}", known)
    for member, inner in schema.get("properties", {}).items():
        known.add(f"{name} with {member}")
        if member not in schema.get("required", ()):
            known.add(f"{name} without {member}")
        possible(inner, defs, f"{name}.{member}", known)
    if "items" in schema:
        possible(schema["items"], defs, f"{name}[]", known)
    known.update(f"{name} = {value}" for value in schema.get("enum", ()))
