"""A message of each recorded stream, where a file is one: as a provider has sent it, or as a
RecordingModel has written it.

A task takes whole files, and each file by itself: there is nothing to be brought together.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any, Final

from ...contract.times import text_of
from ...errors import Finding, ReadError, bad_argument, printable
from ...files.limits import CHUNK_BYTES
from ...model.recording_format import is_header
from ...providers import ADAPTERS, open_adapter
from ...providers.adapt import detect_dialect
from ...providers.core.sniff import dialect_named
from ..inputs import written_ms
from ..lines import LongLine, blocks
from ..operations import RECORDINGS, Assemble
from ..outputs import Outputs, quarantined, too_long
from ..plan import Part, Plan
from ..remote import is_url
from ..steps import Done, Step, Steps, Totals
from ..store import Store
from .file_lines import FileLines, SeenLine
from .recorded_model import take_recording
from .recorded_provider import take_stream

__all__ = ["Recorded", "check_recorded"]

_LOOKED_AT: Final = (8 << 20) // CHUNK_BYTES  # chunks, in which a file has to show its dialect


def check_recorded(options: Assemble) -> None:
    """Raise UsageError for options that are wrong."""
    if options.source != RECORDINGS:
        dialect_named(options.source, ADAPTERS)
    if options.on_unknown != "refuse":
        what = "Streams that were recorded have no deltas of unknown kinds"
        raise bad_argument(what, "on_unknown with deltas alone", options.on_unknown)


@dataclass(frozen=True)
class Recorded:
    """One run over a plan whose inputs are recorded streams."""

    plan: Plan
    target: Store
    work: Path
    options: Assemble

    def steps(self) -> Steps:
        """Return the step."""
        done: list[Done] = yield Step(
            "read", len(self.plan.tasks), self.take, Done, are_results=True
        )
        return sum((each.totals for each in done), Totals())

    def take(self, task: int) -> Done:
        """Take the files of a task."""
        totals = Totals()
        with Outputs(self.target, self.work, f"{task:06}", self.plan.compress) as outputs:
            for part in self.plan.tasks[task]:
                _File(self.plan, part, self.options, outputs, totals).take()
            return Done(outputs.put(), totals)


class _File:
    """One file, and what becomes of it."""

    def __init__(
        self, plan: Plan, part: Part, options: Assemble, outputs: Outputs, totals: Totals
    ) -> None:
        self._plan = plan
        self._part = part
        self._options = options
        self._outputs = outputs
        self._totals = totals
        self._input = plan.inputs[part.source]
        self._damage: Finding | None = None

    def take(self) -> None:
        """Take it."""
        chunks = self._chunks()
        source = self._options.source
        if source != RECORDINGS:
            self._take_stream(dialect_named(source, ADAPTERS), chunks)
            return
        begun = list(islice(chunks, 1))
        if begun and is_header(begun[0].partition(b"\n")[0]):
            self._take_recording()
            return
        dialect, looked_at = detect_dialect(islice(chain(begun, chunks), _LOOKED_AT))
        self._take_stream(dialect, chain(looked_at, chunks))

    def _chunks(self) -> Iterator[bytes]:
        """Yield the bytes; where their compression is damaged, up to there."""
        try:
            yield from self._plan.chunks(self._part)
        except ReadError as error:
            self._damage = error.findings[0]

    # --- a provider's stream ----------------------------------------------------------------------

    def _take_stream(self, dialect: str | None, chunks: Iterator[bytes]) -> None:
        lines, totals = FileLines(), self._totals
        if dialect is None or dialect not in ADAPTERS:
            for chunk in chunks:
                for _ in lines.pieces(chunk):
                    pass
            self._put_aside(lines, self._damage or _undetected(dialect))
            return
        time = text_of(written_ms(self._input))  # a recording does not say times
        adapter = open_adapter(dialect, self._run_id, clock=lambda: time)
        taken = take_stream(chunks, lines, adapter, self._options.max_line_bytes)
        wrong = taken.wrong
        if self._damage is not None:
            wrong = lines.next if wrong is None else wrong[0], self._damage
        if taken.message is None or (taken.is_nothing and not self._shows(dialect)):
            self._put_aside(lines, _why_nothing(dialect, None if wrong is None else wrong[1]))
            return
        self._outputs.write("messages", taken.message)
        totals.made += 1
        totals.lines += lines.lines
        totals.blank += lines.blank
        totals.used += lines.filled if wrong is None else wrong[0].before
        for rule in taken.warned:
            self._count(f"warning {rule}")
        if wrong is not None:
            self._quarantine(*wrong, lines.filled - wrong[0].before)

    def _shows(self, dialect: str) -> bool:
        """Tell whether an event of the dialect is there, though nothing has come of it."""
        return detect_dialect(islice(self._chunks(), _LOOKED_AT))[0] == dialect

    def _put_aside(self, lines: FileLines, finding: Finding) -> None:
        """Put all lines of the file aside."""
        self._totals.lines += lines.lines
        self._totals.blank += lines.blank
        if not lines.filled and self._damage is None:
            finding = Finding("document/empty", "There is nothing in the file")
        self._quarantine(lines.first, finding, lines.filled)

    def _quarantine(self, line: SeenLine, finding: Finding, lines: int) -> None:
        """Put a line and those behind it aside, in one row."""
        if line.length > len(line.head):
            row = too_long(LongLine(0, line.number, line.length, line.head), finding)
        else:
            row = quarantined(line.head.rstrip(b"\r\n"), finding)
        self._note(row, line.number, lines)

    def _note(self, row: dict[str, Any], number: int, lines: int) -> None:
        self._outputs.note("quarantine", {**row, "lines": lines}, self._input.name, number)
        self._totals.quarantined += lines

    def _count(self, name: str) -> None:
        self._totals.counts[name] = self._totals.counts.get(name, 0) + 1

    @property
    def _run_id(self) -> str:
        """The name of the file below the folder that all inputs are in."""
        name = self._input.name
        if not is_url(name):
            name = PurePath(os.path.normpath(name)).as_posix()
        if self._plan.base not in ("", "."):
            name = name.removeprefix(self._plan.base).lstrip("/")
        return printable(name)

    # --- a file of a RecordingModel ---------------------------------------------------------------

    def _take_recording(self) -> None:
        most = self._options.max_line_bytes
        taken = take_recording(blocks(self._chunks(), self._part.source, most), self)
        totals = self._totals
        totals.lines += taken.lines
        totals.blank += taken.blank
        totals.used += taken.used
        if self._damage is not None:
            self._note(quarantined(b"", self._damage), taken.lines + 1, 0)

    def message(self, text: bytes) -> None:
        """Write a message of a recording."""
        self._outputs.write("messages", text)
        self._totals.made += 1

    def unanswered(self) -> None:
        """Count a stream of a recording that has nothing in it."""
        self._count("streams without deltas")

    def quarantine(self, row: dict[str, Any], number: int, lines: int) -> None:
        """Put lines of a recording aside, in one row."""
        self._note(row, number, lines)


def _undetected(dialect: str | None) -> Finding:
    return Finding(
        "adapter/wrong-dialect",
        "No event shows which dialect this is: name it by --from",
        expected=f"one of {', '.join(ADAPTERS)}, or a file of a RecordingModel",
        actual=dialect,
    )


def _why_nothing(dialect: str, found: Finding | None) -> Finding:
    if found is not None and found.severity == "error":
        return found
    message = "The file does not have an event of the dialect"
    actual = None if found is None else found.message
    return Finding("adapter/wrong-dialect", message, expected=dialect, actual=actual)
