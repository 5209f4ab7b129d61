"""``partwire deltas``: what an adapter makes of a provider's stream."""

from __future__ import annotations

import click

from ...contract.current import LATEST_VERSION
from ...errors import ReadError
from ...files.inputs import Source
from ...providers.core.stream_words import WRITTEN_VERSIONS
from ...reading.pipeline import dump
from ..files.format_streams import STREAM_FORMATS, FormatStream
from ..files.streams import (
    PROVIDER_DIALECTS,
    DeltaStream,
    StreamSaid,
    dialect_option,
    located,
    said_options,
)
from ..report.render import EXIT_FINDINGS
from ..terminal.results import Results, results_option

__all__ = ["deltas"]


@click.command()
@click.argument("file", metavar="FILE|-")
@dialect_option((*PROVIDER_DIALECTS, *STREAM_FORMATS))
@said_options
@click.option(
    "--to",
    "version",
    type=click.Choice(WRITTEN_VERSIONS),
    default=LATEST_VERSION,
    show_default=True,
    help="Contract version of the deltas.",
)
@results_option
@click.pass_context
def deltas(
    ctx: click.Context,
    said: StreamSaid,
    file: str,
    dialect: str | None,
    version: str,
    output_format: str | None,
) -> None:
    """Print the deltas of a provider's stream, FILE or - for stdin, one per line.

    A line is JSON, or on a terminal seq, the seconds since the first delta, kind and content.

    FILE is as a provider sent it (server-sent events, JSON Lines, an array, an AWS event stream),
    perhaps compressed by gzip or zstd; its first events show the dialect. Findings go to stderr, as
    JSON unless that is a terminal. Exit status: 0 the stream ended in done, 1 in error, 2 usage or
    unreadable input.

    A stream of a format of others (--from ai-sdk) is a run: deltas of several messages, and whole
    messages between them, for `partwire assemble --run`. What they do not say goes to stderr.

    \b
    Examples:
      partwire deltas recording.sse
      partwire deltas --from openai-chat cut.sse.gz
      partwire deltas --agent planner --agent researcher recording.sse
      partwire deltas --to v0.2 recording.sse
      partwire deltas --from ai-sdk chat.sse
    """
    kind = None
    source, results = Source(file), Results(output_format)
    if dialect in STREAM_FORMATS:
        said.refuse_for(dialect)
        if version != LATEST_VERSION:
            raise click.UsageError(f"--to {version} is not for --from {dialect}.")
        ctx.exit(_items(source, dialect, said.run_id, results))
    try:
        stream = DeltaStream(
            source, dialect, said, PROVIDER_DIALECTS, version, tell=results.finding
        )
        for _, delta in stream:
            results.delta(dump(delta))
            kind = delta.kind
    except ReadError as error:  # damaged compression
        if ctx.find_root().params.get("debug"):
            raise
        results.error(located(error, source, None))
        ctx.exit(EXIT_FINDINGS)
    ctx.exit(EXIT_FINDINGS if kind == "error" else 0)


def _items(source: Source, format_name: str, run_id: str, results: Results) -> int:
    """Print the items of a run, and what they do not say; return the exit status."""
    stream, status = FormatStream(source, format_name, run_id), 0
    try:
        for item in stream:
            results.delta(dump(item))
            if getattr(item, "kind", None) == "error":
                status = EXIT_FINDINGS
    except ReadError as error:
        results.error(error)
        status = EXIT_FINDINGS
    results.losses([loss.to_wire() for loss in stream.losses])
    return status
