"""Small pairs of schemas and what is true of them: one row per pair.

A row is ``(old, new, backward, forward)`` under the exact reading; "=" stands for compatible, "!"
for breaking. ``DECLARED`` holds what is different under the declared reading. Each row is a pair
of schemas of 2020-12 unless its table says otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Row = tuple[Any, Any, str]

__all__ = ["DECLARED_PAIRS", "PAIRS", "Pair"]


class Pair(NamedTuple):
    name: str
    old: Any
    new: Any
    backward: bool
    forward: bool
    dialect: str = "2020-12"


def obj(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties, **more}
    return schema | {"required": list(required)} if required else schema


def arr(**keywords: Any) -> dict[str, Any]:
    return {"type": "array", **keywords}


def num(**keywords: Any) -> dict[str, Any]:
    return {"type": "number", **keywords}


def text(**keywords: Any) -> dict[str, Any]:
    return {"type": "string", **keywords}


S: dict[str, Any] = {"type": "string"}
I: dict[str, Any] = {"type": "integer"}  # noqa: E741
N: dict[str, Any] = {"type": "number"}
B: dict[str, Any] = {"type": "boolean"}
O: dict[str, Any] = {"type": "object"}  # noqa: E741

TYPES: list[Row] = [
    (I, N, "=!"),
    (S, N, "!!"),
    (S, {"type": ["string", "null"]}, "=!"),
    ({}, True, "=="),
    (True, {"type": ["null", "boolean", "number", "string", "array", "object"]}, "=="),
    (False, S, "=!"),
    ({"not": {}}, False, "=="),
    (I, num(multipleOf=1), "=="),
    ({"type": ["integer", "number"]}, N, "=="),
    ({"type": "null"}, {"const": None}, "=="),
    (B, {"enum": [True, False]}, "=="),
    (B, {"enum": [True]}, "!="),
    ({"type": ["integer", "string"]}, {"anyOf": [I, S]}, "=="),
]
VALUES: list[Row] = [
    ({"enum": [1, 2]}, {"enum": [2, 1, 3]}, "=!"),
    ({"const": 1}, {"const": 1.0}, "=="),
    ({"const": 1}, {"const": True}, "!!"),
    ({"const": 0}, {"const": False}, "!!"),
    ({"enum": ["a", "b"]}, S, "=!"),
    ({"enum": ["a", "b"]}, text(pattern="^[ab]$"), "=="),
    ({"enum": [1, "a"]}, {"type": ["integer", "string"]}, "=!"),
    ({"const": {"a": [1, 2]}}, obj({"a": arr(items=I)}, "a"), "=!"),
    ({"const": [1, 1]}, arr(uniqueItems=True), "!!"),
    ({"const": {}}, O, "=!"),
    ({"enum": [{"a": 1}, {"b": 1}]}, {"enum": [{"b": 1.0}, {"a": 1}]}, "=="),
    (num(enum=[1, 2, 3, 4], minimum=3), {"enum": [3, 4]}, "=="),
    ({"not": {"const": 1}}, {"not": {"enum": [1, 2]}}, "!="),
    ({"enum": []}, S, "=!"),
    ({"const": {"a": 1}}, {"not": {"const": {"a": 2}}}, "=!"),
]
NUMBERS: list[Row] = [
    (num(minimum=1), num(minimum=0), "=!"),
    (num(minimum=0), num(exclusiveMinimum=0), "!="),
    (I | {"minimum": 1}, I | {"exclusiveMinimum": 0}, "=="),
    (num(minimum=1), num(exclusiveMinimum=0), "=!"),
    (num(minimum=0, maximum=10), num(minimum=-1, maximum=10), "=!"),
    (num(multipleOf=6), num(multipleOf=3), "=!"),
    (num(multipleOf=6), {"allOf": [num(multipleOf=2), num(multipleOf=3)]}, "=="),
    (num(multipleOf=0.3), num(multipleOf=0.1), "=!"),
    (num(multipleOf=0.1), I, "!="),
    (num(multipleOf=2.5), I, "!!"),
    (num(multipleOf=5), I, "=!"),
    (I | {"minimum": 1, "maximum": 3}, {"enum": [1, 2, 3]}, "=="),
    (I | {"minimum": 0.5}, I | {"minimum": 1}, "=="),
    (num(minimum=2, maximum=1), S, "=!"),
    (I | {"exclusiveMinimum": 1, "exclusiveMaximum": 2}, False, "=="),
    (num(exclusiveMinimum=1, exclusiveMaximum=2), False, "!="),
    (I, {"anyOf": [I | {"minimum": 0}, I | {"maximum": -1}]}, "=="),
    (N, {"anyOf": [num(minimum=0), num(maximum=-1)]}, "!="),
    (N, {"anyOf": [num(minimum=0), num(exclusiveMaximum=0)]}, "=="),
    (num(multipleOf=4), {"not": num(multipleOf=2)}, "!!"),
    (I | {"not": {"multipleOf": 2}}, I, "=!"),
    (I | {"not": {"multipleOf": 2}}, {"not": {"multipleOf": 4}}, "=!"),
    (num(minimum=10**400), num(minimum=10**400 - 1), "=!"),
    (num(minimum=1e-300), num(exclusiveMinimum=0), "=!"),
    (num(maximum=5), {"maximum": 5}, "=!"),
]
STRINGS: list[Row] = [
    (text(minLength=1), text(minLength=0), "=!"),
    (text(minLength=1), text(pattern="."), "!="),
    (text(minLength=1), text(pattern="[^]"), "=="),
    (text(maxLength=3), text(maxLength=5), "=!"),
    (text(minLength=4, maxLength=3), I, "=!"),
    (text(pattern="^a+$"), text(pattern="a"), "=!"),
    (text(pattern="^ba+b$"), text(pattern="b.*b"), "=!"),
    (text(pattern="^(ab)*$"), text(pattern="^(abab)*$"), "!="),
    (text(pattern="^[a-z]{2,4}$"), text(minLength=2, maxLength=4), "=!"),
    (text(pattern="^[a-z]{2,4}$"), text(pattern="^[a-z]{1,5}$"), "=!"),
    (text(pattern="^(a|b)$"), {"enum": ["a", "b"]}, "=="),
    (text(pattern="^a?$"), {"enum": ["", "a"]}, "=="),
    (text(pattern=""), S, "=="),
    (text(pattern="^$"), {"const": ""}, "=="),
    (text(pattern="^\\d$"), text(pattern="^[0-9]$"), "=="),
    (text(pattern="^\\w$"), text(pattern="^[A-Za-z0-9_]$"), "=="),
    (text(pattern="^[\\s\\S]$"), text(minLength=1, maxLength=1), "=="),
    (text(pattern="^\\u0061$"), {"const": "a"}, "=="),
    (text(pattern="^\\x61\\cJ$"), {"const": "a\n"}, "=="),
    (text(pattern="^a$"), {"not": {"const": "a\n"}}, "=!"),
    (text(pattern="^(?:a|b|c)+?$"), text(pattern="^[a-c]+$"), "=="),
    (text(pattern="^(?<x>a)$"), {"const": "a"}, "=="),
    (text(pattern="^(a+)+$"), text(pattern="^(a|aa)+$"), "=="),
    (text(pattern="^(?=a)b"), text(pattern="^(?=a)b"), "=="),
    (text(pattern="^x(?=y)"), text(pattern="^x(?=y)", minLength=0), "=="),
    ({"allOf": [text(pattern="^a"), text(pattern="b$")]}, text(pattern="^(a.*b)$"), "!="),
    ({"allOf": [text(pattern="^a"), text(pattern="b$")]}, text(minLength=2), "=!"),
    (text(format="email"), S, "=="),
    (text(format="email"), text(format="uuid"), "=="),
    (text(contentMediaType="application/json"), S, "=="),
    (S, {"anyOf": [text(maxLength=3), text(minLength=4)]}, "=="),
    (S, {"anyOf": [text(maxLength=3), text(minLength=5)]}, "!="),
]
OBJECTS: list[Row] = [
    (obj({"a": S}, "a"), obj({"a": S}), "=!"),
    (obj({"a": S}), obj({"a": S, "b": I}), "!="),
    (obj({"a": S}, additionalProperties=False), obj({"a": S, "b": I}), "=!"),
    (obj({"a": I}), obj({"a": N}), "=!"),
    (obj({"a": S}, additionalProperties=False), obj({"a": S}), "=!"),
    (obj({}, additionalProperties=False), {"const": {}}, "=="),
    (obj({"a": False}), O, "=!"),
    (obj({"a": False}), {"type": "object", "not": {"required": ["a"]}}, "=="),
    (obj({"a": S}, additionalProperties=I), obj({"a": S}, additionalProperties=N), "=!"),
    (O | {"patternProperties": {"^a": I}}, O | {"patternProperties": {"^ab": N}}, "=!"),
    (O | {"patternProperties": {"": I}}, O | {"additionalProperties": I}, "=="),
    (O | {"patternProperties": {"^a$": I}}, obj({"a": I}), "=="),
    (obj({"ab": S}, patternProperties={"^a": I}), obj({"ab": False}), "=!"),
    (O | {"minProperties": 2}, O | {"minProperties": 1}, "=!"),
    (O | {"minProperties": 1, "maxProperties": 0}, False, "=="),
    (obj({"a": S}, "a"), O | {"minProperties": 1}, "=!"),
    (obj({"a": S}, "a", maxProperties=1), obj({"a": S}, "a", additionalProperties=False), "=="),
    (obj({}, "a", "b", maxProperties=1), False, "=="),
    (O | {"propertyNames": {"maxLength": 3}}, O | {"propertyNames": {"maxLength": 4}}, "=!"),
    (
        O | {"propertyNames": {"enum": ["a", "b"]}},
        obj({"a": True, "b": True}, additionalProperties=False),
        "==",
    ),
    (O | {"propertyNames": {"enum": ["a", "b"]}, "minProperties": 3}, False, "=="),
    (O | {"propertyNames": {"pattern": "^[ab]$"}}, O | {"maxProperties": 2}, "=!"),
    (O | {"propertyNames": False}, {"const": {}}, "=="),
    (O | {"dependentRequired": {"a": ["b"]}}, O, "=!"),
    (obj({}, "a", dependentRequired={"a": ["b"]}), obj({}, "a", "b"), "=="),
    (
        O | {"dependentSchemas": {"a": {"required": ["b"]}}},
        O | {"dependentRequired": {"a": ["b"]}},
        "==",
    ),
    (
        O | {"dependentRequired": {"a": ["b"], "b": ["c"]}},
        O | {"dependentRequired": {"a": ["c"]}},
        "=!",
    ),
    (obj({"a": S, "b": S}, "a"), obj({"b": S, "a": S}, "a"), "=="),
    (obj({"a": obj({"b": I}, "b")}, "a"), obj({"a": obj({"b": N}, "b")}, "a"), "=!"),
    (O | {"additionalProperties": I}, O | {"minProperties": 0}, "=!"),
    (O | {"not": {"required": ["a"]}}, obj({"a": I}), "=!"),
    (
        obj({"a": S}, "a", additionalProperties=False),
        obj({"b": S}, additionalProperties=False),
        "!!",
    ),
    (
        O | {"patternProperties": {"^a": I}, "additionalProperties": False},
        O | {"patternProperties": {"^a": N}, "additionalProperties": False},
        "=!",
    ),
    (
        O | {"patternProperties": {"^a|^b": I}, "additionalProperties": False},
        O | {"patternProperties": {"^a": I, "^b": I}, "additionalProperties": False},
        "==",
    ),
]
ARRAYS: list[Row] = [
    (arr(items=I), arr(items=N), "=!"),
    (arr(prefixItems=[I]), arr(prefixItems=[N]), "=!"),
    (arr(prefixItems=[I, S]), arr(prefixItems=[I]), "=!"),
    (arr(prefixItems=[I], items=False), arr(maxItems=1, items=I), "=="),
    (arr(items=False), {"const": []}, "=="),
    (arr(items=False, minItems=1), False, "=="),
    (arr(minItems=2), arr(minItems=1), "=!"),
    (arr(maxItems=2), arr(maxItems=3), "=!"),
    (arr(uniqueItems=True), arr(), "=!"),
    (arr(maxItems=1), arr(uniqueItems=True), "=!"),
    (arr(items=B, uniqueItems=True), arr(maxItems=2), "=!"),
    (arr(items=B, uniqueItems=True, minItems=3), False, "=="),
    (arr(items={"enum": [1, 2, 3]}, uniqueItems=True, minItems=4), False, "=="),
    (arr(contains=I), arr(minItems=1), "=!"),
    (arr(items=I, minItems=1), arr(contains=N), "=!"),
    (arr(contains=I, minContains=2), arr(contains=I), "=!"),
    (arr(contains=I, minContains=2), arr(minItems=2), "=!"),
    (arr(contains=I, maxContains=1), arr(contains=I), "=!"),
    (arr(contains=S, minContains=0), arr(), "=="),
    (arr(contains=S, minContains=0, maxContains=0), arr(items={"not": S}), "=="),
    (arr(contains={"const": 1}, items={"const": 2}), False, "=="),
    (arr(contains={"const": 1}, items={"enum": [1, 2]}, maxItems=1), {"const": [1]}, "=="),
    (arr(contains=I, minContains=3, maxItems=2), False, "=="),
    (arr(contains=I, minContains=2, maxContains=1), False, "=="),
    (arr(prefixItems=[S], minItems=1), arr(contains=S), "=!"),
    (arr(prefixItems=[S], contains=I), arr(minItems=2), "=!"),
    (arr(items=arr(items=I)), arr(items=arr(items=N)), "=!"),
    (arr(prefixItems=[S, I], unevaluatedItems=False), arr(prefixItems=[S, I], items=False), "=="),
    (
        arr(allOf=[{"prefixItems": [S]}], unevaluatedItems=False),
        arr(prefixItems=[S], items=False),
        "==",
    ),
    (arr(contains=S, unevaluatedItems=False), arr(items=S, minItems=1), "=="),
]
LOGIC: list[Row] = [
    (S, {"oneOf": [S]}, "=="),
    (S, {"anyOf": [S, S]}, "=="),
    (S, {"oneOf": [S, S]}, "!="),
    ({"allOf": [I, num(minimum=0)]}, I | {"minimum": 0}, "=="),
    ({"oneOf": [I, S]}, {"anyOf": [I, S]}, "=="),
    ({"oneOf": [I, N]}, {"anyOf": [I, N]}, "=!"),
    ({"oneOf": [I, N]}, N | {"not": I}, "=="),
    ({"oneOf": [I, S, B]}, {"oneOf": [B, I, S]}, "=="),
    ({"oneOf": [I, S]}, {"oneOf": [I, S, B]}, "=!"),
    ({"not": {"not": S}}, S, "=="),
    ({"not": S}, {"type": ["null", "boolean", "number", "array", "object"]}, "=="),
    ({"not": {"anyOf": [S, N]}}, {"allOf": [{"not": S}, {"not": N}]}, "=="),
    ({"if": S, "then": {"minLength": 1}}, {"anyOf": [{"not": S}, text(minLength=1)]}, "=="),
    ({"if": S, "then": {"minLength": 1}, "else": False}, text(minLength=1), "=="),
    ({"if": True, "then": S}, S, "=="),
    ({"if": S, "else": I}, {"type": ["string", "integer"]}, "=="),
    ({"then": S}, True, "=="),
    (
        {"oneOf": [obj({"t": {"const": "a"}}, "t"), obj({"t": {"const": "b"}}, "t")]},
        {"anyOf": [obj({"t": {"const": "b"}}, "t"), obj({"t": {"const": "a"}}, "t")]},
        "==",
    ),
    (
        {"oneOf": [obj({"t": {"const": "a"}, "v": I}, "t")]},
        {"oneOf": [obj({"t": {"const": "a"}, "v": I}, "t"), obj({"t": {"const": "b"}}, "t")]},
        "=!",
    ),
    (
        obj({"k": {"enum": ["a", "b"]}}, "k"),
        {
            "oneOf": [obj({"k": {"const": "a"}}, "k"), obj({"k": {"const": "b"}}, "k")],
        },
        "==",
    ),
    (
        {"allOf": [{"anyOf": [S, I]}, {"anyOf": [S, B]}]},
        S,
        "==",
    ),
    (
        O | {"unevaluatedProperties": False, "anyOf": [obj({"a": I}, "a"), obj({"b": I}, "b")]},
        O | {"minProperties": 1, "maxProperties": 2, "additionalProperties": I},
        "=!",
    ),
    (
        O | {"unevaluatedProperties": False, "allOf": [{"properties": {"a": I}}]},
        obj({"a": I}, additionalProperties=False),
        "==",
    ),
    (
        O
        | {
            "unevaluatedProperties": False,
            "if": {"required": ["a"]},
            "then": {"properties": {"a": I, "b": I}},
            "else": {"properties": {"c": I}},
        },
        {
            "anyOf": [
                obj({"a": I, "b": I}, "a", additionalProperties=False),
                obj({"c": I}, additionalProperties=False),
            ]
        },
        "==",
    ),
]
TREE = {"$defs": {"n": obj({"v": I, "next": {"$ref": "#/$defs/n"}}, "v")}, "$ref": "#/$defs/n"}
REFERENCES: list[Row] = [
    (S, {"$ref": "#/$defs/s", "$defs": {"s": S}}, "=="),
    ({"$ref": "#s", "$defs": {"x": {"$anchor": "s"} | S}}, S, "=="),
    ({"$ref": "#/$defs/s", "minLength": 1, "$defs": {"s": S}}, text(minLength=1), "=="),
    (
        TREE,
        {"$ref": "#/$defs/m", "$defs": {"m": obj({"v": I, "next": {"$ref": "#/$defs/m"}}, "v")}},
        "==",
    ),
    (
        TREE,
        {"$ref": "#/$defs/n", "$defs": {"n": obj({"v": N, "next": {"$ref": "#/$defs/n"}}, "v")}},
        "=!",
    ),
    (TREE, obj({"v": I, "next": TREE["$defs"]["n"]}, "v", **{"$defs": TREE["$defs"]}), "=="),
    (
        {"$defs": {"n": obj({"next": {"$ref": "#/$defs/n"}}, "next")}, "$ref": "#/$defs/n"},
        False,
        "==",
    ),
    (
        {"$id": "https://x.test/a", "$ref": "b", "$defs": {"b": {"$id": "https://x.test/b"} | S}},
        S,
        "==",
    ),
    (
        {
            "$id": "https://x.test/t",
            "$dynamicAnchor": "n",
            "properties": {"c": {"$dynamicRef": "#n"}},
        },
        {"properties": {"c": {"$ref": "#"}}},
        "==",
    ),
    (
        {
            "$id": "https://x.test/strict",
            "$dynamicAnchor": "n",
            "$ref": "tree",
            "required": ["v"],
            "$defs": {
                "tree": {
                    "$id": "tree",
                    "$dynamicAnchor": "n",
                    "type": "object",
                    "properties": {"c": {"$dynamicRef": "#n"}},
                }
            },
        },
        {"type": "object", "properties": {"c": {"$ref": "#"}}, "required": ["v"]},
        "==",
    ),
]
DRAFT_4: list[Row] = [
    (num(minimum=0, exclusiveMinimum=True), num(minimum=0), "=!"),
    (num(minimum=0, exclusiveMinimum=False), num(minimum=0), "=="),
    ({"const": 1}, {}, "=="),
    ({"id": "https://x.test/s", "definitions": {"a": {"id": "#b"} | S}, "$ref": "#b"}, S, "=="),
    (arr(items=[I, S], additionalItems=False), arr(items=[N, S]), "=!"),
    ({"$ref": "#/definitions/a", "type": "integer", "definitions": {"a": S}}, S, "=="),
]
DRAFT_7: list[Row] = [
    (O | {"dependencies": {"a": ["b"]}}, O | {"dependencies": {"a": {"required": ["b"]}}}, "=="),
    (arr(items=[I], additionalItems=S), arr(items=[N], additionalItems=S), "=!"),
    (arr(additionalItems=False), arr(), "=="),
    ({"$ref": "#/definitions/a", "minLength": 9, "definitions": {"a": S}}, S, "=="),
    (arr(contains=I, minContains=3), arr(contains=I), "=="),
    (O | {"unevaluatedProperties": False}, O, "=="),
]
DRAFT_2019: list[Row] = [
    (arr(items=[I], unevaluatedItems=False), arr(items=[I], additionalItems=False), "=="),
    (
        {"$recursiveAnchor": True, "properties": {"c": {"$recursiveRef": "#"}}},
        {"properties": {"c": {"$ref": "#"}}},
        "==",
    ),
    ({"$ref": "#/$defs/a", "minLength": 1, "$defs": {"a": S}}, text(minLength=1), "=="),
]

_TABLES: dict[str, tuple[list[Row], str]] = {
    "types": (TYPES, "2020-12"),
    "values": (VALUES, "2020-12"),
    "numbers": (NUMBERS, "2020-12"),
    "strings": (STRINGS, "2020-12"),
    "objects": (OBJECTS, "2020-12"),
    "arrays": (ARRAYS, "2020-12"),
    "logic": (LOGIC, "2020-12"),
    "references": (REFERENCES, "2020-12"),
    "draft-04": (DRAFT_4, "draft-04"),
    "draft-07": (DRAFT_7, "draft-07"),
    "2019-09": (DRAFT_2019, "2019-09"),
}

PAIRS = [
    Pair(f"{name}-{number}", old, new, marks[0] == "=", marks[1] == "=", dialect)
    for name, (rows, dialect) in _TABLES.items()
    for number, (old, new, marks) in enumerate(rows)
]

_NESTED = obj({"m": obj({"k": S})})
_DECLARED: list[Row] = [
    (obj({"a": S}), obj({"a": S, "b": I}), "=="),
    (obj({"a": S}), obj({"a": S}, additionalProperties=False), "=="),
    (obj({"a": S}, additionalProperties=True), obj({"a": S}, additionalProperties=False), "!="),
    (O, obj({"a": S}), "!="),
    (_NESTED, obj({"m": obj({"k": S, "j": I})}), "=="),
    (obj({"a": S}, patternProperties={"^x-": I}), obj({"a": S, "x-1": S}), "!!"),
    (obj({"a": S}), obj({"a": S, "b": I}, "b"), "!="),
    (obj({"a": S}), obj({"a": I}), "!!"),
    (
        {"allOf": [obj({"a": S}), obj({"b": S})]},
        {"allOf": [obj({"a": S}), obj({"b": S, "c": S})]},
        "==",
    ),
    (
        {"oneOf": [obj({"t": {"const": 1}, "a": S}, "t"), obj({"t": {"const": 2}, "b": S}, "t")]},
        {"oneOf": [obj({"t": {"const": 1}, "b": I}, "t"), obj({"t": {"const": 2}, "b": S}, "t")]},
        "==",
    ),
    (arr(items=obj({"a": S})), arr(items=obj({"a": S, "b": I})), "=="),
    (
        obj({"m": O | {"additionalProperties": obj({"a": S})}}),
        obj({"m": O | {"additionalProperties": obj({"a": S, "b": I})}}),
        "==",
    ),
]
DECLARED_PAIRS = [
    Pair(f"declared-{number}", old, new, marks[0] == "=", marks[1] == "=")
    for number, (old, new, marks) in enumerate(_DECLARED)
]
