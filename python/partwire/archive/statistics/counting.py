"""What some documents have: members, values, members that nobody declared, and rows of tables.

This is the plain way, over JSON values; the native core counts the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from ...contract.versions import TypeName
from ...json.pointer import escape
from .facts import clipped, getter, key_of, value_of
from .measures import CALL_OPS, CALLS, By, Calls, Table, calls_of, tables_of, time_of
from .places import FREE, TYPE_NAMES, Chosen, Fixed, Leaf, Listed, Mapped, Places, Tagged
from .sketches import MOST, Key, digest_of

__all__ = ["DRIFT", "VALUES", "Counted", "Counting", "Measured", "mark_of"]

VALUES: Final = "values"
"""The table of texts by place."""
DRIFT: Final = "undeclared"
"""The table of members that nobody declared, by place and type."""

_TAIL_BYTES: Final = 32


class Found(NamedTuple):
    """What documents have of a name."""

    mark: int
    at: int
    """The number of the document with that mark."""
    values: list[Any]


class Counted(NamedTuple):
    """What has been counted in some documents."""

    members: dict[str, int]
    """How often there is a member at a place, such as ``/parts/*/kind``."""
    sums: dict[str, list[tuple[Key, int, int, list[Any]]]]
    """By table: names, marks, numbers of documents, values."""
    samples: dict[str, list[tuple[int, list[Any]]]]
    """By table: digests of names, values."""


def mark_of(text: bytes) -> int:
    """Return what tells a document from others, as good as always."""
    return zlib.crc32(text[-_TAIL_BYTES:])


class Measured(NamedTuple):
    """What is counted in documents of a type."""

    type: TypeName
    places: Places
    tables: tuple[Table, ...]
    calls: Calls | None
    time: str | None
    """Where the time of a document is."""

    @staticmethod
    def of(name: TypeName) -> Measured:
        """Return what is counted in documents of a type."""
        places = Places(name)
        tables = tables_of(str(name), places.declared)
        return Measured(name, places, tables, calls_of(str(name)), time_of(places.declared))


class Counting:
    """Counts what documents of a type have."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured
        time = measured.time
        self._day = (lambda _: None) if time is None else key_of(By("day", time))
        self._tables = [_TableRows(each) for each in measured.tables]
        self._calls = None if measured.calls is None else _CallRows(measured.calls)
        self._clear()

    def _clear(self) -> None:
        self._members: dict[str, int] = {}
        self._rows: dict[str, _Rows] = {each.name: {} for each in self._measured.tables}
        self._rows |= {VALUES: {}, DRIFT: {}, CALLS: {}}
        self._walk = _Walk(self._members, self._rows)

    def take(self, at: int, text: bytes, value: Any) -> None:
        """Count a document: its number, its JSON text, and its value."""
        walk = self._walk
        walk.mark, walk.at = mark_of(text), at
        walk.day = self._day((text, value))
        walk(self._measured.places.shape, value)
        for table in self._tables:
            table.add(self._rows[table.name], text, value, walk.mark, at)
        if self._calls is not None:
            self._calls.add(self._rows[CALLS], value)

    @property
    def rows(self) -> int:
        """How many rows are held."""
        return sum(map(len, self._rows.values()))

    def take_out(self) -> Counted:
        """Return what has been counted since the last time."""
        sampled = {each.name for each in self._measured.tables if each.is_sample} | {CALLS}
        rows, members = self._rows, self._members
        self._clear()
        return Counted(
            members,
            {
                name: [(key, found.mark, found.at, found.values) for key, found in each.items()]
                for name, each in rows.items()
                if name not in sampled
            },
            {
                name: [(key[0], found.values) for key, found in rows[name].items()]
                for name in sampled
            },
        )


class _Walk:
    """Walks through documents along what their type declares."""

    def __init__(self, members: dict[str, int], rows: dict[str, _Rows]) -> None:
        self._members = members
        self._values = rows[VALUES]
        self._drift = rows[DRIFT]
        self.mark = self.at = 0
        self.day: str | None = None

    def __call__(self, shape: Any, value: Any) -> None:
        kind = type(value)
        if type(shape) is Chosen:
            shape = shape.by_type.get(kind)
        if type(shape) is Tagged and kind is dict:
            tag, union = value.get(shape.tag), shape
            shape = union.variants.get(tag) if type(tag) is str else None
            if shape is None and union.tag in value:
                self._member(union.place)
                self._counted(union.place, tag)
        if kind is list and type(shape) is Listed:
            for item in value:
                self(shape.item, item)
        elif kind is dict and type(shape) is Fixed:
            self._fixed(shape, value)
        elif kind is dict and type(shape) is Mapped:
            for inner in value.values():
                self(shape.value, inner)

    def _fixed(self, shape: Fixed, value: dict[str, Any]) -> None:
        for name, inner in value.items():
            declared = shape.members.get(name)
            if declared is None:
                self._undeclared(shape.place, name, inner)
                continue
            place, form = declared
            self._member(place)
            if type(form) is Leaf:
                if form.is_counted:
                    self._counted(place, inner)
            elif form is not FREE:
                self(form, inner)

    def _member(self, place: str) -> None:
        self._members[place] = self._members.get(place, 0) + 1

    def _counted(self, place: str, value: Any) -> None:
        if type(value) is bool:
            value = "true" if value else "false"
        if type(value) is str:
            _add(self._values, (place, clipped(value)), self.mark, self.at, ("sum",), [1])

    def _undeclared(self, place: str, name: str, value: Any) -> None:
        key = (f"{place}/{escape(clipped(name))}", TYPE_NAMES[type(value)])
        values = [1, self.day, self.day]
        _add(self._drift, key, self.mark, self.at, ("sum", "min", "max"), values)


_Rows: TypeAlias = dict[Key, Found]


def _add(
    rows: _Rows, key: Key, mark: int, at: int, ops: Sequence[str], values: Sequence[Any]
) -> None:
    known = rows.get(key)
    if known is None:
        rows[key] = Found(mark, at, list(values))
        return
    mine = known.values
    for index, value in enumerate(values):
        before = mine[index]
        if value is None:
            continue
        if before is None:
            mine[index] = value
        elif ops[index] == "sum":
            mine[index] = min(before + value, MOST)
        elif (value < before) == (ops[index] == "min"):
            mine[index] = value
    if (mark, at) < (known.mark, known.at):
        rows[key] = Found(mark, at, mine)


class _TableRows:
    """The row of a table that a document has."""

    def __init__(self, table: Table) -> None:
        self.name = table.name
        self._is_sample = table.is_sample
        self._when = getter(table.when)
        self._by = [key_of(each) for each in table.by]
        self._of = [value_of(each) for _, each in table.of]
        self._ops = [each.op for _, each in table.of]

    def add(self, rows: _Rows, text: bytes, value: Any, mark: int, at: int) -> None:
        if self._when(value) is None:
            return
        document = (text, value)
        key: Key = tuple([by(document) for by in self._by])
        if self._is_sample:
            key = (digest_of(key),)
        _add(rows, key, mark, at, self._ops, [of(document) for of in self._of])


class _CallRows:
    """The rows of calls that a document tells of."""

    def __init__(self, calls: Calls) -> None:
        self._items = getter(calls.items) if calls.items else None
        self._run = getter(calls.run)
        self._call, self._tool = getter(calls.call), getter(calls.tool)
        self._failed = getter(calls.failed)
        self._words = calls.words

    def add(self, rows: _Rows, value: Any) -> None:
        items = [value] if self._items is None else self._items(value)
        run = self._run(value)
        if type(items) is not list or type(run) is not str:
            return
        for item in items:
            call, tool = self._call(item), self._tool(item)
            failed = self._has_failed(self._failed(item))
            tool = clipped(tool) if type(tool) is str else None
            if type(call) is str and (tool is not None or failed is not None):
                key = (digest_of((clipped(run), clipped(call))),)
                _add(rows, key, 0, 0, CALL_OPS, [tool, failed])

    def _has_failed(self, value: Any) -> int | None:
        if self._words is None:
            return int(value) if type(value) is bool else None
        return self._words.index(value) if type(value) is str and value in self._words else None
