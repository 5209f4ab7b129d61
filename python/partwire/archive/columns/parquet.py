"""Tables of documents: made of them, kept as Parquet, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, BinaryIO, Final, Self

import msgspec

from ...errors import Finding, ReadError, UsageError
from ...reading.inputs import Document, text_of, value_of
from .read import Reader
from .schema import arrow_module, arrow_schema, columns_of
from .written import Writer, at_index

__all__ = [
    "GROUP_BYTES",
    "ParquetFile",
    "from_table",
    "in_batches",
    "read_parquet",
    "to_batches",
    "to_table",
    "write_parquet",
]

_BATCH_ROWS: Final = 1024  # what is in the caches of a processor
_BATCH_BYTES: Final = 64 << 20
GROUP_BYTES: Final = 64 << 20
"""How much of Arrow's memory a row group takes."""
_LEVEL: Final = 3
_PAGE_BYTES: Final = 4 << 20
_SAMPLE_ROWS: Final = 8192

_encode: Final = msgspec.json.Encoder().encode


def to_batches(
    documents: Iterable[Document],
    type: str | type[Any],  # noqa: A002
    version: str | None = None,
) -> Iterator[Any]:
    """Yield ``pyarrow.RecordBatch``es in which each document is a row, in their order.

    A document is JSON text or a value, as for :func:`partwire.validate`. It is not validated: what
    its type does not declare, and what has another form than declared, is in ``_more``. Raises
    ReadError, with the document's index before the pointers, for what is not JSON or, unless the
    type is something else, not an object; UsageError for an unknown type or version, and
    ``usage/missing-extra`` without pyarrow.
    """
    pa = arrow_module()
    schema = arrow_schema(type, version)
    writer = Writer(columns_of(type, version))
    first = 0
    for texts in in_batches(documents):
        yield pa.RecordBatch.from_arrays(writer.arrays(texts, first), schema=schema)
        first += len(texts)


def to_table(
    documents: Iterable[Document],
    type: str | type[Any],  # noqa: A002
    version: str | None = None,
) -> Any:
    """Return a ``pyarrow.Table`` in which each document is a row; all else as `to_batches`."""
    schema = arrow_schema(type, version)
    return arrow_module().Table.from_batches(to_batches(documents, type, version), schema)


def from_table(
    table: Any,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
) -> Iterator[Any]:
    """Yield the document of each row, as a JSON value, in the order of the rows.

    ``table`` is a ``pyarrow.Table`` or RecordBatch, of which the members of objects may be in
    another order, and columns may be missing. Without ``type`` it says itself whose documents it
    holds, as all tables that are made here. Raises UsageError ``usage/invalid-argument`` for a
    column that the type does not have, or one of another type.
    """
    name, version = _type_of(table.schema, type, version)
    reader = Reader(columns_of(name, version))
    batches = table.to_batches(_BATCH_ROWS) if hasattr(table, "to_batches") else [table]
    for batch in batches:
        yield from reader.documents(batch)


def write_parquet(
    documents: Iterable[Document],
    target: str | PathLike[str] | BinaryIO,
    type: str | type[Any],  # noqa: A002
    version: str | None = None,
    *,
    level: int = _LEVEL,
    group_bytes: int = GROUP_BYTES,
) -> int:
    """Write documents to a Parquet file, and return how many they were.

    ``target`` is a path or a file open for bytes. ``level`` is that of zstd, ``group_bytes`` how
    much of Arrow's memory a row group takes; about as much is held at a time. Raises as
    :func:`to_batches`, and OSError.
    """
    rows = 0
    with ParquetFile(target, arrow_schema(type, version), level, group_bytes) as file:
        for batch in to_batches(documents, type, version):
            file.add(batch)
            rows += batch.num_rows
    return rows


def read_parquet(
    source: str | PathLike[str] | BinaryIO,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
) -> Iterator[Any]:
    """Yield the documents of a Parquet file, in order; all else as :func:`from_table`.

    Raises OSError and, for what is not Parquet, UsageError ``usage/unreadable-input``.
    """
    pa = arrow_module()
    try:
        with arrow_module("pyarrow.parquet").ParquetFile(source) as file:
            for batch in file.iter_batches(_BATCH_ROWS):
                told = batch.replace_schema_metadata(file.schema_arrow.metadata)
                yield from from_table(told, type, version)
    except pa.ArrowInvalid as error:
        finding = Finding("usage/unreadable-input", str(error), expected="a file of Parquet")
        raise UsageError(finding) from None


