"""What a type declares: the places of its members, and the shapes along which to walk documents."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ...contract.resources import bundle
from ...contract.versions import TypeName
from ...json.pointer import escape
from .measures import COUNTED_TEXTS

__all__ = [
    "FREE",
    "TYPE_NAMES",
    "Chosen",
    "Fixed",
    "Leaf",
    "Listed",
    "Mapped",
    "Places",
    "Tagged",
]


class Leaf(NamedTuple):
    """A plain value; where texts are counted, that is said."""

    is_counted: bool


class Listed(NamedTuple):
    item: Any


class Fixed(NamedTuple):
    """An object that names its members: by name, where the member is, and what is in it."""

    members: dict[str, tuple[str, Any]]
    place: str


class Mapped(NamedTuple):
    """An object of any names."""

    value: Any


class Tagged(NamedTuple):
    tag: str
    place: str
    """Where the tag is."""
    variants: dict[str, Fixed]


class Chosen(NamedTuple):
    """Forms by the types of JSON values."""

    by_type: dict[type, Any]


FREE: Final = None
_JSON_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int, float),
}
TYPE_NAMES: Final[dict[type, str]] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


class Places:
    """The places that a type declares."""

    def __init__(self, name: TypeName) -> None:
        self._definitions = bundle(name.family, name.version)["$defs"]
        self.declared: dict[str, None] = {}
        """Places of members, in the order of the schema; ``*`` is any item, and any name of a
        map."""
        self.counted: dict[str, frozenset[str] | None] = {}
        """Those whose values are counted, with the values that the contract knows; None where
        there are no such."""
        self.shape = self._of({"$ref": f"#/$defs/{name.name}"}, "", (), name.name)

    def _of(self, schema: Any, place: str, within: tuple[str, ...], member: str) -> Any:
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            if name in within:
                return FREE
            within = (*within, name)
            schema = self._definitions[name]
        if "oneOf" in schema:
            return self._union(schema, place, within, member)
        kind = schema.get("type")
        if kind == "array":
            inner = self._of(schema["items"], f"{place}/*", within, "") if schema["items"] else None
            return FREE if inner is FREE else Listed(inner)
        if kind == "object":
            return self._object(schema, place, within)
        known = schema.get("enum") or schema.get("x-known-values")
        if "const" in schema:
            known = [schema["const"]]
        if kind == "boolean":
            known = ["true", "false"]
        if known is None and (kind != "string" or member not in COUNTED_TEXTS):
            return Leaf(is_counted=False)
        if known is None:
            self.counted.setdefault(place)
        else:
            before = self.counted.get(place) or frozenset()
            self.counted[place] = before | frozenset(known)
        return Leaf(is_counted=True)

    def _object(self, schema: Any, place: str, within: tuple[str, ...]) -> Any:
        others = schema.get("additionalProperties")
        if not schema.get("properties"):
            inner = self._of(others, f"{place}/*", within, "") if others else None
            return FREE if inner is FREE else Mapped(inner)
        members = {}
        for name, each in schema["properties"].items():
            inside = f"{place}/{escape(name)}"
            self.declared.setdefault(inside)
            members[name] = (inside, self._of(each, inside, within, name))
        return Fixed(members, place)

    def _union(self, schema: Any, place: str, within: tuple[str, ...], member: str) -> Any:
        if "discriminator" in schema:
            tags = schema["discriminator"]
            return Tagged(
                tags["propertyName"],
                f"{place}/{escape(tags['propertyName'])}",
                {
                    tag: self._of({"$ref": ref}, place, within, member)
                    for tag, ref in tags["mapping"].items()
                },
            )
        by_type = {}
        for each in schema["oneOf"]:
            form = self._of(each, place, within, member)
            resolved = each
            while "$ref" in resolved:
                resolved = self._definitions[resolved["$ref"].rpartition("/")[2]]
            for kind in _JSON_TYPES.get(resolved.get("type", ""), ()):
                by_type[kind] = form
        return Chosen(by_type)
