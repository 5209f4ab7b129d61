"""What JSON Schema says of a document: other people's validators on every form of the schemas.

``pattern`` follows ECMA-262, as JSON Schema asks for: Python's own ``$`` also matches before a
final line feed. :func:`from_sources_as_python` is jsonschema as it comes, to show the difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import BundleDraft, bundle
from tests.fixture_cases import SCHEMAS

Verdict = Callable[[Any], bool]
Schema = Mapping[str, Any]


def _ecma_pattern(
    _validator: Any, pattern: str, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    ecma = pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern
    if isinstance(instance, str) and not re.search(ecma, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_extend: Any = extend  # it has no types
_Validator: Any = _extend(Draft202012Validator, {"pattern": _ecma_pattern})


@cache
def _sources(version: str) -> tuple[Registry[Any], dict[tuple[str, str], str]]:
    """Return the source files by their ``$id``, and where each type is."""
    resources = []
    homes: dict[tuple[str, str], str] = {}
    for path in sorted((SCHEMAS / version).glob("*/*.schema.json")):
        schema = json.loads(path.read_bytes())
        resources.append((schema["$id"], DRAFT202012.create_resource(schema)))
        homes |= {(path.parent.name, n): f"{schema['$id']}#/$defs/{n}" for n in schema["$defs"]}
    return Registry[Any]().with_resources(resources).crawl(), homes


def _source_uri(type_name: str, version: str) -> str:
    family, _, name = type_name.partition(".")
    homes = _sources(version)[1]
    return homes.get((family, name)) or homes["common", name]


def _whole(type_name: str, version: str, draft: BundleDraft) -> dict[str, Any]:
    family, _, name = type_name.partition(".")
    schema = bundle(family, version, draft)
    keyword = "$defs" if draft == "2020-12" else "definitions"
    if draft == "draft-07":  # a reference stands alone there
        return schema | {"allOf": [{"$ref": f"#/{keyword}/{name}"}]}
    return schema | {"$ref": f"#/{keyword}/{name}"}


@cache
def from_sources(type_name: str, version: str = LATEST_VERSION) -> Verdict:
    """Return jsonschema's verdict on the source files, by their relative references."""
    verdict: Verdict = _Validator(
        {"$ref": _source_uri(type_name, version)}, registry=_sources(version)[0]
    ).is_valid
    return verdict


@cache
def from_sources_as_python(type_name: str, version: str = LATEST_VERSION) -> Verdict:
    """Return jsonschema's verdict as it comes, with Python's ``$``."""
    verdict: Verdict = Draft202012Validator(
        {"$ref": _source_uri(type_name, version)}, registry=_sources(version)[0]
    ).is_valid
    return verdict


@cache
def from_bundle(type_name: str, version: str = LATEST_VERSION) -> Verdict:
    """Return jsonschema's verdict on the flat bundle."""
    verdict: Verdict = _Validator(_whole(type_name, version, "2020-12")).is_valid
    return verdict


@cache
def from_bundle_rs(type_name: str, version: str = LATEST_VERSION) -> Verdict:
    """Return the verdict of jsonschema-rs on the flat bundle."""
    return jsonschema_rs.Draft202012Validator(_whole(type_name, version, "2020-12")).is_valid


@cache
def from_draft_07_rs(type_name: str, version: str = LATEST_VERSION) -> Verdict:
    """Return the verdict of jsonschema-rs on the draft-07 bundle."""
    return jsonschema_rs.Draft7Validator(_whole(type_name, version, "draft-07")).is_valid


# --- what is written ------------------------------------------------------------------------------


def as_written(value: Any, schema: Schema, defs: Mapping[str, Schema]) -> Any:
    """Return a valid ``value`` as it is written back: no unknown member, 1 for the integer 1.0."""
    schema = _alternative(value, schema, defs)
    if not schema:
        return value
    if isinstance(value, list):
        items = schema["items"]
        return [as_written(item, items, defs) if items else item for item in value]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        return {
            name: as_written(member, properties.get(name, others), defs) if inner else member
            for name, member in value.items()
            if (inner := properties.get(name, others)) is not None
        }
    if schema.get("type") == "integer":
        return int(value)
    return float(value) if schema.get("type") == "number" else value


def _alternative(value: Any, schema: Schema, defs: Mapping[str, Schema]) -> Schema:
    """Return the schema that stands for ``value`` behind references and unions."""
    while "$ref" in schema or "oneOf" in schema:
        if "$ref" in schema:
            schema = defs[schema["$ref"].rpartition("/")[2]]
        elif "discriminator" in schema:
            tag = value[schema["discriminator"]["propertyName"]]
            if tag not in schema["discriminator"]["mapping"]:
                return {}  # written as it is
            schema = {"$ref": schema["discriminator"]["mapping"][tag]}
        else:
            (schema,) = (each for each in schema["oneOf"] if _fits(value, each, defs))
    return schema


def _fits(value: Any, schema: Schema, defs: Mapping[str, Schema]) -> bool:
    while "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, bool):
        return bool(schema["type"] == "boolean")
    types: Mapping[str, Any] = {
        "string": str,
        "array": list,
        "object": dict,
        "number": (int, float),
        "boolean": (),
    }
    return isinstance(value, types[schema["type"]])


def same_json(left: Any, right: Any) -> bool:
    """Return whether two JSON values are the same; where ``left`` has an int, only an int is."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    if isinstance(left, float) and type(right) is int:
        return left == float(right)
    return type(left) is type(right) and bool(left == right)
