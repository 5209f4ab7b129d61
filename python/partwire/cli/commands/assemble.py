"""``partwire assemble``: a stream becomes one Message, or each of many streams does, or a run."""

from __future__ import annotations

import time
from typing import Any

import click

from ...errors import PartwireError, ReadError, UsageError, clip
from ...files.inputs import Source, read_chunks
from ...formats import RunAssembler
from ...json.text import decode_json
from ...message import Assembled, MessageAssembler, StreamsAssembler
from ...reading.pipeline import dump
from ..files.foreign import foreign_hint
from ..files.format_streams import STREAM_FORMATS, FormatStream
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
from ..report.render import EXIT_FINDINGS
from ..report.usage import finite
from ..terminal.follow import follower
from ..terminal.results import Results, results_option

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
@results_option
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
    output_format: str | None,
) -> None:
    """Assemble FILE (- for stdin) into one Message: one line of JSON, or on a terminal as people
    read it.

    FILE holds deltas, or a provider's own stream as it was recorded (server-sent events, JSON
    Lines, an array, an AWS event stream), perhaps compressed by gzip or zstd: its first events show
    which.

    On an error the finding goes to stderr, as JSON unless that is a terminal, and so does a gap in
    seq, as a warning. Exit status: 0 a message, 1 the stream is broken, failed or cut, 2 usage or
    unreadable input.

    With --follow a terminal shows parts, calls and arguments as they come, tokens per second,
    pauses, and at the end what the stream has come to; tokens that are not known from usage are
    estimated, and marked by a tilde. Where stdout is that terminal, too, the message is not
    printed again, unless --format json asks for it.

    With --many each stream, named by runId and messageId, becomes a line when it ends. A finding
    says of which stream it is, and harms no other; the exit status is 1 then. Gaps in seq are not
    looked for.

    With --run each message becomes a line, in order; --from ai-sdk and others of partwire formats
    that have streams are runs. What a message does not say of such a stream goes to stderr.

    \b
    Examples:
      partwire assemble deltas.jsonl
      partwire assemble --many today.jsonl.gz > messages.jsonl
      partwire assemble --follow recording.sse
      partwire assemble --from openai recording.sse.gz
      partwire assemble --from ai-sdk chat.sse
    """
    source, results = Source(file), Results(output_format)
    of_one = {"--snapshots": snapshots, "--follow": follow, "--rate": rate}
    if many:
        of_one |= {"--partial": partial, f"--from {dialect}": dialect not in (None, DELTAS)}
        _refuse("--many", {**of_one, "--run": run})
        ctx.exit(_assemble_many(source, results))
    if run or dialect in STREAM_FORMATS:
        of_one |= {f"--from {dialect}": dialect in PROVIDER_DIALECTS}
        _refuse("--run" if run else f"--from {dialect}", of_one)
        said.refuse_for(dialect or DELTAS)
        ctx.exit(_assemble_run(source, dialect, said.run_id, results, partial=partial))
    deltas = DeltaStream(source, dialect, said, _DIALECTS, tell=results.finding)
    assembler = MessageAssembler()
    line = None
    gaps = SeqGaps()
    show = follower(follow, is_paced=rate is not None)
    pause = 1 / rate if follow and rate else 0.0
    try:
        with show.view(), results.drawn_over(show):
            for line, delta in deltas:
                assembler.consume(delta)
                for finding in gaps.note(delta.seq):
                    results.finding(finding._replace(source=source.label, line=line))
                if snapshots:
                    results.message(dump(assembler.snapshot()))
                show.show(delta)
                if pause:
                    time.sleep(pause)
        assembler.close()
        message = dump(assembler.build_final_message())
        if not (show.is_drawn and results.for_people):  # who looks has seen it
            results.message(message)
    except UsageError:
        raise
    except PartwireError as error:
        if ctx.find_root().params.get("debug"):
            raise
        if partial:
            _print_partial(assembler, results)
        else:
            error = _with_advice(error, source)
        results.error(located(error, source, line))
        ctx.exit(EXIT_FINDINGS)


def _refuse(name: str, given: dict[str, Any]) -> None:
    for option, is_given in given.items():
        if is_given:
            raise click.UsageError(f"{name} takes no {option}: it is for one stream.")


def _assemble_run(
    source: Source, dialect: str | None, run_id: str, results: Results, *, partial: bool
) -> int:
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
            results.message(dump(message))
    for problem in problems or [*assembler.failures, *assembler.cuts]:
        advised = problem if partial else _with_advice(problem, source)
        results.error(located(advised, source, None))
    if stream is not None:
        results.losses([loss.to_wire() for loss in stream.losses])
    return EXIT_FINDINGS if problems or assembler.failures or assembler.cuts else 0


def _feed(assembler: RunAssembler, source: Source) -> None:
    for document in source.documents():
        try:
            assembler.feed(decode_json(document.data))
        except PartwireError as error:
            raise located(error, source, document.line) from None


def _assemble_many(source: Source, results: Results) -> int:
    """Print a message for each stream, and what is wrong; return the exit status."""
    streams, status = StreamsAssembler(), 0
    for chunk in read_chunks(source.name):
        status |= _print_assembled(streams.feed(chunk), source, results)
    return status | _print_assembled(streams.finish(), source, results)


def _print_assembled(assembled: list[Assembled], source: Source, results: Results) -> int:
    status = 0
    for result in assembled:
        if result.error is None:
            results.message(result.message_json)
            continue
        status = EXIT_FINDINGS
        where = "" if result.run_id is None else f"in run {clip(result.run_id)}"
        if result.message_id is not None:
            where += f", message {clip(result.message_id)}"
        for finding in result.error.findings:
            actual = ", ".join(filter(None, (finding.actual, where))) or None
            results.finding(finding._replace(source=source.label, actual=actual))
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


def _print_partial(assembler: Any, results: Results) -> None:
    if assembler.status in ("started", "error"):
        results.message(dump(assembler.build_partial()))
