"""``partwire assemble``: a stream becomes one Message, or each of many streams does."""

from __future__ import annotations

import time
from typing import Any

import click

from ...errors import PartwireError, UsageError, clip
from ...message import Assembled, MessageAssembler, StreamsAssembler
from ...reading.pipeline import dump
from ..chat.follow import follower
from ..files.inputs import Source, read_chunks
from ..files.stream_check import SeqGaps
from ..files.streams import (
    DELTAS,
    PROVIDER_DIALECTS,
    DeltaStream,
    StreamSaid,
    dialect_option,
    located,
    said_options,
)
from ..report.render import EXIT_FINDINGS, emit_json, render_error, render_finding, stream_format
from ..report.usage import finite

__all__ = ["assemble"]

_DIALECTS = (DELTAS, *PROVIDER_DIALECTS)


@click.command()
@click.argument("file", metavar="FILE|-")
@dialect_option(_DIALECTS)
@click.option("--snapshots", is_flag=True, help="Print the message after every delta too.")
@click.option("--follow", is_flag=True, help="Show the message growing, on stderr.")
@click.option(
    "--rate",
    type=click.FloatRange(min=0.001),
    callback=finite,
    metavar="N",
    help="With --follow: take at most N deltas a second, so that a recording can be watched.",
)
@click.option(
    "--partial", is_flag=True, help="On an error print what arrived, marked incomplete, as well."
)
@click.option(
    "--many",
    is_flag=True,
    help="FILE holds the deltas of many streams, mixed: print a message for each.",
)
@said_options
@click.pass_context
def assemble(  # noqa: PLR0913 - its options
    ctx: click.Context,
    said: StreamSaid,
    file: str,
    dialect: str | None,
    snapshots: bool,
    follow: bool,
    rate: float | None,
    partial: bool,
    many: bool,
) -> None:
    """Assemble FILE (- for stdin) into one Message, printed as one line of JSON.

    FILE holds deltas, or a provider's own stream as it was recorded (server-sent events, JSON
    Lines, an array, an AWS event stream), perhaps compressed by gzip or zstd: its first events show
    which.

    On an error the finding goes to stderr, as JSON unless that is a terminal, and so does a gap in
    seq, as a warning. Exit status: 0 a message, 1 the stream is broken, failed or cut, 2 usage or
    unreadable input.

    With --many each stream, named by runId and messageId, becomes a line when it ends. A finding
    says of which stream it is, and harms no other; the exit status is 1 then. Gaps in seq are not
    looked for.

    \b
    Examples:
      partwire assemble deltas.jsonl
      partwire assemble --many today.jsonl.gz > messages.jsonl
      partwire assemble --follow recording.sse
      partwire assemble --from openai recording.sse.gz
    """
    source = Source(file)
    if many:
        given = {
            "--snapshots": snapshots,
            "--follow": follow,
            "--rate": rate,
            "--partial": partial,
            f"--from {dialect}": dialect not in (None, DELTAS),
        }
        for option, is_given in given.items():
            if is_given:
                raise click.UsageError(f"--many takes no {option}: it is for one stream.")
        ctx.exit(_assemble_many(source))
    deltas = DeltaStream(source, dialect, said, _DIALECTS)
    assembler = MessageAssembler()
    line = None
    gaps = SeqGaps()
    show = follower(follow)
    pause = 1 / rate if follow and rate else 0.0
    try:
        with show.view():
            for line, delta in deltas:
                assembler.consume(delta)
                for finding in gaps.note(delta.seq):
                    found = finding._replace(source=source.label, line=line)
                    render_finding(found, stream_format(), err=True)
                if snapshots:
                    emit_json(dump(assembler.snapshot()))
                show.show(assembler, delta)
                if pause:
                    time.sleep(pause)
            show.end(assembler)
        assembler.close()
        emit_json(dump(assembler.build_final_message()))
    except UsageError:
        raise
    except PartwireError as error:
        if ctx.find_root().params.get("debug"):
            raise
        if partial:
            _print_partial(assembler)
        else:
            error = _with_advice(error)
        render_error(located(error, source, line), stream_format())
        ctx.exit(EXIT_FINDINGS)


def _assemble_many(source: Source) -> int:
    """Print a message for each stream, and what is wrong; return the exit status."""
    streams, status = StreamsAssembler(), 0
    for chunk in read_chunks(source.name):
        status |= _print_results(streams.feed(chunk), source)
    return status | _print_results(streams.finish(), source)


def _print_results(results: list[Assembled], source: Source) -> int:
    status = 0
    for result in results:
        if result.error is None:
            emit_json(result.message_json)
            continue
        status = EXIT_FINDINGS
        where = "" if result.run_id is None else f"in run {clip(result.run_id)}"
        if result.message_id is not None:
            where += f", message {clip(result.message_id)}"
        for finding in result.error.findings:
            actual = ", ".join(filter(None, (finding.actual, where))) or None
            found = finding._replace(source=source.label, actual=actual)
            render_finding(found, stream_format(), err=True)
    return status


_OF_OTHER_STREAMS = frozenset({"stream/run-id-mismatch", "stream/message-id-mismatch"})


def _with_advice(error: PartwireError) -> PartwireError:
    """Return the error with what its reader can do now."""
    first, *rest = error.findings
    wanted = first.expected or "a stream that ends with done"
    is_mixed = first.rule in _OF_OTHER_STREAMS
    advice = "--many takes mixed streams" if is_mixed else "--partial prints what came"
    return PartwireError(first._replace(expected=f"{wanted}; {advice}"), *rest)


def _print_partial(assembler: Any) -> None:
    if assembler.status in ("started", "error"):
        emit_json(dump(assembler.build_partial()))
