"""Assemble in any job: DataFrames of lines, and of what has become of them."""

from __future__ import annotations

import marshal
import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ...errors import Finding, UsageError
from ...extras import import_extra
from ...tables.limits import DEFAULT_LIMIT_BYTES
from ..lines import LongLine, Row, name_in
from ..outputs import quarantined
from ..steps import Totals
from ..streams.exact import OnUnknown
from .folding import fold_packs
from .packs import QUARANTINE, TOTALS, Packer, blocks_of_texts, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "HELD_BYTES",
    "RESULTS",
    "assemble",
    "by_run",
    "check_columns",
    "local_folder",
    "partition_number",
    "totals_of",
]

RESULTS: Final = "table string, run_id string, json string"
"""Columns of the results: ``messages``, ``quarantine``, and ``totals`` for each partition."""

HELD_BYTES: Final = 32 << 20
_BATCH_BYTES: Final = 1 << 20
_encode: Final = msgspec.json.Encoder().encode


def assemble(
    lines: DataFrame,
    *,
    text: str = "value",
    source: str | None = None,
    number: str | None = None,
    on_unknown: OnUnknown = "refuse",
    partitions: int | None = None,
    max_line_bytes: int = DEFAULT_LIMIT_BYTES,
) -> DataFrame:
    """Return a message of each stream of deltas, and every line that is in none, and why.

    ``text`` is the column with a line in each row, as string or binary. ``source`` and ``number``
    are columns that say where it was stored (a string, and an integer that grows within it): they
    order lines of one ``seq``, and are in the table ``quarantine``. Without them it is the order in
    which Spark reads the rows.

    The result has the columns ``table``, ``run_id`` and ``json``: rows of ``messages``, of
    ``quarantine``, and for each partition one of ``totals``, which :func:`totals_of` adds up. All
    lines of a run are folded in one of ``partitions``. Raises UsageError for a column that is not
    there, or of another type.
    """
    functions = import_extra("pyspark.sql.functions", "spark", "Spark")
    check_columns(lines, {text: ("string", "binary")})
    check_columns(lines, {} if source is None else {source: ("string",)})
    check_columns(
        lines, {} if number is None else {number: ("int", "bigint", "smallint", "tinyint")}
    )
    place = functions.monotonically_increasing_id() if number is None else functions.col(number)
    given = lines.select(
        functions.col(text).cast("binary").alias("line"),
        (functions.lit("") if source is None else functions.col(source)).alias("source"),
        functions.coalesce(place.cast("bigint"), functions.lit(0)).alias("number"),
    )
    packs = given.mapInArrow(_Texts(max_line_bytes), columns("string"))
    return by_run(packs, partitions).mapInArrow(_Fold(on_unknown), RESULTS)


def totals_of(results: DataFrame) -> Totals:
    """Return where all lines are; runs the job. Raises UsageError ``archive/lines-lost``."""
    rows = results.where(f"table = '{TOTALS}'").select("json").collect()
    decode = msgspec.json.Decoder(Totals).decode
    totals = sum((decode(row.json) for row in rows), Totals())
    if totals.lost:
        raise UsageError(
            Finding(
                "archive/lines-lost",
                "Not every line is in the results: they must not be used",
                expected=f"{totals.lines:,} lines",
                actual=f"{totals.lines - totals.lost:,}",
            )
        )
    return totals


def by_run(packs: DataFrame, partitions: int | None, without: Sequence[int] = ()) -> DataFrame:
    """Return the packs of lines with all of a run in one partition, in the order of storing.

    ``without`` are partitions that are not wanted.
    """
    functions = import_extra("pyspark.sql.functions", "spark", "Spark")
    keys = ("run", "salt")
    if without:  # that is where the shuffle would bring them
        number = functions.pmod(functions.hash(*keys), functions.lit(partitions))
        packs = packs.where(~number.isin(*without))
    shuffled = (
        packs.repartition(*keys) if partitions is None else packs.repartition(partitions, *keys)
    )
    return shuffled.sortWithinPartitions("run", "source", "number")


