"""Small pairs of schemas and what is true of them: one row per pair.

A row is ``(old, new, backward, forward)`` under the exact reading; "=" stands for compatible, "!"
for breaking. ``DECLARED`` holds what is different under the declared reading. Each row is a pair
of schemas of 2020-12 unless its table says otherwise.
"""

from __future__ import annotations

from tests.compat.builders import B, I, N, O, Pair, Row, S, arr, num, obj, text
from tests.compat.logic_pairs import DECLARED, DRAFT_4, DRAFT_7, DRAFT_2019, LOGIC, REFERENCES

__all__ = ["DECLARED_PAIRS", "PAIRS"]


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
    (I | {"minimum": 3, "maximum": 3}, False, "!="),
    (
        I | {"minimum": 2, "maximum": 7, "not": {"anyOf": [num(multipleOf=n) for n in (2, 3, 5)]}},
        False,
        "!=",
    ),
]
STRINGS: list[Row] = [
    (text(minLength=1), text(minLength=0), "=!"),
    (text(minLength=1), text(pattern="."), "!="),
    (text(minLength=1), text(pattern="[^]"), "=="),
    (text(maxLength=3), text(maxLength=5), "=!"),
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
    (obj({}, "long", propertyNames={"maxLength": 3}), False, "=="),
    (
        O | {"allOf": [{"unevaluatedProperties": I}], "unevaluatedProperties": False},
        O | {"additionalProperties": I},
        "==",
    ),
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
    (
        arr(prefixItems=[{"enum": [1, 2]}, {"const": 1}], uniqueItems=True, minItems=2),
        {"prefixItems": [{"const": 2}]},
        "=!",
    ),
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

DECLARED_PAIRS = [
    Pair(f"declared-{number}", old, new, marks[0] == "=", marks[1] == "=")
    for number, (old, new, marks) in enumerate(DECLARED)
]
