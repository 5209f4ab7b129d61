"""Take a document from one version's members to another's, led by both schemas.

What both versions name is taken over; what the target does not name goes, and is noted. Steps add
hooks for the definitions that take more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

from partwire.contract.resources import bundle
from partwire.contract.versions import TypeName
from partwire.json.pointer import escape_pointer
from partwire.losses import LossLog
from partwire.tables.losses import MEMBER_CODES, MIGRATION_LOSSES

__all__ = ["Hook", "Hooks", "Json", "Walk", "later_members"]

Json: TypeAlias = dict[str, Any]
Schema: TypeAlias = Mapping[str, Any]
Hook: TypeAlias = "Callable[[Walk, Json, str], Json]"
"""Given the walk, an object of the definition and its pointer, returns what the target has."""
Hooks: TypeAlias = Mapping[str, Hook]

_TYPES: Final = {dict: "object", list: "array", float: "integer"}


class Walk:
    """One walk over one document of ``type_name``, which is valid; ``log`` has the losses.

    The document is not changed; what is the same in both versions may be shared with the result.
    """

    def __init__(self, type_name: TypeName, target: str, hooks: Hooks) -> None:
        self._defs = _definitions(type_name.family, type_name.version)
        self._later = later_members(type_name.family, type_name.version, target)
        self._hooks = hooks
        self.type = type_name
        self.moved: dict[str, str] = {}
        """By the pointer of what stands elsewhere now, the one that it had; where any do."""
        self.log = LossLog(MIGRATION_LOSSES)

    def run(self, value: Any) -> Any:
        """Return ``value`` as the target has it."""
        return self._walk(value, self._defs[self.type.name], self.type.name, "")

    def walk(self, value: Any, name: str, pointer: str) -> Any:
        """Return ``value``, of the definition ``name``, as the target has it."""
        return self._walk(value, self._defs[name], name, pointer)

    def members(self, value: Json, name: str, pointer: str) -> Json:
        """Return an object of the definition ``name`` as the target has it, without its hook."""
        return self._members(value, self._defs[name], name, pointer)

    def variant(self, value: Json, name: str, pointer: str) -> Any:
        """Return an object of the union ``name`` as the target has it, without the union's hook.

        A variant that the version does not know was read tolerantly, and stays as it is.
        """
        spec = self._defs[name]["discriminator"]
        reference = spec["mapping"].get(value[spec["propertyName"]])
        if reference is None:
            return value
        variant = reference.rpartition("/")[2]
        return self._object(value, self._defs[variant], variant, pointer)

    def _walk(self, value: Any, schema: Schema, name: str, pointer: str) -> Any:
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self._defs[name]
        kind = _TYPES.get(type(value))
        if kind is None:
            return value
        schema, name = self._alternative(schema, name, kind)
        if kind == "object":
            return self._object(value, schema, name, pointer)
        if kind == "array":
            items = schema.get("items")
            if items is None:
                return value
            return [
                self._walk(item, items, "", f"{pointer}/{index}")
                for index, item in enumerate(value)
            ]
        # 1.0 is an integer, and written as one.
        return int(value) if kind == "integer" and schema else value

    def _alternative(self, schema: Schema, name: str, kind: str) -> tuple[Schema, str]:
        """Return the definition by which a value of the JSON type ``kind`` is to be taken."""
        if kind == "object" and "discriminator" in schema:
            return schema, name
        if schema.get("type") == kind:
            return schema, name
        for member in schema.get("oneOf", ()):
            inner, inner_name = member, name
            while "$ref" in inner:
                inner_name = inner["$ref"].rpartition("/")[2]
                inner = self._defs[inner_name]
            if inner.get("type") == kind or (kind == "object" and "discriminator" in inner):
                return inner, inner_name
        return {}, ""

    def _object(self, value: Json, schema: Schema, name: str, pointer: str) -> Any:
        hook = self._hooks.get(name)
        if hook is not None:
            return hook(self, value, pointer)
        if "discriminator" in schema:
            return self.variant(value, name, pointer)
        return self._members(value, schema, name, pointer) if schema else value

    def _members(self, value: Json, definition: Schema, name: str, pointer: str) -> Json:
        named: Schema = definition.get("properties", {})
        others: Schema | None = definition.get("additionalProperties")
        later = self._later.get(name, ())
        made: Json = {}
        for key, member in value.items():
            if key in later:
                self.log.note(MEMBER_CODES[key], f"{pointer}/{escape_pointer(key)}")
                continue
            schema = named.get(key, others)
            if schema is None:
                self.log.note("unknown-member", f"{pointer}/{escape_pointer(key)}")
            elif schema and type(member) in _TYPES:
                made[key] = self._walk(member, schema, "", f"{pointer}/{escape_pointer(key)}")
            else:
                made[key] = member
        return made


@cache
def _definitions(family: str, version: str) -> Mapping[str, Schema]:
    found: Mapping[str, Schema] = bundle(family, version)["$defs"]
    return found


@cache
def later_members(family: str, source: str, target: str) -> Mapping[str, frozenset[str]]:
    """Return by definition which members the source names and the target does not."""
    kept = _definitions(family, target)
    found = {}
    for name, schema in _definitions(family, source).items():
        other = kept.get(name)  # a hook sees to what the target does not have at all
        if other is not None and "additionalProperties" not in other:
            found[name] = frozenset(schema.get("properties", ())) - frozenset(
                other.get("properties", ())
            )
    return found
