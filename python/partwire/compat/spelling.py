"""Copies of schemas for the two validators, spelled so that each reads what the drafts say.

A copy keeps every place where it was: pointers into it are pointers into the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

from .dialects import Dialect
from .regex import RegexError, parse_regex, to_python

__all__ = ["spelled_for_python", "spelled_for_rust"]

_VALUES: Final = frozenset({"const", "enum", "default", "examples"})
_SAID_ONLY: Final = ("contentEncoding", "contentMediaType")

Change = Callable[[dict[str, Any], dict[str, Any]], None]
"""Changes the copy of one schema object, given the object."""


def spelled_for_python(
    root: Any,
    dialect: Dialect,
    *,
    keep_dialect: bool,
    crawled: bool,
    spelled: dict[str | int, str],
) -> Any:
    """Return a copy that means to jsonschema what ECMA 262 and the draft say.

    The names of patternProperties are rewritten: ``spelled`` gets the names that they had, by
    those that they have. ``keep_dialect``: leave ``$schema`` where it is;
    jsonschema goes on with a class of its own where it meets one, which reads patterns as Python
    does, so that only documents of mixed drafts keep it. ``crawled``: it will look for ids in
    all of the document, and fall over the list of a dependency.
    """

    def change(copy: dict[str, Any], schema: dict[str, Any]) -> None:
        patterns = copy.get("patternProperties")
        if isinstance(patterns, dict):
            renamed = {_python_pattern(name): name for name in patterns}
            spelled.update(renamed)
            copy["patternProperties"] = {new: patterns[name] for new, name in renamed.items()}
        if not keep_dialect and isinstance(schema.get("$schema"), str):
            del copy["$schema"]
        if isinstance(schema.get("items"), bool):
            # jsonschema 4.26 does not get past it where unevaluatedItems of 2019-09 asks for it.
            copy["items"] = {} if schema["items"] else {"not": {}}
        if crawled and dialect.year < 2019 and isinstance(copy.get("dependencies"), dict):
            copy["dependencies"] = {
                name: {"required": needed} if isinstance(needed, list) else needed
                for name, needed in copy["dependencies"].items()
            }
        if dialect.year == 2019 and isinstance(schema.get("additionalProperties"), dict):
            # It takes the keywords there for the names that are evaluated: say that all are.
            others = copy.setdefault("allOf", [])
            if isinstance(others, list):
                others.append({"patternProperties": {"": {}}})

    return _copy(root, dialect, change)


def spelled_for_rust(root: Any, dialect: Dialect) -> Any:
    """Return a copy that means to jsonschema-rs what the draft says.

    It decodes the strings that draft-06 and draft-07 only describe.
    """

    def change(copy: dict[str, Any], _schema: dict[str, Any]) -> None:
        for keyword in _SAID_ONLY:
            copy.pop(keyword, None)

    copy = _copy(root, dialect, change)
    if isinstance(copy, dict) and "$schema" not in copy:
        return {"$schema": dialect.uri + ("" if dialect.year >= 2019 else "#"), **copy}
    return copy


def _copy(value: Any, dialect: Dialect, change: Change) -> Any:
    """Copy a schema, or what a reference may lead into though no keyword of the draft holds it."""
    if isinstance(value, list):
        return [_copy(item, dialect, change) for item in value]
    if not isinstance(value, dict):
        return value
    copy: dict[str, Any] = {}
    for keyword, part in value.items():
        if keyword in _VALUES:
            copy[keyword] = part
        elif dialect.subschemas(keyword, part) == "map":
            copy[keyword] = {name: _copy(schema, dialect, change) for name, schema in part.items()}
        else:
            copy[keyword] = _copy(part, dialect, change)
    if isinstance(copy.get("$ref"), str):
        copy["$ref"] = _as_uri(copy["$ref"])
    change(copy, value)
    return copy


def _as_uri(reference: str) -> str:
    """Return a reference whose fragment is one of a URI; "#/definitions/A<B>" is none."""
    uri, hash_sign, fragment = reference.partition("#")
    return uri + hash_sign + quote(fragment, safe="%/?!$&'()*+,;=:@~")


def _python_pattern(pattern: str) -> str:
    """Return a pattern of ECMA 262 as Python spells it, or as it is where that cannot be."""
    try:
        return to_python(parse_regex(pattern))
    except RegexError:
        return pattern
