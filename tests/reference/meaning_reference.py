"""The meaning rules once more, read straight from ``x-rules``, slowly and plainly.

Only for documents of right shape. The generated checks and these functions share nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Place = tuple[str, str]
"""Rule and JSON Pointer."""
_JSON_TYPES: Mapping[str, tuple[type[Any], ...]] = {
    "string": (str,),
    "array": (list,),
    "object": (dict,),
    "number": (int, float),  # whether true is one makes no difference: no rule is inside
    "boolean": (bool,),
}


def meaning(value: Any, schema: Schema, defs: Mapping[str, Schema], here: str = "") -> list[Place]:
    """Return which rules ``value`` breaks and where, in no particular order."""
    while "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    found = [
        (rule["rule"], here + pointer)
        for rule in schema.get("x-rules", ())
        for pointer in OPERATIONS[rule["op"]](value, rule)
    ]
    for pointer, inner, inner_schema in _children(value, schema, defs):
        found += meaning(inner, inner_schema, defs, here + pointer)
    return found


def _children(
    value: Any, schema: Schema, defs: Mapping[str, Schema]
) -> Iterator[tuple[str, Any, Schema]]:
    if "discriminator" in schema:
        tag = value[schema["discriminator"]["propertyName"]]
        yield "", value, {"$ref": schema["discriminator"]["mapping"][tag]}
    elif "oneOf" in schema:
        for member in schema["oneOf"]:
            target = member
            while "$ref" in target:
                target = defs[target["$ref"].rpartition("/")[2]]
            if isinstance(value, _JSON_TYPES[target["type"]]):
                yield "", value, target
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if schema["items"]:  # {} takes any value
                yield f"/{index}", item, schema["items"]
    elif isinstance(value, dict):
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties") or {})
            if inner:  # {} takes any value
                yield "/" + name.replace("~", "~0").replace("/", "~1"), member, inner


def _get(value: Any, pointer: str) -> Any:
    """Return what is at ``pointer``, None where it leads nowhere: null has no place here."""
    for name in pointer.split("/")[1:]:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _tag_table(value: Any, rule: Schema) -> Iterator[str]:
    allowed = rule["table"][_get(value, rule["tag"])]
    for index, item in enumerate(_get(value, rule["items"])):
        if item[rule["itemTag"]] not in allowed:
            yield f"{rule['items']}/{index}/{rule['itemTag']}"


def _unique(value: Any, rule: Schema) -> Iterator[str]:
    where = rule.get("where", {})
    seen: set[Any] = set()
    for index, item in enumerate(_get(value, rule["items"])):
        if any(_get(item, pointer) != wanted for pointer, wanted in where.items()):
            continue
        key = _get(item, rule["key"])
        if key in seen:
            yield f"{rule['items']}/{index}{rule['key']}"
        seen.add(key)


def _items_equal(value: Any, rule: Schema) -> Iterator[str]:
    for index, item in enumerate(_get(value, rule["items"])):
        if _get(item, rule["key"]) != _get(value, rule["to"]):
            yield f"{rule['items']}/{index}{rule['key']}"


def _items_same(value: Any, rule: Schema) -> Iterator[str]:
    items = _get(value, rule["items"])
    for index, item in enumerate(items):
        if _get(item, rule["key"]) != _get(items[0], rule["key"]):
            yield f"{rule['items']}/{index}{rule['key']}"


def _not_less(value: Any, rule: Schema) -> Iterator[str]:
    more, less = _get(value, rule["value"]), _get(value, rule["than"])
    if more is not None and less is not None and more < less:
        yield rule["value"]


def _present_when(value: Any, rule: Schema) -> Iterator[str]:
    holds = all(_get(value, pointer) is wanted for pointer, wanted in rule["when"].items())
    if holds and _get(value, rule["member"]) is None:
        yield ""


OPERATIONS = {
    "tag-table": _tag_table,
    "unique": _unique,
    "items-equal": _items_equal,
    "items-same": _items_same,
    "not-less": _not_less,
    "present-when": _present_when,
}
