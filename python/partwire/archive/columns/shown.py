"""The columns of a type as the tools for tables want them written.

Arrow's are those of a table and of Parquet, ``_more`` among them. The others are for reading JSON
Lines of the type: a reader that has them does not guess from the first lines, and leaves out what
they do not name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from ...errors import bad_argument
from .schema import MORE, WHOLE, Column, Leaf, List, Object, columns_of

__all__ = ["COLUMN_FORMS", "ColumnForm", "show_columns"]

ColumnForm = Literal["arrow", "duckdb", "polars", "spark"]

_ARROW: Final = {"text": "string", "integer": "int64", "number": "double", "boolean": "bool"}
_DUCKDB: Final = {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "json": "JSON"}
_SPARK: Final = {"text": "STRING", "integer": "BIGINT", "number": "DOUBLE", "json": "STRING"}
_POLARS: Final = {
    "text": "pl.String",
    "integer": "pl.Int64",
    "number": "pl.Float64",
    "boolean": "pl.Boolean",
    "json": "pl.String",
}


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
        f"  {_quoted(name, _SINGLE)}: {_quoted(_duckdb_type(each), _SINGLE)}"
        for name, each in columns.members.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n}"


def _duckdb_type(column: Column) -> str:
    if isinstance(column, List):
        return f"{_duckdb_type(column.item)}[]"
    if isinstance(column, Object):
        members = (
            f"{_quoted(name, _DOUBLE)} {_duckdb_type(each)}"
            for name, each in column.members.items()
        )
        return f"STRUCT({', '.join(members)})"
    return _DUCKDB.get(column.kind, "BOOLEAN")


def _polars(columns: Object) -> str:
    rows = [f"    {_python(name)}: {_polars_type(each)}," for name, each in columns.members.items()]
    return "\n".join(["{", *rows, "}"])


def _polars_type(column: Column) -> str:
    if isinstance(column, List):
        return f"pl.List({_polars_type(column.item)})"
    if isinstance(column, Object):
        members = (
            f"{_python(name)}: {_polars_type(each)}" for name, each in column.members.items()
        )
        return f"pl.Struct({{{', '.join(members)}}})"
    return _POLARS[column.kind]


def _spark(columns: Object) -> str:
    rows = (f"{_quoted(name, _BACK)} {_spark_type(each)}" for name, each in columns.members.items())
    return ",\n".join(rows)


def _spark_type(column: Column) -> str:
    if isinstance(column, List):
        return f"ARRAY<{_spark_type(column.item)}>"
    if isinstance(column, Object):
        members = (
            f"{_quoted(name, _BACK)}: {_spark_type(each)}" for name, each in column.members.items()
        )
        return f"STRUCT<{', '.join(members)}>"
    return _SPARK.get(column.kind, "BOOLEAN")


_SINGLE, _DOUBLE, _BACK = "'", '"', "`"


def _quoted(text: str, mark: str) -> str:
    return f"{mark}{text}{mark}"  # no member's name has a mark in it


def _python(text: str) -> str:
    return json.dumps(text)


COLUMN_FORMS: Final[Mapping[ColumnForm, Callable[[Object], str]]] = {
    "arrow": _arrow,
    "duckdb": _duckdb,
    "polars": _polars,
    "spark": _spark,
}
