"""``partwire deltas``: what an adapter makes of a provider's stream."""

from __future__ import annotations

import click

from ...errors import ReadError
from ...reading.pipeline import dump
from ..files.inputs import Source
from ..files.streams import PROVIDER_DIALECTS, DeltaStream, dialect_option, located
from ..report.render import EXIT_FINDINGS, emit_json, render_error

__all__ = ["deltas"]


@click.command()
@click.argument("file", metavar="FILE|-")
@dialect_option(PROVIDER_DIALECTS)
@click.option("--run-id", default="run", show_default=True, help="Run id of the deltas.")
@click.pass_context
def deltas(ctx: click.Context, file: str, dialect: str | None, run_id: str) -> None:
    """Print the deltas of a provider's stream, FILE or - for stdin, one per line.

    FILE is as a provider sent it (server-sent events, JSON Lines, an array, an AWS event stream),
    perhaps compressed by gzip or zstd; its first events show the dialect. Findings go to stderr as
    JSON. Exit status: 0 the stream ended in done, 1 in error, 2 usage or unreadable input.

    \b
    Examples:
      partwire deltas recording.sse
      partwire deltas --from openai-chat cut.sse.gz
    """
    kind = None
    source = Source(file)
    try:
        for _, delta in DeltaStream(source, dialect, run_id, PROVIDER_DIALECTS):
            emit_json(dump(delta))
            kind = delta.kind
    except ReadError as error:  # damaged compression
        if ctx.find_root().params.get("debug"):
            raise
        render_error(located(error, source, None), "json")
        ctx.exit(EXIT_FINDINGS)
    ctx.exit(EXIT_FINDINGS if kind == "error" else 0)
