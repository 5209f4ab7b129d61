"""What some documents have: members, values, members that nobody declared, and rows of tables.

This is the plain way, over JSON values; the native core counts the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from ...contract import times
from ...contract.resources import bundle
from ...contract.versions import TypeName
from ...json.pointer import escape, names
from .measures import (
    CALL_OPS,
    CALLS,
    COUNTED_TEXTS,
    By,
    Calls,
    Of,
    Table,
    calls_of,
    tables_of,
    time_of,
)
from .sketches import MOST, Key, bucket_of, digest_of

__all__ = ["DRIFT", "VALUES", "Counted", "Counting", "Measured", "Places", "mark_of", "plan_of"]

VALUES: Final = "values"
"""The table of texts by place."""
DRIFT: Final = "undeclared"
"""The table of members that nobody declared, by place and type."""

_LONGEST: Final = 128
_TAIL_BYTES: Final = 64
_DAY_MS: Final = 86_400_000


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


# --- what a type declares -------------------------------------------------------------------------


class _Leaf(NamedTuple):
    """A plain value; where texts are counted, that is said."""

    is_counted: bool


class _Listed(NamedTuple):
    item: Any


class _Fixed(NamedTuple):
    """An object that names its members: by name, where the member is, and what is in it."""

    members: dict[str, tuple[str, Any]]
    place: str


class _Mapped(NamedTuple):
    """An object of any names."""

    place: str
    value: Any


class _Tagged(NamedTuple):
    tag: str
    place: str
    """Where the tag is."""
    variants: dict[str, _Fixed]


class _Chosen(NamedTuple):
    """Forms by the types of JSON values."""

    by_type: dict[type, Any]


_FREE: Final = None
_JSON_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int, float),
}
_TYPE_NAMES: Final[dict[type, str]] = {
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
                return _FREE
            within = (*within, name)
            schema = self._definitions[name]
        if "oneOf" in schema:
            return self._union(schema, place, within, member)
        kind = schema.get("type")
        if kind == "array":
            inner = self._of(schema["items"], f"{place}/*", within, "") if schema["items"] else None
            return _FREE if inner is _FREE else _Listed(inner)
        if kind == "object":
            return self._object(schema, place, within)
        known = schema.get("enum") or schema.get("x-known-values")
        if "const" in schema:
            known = [schema["const"]]
        if kind == "boolean":
            known = ["true", "false"]
        if known is None and (kind != "string" or member not in COUNTED_TEXTS):
            return _Leaf(is_counted=False)
        if known is None:
            self.counted.setdefault(place)
        else:
            before = self.counted.get(place) or frozenset()
            self.counted[place] = before | frozenset(known)
        return _Leaf(is_counted=True)

    def _object(self, schema: Any, place: str, within: tuple[str, ...]) -> Any:
        others = schema.get("additionalProperties")
        if not schema.get("properties"):
            inner = self._of(others, f"{place}/*", within, "") if others else None
            return _FREE if inner is _FREE else _Mapped(f"{place}/*", inner)
        members = {}
        for name, each in schema["properties"].items():
            inside = f"{place}/{escape(name)}"
            self.declared.setdefault(inside)
            members[name] = (inside, self._of(each, inside, within, name))
        return _Fixed(members, place)

    def _union(self, schema: Any, place: str, within: tuple[str, ...], member: str) -> Any:
        if "discriminator" in schema:
            tags = schema["discriminator"]
            return _Tagged(
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
        return _Chosen(by_type)


# --- counting -------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """What is counted in documents of a type."""

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
        return Measured(places, tables, calls_of(str(name)), time_of(places.declared))


class Counting:
    """Counts what documents of a type have."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured
        time = measured.time
        self._day = (lambda _: None) if time is None else _key(By("day", time))
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
                name: [(key, *found) for key, found in each.items()]
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
        if type(shape) is _Chosen:
            shape = shape.by_type.get(kind)
        if type(shape) is _Tagged and kind is dict:
            tag, union = value.get(shape.tag), shape
            shape = union.variants.get(tag) if type(tag) is str else None
            if shape is None and union.tag in value:
                self._member(union.place)
                self._counted(union.place, tag)
        if kind is list and type(shape) is _Listed:
            for item in value:
                self(shape.item, item)
        elif kind is dict and type(shape) is _Fixed:
            self._fixed(shape, value)
        elif kind is dict and type(shape) is _Mapped:
            for inner in value.values():
                self(shape.value, inner)

    def _fixed(self, shape: _Fixed, value: dict[str, Any]) -> None:
        for name, inner in value.items():
            declared = shape.members.get(name)
            if declared is None:
                self._undeclared(shape.place, name, inner)
                continue
            place, form = declared
            self._member(place)
            if type(form) is _Leaf:
                if form.is_counted:
                    self._counted(place, inner)
            elif form is not _FREE:
                self(form, inner)

    def _member(self, place: str) -> None:
        self._members[place] = self._members.get(place, 0) + 1

    def _counted(self, place: str, value: Any) -> None:
        if type(value) is bool:
            value = "true" if value else "false"
        if type(value) is str:
            _add(self._values, (place, _clipped(value)), self.mark, self.at, ("sum",), [1])

    def _undeclared(self, place: str, name: str, value: Any) -> None:
        key = (f"{place}/{escape(_clipped(name))}", _TYPE_NAMES[type(value)])
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


_Document: TypeAlias = tuple[bytes, Any]


