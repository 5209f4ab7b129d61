"""``partwire validate --stream``: whole streams held against their grammar, every breach of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from ...blocks.chunk_state import ChunkState
from ...errors import (
    Finding,
    PartwireError,
    ReadError,
    StreamProtocolError,
    bad_argument,
    clip,
    counted,
)
from ...files.documents import Document
from ...files.inputs import Source
from ...json.text import decode_json
from ...message import Limits, MessageAssembler
from ...message.assembler.checks import Status, limit_exceeded, step_of
from ...message.assembler.lines import read_delta_line
from ...message.gate import gap_finding
from ...reading.pipeline import Binding, read
from ...reading.plain import whole_number
from ...reporting.run import CUT
from ..report.options import CommandReport
from .validation import Asked, document_findings, placed

__all__ = ["MOST_RUNS", "SeqGaps", "check_streams"]

_DELTA: Final = "message.MessageDelta"
_CHUNK: Final = "blocks.StreamChunk"

MOST_RUNS: Final = 1_000
"""How many runs of one source may be open at once: each holds what its message holds."""

_MOST_ENDED: Final = 10_000  # runs that are known to be over


class SeqGaps:
    """The seqs of one stream: says where one is missing, as DeltaGate does."""

    def __init__(self) -> None:
        self._next: int | None = None

    def note(self, seq: int) -> list[Finding]:
        """Take the seq of the next delta; return the warning, if any."""
        expected = self._next
        self._next = seq + 1 if expected is None else max(expected, seq + 1)
        return [] if expected is None or seq <= expected else [gap_finding(expected, seq)]


class _Check(Protocol):
    """The grammar of a source, whose lines are fed one after the other."""

    def feed(self, line: bytes, number: int | None) -> Iterator[Finding]:
        """Take a line, and yield warnings; raises PartwireError for one that breaks a rule."""
        ...

    def close(self) -> Iterator[Finding]:
        """Yield what is wrong since no more comes."""
        ...


class _Run:
    """One run that has started, and its last line."""

    def __init__(self) -> None:
        self.assembler = MessageAssembler()
        self.gaps = SeqGaps()
        self.line: int | None = None


class _DeltaCheck:
    """Deltas of any number of runs, one behind the other or mixed."""

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}
        self._ended: dict[str, Status] = {}

    def feed(self, line: bytes, number: int | None) -> Iterator[Finding]:
        try:
            delta = read_delta_line(line, "strict")
        except PartwireError:
            yield from self._gaps_at(line)
            raise
        run_id = delta.run_id
        if run_id in self._ended:
            step_of(self._ended[run_id], delta.kind, delta.seq)
        run = self._runs.get(run_id)
        if run is None:
            run = _Run()
            run.gaps.note(delta.seq)
            run.assembler.consume(delta)
            if len(self._runs) >= MOST_RUNS:
                raise limit_exceeded("runs", MOST_RUNS, delta.seq, "/runId")
            self._runs[run_id] = run
            run.line = number
        else:
            # What is refused has come all the same: behind it there is no gap.
            run.line = number
            yield from run.gaps.note(delta.seq)
            run.assembler.consume(delta)
        status = run.assembler.status
        if status != "started":
            del self._runs[run_id]
            self._ended[run_id] = status
            if len(self._ended) > _MOST_ENDED:
                del self._ended[next(iter(self._ended))]

    def _gaps_at(self, line: bytes) -> list[Finding]:
        """Return the gap before a line that is not a delta: its seq has come all the same."""
        try:
            value = decode_json(line)
        except PartwireError:
            return []
        head = value if isinstance(value, dict) else {}
        run, seq = self._runs.get(str(head.get("runId"))), whole_number(head.get("seq"))
        return [] if run is None or seq is None else run.gaps.note(seq)

    def close(self) -> Iterator[Finding]:
        for run_id, run in self._runs.items():
            where = f"run {clip(run_id)}"
            progress = run.assembler.progress()
            calls = [call.tool_call_id for call in progress.open_calls]
            if calls:
                said = f"{counted(len(calls), 'tool call')} still open"
                yield _left_open("stream/tool-call-open", said, calls, "tool_call_end", where, run)
            media = [each.media_id for each in progress.open_media]
            if media:
                said = f"Media is still open: {len(media)}"
                yield _left_open("stream/media-open", said, media, "media_end", where, run)
            try:
                run.assembler.close()
            except StreamProtocolError as error:
                (found,) = error.findings
                yield found._replace(actual=f"{found.actual}, in {where}", line=run.line)


def _left_open(rule: str, message: str, ids: list[str], end: str, where: str, run: _Run) -> Finding:
    """Report what a run has left open."""
    actual = f"open: {clip(ids[0])}, in {where}"
    return Finding(rule, message, expected=f"{end} for each", actual=actual, line=run.line)


class _ChunkCheck:
    """The chunks of one response."""

    def __init__(self) -> None:
        self._state = ChunkState(Limits())
        self._line: int | None = None

    def feed(self, line: bytes, number: int | None) -> Iterator[Finding]:
        self._line = number
        self._state.take(read(line, _CHUNK))
        yield from ()

    def close(self) -> Iterator[Finding]:
        if self._state.last is None:
            yield self._state.truncated().findings[0]._replace(line=self._line)


_CHECKS: Final[dict[str, Callable[[], _Check]]] = {_DELTA: _DeltaCheck, _CHUNK: _ChunkCheck}


def check_streams(
    sources: Sequence[Source], asked_of: Callable[[Source], Asked], report: CommandReport
) -> None:
    """Check each source as what a producer has written: one run or many, or one chunk stream.

    A line that is refused is dropped, and the check goes on: all that is wrong is reported. One
    unreadable source does not hide what is wrong with the others.
    """
    for source in sources:
        try:
            asked = asked_of(source)
            check = _check_of(asked.binding)
            report.begin_source(source.label)
            for document in source.documents():
                report.totals.documents += 1
                _tell(_line_findings(document, asked, check), source, report)
            _tell(check.close(), source, report)
        except ReadError as error:
            _tell(iter(error.findings), source, report)
        except PartwireError as error:
            report.cannot_read(error)


def _check_of(binding: Binding) -> _Check:
    family, name, _ = binding.type
    made = _CHECKS.get(f"{family}.{name}")
    if made is None:
        message = "Documents of this type make no stream"
        raise bad_argument(message, " or ".join(_CHECKS), f"{family}.{name}")
    return made()


def _line_findings(document: Document, asked: Asked, check: _Check) -> Iterator[Finding]:
    """Yield what is wrong with a line as a document, and then with its place in the stream."""
    line, number = document.data, document.line
    found: list[Finding] = []
    if not asked.binding.is_clean(line, asked.unknown):
        found = document_findings(line, asked.binding, asked)
    try:
        for warning in check.feed(line, number):
            found.append(warning)  # one by one: those before a refusal stay
    except StreamProtocolError as error:
        found += error.findings
    except PartwireError:
        pass  # no delta: what is wrong with the document says so
    for finding in found:
        yield placed(finding, document, is_kept=True)


def _tell(findings: Iterator[Finding], source: Source, report: CommandReport) -> None:
    for finding in findings:
        tell: Any = report.cut if finding.rule == CUT else report.add
        tell(finding._replace(source=source.label))
