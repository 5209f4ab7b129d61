"""Whether a type's examples have the shape that the type asks for.

A plain walk over the contract model: the linter cannot use the generated checks, which need a
package that may have to be generated first.
"""

from __future__ import annotations

import re
from typing import Any

from codegen import model as m
from codegen.problems import Problems, step


def check(family: m.Family, definition: m.TypeDef, problems: Problems) -> None:
    """Note every example that does not fit its own type."""
    for index, example in enumerate(definition.examples):
        wrong = _wrong(family, definition.node, example)
        if wrong is not None:
            at = step("", "$defs", definition.name, "examples", index)
            problems.add(definition.file, at, "invalid-example", wrong)


def _wrong(family: m.Family, node: m.Node, value: Any) -> str | None:
    """Return where and why ``value`` does not fit, or None."""
    node = family.resolve(node)
    match node:
        case m.Object():
            return _object(family, node, value)
        case m.Array(items=inner):
            if not isinstance(value, list) or len(value) < (node.min_items or 0):
                return "an array is expected"
            return _first(family, inner, dict(enumerate(value)))
        case m.Map(values=inner):
            if not isinstance(value, dict):
                return "an object is expected"
            return _first(family, inner, value)
        case m.Union(tag=tag, variants=variants):
            given = value.get(tag) if isinstance(value, dict) else None
            ref = dict(variants).get(given) if isinstance(given, str) else None
            return "no variant fits" if ref is None else _wrong(family, ref, value)
        case m.Choice(members=members):
            fits = any(_wrong(family, member, value) is None for member in members)
            return None if fits else "no member of the union fits"
        case _:
            return (
                None if _scalar(node, value) else f"it is not of {type(node).__name__}: {value!r}"
            )


def _first(family: m.Family, inner: m.Node, values: dict[Any, Any]) -> str | None:
    for key, value in values.items():
        wrong = _wrong(family, inner, value)
        if wrong is not None:
            return f"{key}: {wrong}"
    return None


def _object(family: m.Family, node: m.Object, value: Any) -> str | None:
    if not isinstance(value, dict):
        return "an object is expected"
    for prop in node.properties:
        if prop.name in value:
            wrong = _wrong(family, prop.node, value[prop.name])
            if wrong is not None:
                return f"{prop.name}: {wrong}"
        elif prop.required:
            return f"{prop.name} is missing"
    for names in node.exactly_one:
        if sum(name in value for name in names) != 1:
            return f"exactly one of {', '.join(names)} is expected"
    if node.at_least_one and not any(name in value for name in node.at_least_one):
        return f"one of {', '.join(node.at_least_one)} is missing"
    if not node.extensible:
        for name in value:
            if node.property(name) is None:
                return f"{name} is not declared"
    return None


def _scalar(node: m.Node, value: Any) -> bool:
    match node:
        case m.String(min_length=least, max_length=most, pattern=pattern):
            return (
                isinstance(value, str)
                and (least or 0) <= len(value)
                and (most is None or len(value) <= most)
                and (pattern is None or re.fullmatch(pattern[1:-1], value) is not None)
            )
        case m.Enum(values=values):
            return value in values
        case m.Const(value=fixed):
            return bool(value == fixed)
        case m.Integer(minimum=least, maximum=most):
            return type(value) is int and (least or value) <= value <= (most or value)
        case m.Number(minimum=low, maximum=high):
            numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
            return numeric and (low is None or low <= value) and (high is None or value <= high)
        case m.Boolean():
            return isinstance(value, bool)
        case m.FreeArray():
            return isinstance(value, list)
        case _:
            return isinstance(value, dict)
