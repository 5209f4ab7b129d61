"""Assemble deltas that are still coming: Structured Streaming, with a state for each run.

A message comes when the last line of its stream is there, and no line before it is missing. A run
of which nothing comes for some time is over: what is there of its other streams becomes a message
with ``meta.incomplete``. Until then its lines are kept, so that those which come again are known.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ...errors import Finding
from ...extras import import_extra
from ...message.assemble import line_too_long
from ...tables.limits import DEFAULT_LIMIT_BYTES
from ..lines import LongLine, Row, head_of_line, name_in
from ..outputs import quarantined, too_long
from ..steps import Totals
from ..streams.exact import OnUnknown, StreamNames, fold_stream, stream_of, why_nameless
from ..streams.sorting import Sortable
from .frames import RESULTS, check_columns
from .packs import QUARANTINE, TOTALS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["assemble_live"]

_RUNS: Final = "run string, time timestamp, at bigint, line binary"
_STATE: Final = "kept binary"
_START: Final = "start"
_ENDS: Final = frozenset({"done", "error"})
_encode: Final = msgspec.json.Encoder().encode


def assemble_live(
    lines: DataFrame,
    *,
    time: str,
    timeout: str = "10 minutes",
    text: str = "value",
    on_unknown: OnUnknown = "refuse",
    max_line_bytes: int = DEFAULT_LIMIT_BYTES,
) -> DataFrame:
    """Return the messages of streams of deltas that come, as a DataFrame that goes on.

    ``text`` is the column with a line in each row, as string or binary, and ``time`` that with the
    time of the line, such as the timestamp of Kafka; a line without one is as old as may be. A run
    is over when lines are there whose time is later than its last line by more than ``timeout``.
    Lines of it that come then are dropped by Spark, which counts them in the progress of the query
    as ``numRowsDroppedByWatermark``.

    Columns are those of :func:`~partwire.archive.spark.assemble`: ``messages`` as they are made,
    ``quarantine`` and ``totals`` when a run is over. To be written in output mode ``append``.
    Raises UsageError for a column that is not there, or of another type.
    """
    functions = import_extra("pyspark.sql.functions", "spark", "Spark")
    streaming = import_extra("pyspark.sql.streaming.state", "spark", "Spark")
    check_columns(lines, {text: ("string", "binary"), time: ("timestamp",)})
    given = lines.select(
        functions.col(time).alias("time"),
        functions.coalesce(functions.unix_micros(time), functions.lit(0)).alias("at"),
        functions.col(text).cast("binary").alias("line"),
    )
    runs = given.mapInArrow(_runs, _RUNS).withWatermark("time", timeout).groupBy("run")
    return runs.applyInPandasWithState(
        _Live(on_unknown, max_line_bytes),
        RESULTS,
        _STATE,
        "append",
        streaming.GroupStateTimeout.EventTimeTimeout,
    )


def _runs(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the lines with their runs; "" for none."""
    pa = import_extra("pyarrow", "spark", "Spark")
    for batch in batches:
        lines = batch.column("line").to_pylist()
        names = [name_in(line or b"") for line in lines]
        runs = ["" if name is None else name.run_id for name in names]
        columns = [pa.array(runs, pa.string()), *batch.columns]
        yield pa.RecordBatch.from_arrays(columns, ["run", *batch.schema.names])


class _Line(NamedTuple):
    """A line that is kept; they are ordered by time, and then as they have come."""

    at: int
    """Its time, in microseconds."""
    number: int
    text: bytes


class _Kept(NamedTuple):
    """What is kept of a run."""

    lines: list[_Line]
    made: list[str]
    """Streams whose messages have been given."""
    is_waiting: bool
    """Whether the end of a stream is there, and other lines of it are not."""

    def to_bytes(self) -> bytes:
        return marshal.dumps((list(map(tuple, self.lines)), self.made, self.is_waiting))

    @classmethod
    def of(cls, state: Any) -> _Kept:
        if not state.exists:
            return cls([], [], False)
        lines, made, is_waiting = marshal.loads(state.get[0])  # noqa: S302 - written here
        return cls(list(map(_Line._make, lines)), made, is_waiting)


