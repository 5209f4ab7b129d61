"""The slow paths of reading, led by the schema itself: relax, close and build documents.

Typed decoding covers what a document of this version usually looks like. What it cannot take is
done here, by walking value and schema together: a newer peer's tags and enum values (tolerant
reading), null for absent, and integral numbers written as ``1.0``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

import msgspec

from ..contract.versions import TypeName, generated_module
from ..errors import Finding, clip
from ..json.pointer import escape_pointer, unescape
from ..severities import SEVERITIES

__all__ = ["Mode", "SafeDefault", "Schemas", "Unknown"]

Mode = Literal["strict", "tolerant"]
"""What is done with tags and enum values that nobody knows: refused, or kept as they came."""
Schema = Mapping[str, Any]

_Inside = Literal["json", "relaxed", "dict"]
"""What is built: of a JSON value, of one that tolerant reading has made (which holds Unknown and
SafeDefault), or of an extensible object, which stays a dict with all that it holds."""


class Unknown:
    """A part, delta, state or other variant whose tag this version does not know.

    ``document`` is the JSON value verbatim, and is what is written back; ``tag`` is the value of
    its member ``tag_field``. Do not change ``document``.
    """

    # No dataclass: msgspec would write one as an object of its fields.
    __slots__ = ("document", "tag", "tag_field")

    def __init__(self, tag_field: str, tag: str, document: dict[str, Any]) -> None:
        self.tag_field = tag_field
        self.tag = tag
        self.document = document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown) and self.document == other.document

    __hash__ = None  # type: ignore[assignment]  # a JSON value has no hash

    def __repr__(self) -> str:
        return f"Unknown({self.tag_field}={self.tag!r})"


class Unnamed(NamedTuple):
    """A member that its object, at ``pointer``, has and does not know."""

    pointer: str
    name: str
    around: dict[str, Any]
    known: Schema


class _Names(NamedTuple):
    """What the objects of a schema name."""

    properties: Schema
    inner: Mapping[str, Schema]
    """By name what to look through in turn: empty where nothing is nested."""
    others: Schema | None
    """What members of any other name are; None if there are none."""
    tag_field: str | None
    """What says which of the variants names the members instead; None if there are none."""
    variants: Mapping[str, _Names]

    def variant(self, value: dict[str, Any]) -> _Names | None:
        """Return what names the members of ``value``; None for a variant that nobody knows."""
        if self.tag_field is None:
            return self
        tag = value.get(self.tag_field)
        return self.variants.get(tag) if isinstance(tag, str) else None


class SafeDefault(str):
    """The safe default that tolerant reading took for an enum value which this version knows not.

    It is equal to the default, so that code need not know of it; ``raw`` is what came, and what is
    written back as long as the member is not set to anything else.
    """

    __slots__ = ("raw",)

    raw: str

    def __new__(cls, default: str, raw: str) -> SafeDefault:
        """Make the string ``default`` that remembers ``raw``."""
        made = super().__new__(cls, default)
        made.raw = raw
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Let copies and pickles remember it, too."""
        return str(self), self.raw

    def __repr__(self) -> str:
        return f"SafeDefault({str(self)!r}, raw={self.raw!r})"