class ParquetFile:
    """A Parquet file that is written; a context manager, which closes it.

    The values of its first row group say how its columns are encoded.
    """

    def __init__(
        self,
        target: str | PathLike[str] | BinaryIO,
        schema: Any,
        level: int = _LEVEL,
        group_bytes: int = GROUP_BYTES,
    ) -> None:
        self._target, self._schema, self._level = target, schema, level
        self._group_bytes = group_bytes
        self._waiting: list[Any] = []
        self._held = 0
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_exc: object) -> None:
        try:
            if kind is None:
                self._write()
        finally:
            if self._writer is not None:
                self._writer.close()

    def add(self, batch: Any) -> None:
        """Write the rows of a RecordBatch or a Table, together with others. Raises OSError."""
        self._waiting += batch.to_batches() if hasattr(batch, "to_batches") else [batch]
        self._held += batch.nbytes
        if self._held >= self._group_bytes:
            self._write()

    def _write(self) -> None:
        table = arrow_module().Table.from_batches(self._waiting, self._schema)
        self._waiting, self._held = [], 0
        if self._writer is None:
            repeated, encodings = _encodings(table.slice(0, _SAMPLE_ROWS).combine_chunks())
            self._writer = arrow_module("pyarrow.parquet").ParquetWriter(
                self._target,
                self._schema,
                compression="zstd",
                compression_level=self._level,
                use_dictionary=repeated,
                column_encoding=encodings,
                data_page_size=_PAGE_BYTES,
                max_rows_per_page=1 << 30,
            )
        if table.num_rows:
            self._writer.write_table(table, table.num_rows)


def _encodings(sample: Any) -> tuple[list[str], dict[str, str]]:
    """Return the columns whose values are kept in a dictionary, and the encodings of others.

    A dictionary of values that are all different takes more room than the values.
    """
    types = arrow_module().types
    count = arrow_module("pyarrow.compute").count_distinct
    repeated: list[str] = []
    encodings: dict[str, str] = {}
    waiting = [
        (name, chunk)
        for name, column in zip(sample.schema.names, sample.columns, strict=True)
        for chunk in column.chunks
    ]
    for name, array in waiting:
        values = array.drop_null()
        if types.is_struct(array.type):
            inner = zip(array.type, values.flatten(), strict=True)
            waiting += [(f"{name}.{field.name}", each) for field, each in inner]
        elif types.is_list(array.type):
            waiting.append((f"{name}.list.element", values.flatten()))
        elif len(values) >= 2 * count(values).as_py() or types.is_boolean(array.type):
            repeated.append(name)
        elif types.is_string(array.type):
            encodings[name] = "DELTA_BYTE_ARRAY"
        elif types.is_integer(array.type):
            encodings[name] = "DELTA_BINARY_PACKED"
    return repeated, encodings


def in_batches(documents: Iterable[Document]) -> Iterator[list[bytes]]:
    """Yield the documents as JSON texts, many at a time. Raises as :func:`to_batches`."""
    texts: list[bytes] = []
    size = 0
    for index, document in enumerate(documents):
        try:
            text = text_of(document)
            if text is None:
                text = _encode(value_of(document))
        except ReadError as error:
            raise at_index(error, index) from None
        texts.append(text)
        size += len(text)
        if len(texts) == _BATCH_ROWS or size >= _BATCH_BYTES:
            yield texts
            texts, size = [], 0
    if texts:
        yield texts


def _type_of(schema: Any, type: Any, version: str | None) -> tuple[Any, str | None]:  # noqa: A002
    """Return the type and version of a table's documents: the caller's, or the table's own."""
    if type is not None:
        return type, version
    told = schema.metadata or {}
    name = told.get(b"partwire.type")
    if name is None:
        message = "The table does not say of which type its documents are"
        raise UsageError(Finding("usage/invalid-argument", message, expected="a type"))
    return name.decode(), version or told[b"partwire.version"].decode()
