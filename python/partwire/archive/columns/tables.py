"""The documents of an archive as tables in Parquet files, one file for each task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ...errors import ReadError
from ..documents.options import ToParquet
from ..documents.rows import Lines, RowsTaken, RowTasks
from .outputs import ParquetOutputs
from .parquet import GROUP_BYTES
from .schema import arrow_module, arrow_schema, columns_of
from .written import Writer

__all__ = ["DocumentTables", "Held", "group_bytes"]

_BATCH_ROWS: Final = 1024
_BATCH_BYTES: Final = 8 << 20


def group_bytes(held_bytes: int) -> int:
    """Return how large row groups may be, of which about two are in memory, of a task."""
    return min(GROUP_BYTES, held_bytes // 3)


@dataclass(frozen=True)
class DocumentTables(RowTasks):
    """One run of a plan: the table ``documents``."""

    options: ToParquet
    held_bytes: int

    def take(self, task: int) -> RowsTaken:
        """Make the table of the lines of a task."""
        size = group_bytes(self.held_bytes)
        with ParquetOutputs(self.target, self.work, f"{task:06}", size) as outputs:
            if task == 0:  # a table that has no rows is there all the same
                outputs.begin("documents", arrow_schema(self.options.type, self.options.version))

            def add(batch: Any, _texts: list[bytes]) -> None:
                outputs.add("documents", batch)

            held = Held(self.options, add)
            found = self.taken(task, held, held.finish)
            found.done.files += outputs.put()
        return found


class Held:
    """Takes lines until they are a batch, and gives the batch on.

    What a block has is less than it takes to make columns at a good price.
    """

    keeps_text: ClassVar[bool] = True

    def __init__(self, options: ToParquet, add: Callable[[Any, list[bytes]], None]) -> None:
        self._schema = arrow_schema(options.type, options.version)
        self._writer = Writer(columns_of(options.type, options.version))
        self._add = add
        self._texts: list[bytes] = []
        self._places: list[tuple[int, int]] = []
        self._size = 0

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        part, number = lines.place
        for at, text in lines.documents():
            self._texts.append(text)
            self._places.append((part, number + at))
            self._size += len(text)
            if len(self._texts) == _BATCH_ROWS or self._size >= _BATCH_BYTES:
                self.finish(lines)

    def finish(self, lines: Lines) -> None:
        """Give on what is held."""
        texts, places = self._texts, self._places
        self._texts, self._places, self._size = [], [], 0
        while texts:
            try:
                arrays = self._writer.arrays(texts)
            except ReadError as error:
                finding = error.findings[0]
                index, _, pointer = finding.pointer[1:].partition("/")
                at = int(index)
                rest = finding._replace(pointer=f"/{pointer}" if pointer else "")
                lines.quarantine_at(places.pop(at), texts.pop(at), rest)
                continue
            pa = arrow_module()
            self._add(pa.RecordBatch.from_arrays(arrays, schema=self._schema), texts)
            lines.used += len(texts)
            lines.made += len(texts)
            return
