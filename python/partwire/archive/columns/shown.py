"""The columns of a type as the tools for tables want them written.

Arrow's are those of a table and of Parquet, ``_more`` among them. The others are for reading JSON
Lines of the type: a reader that has them does not guess from the first lines, and leaves out what
they do not name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from ...errors import bad_argument
from .schema import MORE, WHOLE, Column, Leaf, List, Object, columns_of

__all__ = ["COLUMN_FORMS", "ColumnForm", "show_columns"]

ColumnForm = Literal["arrow", "duckdb", "polars", "spark"]

_ARROW: Final = {"text": "string", "integer": "int64", "number": "double", "boolean": "bool"}


class _Types(NamedTuple):
    """How a tool writes types; ``{}`` is what is inside."""

    leaves: Mapping[str, str]
    list: str
    object: str
    member: str
    """Of an object: name and type."""
    mark: str
    """What stands around a name."""

    def of(self, column: Column) -> str:
        """Return the type of a column."""
        if isinstance(column, List):
            return self.list.format(self.of(column.item))
        if isinstance(column, Object):
            members = (
                self.member.format(_quoted(name, self.mark), self.of(each))
                for name, each in column.members.items()
            )
            return self.object.format(", ".join(members))
        return self.leaves[column.kind]


_DUCKDB: Final = _Types(
    {
        "text": "VARCHAR",
        "integer": "BIGINT",
        "number": "DOUBLE",
        "boolean": "BOOLEAN",
        "json": "JSON",
    },
    list="{}[]",
    object="STRUCT({})",
    member="{} {}",
    mark='"',
)
_SPARK: Final = _Types(
    {
        "text": "STRING",
        "integer": "BIGINT",
        "number": "DOUBLE",
        "boolean": "BOOLEAN",
        "json": "STRING",
    },
    list="ARRAY<{}>",
    object="STRUCT<{}>",
    member="{}: {}",
    mark="`",
)
_POLARS: Final = _Types(
    {
        "text": "pl.String",
        "integer": "pl.Int64",
        "number": "pl.Float64",
        "boolean": "pl.Boolean",
        "json": "pl.String",
    },
    list="pl.List({})",
    object="pl.Struct({{{}}})",
    member="{}: {}",
    mark='"',
)


def show_columns(
    type: str | type[Any],  # noqa: A002
    form: ColumnForm,
    version: str | None = None,
) -> str:
    """Return the columns of a type as text, without a line break at the end.

    ``arrow``: a line for each column, those of an object below it. ``duckdb``: the value of
    ``columns`` of ``read_json``. ``polars``: an expression of Python, the ``schema`` of
    ``scan_ndjson``. ``spark``: DDL, as ``DataFrameReader.schema`` takes it. Raises UsageError for
    an unknown type or version, and ``usage/invalid-argument`` for a form that is none of these, or
    for another one than ``arrow`` where documents are not objects.
    """
    if form not in COLUMN_FORMS:
        raise bad_argument("No such form of columns", ", ".join(COLUMN_FORMS), form)
    columns = columns_of(type, version)
    if form != "arrow" and WHOLE in columns.members:
        message = "Documents of this type are not objects: lines of them have no columns"
        raise bad_argument(message, "the form arrow", form)
    return COLUMN_FORMS[form](columns)


def _arrow(columns: Object) -> str:
    lines = [*_arrow_lines(columns, "")]
    if WHOLE not in columns.members:
        lines.append(f"{MORE}: string (JSON text)")
    return "\n".join(lines)


def _arrow_lines(column: Object, indent: str) -> Iterator[str]:
    for name, each in column.members.items():
        yield f"{indent}{name}: {_arrow_type(each)}"
        inner = each
        while isinstance(inner, List):
            inner = inner.item
        if isinstance(inner, Object):
            yield from _arrow_lines(inner, f"{indent}  ")


def _arrow_type(column: Column) -> str:
    if isinstance(column, Leaf):
        return _ARROW.get(column.kind, "string (JSON text)")
    return f"list<{_arrow_type(column.item)}>" if isinstance(column, List) else "struct"


def _duckdb(columns: Object) -> str:
    rows = [
        f"  {_quoted(name, _SINGLE)}: {_quoted(_DUCKDB.of(each), _SINGLE)}"
        for name, each in columns.members.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n}"


def _polars(columns: Object) -> str:
    members = columns.members.items()
    rows = [f"    {_quoted(name, _POLARS.mark)}: {_POLARS.of(each)}," for name, each in members]
    return "\n".join(["{", *rows, "}"])


def _spark(columns: Object) -> str:
    members = columns.members.items()
    return ",\n".join(f"{_quoted(name, _SPARK.mark)} {_SPARK.of(each)}" for name, each in members)


_SINGLE: Final = "'"


def _quoted(text: str, mark: str) -> str:
    return f"{mark}{text}{mark}"  # a member's name does not have a mark in it


COLUMN_FORMS: Final[Mapping[ColumnForm, Callable[[Object], str]]] = {
    "arrow": _arrow,
    "duckdb": _duckdb,
    "polars": _polars,
    "spark": _spark,
}
