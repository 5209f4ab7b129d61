"""What becomes of the packs of a partition, which come in the order of run and of storing."""

from __future__ import annotations

import marshal
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, TypeAlias

from ..lines import Block, Row
from ..streams.exact import OnUnknown, Sink
from ..streams.odd import Odd
from ..streams.pick import pick
from ..streams.settle import settle
from ..streams.sorting import sorted_rows
from .packs import QUARANTINE, TOTALS

__all__ = ["Results", "fold_packs"]

_COLUMNS: Final = ("run", "source", "number", "numbers", "text")
_MOST_TOGETHER: Final = 4 << 20
_BLOCK_BYTES: Final = 64 << 10
_NUMBER_BYTES: Final = 8

_Pack: TypeAlias = tuple[int, bytes, bytes]
"""The number of an input, those of the lines, and the lines."""


class Results(Sink, Protocol):
    """Where results go."""

    names: list[str]
    """Names of the inputs, by the number that a row has."""

    def passed(self, table: str, text: bytes) -> None:
        """Take what the first pass has said: a row of ``quarantine``, or ``totals``."""


def fold_packs(
    batches: Iterable[Any], results: Results, on_unknown: OnUnknown, most_bytes: int, folder: Path
) -> Iterator[None]:
    """Give the results what becomes of all lines, and yield whenever some have been given.

    Runs are taken together as long as they are small. About ``most_bytes`` are held of one that is
    large; what is beyond goes through files in ``folder``.
    """
    with _Packs(results.names, most_bytes, folder) as held:
        for run, source, number, numbers, text in _rows(batches):
            if run is None:
                results.passed(TOTALS if number is None else QUARANTINE, text)
                continue
            if run != held.run and held.size > _MOST_TOGETHER:
                settle(held, results, on_unknown, most_bytes, folder)
                yield
                held.clear()
            held.add(run, source, numbers, text)
        settle(held, results, on_unknown, most_bytes, folder)
        yield


def _rows(batches: Iterable[Any]) -> Iterator[tuple[str | None, Any, int | None, bytes, bytes]]:
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in _COLUMNS), strict=True)


class _Packs:
    """Packs of some runs: in memory as long as they are not too large, else in a file.

    A context manager, which takes the file away.
    """

    def __init__(self, names: list[str], most_bytes: int, folder: Path) -> None:
        self._names = names
        self._most_bytes = most_bytes
        self._folder = folder
        self._packs: list[_Pack] = []
        self._file: BinaryIO | None = None
        self._has_names = False
        self._last = (0, 0)  # the place of the last line
        self._is_sorted = True
        self.run: str | None = None
        """The run that was added last."""
        self.size = 0

    def __enter__(self) -> _Packs:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._has_names:
            self._names.clear()
        self._packs.clear()
        self._is_sorted = True
        self.run, self.size = None, 0

    def add(self, run: str, source: Any, numbers: bytes, text: bytes) -> None:
        """Take a pack; those of a run come in the order of their first lines."""
        number = source if isinstance(source, int) else self._number_of(source)
        places = array("q", numbers)
        if run == self.run and (number, places[0]) < self._last:
            self._is_sorted = False
        self.run, self._last = run, (number, places[-1])
        self._packs.append((number, numbers, text))
        self.size += len(text)
        if self.size > self._most_bytes:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - kept
            for pack in self._packs:
                marshal.dump(pack, self._file)
            self._packs.clear()

    def _number_of(self, name: str) -> int:
        """Return a number of an input: those of one run are in the order of their names."""
        self._has_names = True
        if not self._names or self._names[-1] != name:
            self._names.append(name)
        return len(self._names) - 1

    def blocks(self) -> Iterator[Block]:
        lines = size = 0
        texts: list[bytes] = []
        for _, numbers, text in self._all():
            texts.append(text)
            lines += len(numbers) // _NUMBER_BYTES
            size += len(text)
            if size > _BLOCK_BYTES:
                yield Block(0, 1, lines, b"".join(texts))
                lines = size = 0
                texts.clear()
        yield Block(0, 1, lines, b"".join(texts))

    def rows(self, odd: Odd) -> Iterator[Row]:
        rows = self._of(odd)
        return rows if self._is_sorted else self._in_order(rows)

    def _in_order(self, rows: Iterator[Row]) -> Iterator[Row]:
        keyed = (("", "", 0, row.source, row.number, row.data) for row in rows)
        # Whoever takes these rows sorts them again, through files of the same names.
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            for row in sorted_rows(keyed, self._most_bytes, Path(folder)):
                yield Row(*row[3:])

    def _of(self, odd: Odd) -> Iterator[Row]:
        for source, numbers, text in self._all():
            places = array("q", numbers)
            picked = pick(Block(source, 0, len(places), text), odd)
            for at, line in zip(picked.numbers, picked.lines, strict=True):
                yield Row(source, places[at], line)

    def _all(self) -> Iterator[_Pack]:
        if self._file is not None:
            end = self._file.tell()
            at = 0
            while at < end:
                self._file.seek(at)
                pack: _Pack = marshal.load(self._file)  # noqa: S302 - written by this process
                at = self._file.tell()
                yield pack
            self._file.seek(end)
        yield from self._packs
