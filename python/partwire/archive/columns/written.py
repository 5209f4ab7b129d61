"""Documents → columns: JSON texts become Arrow arrays.

Each object column has a struct of its members. Almost every text is decoded into these at once, by
a decoder that refuses whatever has no column or does not fit into it; JSON text is taken as it was
written. Only what is refused is looked at member by member.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Annotated, Any, Final, NamedTuple, Union

import msgspec
from msgspec.structs import astuple

from ...errors import Finding, ReadError, clip
from ...json.pointer import escape
from ...json.text import MAX_DEPTH, are_documents, decode_json
from .schema import WHOLE, Column, Leaf, List, Object, arrow_module, arrow_type

__all__ = ["Writer", "at_index"]

_encode: Final = msgspec.json.Encoder().encode
_INT64: Final = 2**63 - 1
_EXACT: Final = 2**53
"""Beyond it a double does not hold every integer."""
_SHALLOW: Final = MAX_DEPTH - 32
"""Brackets that cannot be nested too deep, wherever in a document the text of them is."""

_LEAVES: Final[dict[str, Any]] = {
    "text": str,
    "integer": Annotated[int, msgspec.Meta(ge=-_INT64, le=_INT64)],
    "number": Annotated[int, msgspec.Meta(ge=-_EXACT, le=_EXACT)] | float,
    "boolean": bool,
    "json": msgspec.Raw,
}


class _Odd(Exception):
    """JSON text was taken as it is that has to be looked at as a whole."""


class Writer:
    """Makes Arrow arrays of the documents of a type."""

    def __init__(self, columns: Object) -> None:
        self._pa = arrow_module()
        self._whole = WHOLE in columns.members
        self._first = 0
        self._table = _Object(columns, self._pa)
        self._decode: Callable[[bytes], Any] = msgspec.json.Decoder(
            self._table.rows_of(columns)
        ).decode

    def arrays(self, documents: Sequence[bytes], first: int = 0) -> list[Any]:
        """Return an array for each column of the table, in which each document is a row.

        Raises ReadError, with the document's index before the pointers, for a text that is not
        JSON, or ``shape/type`` for one that is not an object where the type is; ``first`` is the
        index of the first one.
        """
        self._first = first
        if self._whole:
            for index, text in enumerate(documents):
                self._value(text, index)
            return [self._pa.array(documents, self._pa.string())]
        more: list[bytes | None] = [None] * len(documents)
        rows: list[Any] = []
        for text in documents:
            try:
                rows.append(self._decode(text))
            except (ValueError, RecursionError):
                rows.append(self._placed(text, len(rows), more))
        try:
            arrays = self._table.arrays(rows)
        except _Odd:
            rows = [self._placed(text, index, more) for index, text in enumerate(documents)]
            arrays = self._table.arrays(rows)
        return [*arrays, self._pa.array(more, self._pa.string())]

    def _placed(self, text: bytes, index: int, more: list[bytes | None]) -> Any:
        """Return the row of a text; what has no column in it goes to ``more``."""
        value = self._value(text, index)
        left: dict[str, Any] = {}
        row = self._table.place(value, "", left)
        if row is None:
            message = "A document of this type is an object"
            finding = Finding("shape/type", message, expected="an object", actual=clip(value))
            raise at_index(ReadError(finding), self._first + index)
        more[index] = _encode(left) if left else None
        return row

    def _value(self, text: bytes, index: int) -> Any:
        try:
            return decode_json(text)
        except ReadError as error:
            raise at_index(error, self._first + index) from None


def at_index(error: ReadError, index: int) -> ReadError:
    """Return an error of one document as one of many: with its index before the pointers."""
    return ReadError(*(each._replace(pointer=f"/{index}{each.pointer}") for each in error.findings))


def _is_plain(texts: list[bytes]) -> bool:
    """Tell whether what the decoder has passed over is JSON that can be kept as it is."""
    for text in texts:
        if len(text) > _SHALLOW and text.count(b"{") + text.count(b"[") > _SHALLOW:
            return False
    return are_documents(b"\n".join(texts), texts)


# --- what makes the array of a column -------------------------------------------------------------
#
# rows_of: what the decoder makes of values, of which only some members may come. array: the Arrow
# array of such values, or None for null. place: what the decoder would make of a JSON value, or
# None where the column cannot hold it; of what is inside it, what has no column goes to `left`, by
# pointer.


class _Leaf:
    def __init__(self, column: Leaf, pa: Any) -> None:
        self._row: Any = _LEAVES[column.kind]
        self.type = arrow_type(column)
        self._kind = column.kind
        self._pa = pa

    def rows_of(self, _given: Column) -> Any:
        return self._row

    def array(self, values: Sequence[Any]) -> Any:
        if self._kind == "json":
            taken = [bytes(each) for each in values if type(each) is msgspec.Raw]
            if taken and not _is_plain(taken):
                raise _Odd
            values = [None if each is None else bytes(each) for each in values]
        return self._pa.array(values, self.type)

    def place(self, value: Any, pointer: str, left: dict[str, Any]) -> Any:
        kind = type(value)
        match self._kind:
            case "json":
                return None if value is None else _encode(value)
            case "text":
                return value if kind is str else None
            case "boolean":
                return value if kind is bool else None
            case "integer":
                if kind is float and value.is_integer():
                    value = int(value)
                elif kind is not int:
                    return None
                return value if abs(value) <= _INT64 else None
            case "number":
                if kind is int:
                    return value if abs(value) <= _EXACT else None
                return value if kind is float else None


class _List:
    def __init__(self, column: List, pa: Any) -> None:
        self._item = _column(column.item, pa)
        self.type = arrow_type(column)
        self._pa = pa

    def rows_of(self, given: Column) -> Any:
        assert isinstance(given, List)
        return list[self._item.rows_of(given.item)]  # type: ignore[misc]  # made as it runs

    def array(self, values: Sequence[Any]) -> Any:
        pa = self._pa
        sizes = (0 if each is None else len(each) for each in values)
        absent = pa.array([each is None for each in values]) if None in values else None
        return pa.ListArray.from_arrays(
            pa.array(accumulate(sizes, initial=0), pa.int32()),
            self._item.array(list(chain.from_iterable(filter(None, values)))),
            type=self.type,
            mask=absent,
        )

    def place(self, value: Any, pointer: str, left: dict[str, Any]) -> Any:
        if type(value) is not list:
            return None
        inside: dict[str, Any] = {}
        items = [
            self._item.place(each, f"{pointer}/{index}", inside) for index, each in enumerate(value)
        ]
        if None in items:  # a list is in its column as a whole, or not at all
            return None
        left |= inside
        return items


class _Struct(NamedTuple):
    """What a struct of rows has: the names of its members, in order, and what its tag says."""

    names: tuple[str, ...]
    tag: tuple[str, str] | None


class _Object:
    """Its rows are of a struct that has all members, or of those of variants, which have few."""

    def __init__(self, column: Object, pa: Any) -> None:
        self._members = {name: _column(each, pa) for name, each in column.members.items()}
        self.type = arrow_type(column)
        self._pa = pa
        self._structs: dict[Any, _Struct] = {}
        self._own = {name: f"m{at}" for at, name in enumerate(self._members)}
        self._any = self._struct(dict.fromkeys(self._members, Any))
        self._fields = list(self.type)
        self._most = -1
        self._nulls: list[Any] = []  # of which each batch has a part

    def _struct(self, members: Mapping[str, Any], tag: tuple[str, str] | None = None) -> Any:
        told: Any = {} if tag is None else {"tag_field": tag[0], "tag": tag[1]}
        made = msgspec.defstruct(
            "Row",
            [(self._own[name], kind, None) for name, kind in members.items()],
            rename={own: name for name, own in self._own.items()},
            forbid_unknown_fields=True,
            gc=False,
            eq=False,
            **told,
        )
        self._structs[made] = _Struct(tuple(members), tag)
        return made

    def rows_of(self, given: Column) -> Any:
        """Return what the decoder makes rows of, of objects that have the members given."""
        assert isinstance(given, Object)
        if given.tag is None:
            return self._struct(self._rows_within(given))
        variants = []
        for tag, each in given.variants.items():
            within = self._rows_within(each)
            del within[given.tag]
            variants.append(self._struct(within, (given.tag, tag)))
        return Union[tuple(variants)]  # noqa: UP007 - made as it runs

    def _rows_within(self, given: Object) -> dict[str, Any]:
        return {name: self._members[name].rows_of(each) for name, each in given.members.items()}

    def arrays(self, rows: Sequence[Any]) -> list[Any]:
        """Return the arrays of the members of rows; None is a row that is not there."""
        size = len(rows)
        if size > self._most:
            self._most = 2 * size
            self._nulls = [self._pa.nulls(2 * size, each.type) for each in self._members.values()]
        columns = self._columns(rows)
        return [
            each.array(columns[name]) if name in columns else nulls.slice(0, size)
            for (name, each), nulls in zip(self._members.items(), self._nulls, strict=True)
        ]

    def _columns(self, rows: Sequence[Any]) -> dict[str, Sequence[Any]]:
        """Return the values of each member that any row has."""
        size, found = len(rows), dict[str, Sequence[Any]]()
        kinds = list(map(type, rows))
        distinct = dict.fromkeys(kinds)
        distinct.pop(type(None), None)
        if len(distinct) == 1 and None not in rows:
            names, tag = self._structs[kinds[0]]
            for name, values in zip(names, zip(*map(astuple, rows), strict=True), strict=False):
                if values.count(None) < size:
                    found[name] = values
            if tag is not None:
                found[tag[0]] = [tag[1]] * size
            return found
        mixed: dict[str, list[Any]] = {}
        for kind in distinct:
            places = [at for at, each in enumerate(kinds) if each is kind]
            names, tag = self._structs[kind]
            mine = zip(*map(astuple, map(rows.__getitem__, places)), strict=True)
            for name, values in zip(names, mine, strict=False):
                if values.count(None) < len(places):
                    column = mixed.setdefault(name, [None] * size)
                    for at, value in zip(places, values, strict=True):
                        column[at] = value
            if tag is not None:
                column = mixed.setdefault(tag[0], [None] * size)
                for at in places:
                    column[at] = tag[1]
        return found | mixed

    def array(self, values: Sequence[Any]) -> Any:
        absent = None
        if None in values:
            absent = self._pa.array([each is None for each in values])
        return self._pa.StructArray.from_arrays(
            self.arrays(values), fields=self._fields, mask=absent
        )

    def place(self, value: Any, pointer: str, left: dict[str, Any]) -> Any:
        if type(value) is not dict:
            return None
        members: dict[str, Any] = {}
        for name, inner in value.items():
            column = self._members.get(name)
            if column is None:
                placed = None
            elif type(column) is _Leaf:
                placed = column.place(inner, "", left)
            else:
                placed = column.place(inner, f"{pointer}/{escape(name)}", left)
            if placed is None:
                left[f"{pointer}/{escape(name)}"] = inner
            else:
                members[self._own[name]] = placed
        return self._any(**members)


def _column(column: Column, pa: Any) -> _Leaf | _List | _Object:
    if isinstance(column, Leaf):
        return _Leaf(column, pa)
    return _List(column, pa) if isinstance(column, List) else _Object(column, pa)
