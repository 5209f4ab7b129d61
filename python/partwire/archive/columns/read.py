"""Columns → documents: the way back from Arrow arrays to JSON objects."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from ...errors import Finding, UsageError
from ...json.pointer import unescape, value_at
from .schema import MORE, WHOLE, Column, Leaf, List, Object, arrow_module

__all__ = ["Reader"]

_decode: Final = msgspec.json.Decoder().decode
_JSON: Final = Leaf("json")


class Reader:
    """Makes JSON values of the rows of a type's table."""

    def __init__(self, columns: Object) -> None:
        self._types = arrow_module().types
        self._places = arrow_module("pyarrow.compute").indices_nonzero
        self._columns = columns

    def documents(self, batch: Any) -> list[Any]:
        """Return the document of each row of a ``pyarrow.RecordBatch``, in their order.

        Columns that are not there are absent members. Raises UsageError
        ``usage/invalid-argument`` for a column that the type does not have, or one of another type.
        """
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        if WHOLE in self._columns.members:
            if [*columns] != [WHOLE]:
                raise _refused("The type has the one column", WHOLE, ", ".join(columns))
            return self._values(_JSON, columns[WHOLE], WHOLE)
        more = columns.pop(MORE, None)
        rows: list[dict[str, Any]] = [{} for _ in range(batch.num_rows)]
        self._fill(self._columns, rows, range(len(rows)), columns, "")
        if more is not None:
            for row, left in zip(rows, self._values(_JSON, more, MORE), strict=True):
                if left is not None:
                    _put(row, left)
        return rows

    def _values(self, column: Column, array: Any, place: str) -> list[Any]:
        """Return the values of an array; None is a null."""
        types, kind = self._types, array.type
        if isinstance(column, Object) and types.is_struct(kind):
            return self._objects(column, array, place)
        if isinstance(column, List) and (types.is_list(kind) or types.is_large_list(kind)):
            return self._lists(column, array, place)
        if isinstance(column, Leaf) and (types.is_null(kind) or _holds(types, column, kind)):
            found: list[Any] = array.to_pylist()
            if column.kind == "json":
                return [None if each is None else _decode(each) for each in found]
            return found
        raise _refused(f"The column {place} is of another type", _told(column), str(kind))

    def _objects(self, column: Object, array: Any, place: str) -> list[Any]:
        there = self._there(array)
        found: list[Any] = [None] * len(array)
        for at in there:
            found[at] = {}
        # Other than `field`, this gives null where the object itself is, and heeds an offset.
        members = dict(zip((each.name for each in array.type), array.flatten(), strict=True))
        self._fill(column, found, there, members, f"{place}.")
        return found

    def _fill(
        self,
        column: Object,
        rows: Sequence[Any],
        there: Sequence[int],
        members: dict[str, Any],
        place: str,
    ) -> None:
        """Put the members into the rows; ``there`` are the places of those that are there."""
        for name, values in members.items():
            if name not in column.members:
                known = ", ".join(column.members)
                raise _refused("The type has no such column", known, place + name)
            if values.null_count == len(values):
                continue
            places = there
            if values.null_count:
                places, values = self._there(values), values.drop_null()  # noqa: PLW2901
            made = self._values(column.members[name], values, place + name)
            for at, value in zip(places, made, strict=True):
                rows[at][name] = value

    def _lists(self, column: List, array: Any, place: str) -> list[Any]:
        items = self._values(column.item, array.flatten(), f"{place}[]")
        found: list[Any] = []
        at = 0
        for size in array.value_lengths().to_pylist():
            found.append(None if size is None else items[at : at + size])
            at += size or 0
        return found

    def _there(self, array: Any) -> list[int]:
        """Return the places that are not null."""
        found: list[int] = self._places(array.is_valid()).to_pylist()
        return found


def _put(row: dict[str, Any], left: dict[str, Any]) -> None:
    """Put what had no column where it belongs."""
    for pointer, value in left.items():
        above, _, name = pointer.rpartition("/")
        with suppress(LookupError):  # inside a column that was not asked for
            value_at(row, above)[unescape(name)] = value


def _holds(types: Any, column: Leaf, kind: Any) -> bool:
    match column.kind:
        case "text" | "json":
            return bool(
                types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
            )
        case "integer":
            return bool(types.is_integer(kind))
        case "number":
            return bool(types.is_floating(kind))
        case "boolean":
            return bool(types.is_boolean(kind))


def _told(column: Column) -> str:
    if isinstance(column, Leaf):
        return column.kind
    return "a list" if isinstance(column, List) else "a struct"


def _refused(message: str, expected: str, actual: str) -> UsageError:
    return UsageError(Finding("usage/invalid-argument", message, expected=expected, actual=actual))
