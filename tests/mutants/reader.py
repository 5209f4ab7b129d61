"""Reading, checking and writing documents by the bundled schemas, one schema keyword at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from partwire.contract.resources import bundle
from partwire.json.pointer import escape_pointer
from tests.fixture_cases import SCHEMAS
from tests.mutants.json_text import JSONText, Place, Refused
from tests.reference.meaning_reference import OPERATIONS

Schema = dict[str, Any]

_JSON_TYPES: Final[dict[str, type[Any] | tuple[type[Any], ...]]] = {
    "string": str,
    "array": list,
    "object": dict,
    "boolean": bool,
    "number": (int, float),
}


class Taken(str):
    """A safe default, with what came, which is what is written."""

    __slots__ = ("raw",)

    raw: str


class Kept(dict[str, Any]):
    """A variant that is not known: nothing looks into it, and it is written as it is."""


@cache
def definitions(family: str, version: str) -> dict[str, Schema]:
    """Return the types of a family by name."""
    found: dict[str, Schema] = bundle(family, version)["$defs"]
    return found


@cache
def severities() -> dict[str, str]:
    """Return rule → severity."""
    files = [json.loads(path.read_bytes()) for path in (SCHEMAS / "rules").glob("*.json")]
    return {name: rule["severity"] for file in files for name, rule in file["rules"].items()}


class Reader(JSONText):
    """All of one type of one version."""

    def __init__(self, type_name: str, version: str) -> None:
        family, _, name = type_name.partition(".")
        self.defs = definitions(family, version)
        self.schema = self.defs[name]
        self.taken: dict[str, str] = {}

    def findings(self, value: Any) -> list[Place]:
        """Return what is wrong with a JSON value: its shape, else its meaning."""
        return list(self.shape(value, self.schema, "")) or list(
            self.meaning(value, self.schema, "")
        )

    def read(self, data: bytes, *, tolerant: bool = False) -> tuple[Any, list[Place]]:
        """Return what is written of a text, and the findings that are not errors."""
        value = self.parse(data)
        notes: list[Place] = []
        if tolerant:
            value = self.relax(value, self.schema, "", notes)
        found = self.findings(value)
        if errors := [place for place in found if severities()[place[0]] == "error"]:
            raise Refused(*errors)
        return self.written(value, self.schema), notes + found

    # --- shape: one method per keyword ------------------------------------------------------------

    def shape(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        """Yield what breaks a keyword of the schema."""
        schema = self.behind(schema)
        if isinstance(value, Kept):
            return
        if value is None and schema:
            yield "shape/null", at
        elif "discriminator" in schema:
            yield from self.tagged(value, schema["discriminator"], at)
        elif "oneOf" in schema:
            yield from self.union(value, schema, at)
        elif "type" in schema:
            yield from getattr(self, f"a_{schema['type']}")(value, schema, at)

    def tagged(self, value: Any, tagged: Schema, at: str) -> Iterator[Place]:
        """Check a variant that its tag names."""
        name = tagged["propertyName"]
        if not isinstance(value, dict):
            yield "shape/type", at
        elif name not in value:
            yield "shape/required", at
        elif not isinstance(value[name], str):
            yield "shape/null" if value[name] is None else "shape/type", f"{at}/{name}"
        elif value[name] not in tagged["mapping"]:
            yield "shape/unknown-variant", f"{at}/{name}"
        else:
            yield from self.shape(value, {"$ref": tagged["mapping"][value[name]]}, at)

    def union(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        """Check a variant that the JSON type tells."""
        own = self.variant(value, schema)
        if own is None:
            yield "shape/union-type", at
        else:
            yield from self.shape(value, own, at)

    def a_object(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        if not isinstance(value, dict):
            yield "shape/type", at
            return
        for name in schema.get("required", ()):
            if name not in value:
                yield "shape/required", at
        for either in schema.get("allOf", ()):
            if sum(each["required"][0] in value for each in either["oneOf"]) != 1:
                yield "shape/exactly-one-of", at
        any_of = [each["required"][0] for each in schema.get("anyOf", ())]
        if any_of and not any(name in value for name in any_of):
            yield "shape/required", at
        for name, member in value.items():
            inner = self.member(schema, name)
            if inner:
                yield from self.shape(member, inner, f"{at}/{escape_pointer(name)}")

    def a_array(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        if not isinstance(value, list):
            yield "shape/type", at
            return
        if len(value) < schema.get("minItems", 0):
            yield "shape/min-items", at
        for index, item in enumerate(value):
            yield from self.shape(item, schema["items"], f"{at}/{index}")

    def a_string(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        if not isinstance(value, str):
            yield "shape/type", at
        elif "const" in schema and value != schema["const"]:
            yield "shape/const", at
        elif "enum" in schema and value not in schema["enum"]:
            yield "shape/enum", at
        elif len(value) < schema.get("minLength", 0):
            yield "shape/min-length", at
        elif len(value) > schema.get("maxLength", len(value)):
            yield "shape/max-length", at
        elif "pattern" in schema and not self.matches(schema["pattern"], value):
            yield "shape/pattern", at

    def matches(self, pattern: str, value: str) -> bool:
        """Match as ECMA-262 does: ``$`` is the end, and nothing before it."""
        return re.search(pattern.removesuffix("$") + r"\Z", value) is not None

    def a_boolean(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        if not isinstance(value, bool):
            yield "shape/type", at
        elif "const" in schema and value is not schema["const"]:
            yield "shape/const", at

    def a_number(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield "shape/type", at
        elif value < schema.get("minimum", value):
            yield "shape/minimum", at
        elif value > schema.get("maximum", value):
            yield "shape/maximum", at

    def a_integer(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        if isinstance(value, float) and not value.is_integer():
            yield "shape/integer", at
        else:
            yield from self.a_number(value, schema, at)

    # --- meaning ----------------------------------------------------------------------------------

    def meaning(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        """Yield what breaks a rule of the schema, for a value of right shape."""
        schema = self.behind(schema)
        if isinstance(value, Kept):
            return
        for rule in schema.get("x-rules", ()):
            for pointer in self.broken(rule, value):
                yield rule["rule"], at + pointer
        if own := self.variant(value, schema):
            yield from self.meaning(value, own, at)
        elif isinstance(value, list) and "items" in schema:
            for index, item in enumerate(value):
                yield from self.meaning(item, schema["items"], f"{at}/{index}")
        elif isinstance(value, dict):
            for name, member in value.items():
                if inner := self.member(schema, name):
                    yield from self.meaning(member, inner, f"{at}/{escape_pointer(name)}")

    def broken(self, rule: Schema, value: Any) -> Iterator[str]:
        """Yield where a rule is broken; variants that are not known take no part."""
        where = rule.get("items", "/")[1:]
        items = value.get(where) if isinstance(value, dict) else None
        if not isinstance(items, list):
            yield from OPERATIONS[rule["op"]](value, rule)
            return
        known = [at for at, item in enumerate(items) if not isinstance(item, Kept)]
        for pointer in OPERATIONS[rule["op"]]({**value, where: [items[at] for at in known]}, rule):
            _, name, index, *rest = pointer.split("/")
            yield "/".join(["", name, str(known[int(index)]), *rest])

    # --- tolerance and writing --------------------------------------------------------------------

    def relax(self, value: Any, schema: Schema, at: str, notes: list[Place]) -> Any:
        """Return a value as tolerant reading takes it; ``notes`` get what was let pass."""
        schema = self.behind(schema)
        if self.is_unknown(value, schema):
            notes.append(
                ("read/unknown-variant", f"{at}/{schema['discriminator']['propertyName']}")
            )
            return Kept(value)
        if own := self.variant(value, schema):
            return self.relax(value, own, at, notes)
        if isinstance(value, list) and "items" in schema:
            return [
                self.relax(item, schema["items"], f"{at}/{index}", notes)
                for index, item in enumerate(value)
            ]
        if isinstance(value, dict):
            return self.relax_members(value, schema, at, notes)
        if isinstance(value, str) and value not in schema.get("enum", (value,)):
            return self.safe(value, schema, at, notes)
        return value

    def relax_members(self, value: Any, schema: Schema, at: str, notes: list[Place]) -> Any:
        """Relax an object: null says that an optional member is absent."""
        found = {}
        for name, member in value.items():
            place = f"{at}/{escape_pointer(name)}"
            optional = name in schema.get("properties", {}) and name not in schema["required"]
            if member is None and optional:
                notes.append(("read/null-as-absent", place))
                continue
            inner = self.member(schema, name)
            found[name] = self.relax(member, inner, place, notes) if inner else member
        return found

    def safe(self, value: Any, schema: Schema, at: str, notes: list[Place]) -> Any:
        """Return the safe default of an enum that does not know the value."""
        if "x-safe-default" not in schema:
            return value
        notes.append(("read/unknown-enum-value", at))
        return self.take(schema["x-safe-default"], value, at)

    def take(self, default: str, raw: str, at: str) -> Taken:
        """Return a safe default that is written as what came."""
        taken = Taken(default)
        taken.raw = raw
        self.taken[at] = default
        return taken

    def is_unknown(self, value: Any, schema: Schema) -> bool:
        """Return whether a value has a tag that names no variant."""
        if "discriminator" not in schema or not isinstance(value, dict):
            return False
        tag = value.get(schema["discriminator"]["propertyName"])
        return isinstance(tag, str) and tag not in schema["discriminator"]["mapping"]

    def written(self, value: Any, schema: Schema) -> Any:
        """Return a valid value as it is written: no member that is not known, 1 for 1.0."""
        schema = self.behind(schema)
        if isinstance(value, Taken):
            return value.raw
        if isinstance(value, Kept) or not schema:
            return value
        if own := self.variant(value, schema):
            return self.written(value, own)
        if isinstance(value, list):
            return [self.written(item, schema["items"]) for item in value]
        if isinstance(value, dict):
            return {
                name: self.written(member, inner)
                for name, member in value.items()
                if (inner := self.member(schema, name)) is not None
            }
        return int(value) if schema["type"] == "integer" else value

    # --- the schema -------------------------------------------------------------------------------

    def behind(self, schema: Schema) -> Schema:
        """Follow references."""
        while "$ref" in schema:
            schema = self.defs[schema["$ref"].rpartition("/")[2]]
        return schema

    def member(self, schema: Schema, name: str) -> Schema | None:
        """Return the schema of a member; None for one that is not known."""
        found: Schema | None = schema.get("properties", {}).get(
            name, schema.get("additionalProperties")
        )
        return found

    def variant(self, value: Any, schema: Schema) -> Schema | None:
        """Return the schema of the variant that a value is; None where there is none."""
        if "discriminator" in schema:
            tagged = schema["discriminator"]
            tag = value.get(tagged["propertyName"]) if isinstance(value, dict) else None
            known = isinstance(tag, str) and tag in tagged["mapping"]
            return {"$ref": tagged["mapping"][tag]} if known else None
        for each in map(self.behind, schema.get("oneOf", ())):
            if isinstance(value, _JSON_TYPES[each["type"]]):
                return each
        return None
