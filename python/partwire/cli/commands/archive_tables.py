"""Commands of ``partwire archive`` that answer questions: statistics, and tables as Parquet."""

from __future__ import annotations

from typing import Any, Final

import click

from ...archive.documents.options import FromParquet, Statistics, ToParquet
from ...contract.current import LATEST_VERSION
from ..archives import ArchiveSaid, archive_options, go

__all__ = ["COMMANDS"]

_type: Final = click.option(
    "--type", "type_name", required=True, metavar="TYPE", help="Type of the documents."
)
_contract: Final = click.option(
    "--contract", default=LATEST_VERSION, show_default=True, help="Version of the contract."
)


@click.command()
@_type
@_contract
@archive_options
@click.pass_context
def statistics(ctx: click.Context, said: ArchiveSaid, type_name: str, contract: str) -> None:
    """Say what is in SRC, on a page with plots and as JSON.

    DST/report.html and DST/statistics.json have volumes over time, kinds and values, members that
    nobody declared with their first and last day, findings by rule, and sizes; of messages, deltas
    and sessions also tokens by model and day, durations, how answers ended, and tool calls.

    Table: quarantine, of lines that are not JSON. The exit status is 0, whatever the findings are:
    archive validate is for 1.

    \b
    Examples:
      partwire archive statistics --type message.Message messages/ figures/
      partwire archive statistics --type message.MessageDelta 'logs/2026-*/*.zst' figures/
      partwire archive statistics --type envelope.TaskEvent queue/ figures/
    """
    go(ctx, said, Statistics(type=type_name, version=contract), ("report.html", "statistics.json"))


@click.command("to-parquet")
@_type
@_contract
@click.option(
    "--flat",
    is_flag=True,
    help="Of messages the tables messages, parts, tool_calls and findings instead.",
)
@archive_options
@click.pass_context
def to_parquet(
    ctx: click.Context, said: ArchiveSaid, type_name: str, contract: str, flat: bool
) -> None:
    """Make Parquet files of the documents in SRC.

    Table documents: a row for each document, with a column for each member that its type declares;
    what it does not declare is in _more. from-parquet makes the same documents of it, and any
    command of archive takes the files as SRC.

    With --flat: messages, parts, tool_calls (each with its result, wherever that is) and findings,
    for questions in DuckDB, Polars and others; docs/archive-queries.md has some. The column message
    is a number that joins them. Lines that cannot be a row are in quarantine.

    \b
    Examples:
      partwire archive to-parquet --type message.Message messages/ tables/
      partwire archive to-parquet --type message.Message --flat messages/ flat/
      duckdb -c "SELECT role, count(*) FROM 'flat/messages/*.parquet' GROUP BY ALL"
    """
    go(ctx, said, ToParquet(type=type_name, version=contract, flat=flat))


@click.command("from-parquet")
@archive_options
@click.pass_context
def from_parquet(ctx: click.Context, said: ArchiveSaid) -> None:
    """Make documents of what to-parquet has made.

    Each row becomes a line, the same document as before.

    Table: documents.

    \b
    Example:
      partwire archive from-parquet tables/documents messages/
    """
    go(ctx, said, FromParquet())


COMMANDS: Final[tuple[Any, ...]] = (statistics, to_parquet, from_parquet)