class _TableRows:
    """The row of a table that a document has."""

    def __init__(self, table: Table) -> None:
        self.name = table.name
        self._is_sample = table.is_sample
        self._when = _getter(table.when)
        self._by = [_key(each) for each in table.by]
        self._of = [_value(each) for _, each in table.of]
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
        self._items = _getter(calls.items) if calls.items else None
        self._run = _getter(calls.run)
        self._call, self._tool = _getter(calls.call), _getter(calls.tool)
        self._failed = _getter(calls.failed)
        self._words = calls.words

    def add(self, rows: _Rows, value: Any) -> None:
        items = [value] if self._items is None else self._items(value)
        run = self._run(value)
        if type(items) is not list or type(run) is not str:
            return
        for item in items:
            call, tool = self._call(item), self._tool(item)
            failed = self._has_failed(self._failed(item))
            tool = _clipped(tool) if type(tool) is str else None
            if type(call) is str and (tool is not None or failed is not None):
                key = (digest_of((_clipped(run), _clipped(call))),)
                _add(rows, key, 0, 0, CALL_OPS, [tool, failed])

    def _has_failed(self, value: Any) -> int | None:
        if self._words is None:
            return int(value) if type(value) is bool else None
        return self._words.index(value) if type(value) is str and value in self._words else None


def _getter(pointer: str) -> Callable[[Any], Any]:
    """Return what gets the value at a pointer without arrays; None if nothing is there."""
    path = names(pointer)

    def get(value: Any) -> Any:
        for name in path:
            if type(value) is not dict:
                return None
            value = value.get(name)
        return value

    return get


def _key(by: By) -> Callable[[_Document], Any]:
    get = _getter(by.pointer)
    if by.kind == "size":
        return lambda document: bucket_of(len(document[0]))
    if not by.pointer:
        return lambda _: None
    if by.kind == "text":

        def text(document: _Document) -> str | None:
            value = get(document[1])
            return _clipped(value) if type(value) is str else None

        return text
    begin, end = _ms_at(by.pointer), _ms_at(by.end)
    if by.kind == "day":

        def day(document: _Document) -> str | None:
            ms = begin(document[1])
            return None if ms is None else _day_of(ms)

        return day

    def span(document: _Document) -> int | None:
        first, last = begin(document[1]), end(document[1])
        if first is None or last is None:
            return None
        return bucket_of(last - first) if last >= first else -1

    return span


def _value(of: Of) -> Callable[[_Document], Any]:
    get = _getter(of.pointer)
    if of.where is not None:
        found, (place, texts) = _getter(of.where[0]), of.where
        inner = _value(of._replace(where=None))
        return lambda document: inner(document) if found(document[1]) in texts else None
    if of.kind == "one":
        return lambda _: 1
    if of.kind == "bytes":
        return lambda document: len(document[0])
    if of.kind == "time":
        ms = _ms_at(of.pointer)
        return lambda document: ms(document[1])
    if of.kind == "integer":

        def integer(document: _Document) -> int | None:
            value = get(document[1])
            if type(value) is float and value.is_integer():
                value = int(value)
            return value if type(value) is int and 0 <= value < 1 << 53 else None

        return integer

    def billionths(document: _Document) -> int | None:
        value = get(document[1])
        if type(value) in (int, float) and 0 <= value < 1e9:
            return round(float(value) * 1e9)
        return None

    return billionths


def _ms_at(pointer: str) -> Callable[[Any], int | None]:
    """Return what gets the time at a pointer, in milliseconds since 1970; None if none is there."""
    get = _getter(pointer)

    def of_text(value: Any) -> int | None:
        text = get(value)
        if not times.is_timestamp(text):
            return None
        ms = times.instant_of(text).ms
        return ms if 0 <= ms <= times.LAST_MS else None

    def of_number(value: Any) -> int | None:
        ms = get(value)
        if type(ms) is float and ms.is_integer():
            ms = int(ms)
        return ms if type(ms) is int and 0 <= ms <= times.LAST_MS else None

    return of_number if "/time/" in pointer else of_text


def _day_of(ms: int) -> str:
    return times.text_of(ms - ms % _DAY_MS)[:10]


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


# --- for the native core --------------------------------------------------------------------------


def plan_of(measured: Measured) -> Any:
    """Return what is counted as JSON: forms are ``null`` or arrays that begin with their kind."""
    return {
        "shape": _shape_of(measured.places.shape),
        "tables": [
            {
                "name": each.name,
                "when": each.when,
                "by": each.by,
                "of": [of for _, of in each.of],
                "isSample": each.is_sample,
            }
            for each in measured.tables
        ],
        "calls": None if measured.calls is None else measured.calls._asdict(),
        "time": measured.time,
    }


def _shape_of(shape: Any) -> Any:
    match shape:
        case _Leaf(is_counted):
            return ["leaf", is_counted]
        case _Listed(item):
            return ["list", _shape_of(item)]
        case _Fixed(members, place):
            told = [[name, inside, _shape_of(each)] for name, (inside, each) in members.items()]
            return ["fixed", place, told]
        case _Mapped(_, value):
            return ["map", _shape_of(value)]
        case _Tagged(tag, place, variants):
            return [
                "tagged",
                tag,
                place,
                [[name, _shape_of(each)] for name, each in variants.items()],
            ]
        case _Chosen(by_type):
            return [
                "chosen",
                {_TYPE_NAMES[kind]: _shape_of(each) for kind, each in by_type.items()},
            ]
    return None