class Schemas:
    """The definitions of one family of one version; made once each by :meth:`of`."""

    def __init__(self, family: str, version: str) -> None:
        from ..contract.resources import bundle  # noqa: PLC0415  # few documents go this way

        self._defs: dict[str, Schema] = bundle(family, version)["$defs"]
        self._structs = generated_module(version, "structs", family)
        self._typed: dict[str, bool] = {}
        self._names: dict[int, _Names] = {}  # by the schema's identity: it lives as long as this

    @staticmethod
    def of(type_name: TypeName) -> Schemas:
        """Return the schemas of the family that ``type_name`` belongs to."""
        return _schemas(type_name.family, type_name.version)

    def relax(self, value: Any, name: str) -> tuple[Any, list[Finding]]:
        """Return ``value`` as tolerant reading takes it, and a warning per change.

        Unknown members of closed objects go, null for an optional member goes, an integral 1.0
        becomes 1, an unknown enum value becomes the safe default, a variant of unknown tag becomes
        :class:`Unknown`. ``value`` itself is not changed.
        """
        notes: list[Finding] = []
        return self._relax(value, self._defs[name], "", notes), notes

    def build(self, value: Any, name: str) -> Any:
        """Return a JSON value, already found valid, as the generated struct of type ``name``."""
        return self._build(value, self._defs[name], name, "json")

    def build_relaxed(self, value: Any, name: str) -> Any:
        """Return what :meth:`relax` has made, already found valid, as :meth:`build` does."""
        return self._build(value, self._defs[name], name, "relaxed")

    def unnamed(self, value: Any, name: str) -> Iterator[Unnamed]:
        """Yield the members of ``value`` that no closed object of the type ``name`` names.

        What is of another form than the schema asks for is passed over: other findings say so.
        """
        return self._unnamed(value, self._defs[name], "")

    # --- unnamed --------------------------------------------------------------------------------

    def _unnamed(self, value: Any, schema: Schema, pointer: str) -> Iterator[Unnamed]:
        if isinstance(value, dict):
            names = self._names_of(schema).variant(value)
            if names is None:
                return
            for name, member in value.items():
                inner = names.inner.get(name, names.others)
                if inner is None:
                    yield Unnamed(pointer, name, value, names.properties)
                elif inner and isinstance(member, (dict, list)):
                    yield from self._unnamed(member, inner, f"{pointer}/{escape_pointer(name)}")
        elif isinstance(value, list):
            items = self._member(self._resolve(schema, None)[0], "array").get("items", {})
            for index, item in enumerate(value if items else ()):
                yield from self._unnamed(item, items, f"{pointer}/{index}")

    def _names_of(self, schema: Schema) -> _Names:
        """Return what the objects of a schema name; it is looked up once."""
        names = self._names.get(id(schema))
        if names is None:
            resolved, _ = self._resolve(schema, None)
            names = self._names[id(schema)] = self._names_in(self._member(resolved, "object"))
        return names

    def _names_in(self, schema: Schema) -> _Names:
        tags = schema.get("discriminator", {"propertyName": None, "mapping": {}})
        properties: Schema = schema.get("properties", {})
        return _Names(
            properties,
            {name: each if self._is_nested(each) else {} for name, each in properties.items()},
            schema.get("additionalProperties") if schema else {},
            tags["propertyName"],
            {tag: self._names_in(self._defs[_name(ref)]) for tag, ref in tags["mapping"].items()},
        )

    def _is_nested(self, schema: Schema) -> bool:
        """Tell whether a schema has a word on what is nested in a value."""
        resolved, _ = self._resolve(schema, None)
        return bool(self._member(resolved, "object") or self._member(resolved, "array"))

    # --- relax ----------------------------------------------------------------------------------

    def _relax(self, value: Any, schema: Schema, pointer: str, notes: list[Finding]) -> Any:
        schema, _ = self._resolve(schema, None)
        if isinstance(value, dict):
            return self._relax_object(value, schema, pointer, notes)
        if isinstance(value, list):
            items = self._member(schema, "array").get("items")
            if not items:  # anything may be nested there
                return value
            return [
                self._relax(item, items, f"{pointer}/{index}", notes)
                for index, item in enumerate(value)
            ]
        if isinstance(value, str):
            return _relax_string(value, self._member(schema, "string"), pointer, notes)
        if isinstance(value, float) and value.is_integer() and self._member(schema, "integer"):
            return int(value)
        return value

    def _relax_object(
        self, value: dict[str, Any], schema: Schema, pointer: str, notes: list[Finding]
    ) -> Any:
        schema = self._member(schema, "object")
        if "discriminator" in schema:
            tag_field = schema["discriminator"]["propertyName"]
            tag = value.get(tag_field)
            if not isinstance(tag, str):
                return value
            name = self._variant(schema, tag)
            if name is None:
                known = ", ".join(schema["discriminator"]["mapping"])
                place = f"{pointer}/{escape_pointer(tag_field)}"
                notes.append(
                    _note("read/unknown-variant", "Unknown tag, kept as it is", place, known, tag)
                )
                return Unknown(tag_field, tag, value)
            schema = self._defs[name]
        return self._relax_members(value, schema, pointer, notes)

    def _relax_members(
        self, value: dict[str, Any], schema: Schema, pointer: str, notes: list[Finding]
    ) -> dict[str, Any]:
        properties: Schema = schema.get("properties", {})
        others: Schema | None = schema.get("additionalProperties")
        required = schema.get("required", ())
        relaxed = {}
        for name, member in value.items():
            place = f"{pointer}/{escape_pointer(name)}"
            if name in properties:
                if member is None and name not in required:
                    notes.append(
                        _note("read/null-as-absent", "null taken as absent", place, "no null", None)
                    )
                else:
                    relaxed[name] = self._relax(member, properties[name], place, notes)
            elif others is not None:
                relaxed[name] = self._relax(member, others, place, notes) if others else member
        return relaxed

    # --- build ----------------------------------------------------------------------------------

    def _build(self, value: Any, schema: Schema, name: str | None, inside: _Inside) -> Any:
        if isinstance(value, str):
            return value
        schema, name = self._resolve(schema, name)
        if isinstance(value, dict):
            return self._build_object(value, schema, name, inside)
        if isinstance(value, list):
            items = self._member(schema, "array")["items"]
            if not items:
                return value
            return [self._build(item, items, None, inside) for item in value]
        if isinstance(value, float) and self._member(schema, "integer"):
            return int(value)
        if isinstance(value, bool) or inside == "dict" or not isinstance(value, int):
            return value
        return float(value) if self._member(schema, "number") else value

    def _build_object(
        self, value: dict[str, Any], schema: Schema, name: str | None, inside: _Inside
    ) -> Any:
        for member in schema.get("oneOf", ()) if "discriminator" not in schema else ():
            resolved, member_name = self._resolve(member, None)
            if _json_type(resolved) == "object":
                schema, name = resolved, member_name
        if "discriminator" in schema:
            name = self._variant(schema, value[schema["discriminator"]["propertyName"]])
            schema = self._defs[name or ""]
        if _is_extensible(schema):
            inside = "dict"
        struct = None if inside == "dict" or name is None else getattr(self._structs, name, None)
        if not (isinstance(struct, type) and issubclass(struct, msgspec.Struct)):
            return self._build_members(value, schema, inside)
        if inside == "json" and name is not None and self._is_typed(name):
            try:
                return msgspec.convert(value, struct)
            except ValueError:
                pass  # 1.0 for an integer
        members = self._build_members(value, schema, inside)
        attributes = dict(
            zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True)
        )
        return struct(**{attributes[key]: m for key, m in members.items() if key in attributes})

    def _build_members(
        self, value: dict[str, Any], schema: Schema, inside: _Inside
    ) -> dict[str, Any]:
        properties: Schema = schema.get("properties", {})
        others: Schema | None = schema.get("additionalProperties")
        return {
            key: self._build(member, inner, None, inside) if inner else member
            for key, member in value.items()
            if (inner := properties.get(key, others)) is not None
        }

    def _is_typed(self, name: str) -> bool:
        """Tell whether no value of the type ``name`` holds an extensible object."""
        if name not in self._typed:
            self._typed[name] = not self._reaches_dict(self._defs[name], set())
        return self._typed[name]

    def _reaches_dict(self, schema: Schema, seen: set[str]) -> bool:
        if "$ref" in schema:
            name = _name(schema["$ref"])
            if name in seen:
                return False
            seen.add(name)
            schema = self._defs[name]
        inner = [*schema.get("oneOf", ()), *schema.get("properties", {}).values()]
        inner += [schema[key] for key in ("items", "additionalProperties") if key in schema]
        return _is_extensible(schema) or any(self._reaches_dict(each, seen) for each in inner)

    # --- schema ---------------------------------------------------------------------------------

    def _resolve(self, schema: Schema, name: str | None) -> tuple[Schema, str | None]:
        while "$ref" in schema:
            name = _name(schema["$ref"])
            schema = self._defs[name]
        return schema, name

    def _member(self, schema: Schema, json_type: str) -> Schema:
        """Return the alternative of ``schema`` that takes values of ``json_type``, or ``{}``."""
        if _json_type(schema) == json_type:
            return schema
        for member in schema.get("oneOf", ()):
            resolved, _ = self._resolve(member, None)
            if _json_type(resolved) == json_type:
                return resolved
        return {}

    def _variant(self, schema: Schema, tag: str) -> str | None:
        reference: str | None = schema["discriminator"]["mapping"].get(tag)
        return None if reference is None else _name(reference)


