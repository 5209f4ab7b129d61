"""What the configuration may hold: ``schemas/config.schema.json``, read as data.

Editors and this program have one truth so. It is not a validator of JSON Schema: it knows the
keywords that this file uses, and a test holds its verdicts against two real ones.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from ...contract.resources import read_schema
from ...errors import Finding, clip
from ...reporting.kept_files import parse_day
from .file import ConfigFile, Place

__all__ = ["config_schema", "shape_findings"]

_TYPES: Final[dict[str, tuple[Any, str]]] = {
    "object": (dict, "a table"),
    "array": (list, "an array"),
    "string": (str, "a string"),
}


@cache
def config_schema() -> dict[str, Any]:
    """Return the schema of the configuration; it is not to be changed."""
    return read_schema("config.schema.json")


def shape_findings(file: ConfigFile) -> list[Finding]:
    """Return what the schema refuses: ``config/unknown-key``, ``config/missing-key`` and
    ``config/invalid-value``, each at its place.
    """
    return list(_check(file, config_schema(), file.content, ()))


def _check(file: ConfigFile, schema: dict[str, Any], value: Any, place: Place) -> Iterator[Finding]:
    if target := schema.get("$ref"):
        schema = config_schema()["definitions"][target.removeprefix("#/definitions/")]
    kind, noun = _TYPES[schema.get("type", "string")]
    if not isinstance(value, kind):
        yield _invalid(file, place, f"No {noun.partition(' ')[2]}", _told(schema), value)
    elif isinstance(value, dict):
        yield from _check_table(file, schema, value, place)
    elif isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield _invalid(file, place, "Too few items", f"{schema['minItems']} or more", value)
        for index, each in enumerate(value):
            yield from _check(file, schema["items"], each, (*place, index))
    else:
        yield from _check_text(file, schema, value, place)


def _check_table(
    file: ConfigFile, schema: dict[str, Any], value: dict[str, Any], place: Place
) -> Iterator[Finding]:
    properties = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            yield file.finding(
                "config/missing-key",
                f"The key {name} is missing",
                place,
                expected=_told(properties[name]),
                actual=f"a table with {', '.join(value) or 'nothing'}",
            )
    for name, each in value.items():
        if name in properties:
            yield from _check(file, properties[name], each, (*place, name))
            continue
        near = difflib.get_close_matches(name, properties, n=1, cutoff=0.5)
        known = f"one of {', '.join(properties)}"
        yield file.finding(
            "config/unknown-key",
            f"Unknown key{f'; did you mean {near[0]}?' if near else ''}",
            (*place, name),
            expected=near[0] if near else known,
            actual=clip(name),
        )


def _check_text(
    file: ConfigFile, schema: dict[str, Any], value: str, place: Place
) -> Iterator[Finding]:
    if "enum" in schema and value not in schema["enum"]:
        near = difflib.get_close_matches(value, schema["enum"], n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        expected = f"one of {', '.join(schema['enum'])}"
        yield _invalid(file, place, f"No such value{meant}", expected, value)
    elif len(value) < schema.get("minLength", 0):
        yield _invalid(file, place, "An empty string", _told(schema), value)
    elif schema.get("format") == "date" and parse_day(value) is None:
        yield _invalid(file, place, "No day of the calendar", "a day such as 2027-06-30", value)
    elif not re.search(schema.get("pattern", "").replace("$", r"\Z"), value):
        message = "It has another form" if value.strip() else "It says nothing"
        yield _invalid(file, place, message, schema["description"], value)


def _told(schema: dict[str, Any]) -> str:
    """Return what a schema expects, in its own words."""
    if target := schema.get("$ref"):
        schema = config_schema()["definitions"][target.removeprefix("#/definitions/")]
    example = f", such as {json.dumps(schema['examples'][0])}" if "examples" in schema else ""
    return _TYPES[schema.get("type", "string")][1] + example


def _invalid(file: ConfigFile, place: Place, message: str, expected: str, actual: Any) -> Finding:
    return file.finding(
        "config/invalid-value", message, place, expected=expected, actual=clip(actual)
    )
