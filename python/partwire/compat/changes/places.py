"""Places that stay where they are: what a list holds is called by what it says, not by its number.

``/oneOf/2/required/0`` is ``/oneOf/kind=circle/required``: whoever sorts the branches anew, or
adds one in front, moves nothing. Items of tuples keep their number, which says which item is meant.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any, Final

from ...json.pointer import escape_pointer, names, unescape
from ..sources.dialects import ANNOTATIONS
from ..sources.schemas import Place, SchemaSet

__all__ = ["branch_name", "canonical", "digest", "located", "order_of", "plain"]

_BRANCHES: Final = frozenset({"allOf", "anyOf", "oneOf"})
_SETS: Final = frozenset({"required", "type", "enum"})
_MAPS: Final = frozenset(
    {"properties", "patternProperties", "definitions", "$defs", "dependentSchemas"}
)
_NAME_LISTS: Final = frozenset({"dependencies", "dependentRequired"})
_VALUES: Final = frozenset({"const", "default", "examples"})
_MAX_NAMES: Final = 8
_encode: Final = json.JSONEncoder(sort_keys=True).encode


def plain(value: Any) -> str:
    """Return the text of a JSON value by which equal values are equal; 1.0 is 1."""
    return _encode(value if isinstance(value, str) else _evened(value))


def _evened(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _evened(part) for name, part in value.items()}
    return [_evened(part) for part in value] if isinstance(value, list) else value


def canonical(schema: Any) -> Any:
    """Return a schema without annotations, its lists sorted where their order says nothing."""
    if not isinstance(schema, dict):
        return schema
    told: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword not in ANNOTATIONS:
            told[keyword] = _canonical_value(keyword, value)
    return told


def _canonical_value(keyword: str, value: Any) -> Any:
    if keyword in _VALUES:
        return value
    if isinstance(value, dict):
        if keyword in _MAPS:
            return {name: canonical(part) for name, part in value.items()}
        if keyword in _NAME_LISTS:
            return {
                name: sorted(part, key=plain) if isinstance(part, list) else canonical(part)
                for name, part in value.items()
            }
        return canonical(value)
    if not isinstance(value, list):
        return value
    if keyword in _SETS:
        return sorted(value, key=plain)
    parts = [canonical(part) for part in value]
    return sorted(parts, key=plain) if keyword in _BRANCHES else parts


def digest(value: Any) -> str:
    """Return sixteen hexadecimal digits of a JSON value."""
    return hashlib.sha256(plain(value).encode()).hexdigest()[:16]


def located(schemas: SchemaSet, document: str, pointer: str) -> str:
    """Return a pointer into a document of the set with names instead of a list's numbers."""
    value: Any = schemas.documents.get(document)
    keyword = ""
    told = ""
    for name in names(pointer):
        if isinstance(value, list) and keyword == "required":
            continue  # the name is among the values
        step = name
        if isinstance(value, list) and keyword in _BRANCHES and name.isdecimal():
            step = _label(value, int(name))
        told += f"/{escape_pointer(step)}"
        value = _below(value, name)
        keyword = name
    return told


def branch_name(schemas: SchemaSet, branch: Place) -> str:
    """Return what a branch is called among its neighbours."""
    told = located(schemas, branch.resource.document, branch.pointer)
    return unescape(told.rpartition("/")[2])


def order_of(schemas: SchemaSet, place: Place) -> tuple[str, str, str]:
    """Return a key by which places are in one order, however lists are sorted."""
    document = place.resource.document
    key = document, place.pointer
    known = schemas.orders.get(key)
    if known is None:
        told = located(schemas, document, place.pointer)
        known = schemas.orders[key] = (document, told, plain(canonical(place.value)))
    return known


def _below(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
        return value[int(name)]
    return None


def _label(branches: list[Any], number: int) -> str:
    """Return what a branch is called: as little as distinguishes it from the others."""
    if number >= len(branches):
        return str(number)
    for namer in (_short, _long, _whole):
        names = [namer(branch) for branch in branches]
        if Counter(names)[names[number]] == 1:
            return names[number]
    return names[number]


def _short(branch: Any) -> str:
    if not isinstance(branch, dict):
        return json.dumps(branch)
    tag = _tag(branch)
    if tag is not None:
        return f"{tag[0]}={tag[1] if isinstance(tag[1], str) else plain(tag[1])}"
    reference = branch.get("$ref")
    if isinstance(reference, str):
        return reference.rpartition("/")[2] or reference
    for keyword in ("const", "enum"):
        if keyword in branch:
            return plain(_canonical_value(keyword, branch[keyword]))[:60]
    types = branch.get("type")
    if isinstance(types, str):
        return types
    if isinstance(types, list):
        return " or ".join(sorted(map(str, types)))
    return " and ".join(sorted(set(branch) - ANNOTATIONS)[:_MAX_NAMES]) or "anything"


def _tag(branch: dict[str, Any]) -> tuple[str, Any] | None:
    properties, required = branch.get("properties"), branch.get("required")
    if not isinstance(properties, dict):
        return None
    found = []
    for name, part in properties.items():
        if isinstance(part, dict) and "const" in part:
            found.append((name, part["const"]))
        elif isinstance(part, dict) and isinstance(part.get("enum"), list):
            found += [(name, part["enum"][0])] if len(part["enum"]) == 1 else []
    needed = [each for each in found if isinstance(required, list) and each[0] in required]
    return min(needed or found, key=lambda each: each[0], default=None)


def _long(branch: Any) -> str:
    names = branch.get("properties") if isinstance(branch, dict) else None
    if not isinstance(names, dict) or not names:
        return _short(branch)
    return f"{_short(branch)}({','.join(sorted(names)[:_MAX_NAMES])})"


def _whole(branch: Any) -> str:
    return f"{_short(branch)}@{digest(canonical(branch))[:8]}"
