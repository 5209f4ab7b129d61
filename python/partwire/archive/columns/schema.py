"""The columns of every type: what its documents are as rows of a table.

They are derived from the JSON Schemas of a version when they are first asked for, which takes some
milliseconds: a table of them would say the same a second time. Released schemas never change, and
neither do their columns.

============================================  ====================================================
schema                                        column
============================================  ====================================================
string, constant, enum, time                  text
integer, number, boolean                      the same
array                                         list
object with declared members                  object: a column for each of them
tagged union                                  object: the members of all variants
free object, free array, map, untagged union  json: JSON text
what contains itself                          json, where it comes again
members of variants of two forms              json
============================================  ====================================================

A member that is absent is null in its column. The last column of a table is ``_more``: JSON text,
an object of what has no column in this row, by JSON Pointer. That is what the type does not declare
(``/meta/region``), and what its column cannot hold: null, or a value of another form. So every JSON
object has a row, and is read back from it. It is one for all objects of a document, since in a
Parquet file every column takes room and time, even if it is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from ...contract.resources import bundle
from ...contract.versions import TypeName, parse_type
from ...extras import import_extra

__all__ = [
    "MORE",
    "WHOLE",
    "Column",
    "Leaf",
    "List",
    "Object",
    "arrow_module",
    "arrow_schema",
    "arrow_type",
    "columns_of",
]

MORE: Final = "_more"
"""The column of a table for what has no other."""
WHOLE: Final = "_json"
"""The one column of a type that is JSON text as a whole."""

Kind = Literal["text", "integer", "number", "boolean", "json"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column of plain values."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class List:
    """A column of lists, whose items are all there."""

    item: Column


@dataclass(frozen=True, slots=True)
class Object:
    """A column of objects, or the columns of a table."""

    members: Mapping[str, Column]
    tag: str | None = field(default=None, compare=False)
    """The member that says which variant of a tagged union an object is; None for no union."""
    variants: Mapping[str, Object] = field(default_factory=dict, compare=False)
    """The members that the variants declare, by tag."""


Column: TypeAlias = Leaf | List | Object

_JSON: Final = Leaf("json")
_LEAVES: Final[Mapping[str, Leaf]] = {
    "string": Leaf("text"),
    "integer": Leaf("integer"),
    "number": Leaf("number"),
    "boolean": Leaf("boolean"),
}


def columns_of(type: str | type[Any], version: str | None = None) -> Object:  # noqa: A002
    """Return the columns of a type's table.

    ``_more`` is not among them. A type that is not an object has the one column ``_json``. Raises
    UsageError as :func:`partwire.contract.versions.parse_type`.
    """
    return _columns(parse_type(type, version))


@cache
def _columns(name: TypeName) -> Object:
    found = _Schemas(bundle(name.family, name.version)["$defs"]).of_type(name.name, ())
    return found if isinstance(found, Object) else Object({WHOLE: _JSON})


class _Schemas:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def of_type(self, name: str, within: tuple[str, ...]) -> Column:
        """Return the column of a definition; ``within`` are those that it is a part of."""
        if name in within:
            return _JSON
        return self._of(self._definitions[name], (*within, name))

    def _of(self, schema: Mapping[str, Any], within: tuple[str, ...]) -> Column:
        if "$ref" in schema:
            return self.of_type(schema["$ref"].rpartition("/")[2], within)
        if "oneOf" in schema:
            if "discriminator" not in schema:
                return _JSON
            return self._union(schema["discriminator"], within)
        kind = schema.get("type")
        if kind == "array" and schema["items"]:
            return List(self._of(schema["items"], within))
        if kind == "object" and schema.get("properties"):
            members = schema["properties"].items()
            return Object({name: self._of(each, within) for name, each in members})
        return _LEAVES.get(str(kind), _JSON)

    def _union(self, tags: Mapping[str, Any], within: tuple[str, ...]) -> Column:
        variants = {tag: self._of({"$ref": ref}, within) for tag, ref in tags["mapping"].items()}
        found = _merged(iter(variants.values()))
        objects = {tag: each for tag, each in variants.items() if isinstance(each, Object)}
        if isinstance(found, Object) and len(objects) == len(variants):
            return replace(found, tag=tags["propertyName"], variants=objects)
        return found


def _merged(variants: Iterator[Column]) -> Column:
    """Return the column that holds what any of the variants' columns holds."""
    found = next(variants)
    for each in variants:
        found = _joined(found, each)
    return found


def _joined(one: Column, other: Column) -> Column:
    if isinstance(one, Object) and isinstance(other, Object):
        members = dict(one.members)
        for name, column in other.members.items():
            members[name] = _joined(members[name], column) if name in members else column
        return Object(members)
    if isinstance(one, List) and isinstance(other, List):
        return List(_joined(one.item, other.item))
    return one if one == other else _JSON


# --- Arrow ----------------------------------------------------------------------------------------


def arrow_module(name: str = "pyarrow") -> Any:
    """Import pyarrow, or a module of it. Raises UsageError ``usage/missing-extra``."""
    return import_extra(name, "archive", "A table")


def arrow_schema(type: str | type[Any], version: str | None = None) -> Any:  # noqa: A002
    """Return the ``pyarrow.Schema`` of a type's table, which says in its metadata whose it is.

    A text is ``string``, and so is JSON text, which Arrow's functions take in this form only; an
    integer is ``int64``, a number ``double``. Raises UsageError for an unknown type or version, and
    ``usage/missing-extra`` without pyarrow.
    """
    pa = arrow_module()
    name = parse_type(type, version)
    columns = _columns(name)
    fields = list(arrow_type(columns))
    if WHOLE not in columns.members:
        fields.append(pa.field(MORE, pa.string()))
    told = {"partwire.type": str(name), "partwire.version": name.version}
    return pa.schema(fields, metadata=told)


def arrow_type(column: Column) -> Any:
    """Return the Arrow type of a column. Raises UsageError ``usage/missing-extra``."""
    pa = arrow_module()
    match column:
        case List(item):
            # The name of the items as Parquet has it, so that what is read back is of this type.
            return pa.list_(pa.field("element", arrow_type(item)))
        case Object(members):
            return pa.struct({name: arrow_type(each) for name, each in members.items()})
        case Leaf(kind):
            return {
                "text": pa.string,
                "integer": pa.int64,
                "number": pa.float64,
                "boolean": pa.bool_,
                "json": pa.string,
            }[kind]()
