"""What readers see of a target: the files of its tables, when the run has ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from ..errors import Finding, ReadError, UsageError, printable
from ..files.compressed import decompressed
from ..files.names import compression_named
from .steps import Totals
from .store import Store, open_store

__all__ = [
    "PLAN",
    "SUMMARY",
    "PassedOver",
    "Summary",
    "Table",
    "read_table",
    "rows_of",
    "tables",
    "tables_of",
]

PLAN: Final = "_partwire/plan.json"
SUMMARY: Final = "_partwire/summary.json"
_MOST_NAMES: Final = 5


class Table(msgspec.Struct):
    """A table of results: the names of its files in the target, and their rows together."""

    files: list[str]
    rows: int
    size: int
    """Bytes of the rows, without compression."""
    stored: int = 0
    """Bytes of the files."""


class PassedOver(msgspec.Struct):
    """Files in folders of inputs that are not named as inputs, and so are not read."""

    files: int = 0
    first: list[str] = []
    """The names of the first of them."""

    def add(self, name: str) -> None:
        """Count a file."""
        self.files += 1
        if len(self.first) < _MOST_NAMES:
            self.first.append(printable(name))


class Summary(msgspec.Struct):
    """What has come of a run."""

    operation: str
    totals: Totals
    tables: dict[str, Table]
    seconds: float
    passed_over: PassedOver = msgspec.field(default_factory=PassedOver)
    """What else is in the folders of the inputs."""


def tables(target: str | Path | Store) -> dict[str, Table]:
    """Return the tables of a target, by name: of a folder, or the URL of a place in a store.

    What attempts have left that do not count is in none of them. Raises UsageError
    ``archive/not-ended`` where there is no run, or one that has not ended.
    """
    store = _store(target)
    summary = store.read(SUMMARY)
    if summary is None:
        raise _not_ended(store)
    return msgspec.json.decode(summary, type=Summary).tables


def read_table(target: str | Path | Store, name: str) -> Iterator[bytes]:
    """Yield the rows of a table as JSON texts, without line ends; a table without rows has none.

    The rows of a file are in its order, the files in that of the tasks. Raises UsageError as
    :func:`tables`, ReadError ``document/damaged-compression`` and OSError.
    """
    store = _store(target)
    found = tables(store).get(name)
    yield from rows_of(store, () if found is None else found.files)


def rows_of(store: Store, files: Iterable[str]) -> Iterator[bytes]:
    """Yield the rows of some files of a target, as :func:`read_table` does."""
    for file in files:
        held = b""
        try:
            for chunk in decompressed(store.chunks(file), compression_named(file)):
                *lines, held = (held + chunk).split(b"\n")
                yield from lines
        except ReadError as error:
            place = f"{store.place}/{file}"
            raise ReadError(*(each._replace(source=place) for each in error.findings)) from None
        if held:
            yield held


def tables_of(store: Store, name: str) -> list[str] | None:
    """Return the files of a table of a run; None if nothing was ever run there.

    Raises UsageError ``archive/not-ended``.
    """
    if store.read(PLAN) is None:
        return None
    found = tables(store).get(name)
    return None if found is None else found.files


def _store(target: Any) -> Store:
    return open_store(target) if isinstance(target, str | Path) else target


def _not_ended(store: Store) -> UsageError:
    is_begun = store.read(PLAN) is not None
    return UsageError(
        Finding(
            "archive/not-ended",
            "A run has not ended here: its results are not whole"
            if is_begun
            else "No run has ended here",
            expected="a run that has ended; --resume goes on with one that was killed",
            source=store.place,
        )
    )
