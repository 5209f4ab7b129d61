"""What a file holds, on a terminal: a stream is played, and messages are printed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from ...errors import PartwireError, UsageError
from ...files.documents import Document
from ...files.inputs import Source
from ...formats import RunAssembler
from ...json.text import decode_json
from ...message import MessageAssembler
from ...reading.pipeline import dump, read
from ..files.format_streams import STREAM_FORMATS, FormatStream
from ..files.stream_check import SeqGaps
from ..files.streams import DELTAS, PROVIDER_DIALECTS, DeltaStream, StreamSaid, located
from ..report.render import EXIT_FINDINGS
from .follow import terminal_view
from .results import Results

__all__ = ["MESSAGES", "inspect_terminal"]

MESSAGES: Final = ("message", "history")
"""What holds messages, beside streams."""


def inspect_terminal(
    source: Source,
    dialect: str | None = None,
    said: StreamSaid | None = None,
    rate: float | None = None,
    results: Results | None = None,
) -> int:
    """Show a file on stdout as people read it; return the exit status: 0, or 1 where a stream is
    broken, failed or cut. ``results`` takes what is wrong.

    Deltas and a provider's stream are played, at most ``rate`` deltas a second, as ``assemble
    --follow`` does; messages and histories of them are printed, and so are the messages of a run of
    a format (``dialect`` is its name). Without ``dialect`` the file shows what it is, and stdin is
    a stream. Raises UsageError for what cannot be read, and ``usage/unknown-dialect`` for anything
    else.
    """
    results = results or Results(shows=True)
    said = said or StreamSaid()
    if dialect in STREAM_FORMATS:
        return _show_run(source, dialect, said.run_id, results)
    if dialect in MESSAGES:
        return _show_messages(source, source.documents(), results)
    defect = None
    if dialect is None:
        try:
            messages = _messages(source)
        except PartwireError as error:
            messages, defect = None, error
        if messages is not None:
            return _show_messages(source, messages, results)
    known = (DELTAS, *PROVIDER_DIALECTS, *MESSAGES)
    try:
        return _play(
            source, DeltaStream(source, dialect, said, known, tell=results.finding), results, rate
        )
    except UsageError as error:
        if defect is None or error.findings[0].rule != "usage/unknown-dialect":
            raise
        # It is not a stream, and what is wrong with it as a document says more.
        results.error(located(defect, source, None))
        return EXIT_FINDINGS


def _play(source: Source, deltas: DeltaStream, results: Results, rate: float | None) -> int:
    assembler, gaps, line = MessageAssembler(), SeqGaps(), None
    show = terminal_view(err=False, is_paced=rate is not None)
    try:
        with show.view(), results.drawn_over(show):
            for line, delta in deltas:
                assembler.consume(delta)
                for finding in gaps.note(delta.seq):
                    results.finding(finding._replace(source=source.label, line=line))
                show.show(delta)
                if rate:
                    time.sleep(1 / rate)
        assembler.close()
    except UsageError:
        raise
    except PartwireError as error:
        results.error(located(error, source, line))
        return EXIT_FINDINGS
    return EXIT_FINDINGS if assembler.status == "error" else 0


def _show_messages(source: Source, documents: Iterator[Document], results: Results) -> int:
    status = 0
    try:
        for document in documents:
            try:
                results.message(dump(read(document.data, "message.Message", "tolerant")))
            except PartwireError as error:
                results.error(located(error, source, document.line))
                status = EXIT_FINDINGS
    except UsageError:
        raise
    except PartwireError as error:  # what follows cannot be cut into documents
        results.error(error)
        return EXIT_FINDINGS
    return status


def _show_run(source: Source, name: str, run_id: str, results: Results) -> int:
    assembler, stream = RunAssembler(), FormatStream(source, name, run_id)
    problems = list[PartwireError]()
    try:
        assembler.feed_all(stream)
    except UsageError:
        raise
    except PartwireError as error:
        problems.append(error)
    for message in assembler.finish():
        results.message(dump(message))
    problems = problems or [*assembler.failures, *assembler.cuts]
    for problem in problems:
        results.error(located(problem, source, None))
    results.losses([loss.to_wire() for loss in stream.losses])
    return EXIT_FINDINGS if problems else 0


def _messages(source: Source) -> Iterator[Document] | None:
    """Return the documents of a file whose first one is a message; stdin is taken as a stream.

    Raises PartwireError for what is not a document.
    """
    if source.size_bytes() is None:
        return None
    with source.entries() as entries:
        first = next(iter(entries.documents()), None)
        value: Any = None if first is None else decode_json(first.data)
    if isinstance(value, dict) and {"role", "parts"} <= value.keys():
        return source.documents()
    return None
