"""Every position of every type: where it is, what its schema is, and a document around it.

Led by the bundles alone. A position is reached through a document that has nothing else in it than
what is required on the way.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from partwire.errors import PartwireError
from partwire.reading.pipeline import Mode, read_with_findings, to_wire
from partwire_testing.conformance.drawn.patterns import string_of
from tests.reference.schema_reference import as_written
from tests.strategies import Schema, at, at_least_one_of, definitions, exactly_one_groups, resolve

Make = Callable[[Any], Any]
_DEEPEST = 12


class Position(NamedTuple):
    """One place in documents of ``type``; ``document(value)`` has ``value`` there.

    ``holder`` is what the place is in: the root, an object's ``required`` or ``optional`` member,
    an ``item`` of an array, a ``value`` of a map, or the ``tag`` of a union's variant.
    """

    type: str
    pointer: str
    schema: Schema
    holder: str
    document: Make

    @property
    def value(self) -> Any:
        """A valid value for this place."""
        return least(self.schema, definitions(self.type.partition(".")[0]))

    @property
    def id(self) -> str:
        """A name for reports."""
        return f"{self.type}#{self.pointer}"


def least(schema: Schema, defs: Mapping[str, Schema]) -> Any:
    """Return a small valid value, always the same."""
    schema = resolve(schema, defs)
    if "oneOf" in schema:
        return least(schema["oneOf"][0], defs)
    if "const" in schema or "enum" in schema:
        return schema.get("const") or schema["enum"][0]
    kind = schema["type"]
    if kind == "string":
        if "pattern" in schema:
            return string_of(schema["pattern"], random.Random(0))
        return "a" * max(1, schema.get("minLength", 1))
    if kind in ("integer", "number"):
        return max(1, schema.get("minimum", 1))
    if kind == "array":
        return [least(schema["items"], defs) for _ in range(schema.get("minItems", 0))]
    if kind == "boolean":
        return True
    return _object(schema, defs, {})


def _object(schema: Schema, defs: Mapping[str, Schema], given: dict[str, Any]) -> dict[str, Any]:
    """Return the smallest object that has the members ``given``."""
    properties: Schema = schema.get("properties", {})
    names = dict.fromkeys((*schema.get("required", ()), *given))
    for group in exactly_one_groups(schema):
        if not set(group) & set(given):
            names[group[0]] = None
    any_of = at_least_one_of(schema)
    if any_of and not set(any_of) & set(names):
        names[any_of[0]] = None
    made = {k: given[k] if k in given else least(properties[k], defs) for k in names}
    for rule in schema.get("x-rules", ()):
        if rule["op"] == "present-when" and all(at(made, k) is v for k, v in rule["when"].items()):
            name = rule["member"][1:]
            made.setdefault(name, least(properties[name], defs))
        elif rule["op"] == "tag-table" and rule["tag"][1:] not in given:
            _fit_tag(made, rule)
    return made


def _fit_tag(made: dict[str, Any], rule: Schema) -> None:
    """Choose the tag whose row allows the items; where there is none, nothing is chosen."""
    items = at(made, rule["items"])
    listed = items if isinstance(items, list) else []
    tags = {str(at(item, f"/{rule['itemTag']}")) for item in listed}
    known = {tag for row in rule["table"].values() for tag in row}
    fitting = [tag for tag, row in rule["table"].items() if tags & known <= set(row)]
    if fitting:
        made[rule["tag"][1:]] = fitting[0]


def walk(type_name: str, *, across: bool = True) -> Iterator[Position]:
    """Yield every position of a type; without ``across``, none inside of other objects."""
    family, _, name = type_name.partition(".")
    walker = _Walker(type_name, definitions(family), across)
    yield from walker.visit({"$ref": f"#/$defs/{name}"}, "", "root", copy.deepcopy, 0)


def outcome(data: Any, type_name: str, mode: Mode) -> dict[str, Any]:
    """Return what reading comes to, as data: what is written back and findings, or the errors."""
    try:
        result = read_with_findings(data, type_name, mode)
        written = to_wire(result.value, type_name)
    except PartwireError as error:
        return {"errors": [(f.rule, f.pointer) for f in error.findings if f.severity == "error"]}
    return {"value": written, "findings": [(f.rule, f.pointer) for f in result.findings]}


def expected_value(document: Any, type_name: str) -> Any:
    """Return what is written back of a document that reading takes as it is."""
    family, _, name = type_name.partition(".")
    defs = definitions(family)
    return as_written(document, defs[name], defs)


class _Walker:
    def __init__(self, type_name: str, defs: Mapping[str, Schema], across: bool) -> None:
        self.type = type_name
        self.defs = defs
        self.across = across

    def visit(
        self, schema: Schema, pointer: str, holder: str, make: Make, depth: int
    ) -> Iterator[Position]:
        schema = resolve(schema, self.defs)
        assert depth < _DEEPEST, "a recursive type: stop where a name comes again"
        yield Position(self.type, pointer, schema, holder, make)
        if depth and not self.across and {"properties", "discriminator"} & set(schema):
            return
        yield from self.inside(schema, pointer, make, depth + 1)

    def inside(
        self, schema: Schema, pointer: str, make: Make, depth: int, tag: str = ""
    ) -> Iterator[Position]:
        for member in schema.get("oneOf", ()):
            field = schema.get("discriminator", {}).get("propertyName", "")
            yield from self.inside(resolve(member, self.defs), pointer, make, depth, field)
        properties: Schema = schema.get("properties", {})
        for name, inner in properties.items():
            required = name in schema.get("required", ())
            holder = "tag" if name == tag else "required" if required else "optional"
            place = f"{pointer}/{name}"
            yield from self.visit(inner, place, holder, self.member(schema, name, make), depth)
        if schema.get("items"):
            items = schema["items"]
            yield from self.visit(items, f"{pointer}/0", "item", lambda v: make([v]), depth)
        if schema.get("additionalProperties"):
            inner = schema["additionalProperties"]
            yield from self.visit(inner, f"{pointer}/k", "value", lambda v: make({"k": v}), depth)

    def member(self, schema: Schema, name: str, make: Make) -> Make:
        return lambda value: make(_object(schema, self.defs, {name: copy.deepcopy(value)}))
