"""The steps from a folder of logs to answers; each is a run that goes on where it was left."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb
import msgspec

from partwire.archive import ArchiveRun, Assemble, Options, Statistics, ToParquet, read_table

__all__ = ["ANSWERS", "Aside", "ask", "quarantined", "work"]

ANSWERS = """
    SELECT modelId AS model, count(*) AS answers, count(ending) AS cut,
           sum(inputTokens)::BIGINT AS tokens_in, sum(outputTokens)::BIGINT AS tokens_out,
           quantile_cont(latencyMs, 0.95)::BIGINT AS p95_ms
    FROM read_parquet($files)
    WHERE role = 'assistant'
    GROUP BY modelId
    ORDER BY answers DESC, model
"""


class Aside(msgspec.Struct):
    """A line that was put aside: its place, and why."""

    source: str
    line: int
    rule: str
    message: str


def work(logs: Iterable[str], out: Path, say: Callable[[str], None] = print) -> None:
    """Make messages, the report and the tables of logs of deltas.

    In ``out`` are then the folders ``streams``, ``report`` and ``tables``. Done once more, it finds
    all done; killed, it goes on. Raises partwire's UsageError where logs cannot be read, or have
    changed since.
    """
    messages = [str(out / "streams" / "messages")]
    steps: list[tuple[str, Options, Iterable[str]]] = [
        ("streams", Assemble(), logs),
        ("report", Statistics(type="message.Message"), messages),
        ("tables", ToParquet(type="message.Message", flat=True), messages),
    ]
    for name, options, sources in steps:
        totals = ArchiveRun(options, [*sources], out / name).go().totals
        say(f"{name}: {totals.used:,} of {totals.lines:,} lines, {totals.quarantined:,} put aside")


def quarantined(out: Path, most: int = 10) -> list[Aside]:
    """Return the first lines that were put aside."""
    rows = zip(range(most), read_table(out / "streams", "quarantine"), strict=False)
    return [msgspec.json.decode(row, type=Aside) for _, row in rows]


def ask(out: Path, question: str = ANSWERS) -> duckdb.DuckDBPyRelation:
    """Return the answer to a question in SQL about ``$files``, the table of messages."""
    files = str(out / "tables" / "messages" / "*.parquet")
    answer = duckdb.sql(question, params={"files": files})
    assert answer is not None, "a question asks for rows"
    return answer
