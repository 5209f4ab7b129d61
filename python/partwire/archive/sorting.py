"""Rows in the order of their streams, however many there are: in memory, or through files."""

from __future__ import annotations

import heapq
import marshal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["Sortable", "sorted_rows"]

Sortable = tuple[str, str, int, int, int, bytes]
"""Run, message ("" for none), seq, source, number, line: no two have the first five in common."""

_ROW_BYTES: Final = 256  # what a row takes beside its line
_READ_BYTES: Final = 1 << 16


def sorted_rows(given: Iterable[Sortable], most_bytes: int, folder: Path) -> Iterator[Sortable]:
    """Yield the rows in order, holding about ``most_bytes``; what is beyond goes to ``folder``.

    The files are taken away when all rows have been given, or the iterator is closed.
    """
    held: list[Sortable] = []
    size = 0
    files: list[Path] = []
    try:
        for row in given:
            held.append(row)
            size += len(row[5]) + _ROW_BYTES
            if size > most_bytes:
                path = folder / f"sorted-{len(files)}"
                _write(path, held)
                files.append(path)
                held, size = [], 0
        held.sort()
        if not files:
            yield from held
            return
        yield from heapq.merge(held, *map(_read, files))
    finally:
        for path in files:
            path.unlink(missing_ok=True)


def _write(path: Path, held: list[Sortable]) -> None:
    held.sort()
    with path.open("wb") as file:
        for row in held:
            marshal.dump(row, file)


def _read(path: Path) -> Iterator[Sortable]:
    with path.open("rb", _READ_BYTES) as file:
        yield from _rows(file)


def _rows(file: BinaryIO) -> Iterator[Sortable]:
    try:
        while True:
            yield marshal.load(file)  # noqa: S302 - written by this process
    except EOFError:
        return
