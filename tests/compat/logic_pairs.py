"""Rows of pairs about logic, references, older drafts and the declared reading."""

from __future__ import annotations

from typing import Any

from tests.compat.builders import B, I, N, O, Row, S, arr, num, obj, text

__all__ = ["DECLARED", "DRAFT_4", "DRAFT_7", "DRAFT_2019", "LOGIC", "REFERENCES"]

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
    ({"oneOf": [num(minimum=0), num(maximum=9)]}, {"not": num(minimum=0, maximum=9)}, "=!"),
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
    ({"allOf": [{"anyOf": [S, I]}, {"anyOf": [S, B]}]}, S, "=="),
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
TREE: dict[str, Any] = {
    "$defs": {"n": obj({"v": I, "next": {"$ref": "#/$defs/n"}}, "v")},
    "$ref": "#/$defs/n",
}
LATER: dict[str, Any] = {
    "$ref": "#/$defs/m",
    "$defs": {
        "m": obj({"v": I, "next": {"$ref": "#/$defs/k"}}, "v"),
        "k": obj({"v": I, "next": {"$ref": "#/$defs/l"}}, "v"),
        "l": obj({"v": N, "next": {"$ref": "#/$defs/m"}}, "v"),
    },
}
REFERENCES: list[Row] = [
    (TREE, LATER, "=!"),
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

_NESTED = obj({"m": obj({"k": S})})
# Where none of the members that others depend on is there, nothing is declared: all is free.
_DEPENDENT: dict[str, Any] = {f"a{n}": {"properties": {f"b{n}": {}}} for n in range(10)}
_PATTERNED: dict[str, Any] = {
    name: schema | {"patternProperties": {"^x": {}}} for name, schema in _DEPENDENT.items()
}
_FREE: list[Row] = [
    (O | {"dependentSchemas": each}, obj({"z": S}, dependentSchemas=each), "!=")
    for each in (_DEPENDENT, _PATTERNED)
]
DECLARED: list[Row] = [
    *_FREE,
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
