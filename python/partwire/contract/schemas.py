"""What the schemas of a version say of its types."""

from __future__ import annotations

from typing import Any, NamedTuple

from .current import LATEST_VERSION
from .resources import BundleDraft, bundle
from .versions import families, parse_type

__all__ = ["TypeRow", "describe_types", "standalone_schema"]


class TypeRow(NamedTuple):
    """A type and what its schema says of it."""

    type: str
    description: str
    public: bool
    reserved: bool


def describe_types(version: str = LATEST_VERSION) -> list[TypeRow]:
    """Return all types of ``version``, family by family, in the order of the schemas."""
    return [
        TypeRow(
            f"{family}.{name}",
            schema.get("description", ""),
            schema.get("x-entrypoint", False),
            schema.get("x-status") == "reserved",
        )
        for family in families(version)
        for name, schema in bundle(family, version)["$defs"].items()
    ]


def standalone_schema(text: str, version: str, draft: BundleDraft = "2020-12") -> dict[str, Any]:
    """Return one type as a JSON Schema that holds everything it refers to.

    Raises as :func:`parse_type` and :func:`partwire.contract.resources.bundle`.
    """
    type_name = parse_type(text, version)
    whole = bundle(type_name.family, version, draft)
    keyword = "$defs" if "$defs" in whole else "definitions"
    prefix = f"#/{keyword}/"
    needed = _needed_names(whole[keyword], type_name.name, prefix)
    return {
        "$schema": whole["$schema"],
        "title": f"{type_name} {version}",
        "$ref": prefix + type_name.name,
        keyword: {name: whole[keyword][name] for name in whole[keyword] if name in needed},
    }


def _needed_names(defs: dict[str, Any], start: str, prefix: str) -> set[str]:
    """Return the names of all definitions that ``start`` refers to, directly or not."""
    seen = {start}
    schemas: list[Any] = [defs[start]]
    while schemas:
        schema = schemas.pop()
        target = schema.get("$ref", "")
        name = target.removeprefix(prefix)
        if name != target and name not in seen:
            seen.add(name)
            schemas.append(defs[name])
        schemas += schema.get("properties", {}).values()
        for keyword in ("oneOf", "allOf"):
            schemas += schema.get(keyword, ())
        for keyword in ("items", "additionalProperties"):
            if keyword in schema:
                schemas.append(schema[keyword])
    return seen
