"""The second pass: the lines of each stream, which come in order, become its message."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from ...errors import StreamFailed
from ...extras import import_extra
from ...message.assembler.lines import unknown_document
from ...message.streams import Assembled, StreamsAssembler
from ...reading.tolerant import Mode
from ..exact import OnUnknown, Sink, fold_exactly, fold_stream
from ..lines import Row
from .heads import TOTALS

__all__ = ["SORTED", "Results", "fold_sorted"]

SORTED: Final = ("run", "stream", "seq", "source", "number", "line")
"""Columns of the rows, which come in the order of the first two.

The rows of a stream are in the order of its lines. Where ``stream`` is null, those of the run are in
the order of storing, and its streams are found here. Where ``run`` is null, a row is not a line but
belongs to the table that ``stream`` names.
"""

_MOST_CARRIED_BYTES: Final = 1 << 20
_encode: Final = msgspec.json.Encoder(enc_hook=unknown_document).encode


class Results(Sink, Protocol):
    """Where results go."""

    run_id: str
    """The run whose results come."""
    names: list[str]
    """Names of the inputs, by the number that a row has."""

    def passed(self, table: str, text: bytes) -> None:
        """Take what the first pass has said: a row of ``quarantine``, or ``totals``."""


def fold_sorted(
    batches: Iterable[Any], results: Results, on_unknown: OnUnknown, most_bytes: int, folder: Path
) -> Iterator[None]:
    """Give the results what becomes of all rows, and yield whenever some have been given.

    Held are a batch, one message, and ``most_bytes`` of a run that comes in the order of storing;
    what is beyond goes through files in ``folder``.
    """
    rows = _Rows(batches, results.names)
    mode: Mode = "tolerant" if on_unknown == "tolerate" else "strict"
    while (group := rows.group()) is not None:
        if group.run is None:
            for _, row in rows.of_group():
                results.passed(group.stream or TOTALS, row.data)
            yield
            continue
        results.run_id = group.run
        if group.stream is None:
            given = (row for _, row in rows.of_group())
            fold_exactly(given, results, on_unknown, most_bytes, folder)
        elif whole := rows.whole_groups():
            _fold_whole(rows, whole, results, on_unknown, mode)
        elif not rows.carry():
            fold_stream(rows.of_group(), results, on_unknown)
        yield


class _Group(NamedTuple):
    """Rows of a batch that follow each other, and are of one stream."""

    run: str | None
    stream: str | None
    begin: int
    end: int

    @property
    def is_stream(self) -> bool:
        return self.run is not None and self.stream is not None


class _Rows:
    """Rows of batches, in groups. The last group of a batch may go on in the next one."""

    def __init__(self, batches: Iterable[Any], names: list[str]) -> None:
        self._pa = import_extra("pyarrow", "spark", "Spark")
        self._compute = import_extra("pyarrow.compute", "spark", "Spark")
        self._batches = iter(batches)
        self._names = names
        self._batch: Any = None
        self._carried: Any = None
        self._is_last = False
        self._groups: list[_Group] = []
        self._at = 0

    def group(self) -> _Group | None:
        """Return the group that is next; None at the end."""
        if self._at == len(self._groups) and not self._load():
            return None
        return self._groups[self._at]

    def whole_groups(self) -> list[_Group]:
        """Return the streams that are next, as far as they are whole in this batch."""
        stop = len(self._groups) - (not self._is_last)
        end = self._at
        while end < stop and self._groups[end].is_stream:
            end += 1
        return self._groups[self._at : end]

    def carry(self) -> bool:
        """Take the stream that is next, the last of its batch, with the next batch, if it is small."""
        group = self._groups[self._at]
        rows = self._batch.slice(group.begin, group.end - group.begin)
        if rows.nbytes > _MOST_CARRIED_BYTES:
            return False
        self._carried = rows
        self._at += 1
        return True

    def skip(self, groups: int) -> None:
        """Say that so many groups have been taken."""
        self._at += groups

    def lines(self, begin: int, end: int) -> list[bytes]:
        """Return the lines of some rows of the batch."""
        found: list[bytes] = self._batch.column("line").slice(begin, end - begin).to_pylist()
        return found

    def rows(self, group: _Group) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a group of the batch, each with its seq."""
        begin, size = group.begin, group.end - group.begin
        values = [self._batch.column(name).slice(begin, size).to_pylist() for name in SORTED[2:]]
        if self._pa.types.is_string(self._batch.schema.field("source").type):
            values[1] = list(map(self._number_of, values[1]))
        for seq, source, number, line in zip(*values, strict=True):
            yield seq, Row(source, number, line)

    def _number_of(self, name: str) -> int:
        """Return the number of an input: those of a group are in the order of their names."""
        if not self._names or self._names[-1] != name:
            self._names.append(name)
        return len(self._names) - 1

    def of_group(self) -> Iterator[tuple[int, Row]]:
        """Yield the rows of the group that is next, however many batches it goes through."""
        group = self._groups[self._at]
        while True:
            yield from self.rows(self._groups[self._at])
            self._at += 1
            if self._at < len(self._groups) or not self._load():
                return
            following = self._groups[0]
            if (following.run, following.stream) != (group.run, group.stream):
                return

    def _load(self) -> bool:
        """Begin with the next batch, and what was carried to it."""
        batch = next((each for each in self._batches if each.num_rows), None)
        carried, self._carried = self._carried, None
        if batch is None:
            self._is_last = True
        if carried is not None:
            batch = carried if batch is None else self._pa.concat_batches([carried, batch])
        self._batch, self._at = batch, 0
        self._groups = [] if batch is None else list(self._grouped(batch))
        return batch is not None

    def _grouped(self, batch: Any) -> Iterator[_Group]:
        begin, ends = 0, set[int]()
        keys = [batch.column(name) for name in SORTED[:2]]
        for key in keys:
            ends.update(self._compute.run_end_encode(key).run_ends.to_pylist())
        for end in sorted(ends):
            run, stream = (key[begin].as_py() for key in keys)
            yield _Group(run, stream, begin, end)
            begin = end


def _fold_whole(
    rows: _Rows, groups: list[_Group], results: Results, on_unknown: OnUnknown, mode: Mode
) -> None:
    """Take streams that are whole: all together, and those that are odd once more and exactly."""
    first, last = groups[0].begin, groups[-1].end
    made: dict[int, Assembled] = {}
    lines = rows.lines(first, last)
    text = b"\n".join(lines)
    if text.count(b"\n") == len(lines) - 1:
        streams = StreamsAssembler(mode=mode)
        begins = [group.begin for group in groups]
        for result in (*streams.feed(text), *streams.finish()):
            at = bisect_right(begins, first + result.first_line - 1) - 1
            group = groups[at]
            is_made = result.error is None or isinstance(result.error, StreamFailed)
            if is_made and result.lines == group.end - group.begin:
                made[at] = result
    for at, group in enumerate(groups):
        results.run_id = group.run or ""
        found = made.get(at)
        if found is None:
            fold_stream(rows.rows(group), results, on_unknown)
        elif isinstance(found.error, StreamFailed):
            results.message(_encode(found.error.partial), found.lines)
        else:
            results.message(found.message_json, found.lines)
    rows.skip(len(groups))
