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
_MOST_FILES: Final = 32  # of a size


def sorted_rows(given: Iterable[Sortable], most_bytes: int, folder: Path) -> Iterator[Sortable]:
    """Yield the rows in order, holding about ``most_bytes``; what is beyond goes to ``folder``.

    The files are taken away when all rows have been given, or the iterator is closed.
    """
    held: list[Sortable] = []
    size = 0
    files = _Files(folder)
    try:
        for row in given:
            held.append(row)
            size += len(row[5]) + _ROW_BYTES
            if size > most_bytes:
                held.sort()
                files.add(held)
                held, size = [], 0
        held.sort()
        yield from heapq.merge(held, *map(_read, files.paths())) if files.paths() else held
    finally:
        for path in files.paths():
            path.unlink(missing_ok=True)


class _Files:
    """Files of sorted rows, never many at a time: those of one size are merged into one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._levels: list[list[Path]] = []
        self._count = 0

    def paths(self) -> list[Path]:
        return [path for level in self._levels for path in level]

    def add(self, rows: Iterable[Sortable], level: int = 0) -> None:
        if level == len(self._levels):
            self._levels.append([])
        path = self._folder / f"sorted-{self._count}"
        self._count += 1
        self._levels[level].append(path)
        with path.open("wb") as file:
            for row in rows:
                marshal.dump(row, file)
        of_level = self._levels[level]
        if len(of_level) == _MOST_FILES:
            self.add(heapq.merge(*map(_read, of_level)), level + 1)
            for each in of_level:
                each.unlink()
            of_level.clear()


def _read(path: Path) -> Iterator[Sortable]:
    with path.open("rb", _READ_BYTES) as file:
        yield from _rows(file)


def _rows(file: BinaryIO) -> Iterator[Sortable]:
    try:
        while True:
            yield marshal.load(file)  # noqa: S302 - written by this process
    except EOFError:
        return
