"""The Parquet files that a task makes, as ``archive.outputs`` makes files of lines."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path
from typing import Any, Self

from ..store import Store
from .parquet import ParquetFile

__all__ = ["ParquetOutputs"]

_READ_BYTES = 1 << 20


class ParquetOutputs:
    """The files of one attempt at a task. A context manager: what was not put is removed."""

    def __init__(self, target: Store, folder: Path, task: str, group_bytes: int) -> None:
        self._target = target
        self._folder = folder
        self._name = f"{task}-{secrets.token_hex(4)}"
        self._group_bytes = group_bytes
        self._files: dict[str, ParquetFile] = {}
        self._rows: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_exc: object) -> None:
        for table, file in self._files.items():
            file.__exit__(kind or OSError)
            self._path(table).unlink(missing_ok=True)

    def _path(self, table: str) -> Path:
        return self._folder / f"{table}-{self._name}.parquet"

    def begin(self, table: str, schema: Any) -> None:
        """Begin the task's file of a table, which is there even if it gets no rows."""
        path = self._path(table)
        self._files[table] = ParquetFile(str(path), schema, group_bytes=self._group_bytes)
        self._rows[table] = 0

    def add(self, table: str, batch: Any) -> None:
        """Append a RecordBatch or a Table to the task's file of a table."""
        if not batch.num_rows:
            return
        if table not in self._files:
            self.begin(table, batch.schema)
        self._files[table].add(batch)
        self._rows[table] += batch.num_rows

    def put(self) -> list[dict[str, Any]]:
        """Put the files where they are to be, and return what a manifest says of them."""
        made = []
        for table in list(self._files):
            self._files.pop(table).__exit__(None)
            path = self._path(table)
            name = f"{table}/{self._name}.parquet"
            told = {"name": name, "rows": self._rows[table], "size": path.stat().st_size}
            made.append({**told, "sha256": _digest(path)})
            self._target.put(name, path)
        return made


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_READ_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
