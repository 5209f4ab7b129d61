"""Commands of ``partwire archive`` that answer questions: statistics, and tables as Parquet."""

from __future__ import annotations

from typing import Any, Final

import click

from ...archive.row_options import Statistics
from ...contract.current import LATEST_VERSION
from ...reading.pipeline import Binding
from ..archives import ArchiveSaid, archive_options, go

__all__ = ["COMMANDS"]

_type: Final = click.option(
    "--type", "type_name", required=True, metavar="TYPE", help="Type of the documents."
)
_contract: Final = click.option(
    "--contract", default=LATEST_VERSION, show_default=True, help="Version of the contract."
)


@click.command()
@archive_options
@_type
@_contract
@click.pass_context
def statistics(ctx: click.Context, said: ArchiveSaid, type_name: str, contract: str) -> None:
    """Say what is in SRC: one page with plots, and the same figures as JSON.

    DST/report.html and DST/statistics.json have volumes over time, kinds and values, members that
    nobody declared with their first and last day, findings by rule, and sizes; of messages, deltas
    and sessions also tokens by model and day, durations, how answers ended, and tool calls.

    Table: quarantine, of lines that are not JSON.

    \b
    Examples:
      partwire archive statistics --type message.Message messages/ figures/
      partwire archive statistics --type message.MessageDelta 'logs/2026-*/*.zst' figures/
      partwire archive statistics --type envelope.TaskEvent queue/ figures/
    """
    Binding.of(type_name, contract)  # refuses what is not a type before anything is written
    go(ctx, said, Statistics(type=type_name, version=contract))


COMMANDS: Final[tuple[Any, ...]] = (statistics,)
