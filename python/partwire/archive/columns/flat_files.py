"""The flat tables of messages as Parquet files, made of their documents in one go."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from ...reading.inputs import Document
from .flat import FLAT_COLUMNS, ToolCalls, findings, flat_schema, messages, parts
from .parquet import ParquetFile, in_batches
from .schema import arrow_module, arrow_schema, columns_of
from .written import Writer

__all__ = ["write_flat"]

_TYPE = "message.Message"


def write_flat(
    documents: Iterable[Document], folder: str | PathLike[str], version: str | None = None
) -> dict[str, int]:
    """Write the flat tables of messages to ``folder``, and return how many rows each has.

    The files are ``messages.parquet``, ``parts.parquet``, ``tool_calls.parquet`` and
    ``findings.parquet``; those that are there are replaced. Tool calls come as their results do,
    those without one last. Raises as :func:`.parquet.write_parquet`.
    """
    schema, writer = arrow_schema(_TYPE, version), Writer(columns_of(_TYPE, version))
    rows = dict.fromkeys(FLAT_COLUMNS, 0)
    calls = ToolCalls()
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(
                ParquetFile(Path(folder) / f"{name}.parquet", flat_schema(name))
            )
            for name in rows
        }

        def add(name: str, table: Any) -> Any:
            files[name].add(table)
            rows[name] += table.num_rows
            return table

        for texts in in_batches(documents):
            first = rows["messages"]
            table = arrow_module().Table.from_arrays(writer.arrays(texts, first), schema=schema)
            add("messages", messages(table, first))
            add("tool_calls", calls.add(add("parts", parts(table, first))))
            add("findings", findings(texts, version, first))
        add("tool_calls", calls.end())
    return rows
