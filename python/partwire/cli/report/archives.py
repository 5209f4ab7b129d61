"""What people and programs see of a run over an archive: how far it is, and what has come of it."""

from __future__ import annotations

import json
import math
import shutil
import sys
import time
from collections import Counter
from typing import Any, Final

import click
import msgspec

from ...reporting.words import one_line
from .render import emit_json, is_terminal

__all__ = ["RunProgress", "print_cost", "print_summary"]

_EACH_SECONDS: Final = 0.5
_REASON_ROWS: Final = 10_000
_REASON_BYTES: Final = 64 << 20
_MANY_CUT: Final = 0.5
_MOST_REASONS: Final = 5


class RunProgress:
    """How far a run is, on stderr: a line that is drawn again on a terminal, else JSON."""

    def __init__(self, plan: Any) -> None:
        self._is_terminal = is_terminal(err=True)
        self._tasks = len(plan.tasks)
        self._bytes = sum(each.size for each in plan.inputs)
        self._begin = self._last = time.monotonic()
        self._step = ""
        self._begun = 0.0
        self._first = 0
        self._drawn = False

    def __call__(self, step: Any, done: int) -> None:
        """Show how many tasks of a step are done, not more often than people can see."""
        now = time.monotonic()
        if step.name != self._step:
            self._step, self._begun, self._first = step.name, now, done
        elif now - self._last < _EACH_SECONDS and done < step.tasks:
            return
        self._last = now
        spent = now - self._begun
        rate = (done - self._first) / spent if spent > 0 else 0.0
        left = (step.tasks - done) / rate if rate else None
        # Of a step that takes the inputs again; others have tasks of another size.
        bytes_per_second = 0.0
        if rate and step.tasks == self._tasks:
            bytes_per_second = rate * self._bytes / self._tasks
        if not self._is_terminal:
            row = {"step": step.name, "done": done, "tasks": step.tasks, "seconds": round(spent, 1)}
            if left is not None:
                row["left"] = round(left, 1)
            if bytes_per_second:
                row["bytesPerSecond"] = round(bytes_per_second)
            click.echo(json.dumps(row), err=True)
            return
        share = done / step.tasks if step.tasks else 1.0
        speed = f"  {_size(bytes_per_second)}/s" if bytes_per_second else ""
        remaining = ""
        if left is not None and done < step.tasks:
            remaining = f"  {_duration(math.ceil(left))} left"
        bar = "#" * int(share * 30)
        line = f"{step.name:8} [{bar:-<30}] {share:4.0%}{speed}{remaining}"
        # A line that is wrapped could not be drawn again.
        sys.stderr.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()
        self._drawn = True

    def end(self) -> None:
        """Leave the line."""
        if self._drawn:
            sys.stderr.write("\n")
            self._drawn = False


def print_summary(
    summary: Any, target: str, documents: tuple[str, ...], output_format: str | None
) -> None:
    """Print what has come of a run; ``documents`` are files in the target beside tables."""
    if not _is_for_people(output_format):
        emit_json(msgspec.json.encode(summary))
        return
    totals = summary.totals
    rows = [
        ("lines", totals.lines),
        ("  used", totals.used),
        ("  blank", totals.blank),
        ("  repeats", totals.repeats),
        ("  left out", totals.left_out),
        ("  quarantined", totals.quarantined),
        *sorted(totals.counts.items()),
    ]
    width = max(24, *(len(name) for name, _ in rows))
    for name, count in rows:
        if count or not name.startswith(" "):
            click.echo(f"{name:{width}} {count:>14,}")
    target = target.rstrip("/")
    for name, table in sorted(summary.tables.items()):
        files = _counted(len(table.files), "file")
        rows_of = _counted(table.rows, "row")
        click.echo(f"{target}/{name}: {rows_of}, {_size(table.stored)} in {files}")
        if name == "quarantine" and table.rows:
            _print_reasons(target)
    for name in documents:
        click.echo(f"{target}/{name}")
    _print_passed_over(summary.passed_over, "")
    click.echo(f"{_duration(summary.seconds)}")


class _Aside(msgspec.Struct):
    """A row of the table quarantine, as far as people are shown it."""

    rule: str
    message: str
    source: str = ""
    line: int = 0


def _print_reasons(target: str) -> None:
    """Print why lines were put aside: of the first rows, which do not take long to read."""
    from ...archive.readers import read_table  # noqa: PLC0415

    firsts: dict[str, _Aside] = {}
    counts: Counter[str] = Counter()
    room = _REASON_BYTES
    for row in read_table(target, "quarantine"):
        if counts.total() == _REASON_ROWS or room < 0:
            click.echo(f"  of the first {_counted(counts.total(), 'row')}:")
            break
        aside = msgspec.json.decode(row, type=_Aside)
        firsts.setdefault(aside.rule, aside)
        counts[aside.rule] += 1
        room -= len(row)
    width = max(map(len, counts))
    for rule, count in counts.most_common(_MOST_REASONS):
        first = firsts[rule]
        said = one_line(f"{first.source}:{first.line}: {first.message}")
        click.echo(f"  {rule:{width}} {count:>6,}, first {said}")


def print_cost(cost: Any, output_format: str | None) -> None:
    """Print what a run would cost."""
    if not _is_for_people(output_format):
        emit_json(msgspec.json.encode(cost))
        return
    click.echo(f"inputs       {cost.inputs:,} of {_size(cost.size)}")
    _print_passed_over(cost.passed_over, " " * 13)
    click.echo(f"lines        about {cost.lines:,}")
    click.echo(f"tasks        {cost.tasks:,}")
    click.echo(f"disk         about {_size(cost.disk)} of results and {_size(cost.work)} meanwhile")
    with_jobs = f"{_duration(cost.seconds)} with --jobs {cost.jobs}"
    hours = f"about {cost.core_hours:.3g}" if cost.core_hours >= 0.001 else "less than 0.001"
    click.echo(f"core-hours   {hours} ({with_jobs})")
    if cost.cut > _MANY_CUT:
        click.echo(
            f"too high     {cost.cut:.0%} of the streams in the tried part end elsewhere:"
            f"\n{' ' * 13}what they take is counted for each part that they are in"
        )


def _print_passed_over(passed_over: Any, margin: str) -> None:
    if passed_over.files:
        names = ", ".join(map(one_line, passed_over.first))
        more = ", …" if passed_over.files > len(passed_over.first) else ""
        click.echo(f"{margin}{_counted(passed_over.files, 'file')} passed over: {names}{more}")


def _is_for_people(output_format: str | None) -> bool:
    return is_terminal(err=False) if output_format is None else output_format == "text"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _size(number: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02} min"
