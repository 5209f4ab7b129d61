"""``partwire deltas``: what an adapter makes of a provider's stream."""

from __future__ import annotations

import click

from ...contract.current import LATEST_VERSION
from ...errors import ReadError
from ...providers.core.stream_words import WRITTEN_VERSIONS
from ...reading.pipeline import dump
from ..files.inputs import Source
from ..files.streams import (
    PROVIDER_DIALECTS,
    DeltaStream,
    StreamSaid,
    dialect_option,
    located,
    said_options,
)
from ..report.render import EXIT_FINDINGS, emit_json, render_error

__all__ = ["deltas"]


@click.command()
@click.argument("file", metavar="FILE|-")
@dialect_option(PROVIDER_DIALECTS)
@said_options
@click.option(
    "--to",
    "version",
    type=click.Choice(WRITTEN_VERSIONS),
    default=LATEST_VERSION,
    show_default=True,
    help="Contract version of the deltas.",
)
@click.pass_context
def deltas(
    ctx: click.Context, said: StreamSaid, file: str, dialect: str | None, version: str
) -> None:
    """Print the deltas of a provider's stream, FILE or - for stdin, one per line.

    FILE is as a provider sent it (server-sent events, JSON Lines, an array, an AWS event stream),
    perhaps compressed by gzip or zstd; its first events show the dialect. Findings go to stderr as
    JSON. Exit status: 0 the stream ended in done, 1 in error, 2 usage or unreadable input.

    \b
    Examples:
      partwire deltas recording.sse
      partwire deltas --from openai-chat cut.sse.gz
      partwire deltas --agent planner --agent researcher recording.sse
      partwire deltas --to v0.2 recording.sse
    """
    kind = None
    source = Source(file)
    try:
        for _, delta in DeltaStream(source, dialect, said, PROVIDER_DIALECTS, version):
            emit_json(dump(delta))
            kind = delta.kind
    except ReadError as error:  # damaged compression
        if ctx.find_root().params.get("debug"):
            raise
        render_error(located(error, source, None), "json")
        ctx.exit(EXIT_FINDINGS)
    ctx.exit(EXIT_FINDINGS if kind == "error" else 0)
