"""``partwire assemble``: a stream becomes one Message, or each of many streams does, or a run."""

from __future__ import annotations

import time
from typing import Any

import click

from ...errors import PartwireError, ReadError, UsageError, clip
from ...formats import RunAssembler
from ...json.text import decode_json, json_text
from ...message import Assembled, MessageAssembler, StreamsAssembler
from ...reading.pipeline import dump
from ..chat.follow import follower
from ..files.foreign import foreign_hint
from ..files.format_streams import STREAM_FORMATS, FormatStream
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
@dialect_option((*_DIALECTS, *STREAM_FORMATS))
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
@click.option(
    "--run",
    is_flag=True,
    help="FILE is a run: deltas of several messages, one after the other, and whole messages; "
    "print each message. A stream of a format is always one.",
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
    run: bool,
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

    With --run each message becomes a line, in order; --from ai-sdk and others of `partwire formats`
    that have streams are runs. What a message does not say of such a stream goes to stderr.

    \b
    Examples:
      partwire assemble deltas.jsonl
      partwire assemble --many today.jsonl.gz > messages.jsonl
      partwire assemble --follow recording.sse
      partwire assemble --from openai recording.sse.gz
      partwire assemble --from ai-sdk chat.sse
    """
    source = Source(file)
    of_one = {"--snapshots": snapshots, "--follow": follow, "--rate": rate}
    if many:
        of_one |= {"--partial": partial, f"--from {dialect}": dialect not in (None, DELTAS)}
        _refuse("--many", {**of_one, "--run": run})
        ctx.exit(_assemble_many(source))
    if run or dialect in STREAM_FORMATS:
        of_one |= {f"--from {dialect}": dialect in PROVIDER_DIALECTS}
        _refuse("--run" if run else f"--from {dialect}", of_one)
        said.refuse_for(dialect or DELTAS)
        ctx.exit(_assemble_run(source, dialect, said.run_id, partial=partial))
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
            error = _with_advice(error, source)
        render_error(located(error, source, line), stream_format())
        ctx.exit(EXIT_FINDINGS)


def _refuse(name: str, given: dict[str, Any]) -> None:
    for option, is_given in given.items():
        if is_given:
            raise click.UsageError(f"{name} takes no {option}: it is for one stream.")


def _assemble_run(source: Source, dialect: str | None, run_id: str, *, partial: bool) -> int:
    """Print the messages of a run, and what is wrong; return the exit status.

    A message that failed or was cut is left out, but with ``partial``.
    """
    assembler, problems = RunAssembler(), list[PartwireError]()
    stream = FormatStream(source, dialect, run_id) if dialect in STREAM_FORMATS else None
    try:
        if stream is None:
            _feed(assembler, source)
        else:
            assembler.feed_all(stream)
    except UsageError:
        raise
    except PartwireError as error:
        problems.append(error)
    for message in assembler.finish():
        if partial or "incomplete" not in (message.meta or {}):
            emit_json(dump(message))
    for problem in problems or [*assembler.failures, *assembler.cuts]:
        advised = problem if partial else _with_advice(problem, source)
        render_error(located(advised, source, None), stream_format())
    for loss in stream.losses if stream is not None else ():
        click.echo(json_text(loss.to_wire()), err=True)
    return EXIT_FINDINGS if problems or assembler.failures or assembler.cuts else 0


def _feed(assembler: RunAssembler, source: Source) -> None:
    for document in source.documents():
        try:
            assembler.feed(decode_json(document.data))
        except PartwireError as error:
            raise located(error, source, document.line) from None


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


def _with_advice(error: PartwireError, source: Source) -> PartwireError:
    """Return the error with what its reader can do now."""
    first, *rest = error.findings
    wanted = first.expected or "a stream that ends with done"
    is_mixed = first.rule in _OF_OTHER_STREAMS
    advice = "--many takes mixed streams" if is_mixed else "--partial prints what came"
    if isinstance(error, ReadError):
        advice = foreign_hint(source) or advice
    return PartwireError(first._replace(expected=f"{wanted}; {advice}"), *rest)


def _print_partial(assembler: Any) -> None:
    if assembler.status in ("started", "error"):
        emit_json(dump(assembler.build_partial()))
