"""How ``partwire validate`` gets through its sources: block by block, findings in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...errors import Finding, PartwireError, ReadError, counted
from ...files.documents import Document, is_json
from ...files.inputs import Source, Span
from ...providers.framing.jsonlines import LineBlock
from ...reading.pipeline import Binding
from ...reading.undeclared import UnknownMembers
from ...reporting.run import CUT
from ..report.options import CommandReport
from .progress import progress

__all__ = [
    "SPAN_BYTES",
    "Asked",
    "Outcome",
    "Task",
    "jobs_for",
    "outcomes",
    "placed",
    "validate_sources",
]

SPAN_BYTES = 2 << 20
"""How much of a large file one task is."""

_JOB_BYTES = 32 << 20  # what one process reads in the time that it takes to start another
_SOURCE_BYTES = 8 << 10  # … and what it reads in the time that it takes to begin with a file
_MOST_JOBS = 8  # beyond that, one process does not know what the others find
_BLANK = b" \t\r"


class Task(NamedTuple):
    """A source, or a span of a large one, and the type of its documents."""

    name: str
    type: str
    version: str
    span: Span | None = None
    is_file: bool = False
    """Whether another process can read it as well."""
    most: int | None = None
    """How many findings of one document are reported; its check stops there."""
    unknown: UnknownMembers = "ignore"


class Outcome(NamedTuple):
    """What a part of a task has come to; the lines of a task's findings begin with 1.

    ``problem`` says why the rest of the task cannot be read.
    """

    documents: int
    lines: int
    size_bytes: int
    findings: list[Finding]
    problem: tuple[Finding, ...] = ()


class Asked(NamedTuple):
    """What the documents of a source are held against; of each, ``most`` findings are reported."""

    binding: Binding
    most: int | None = None
    unknown: UnknownMembers = "ignore"


class Plan(NamedTuple):
    """A source with its tasks in order, or why there are none."""

    source: Source
    tasks: Sequence[Task]
    error: PartwireError | None = None


Outcomes = Callable[[Task], Iterator[Outcome]]


def outcomes(task: Task) -> Iterator[Outcome]:
    """Validate a task, and say after each block what it has come to."""
    binding = Binding.of(task.type, task.version)
    try:
        for block in Source(task.name).blocks(task.span):
            if isinstance(block, Document):
                yield _document_outcome(block, binding, task)
            else:
                yield _block_outcome(block, binding, task)
    except ReadError as error:  # it can be read, and is not what it should be
        yield Outcome(0, 0, 0, list(error.findings))
    except PartwireError as error:
        yield Outcome(0, 0, 0, [], error.findings)


def _document_outcome(document: Document, binding: Binding, task: Task) -> Outcome:
    data = document.data
    if binding.is_clean(data, task.unknown):
        return Outcome(1, 0, len(data), [])
    found = document_findings(data, binding, task)
    if found[:1] and found[0].rule == "document/invalid-json" and is_json(data.split(b"\n", 1)[0]):
        expected = "one document; a file with one in each line is named .jsonl"
        found = [found[0]._replace(expected=expected)]
    found = [placed(each, document, is_kept=task.is_file) for each in found]
    return Outcome(1, 0, len(data), found)


def placed(finding: Finding, document: Document, *, is_kept: bool) -> Finding:
    """Return a finding of a document with its place in the source.

    ``is_kept``: the source is a file, which the report reads again for the line of a pointer.
    """
    line = document.line
    if document.is_yaml or (line is None and not is_kept):
        line = document.position(finding.pointer).line
    return finding._replace(pointer=f"{document.pointer}{finding.pointer}", line=line)


def document_findings(data: bytes, binding: Binding, task: Task | Asked) -> list[Finding]:
    """Return the findings of a document, and one that says so where there are more."""
    most = task.most
    found, is_cut = binding.findings_within(data, most, unknown=task.unknown)
    if is_cut:
        number = counted(most or 0, "finding")
        message = f"The check of this document stopped at {number}: it has more"
        found.append(Finding(CUT, message, expected=f"at most {number}, or more --max-findings"))
    return found


def _block_outcome(block: LineBlock, binding: Binding, task: Task) -> Outcome:
    lines = block.lines
    blank = 0
    found: list[Finding] = []
    was_valid = False
    for index in binding.refused(lines):
        line = lines[index].removesuffix(b"\n").removesuffix(b"\r")
        if not line.strip(_BLANK):
            blank += 1
            continue
        # Lines are refused for the same reason as the one before: what that was is tried first.
        if was_valid and binding.is_clean(line, task.unknown):
            continue
        number = block.number + index
        seen = document_findings(line, binding, task)
        was_valid = not seen
        found += [_at(each, each.source, number) for each in seen]
    return Outcome(len(lines) - blank, len(lines), block.size_bytes, found)


def validate_sources(
    sources: Sequence[Source],
    asked_of: Callable[[Source], Asked],
    report: CommandReport,
    jobs: int,
) -> None:
    """Validate the sources in order, with at most ``jobs`` processes.

    One unreadable source must not hide what is wrong with the others: what ``asked_of`` raises
    for a source is reported in its turn.
    """
    plans = (_plan(source, asked_of, split=jobs > 1) for source in sources)
    if jobs == 1:
        for plan in plans:
            _tell(plan, outcomes, report)
        return
    from .workers import Workers  # noqa: PLC0415 - only a large run needs processes

    planned = list(plans)
    with Workers([task for plan in planned for task in plan.tasks], jobs) as workers:
        for plan in planned:
            _tell(plan, workers.outcomes, report)


def jobs_for(sources: Sequence[Source]) -> int:
    """Return how many processes are worth their start: one for each core, with enough to do."""
    sizes = [source.size_bytes() or 0 for source in sources]
    work = sum(sizes) + _SOURCE_BYTES * len(sizes)
    return max(1, min(_cores(), _MOST_JOBS, work // _JOB_BYTES))


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def _plan(source: Source, asked_of: Callable[[Source], Asked], *, split: bool) -> Plan:
    try:
        binding, most, unknown = asked_of(source)
    except PartwireError as error:
        return Plan(source, (), error)
    family, name, version = binding.type
    size = source.size_bytes()
    whole = Task(source.name, f"{family}.{name}", version, None, size is not None, most, unknown)
    if not split or size is None or size <= SPAN_BYTES or not source.can_be_split():
        return Plan(source, [whole])
    begins = range(0, size, SPAN_BYTES)
    # The last span goes to the end of the file, which may have grown.
    spans = [Span(begin, begin + SPAN_BYTES) for begin in begins[:-1]] + [Span(begins[-1], None)]
    return Plan(source, [whole._replace(span=span) for span in spans])


def _tell(plan: Plan, outcomes_of: Outcomes, report: CommandReport) -> None:
    """Give the report what the tasks of a source come to, as it comes."""
    if plan.error is not None:
        report.cannot_read(plan.error)
        return
    report.begin_source(plan.source.label)
    with progress(plan.source) as advance:
        before = 0
        for index, task in enumerate(plan.tasks):
            lines = 0
            for outcome in outcomes_of(task):
                report.totals.documents += outcome.documents
                for finding in outcome.findings:
                    tell = report.cut if finding.rule == CUT else report.add
                    tell(_placed(finding, plan.source, before))
                lines += outcome.lines
                advance(outcome.size_bytes)
                if outcome.problem:
                    found = [_placed(finding, plan.source, before) for finding in outcome.problem]
                    report.cannot_read(PartwireError(*found))
                    for rest in plan.tasks[index + 1 :]:
                        deque(outcomes_of(rest), maxlen=0)
                    return
            before += lines


def _placed(finding: Finding, source: Source, lines_before: int) -> Finding:
    return _at(finding, source.label, finding.line and finding.line + lines_before)


def _at(finding: Finding, source: str | None, line: int | None) -> Finding:
    """Return a finding with its place; several times as fast as ``_replace``."""
    rule, message, pointer, severity, expected, actual, _, _ = finding
    return Finding(rule, message, pointer, severity, expected, actual, source, line)