def check_columns(lines: Any, wanted: dict[str, tuple[str, ...]]) -> None:
    """Refuse columns that are not there, or have none of the types that are wanted."""
    types = dict(lines.dtypes)
    for name, allowed in wanted.items():
        if types.get(name) not in allowed:
            raise UsageError(
                Finding(
                    "usage/invalid-argument",
                    f"The column {name!r} cannot be read",
                    expected=f"a column of type {' or '.join(allowed)}",
                    actual=types.get(name, f"the columns {', '.join(types)}"),
                )
            )


# --- on the workers -------------------------------------------------------------------------------


def partition_number() -> int:
    """Return the number of the partition that this process works on."""
    context = import_extra("pyspark", "spark", "Spark").TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def local_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder of this machine, where Spark keeps such files itself."""
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    return tempfile.TemporaryDirectory(
        prefix="partwire-", dir=folder if Path(folder).is_dir() and folder else None
    )


class _Texts:
    """The first pass, over rows with a line each."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        packer = Packer("string")
        for batch in batches:
            texts = [text or b"" for text in batch.column("line").to_pylist()]
            sources = batch.column("source").to_pylist()
            numbers = batch.column("number").to_pylist()
            begin = 0
            for source, rows in groupby(source or "" for source in sources):
                end = begin + sum(1 for _ in rows)
                yield from self._of_source(packer, source, texts[begin:end], numbers[begin:end])
                begin = end
        yield packer.end(partition_number())

    def _of_source(
        self, packer: Packer, source: str, texts: list[bytes], numbers: list[int]
    ) -> Iterator[Any]:
        for at, block in blocks_of_texts(texts, self._most_bytes):
            if isinstance(block, LongLine):
                yield from packer.take(block._replace(number=numbers[at]), source, source)
            else:
                yield from packer.take(block, source, source, numbers[at : at + block.lines])


class _Fold:
    """The second pass, whose results are rows."""

    def __init__(self, on_unknown: OnUnknown) -> None:
        self._on_unknown: OnUnknown = on_unknown

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        with local_folder() as folder, _Rows(folder) as results:
            for _ in fold_packs(batches, results, self._on_unknown, HELD_BYTES, Path(folder)):
                if results.size > _BATCH_BYTES:
                    yield from results.batches()
            results.end()
            yield from results.batches()


class _Rows:
    """Results as rows. Where one stream makes many of them, they go through a file."""

    def __init__(self, folder: str) -> None:
        self._pa = import_extra("pyarrow", "spark", "Spark")
        self._file = tempfile.SpooledTemporaryFile(_BATCH_BYTES * 4, dir=folder)  # noqa: SIM115
        self._totals = Totals()
        self.size = 0
        self.names: list[str] = []

    def __enter__(self) -> _Rows:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._file.close()

    def message(self, text: bytes, lines: int) -> None:
        self._totals.made += 1
        self._totals.used += lines
        self._add("messages", _run_of(text), text)

    def quarantine(self, row: Row, finding: Finding) -> None:
        self._totals.quarantined += 1
        said = {**quarantined(row.data, finding), "source": self.names[row.source]}
        self._add(QUARANTINE, _run_of(row.data), _encode({**said, "line": row.number}))

    def repeats(self, lines: int) -> None:
        self._totals.repeats += lines

    def passed(self, table: str, text: bytes) -> None:
        self._add(table, None, text)

    def end(self) -> None:
        """Add the totals."""
        self._add(TOTALS, None, _encode(self._totals))

    def _add(self, table: str, run_id: str | None, text: bytes) -> None:
        marshal.dump((table, run_id, text), self._file)
        self.size += len(text)

    def batches(self) -> Iterator[Any]:
        """Yield what there is, as batches of Arrow."""
        self._file.seek(0)
        for rows in _batched(self._file):
            arrays = [self._pa.array(each, self._pa.string()) for each in zip(*rows, strict=True)]
            yield self._pa.RecordBatch.from_arrays(arrays, ["table", "run_id", "json"])
        self._file.seek(0)
        self._file.truncate()
        self.size = 0


def _run_of(text: bytes) -> str | None:
    """Return the run of a message, or of a line that names one."""
    name = name_in(text)
    return None if name is None else name.run_id


def _batched(file: Any) -> Iterator[list[tuple[str, str | None, bytes]]]:
    rows, size = [], 0
    while True:
        try:
            row = marshal.load(file)  # noqa: S302 - written by this process
        except EOFError:
            break
        rows.append(row)
        size += len(row[2])
        if size > _BATCH_BYTES:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows
