"""``partwire deltas``: what an adapter makes of a provider's stream."""

from __future__ import annotations

import click

from ...reading.pipeline import dump
from ..files.inputs import Source
from ..files.streams import PROVIDER_DIALECTS, DeltaStream, dialect_option
from ..report.render import EXIT_FINDINGS, emit_json

__all__ = ["deltas"]


@click.command()
@click.argument("file", metavar="FILE|-")
@dialect_option(default=None, choices=PROVIDER_DIALECTS)
@click.option("--run-id", default="run", show_default=True, help="Run id of the deltas.")
@click.pass_context
def deltas(ctx: click.Context, file: str, dialect: str, run_id: str) -> None:
    """Print the deltas of a provider's stream, FILE or - for stdin, one per line.

    Findings go to stderr as JSON. Exit status: 0 the stream ended in done, 1 in error, 2 usage
    or unreadable input.

    \b
    Example:
      partwire deltas --from openai-chat recording.sse
    """
    kind = None
    for _, delta in DeltaStream(Source(file), dialect, run_id):
        emit_json(dump(delta))
        kind = delta.kind
    ctx.exit(EXIT_FINDINGS if kind == "error" else 0)