class _Live:
    """What is done with the lines of a run that have come, and when it is over."""

    def __init__(self, on_unknown: OnUnknown, most_bytes: int) -> None:
        self._on_unknown: OnUnknown = on_unknown
        self._most_bytes = most_bytes

    def __call__(self, key: tuple[str], frames: Iterable[Any], state: Any) -> Iterator[Any]:
        pandas = import_extra("pandas", "spark", "Spark")
        results = _Results(key[0])
        if not key[0]:
            for frame in frames:
                self._refuse(frame["line"], results)
        elif state.hasTimedOut:
            kept = _Kept.of(state)
            self._end(kept.lines, kept.made, results)
            state.remove()
        else:
            self._take(frames, state, results)
        if results.rows:
            yield pandas.DataFrame(results.rows, columns=["table", "run_id", "json"])

    def _refuse(self, lines: Iterable[bytes | None], results: _Results) -> None:
        """Put lines aside that name no run."""
        for line in lines:
            text = line or b""
            results.totals.lines += 1
            if text.strip():
                results.quarantine(Row(0, 0, text), why_nameless(text))
            else:
                results.totals.blank += 1
        results.end()

    def _take(self, frames: Iterable[Any], state: Any, results: _Results) -> None:
        lines, made, is_waiting = _Kept.of(state)
        for frame in frames:
            for at, text in zip(frame["at"].tolist(), frame["line"], strict=True):
                if len(text) > self._most_bytes:
                    results.too_long(text)
                    continue
                lines.append(_Line(at, len(lines), text))
                head = head_of_line(text)
                is_waiting = is_waiting or (head is not None and head.kind in _ENDS)
        if is_waiting:
            made, is_waiting = self._make(lines, made, results)
        if lines:
            state.update((_Kept(lines, made, is_waiting).to_bytes(),))
            last = max(line.at for line in lines) // 1000
            state.setTimeoutTimestamp(max(last, state.getCurrentWatermarkMs()) + 1)

    def _make(
        self, lines: list[_Line], made: list[str], results: _Results
    ) -> tuple[list[str], bool]:
        """Give messages of streams that are whole; return all that have been given.

        And whether there is a stream with an end whose other lines are not all there.
        """
        names = StreamNames()
        ordered = sorted(names.named(_rows(lines), _Results("")))
        is_waiting = False
        for (run_id, name), grouped in groupby(ordered, key=stream_of):
            rows = list(grouped)
            if name in made or not _has_end(rows):
                continue
            found = _Results(run_id)
            if _is_whole(rows) and (run_id, name) not in names.unclear:
                fold_stream(iter(rows), None, found, self._on_unknown)
            if found.messages and not found.totals.quarantined:
                results.rows += found.rows
                made = [*made, name]
            else:
                is_waiting = True
        return made, is_waiting

    def _end(self, lines: list[_Line], made: list[str], results: _Results) -> None:
        """Take all lines of a run that is over. Messages in ``made`` have been given."""
        names = StreamNames()
        results.totals.lines = len(lines)
        ordered = sorted(names.named(_rows(lines), results))
        for stream, rows in groupby(ordered, key=stream_of):
            results.is_given = stream[1] in made
            fold_stream(rows, names.unclear.get(stream), results, self._on_unknown)
        results.end()


def _rows(lines: list[_Line]) -> Iterator[Row]:
    for number, line in enumerate(sorted(lines)):
        yield Row(0, number, line.text)


def _has_end(rows: list[Sortable]) -> bool:
    head = head_of_line(rows[-1][5])
    return head is not None and head.kind in _ENDS


def _is_whole(rows: list[Sortable]) -> bool:
    """Tell whether a stream begins with its start, and no seq is missing."""
    head = head_of_line(rows[0][5])
    seqs = {row[2] for row in rows}
    return head is not None and head.kind == _START and max(seqs) - min(seqs) < len(seqs)


class _Results:
    """Results as rows."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id or None
        self.rows: list[tuple[str, str | None, str]] = []
        self.totals = Totals()
        self.messages = 0
        self.is_given = False
        """Whether the message that comes next has been given before."""

    def message(self, text: bytes, lines: int) -> None:
        self.messages += 1
        self.totals.made += 1
        self.totals.used += lines
        if not self.is_given:
            self.rows.append(("messages", self._run_id, text.decode()))

    def quarantine(self, row: Row, finding: Finding) -> None:
        self._aside(quarantined(row.data, finding))

    def too_long(self, text: bytes) -> None:
        """Put a line aside that is too long; it is counted at once."""
        said = LongLine(0, 1, len(text), text[:1024])
        self._aside(too_long(said, line_too_long(1).findings[0]))
        self.rows.append((TOTALS, None, _encode(Totals(lines=1, quarantined=1)).decode()))

    def _aside(self, row: dict[str, Any]) -> None:
        self.totals.quarantined += 1
        self.rows.append((QUARANTINE, self._run_id, _encode(row).decode()))

    def repeats(self, lines: int) -> None:
        self.totals.repeats += lines

    def end(self) -> None:
        """Add the totals."""
        self.rows.append((TOTALS, None, _encode(self.totals).decode()))