def _name(reference: str) -> str:
    """Return the name of the definition that is referred to."""
    return reference.rpartition("/")[2]


@cache
def _schemas(family: str, version: str) -> Schemas:
    return Schemas(family, version)


def _is_extensible(schema: Schema) -> bool:
    return bool(schema.get("properties")) and "additionalProperties" in schema


def _json_type(schema: Schema) -> str | None:
    if "discriminator" in schema:
        return "object"
    declared: str | None = schema.get("type")
    return declared


def _relax_string(value: str, schema: Schema, pointer: str, notes: list[Finding]) -> str:
    values = schema.get("enum")
    if values is None or value in values or "x-safe-default" not in schema:
        return value
    default: str = schema["x-safe-default"]
    text = f"Unknown value, taken as {default}"
    notes.append(_note("read/unknown-enum-value", text, pointer, ", ".join(values), value))
    return SafeDefault(default, value)


def _note(rule: str, message: str, pointer: str, expected: str, actual: Any) -> Finding:
    return Finding(rule, message, pointer, SEVERITIES[rule], expected, clip(actual))


# --- looking past unknown variants ----------------------------------------------------------------


def items_of(value: Any, places: set[str]) -> set[str]:
    """Return the innermost array items of ``value`` that stand at ``places`` or hold them."""
    found: set[str] = set()
    for place in places:
        node, pointer, item = value, "", ""
        for token in place.split("/")[1:]:
            pointer += f"/{token}"
            if isinstance(node, list):
                item = pointer
                node = node[int(token)]
            else:
                node = node[unescape(token)]
        if item:
            found.add(item)
    return found


def without_items(value: Any, items: set[str], pointer: str = "") -> Any:
    """Return ``value`` without the array items at the pointers ``items``; all else is shared."""
    below = pointer + "/"
    if not any(item.startswith(below) for item in items):
        return value
    if isinstance(value, list):
        return [
            without_items(item, items, f"{below}{index}")
            for index, item in enumerate(value)
            if f"{below}{index}" not in items
        ]
    return {
        name: without_items(member, items, below + escape_pointer(name))
        for name, member in value.items()
    }


def pointer_before(pointer: str, items: set[str]) -> str:
    """Return where the value stood that ``without_items`` has at ``pointer``."""
    before = ""
    for token in pointer.split("/")[1:]:
        before += "/"
        gone = sorted(
            int(item[len(before) :])
            for item in items
            if item.startswith(before) and "/" not in item[len(before) :]
        )
        step = int(token) if gone else 0
        for each in gone:
            step += each <= step
        before += str(step) if gone else token
    return before
