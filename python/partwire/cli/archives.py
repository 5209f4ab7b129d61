"""What all commands over archives have: options, the way of a run to the screen, its summary."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec
from click.core import ParameterSource

from ..errors import Finding, UsageError, bad_argument
from ..files.limits import document_bytes
from ..reporting.words import one_line
from .files.signals import ending_cleanly
from .options import gathered
from .report.render import EXIT_FINDINGS, emit_json, is_terminal

__all__ = ["PLANNED", "ArchiveSaid", "archive_options", "go"]

PLANNED: Final = "partwire.archive.planned"
"""In the meta of a context: the run is planned, and not done."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?) ?([KMG]?)i?B?", re.IGNORECASE)
_EACH_SECONDS: Final = 0.5
_LEAST_MEMORY: Final = 64 << 20
_REASON_ROWS: Final = 10_000
_REASON_BYTES: Final = 64 << 20
_MOST_REASONS: Final = 5


class _Size(click.ParamType[int]):
    """A number of bytes, such as 512MB."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(value.strip())
        if found is None:
            self.fail(f"{value!r} is not a size, such as 512MB or 2GB.", param, ctx)
        size = int(float(found[1]) * _UNITS[found[2].upper()])
        if size < _LEAST_MEMORY:
            self.fail(f"{value} is less than one process takes; 64MB is enough.", param, ctx)
        return size


@dataclass(frozen=True)
class ArchiveSaid:
    """What a caller says of a run."""

    sources: tuple[str, ...]
    target: str
    jobs: int | None
    memory: int
    compress: str | None
    work: str | None
    resume: bool
    dry_run: bool
    engine: str
    master: str | None
    output_format: str | None


_OPTIONS: Final = (
    click.argument("sources", metavar="SRC...", nargs=-1, required=True),
    click.argument("target", metavar="DST"),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        envvar="PARTWIRE_JOBS",
        show_envvar=True,
        help="Processes that share the work, as many as --memory has room for.  "
        "[default: one for each core]",
    ),
    click.option(
        "--memory",
        type=_Size(),
        default="512MB",
        show_default=True,
        metavar="SIZE",
        help="How much memory all processes together may take; what does not fit goes to disk. "
        "Not for --engine spark.",
    ),
    click.option(
        "--compress",
        type=click.Choice(["zstd", "gzip", "none"]),
        help="How the files of the tables are compressed.  [default: zstd where Python has "
        "a module for it, else none]",
    ),
    click.option(
        "--work",
        type=click.Path(file_okay=False),
        metavar="FOLDER",
        help="Where files are that only the run needs, on a disk of this machine; a run that goes "
        "on needs them too.  [default: DST, or the cache folder where DST is in an object store]",
    ),
    click.option("--resume", is_flag=True, help="Go on with a run that ended before its end."),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Print what the run would cost, tried on a part; write nothing (as archive plan).",
    ),
    click.option(
        "--engine",
        type=click.Choice(["embedded", "spark"]),
        default="embedded",
        show_default=True,
        help="What does the work: the processes of this machine, or Spark, which needs the extra "
        "partwire[spark], and SRC and DST where all its machines see them.",
    ),
    click.option(
        "--master",
        metavar="URL",
        envvar="SPARK_MASTER",
        show_envvar=True,
        help="The cluster of --engine spark.  [default: that of spark-submit, else this machine]",
    ),
    click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        help="For people, or JSON.  [default: text on a terminal, else json]",
    ),
)


def archive_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what all commands over archives take, one object to the command."""
    command = gathered(ArchiveSaid)(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def go(
    ctx: click.Context, said: ArchiveSaid, options: Any, documents: tuple[str, ...] = ()
) -> None:
    """Run an operation, show how far it is, and print what has come of it.

    ``documents`` are files for people that it makes in the target, beside tables.
    """
    from ..archive.operations import check_options  # noqa: PLC0415
    from ..archive.outputs import best_compression  # noqa: PLC0415

    check_options(options)  # before an engine is started
    compress = said.compress or best_compression()
    options = msgspec.structs.replace(options, max_line_bytes=document_bytes(), compress=compress)
    if said.engine == "spark":
        _refuse_for_spark(ctx, said)
    run = _run_of(said, options)
    if said.dry_run or ctx.meta.get(PLANNED):
        _print_cost(run.cost(), said)
        return
    if run.was_begun and not said.resume:
        raise _begun(said.target)
    show = _Progress(run.plan)
    with ending_cleanly():
        try:
            summary = run.go(show)
        except KeyboardInterrupt:
            show.end()
            if is_terminal(err=True):
                click.echo("What is done is kept: --resume goes on.", err=True)
            raise
        finally:
            show.end()
    for_people = (
        is_terminal(err=False) if said.output_format is None else said.output_format == "text"
    )
    if for_people:
        _print_summary(summary, said.target, documents)
    else:
        emit_json(msgspec.json.encode(summary))
    if summary.totals.counts.get("invalid"):
        ctx.exit(EXIT_FINDINGS)


def _refuse_for_spark(ctx: click.Context, said: ArchiveSaid) -> None:
    """Refuse what would do nothing on Spark, or say what is not true of it."""
    if said.dry_run:
        what = "--dry-run tries a part of the work as one machine does it, not Spark"
        raise bad_argument(what, "--dry-run without --engine spark", "--engine spark")
    if ctx.get_parameter_source("memory") is ParameterSource.COMMANDLINE:
        what = "The memory of Spark's processes is a setting of Spark"
        expected = "spark.executor.memory and spark.driver.memory, such as in spark-submit"
        raise bad_argument(what, expected, "--memory")


def _run_of(said: ArchiveSaid, options: Any) -> Any:
    # Each engine imports what only it needs.
    work = None if said.work is None else Path(said.work)
    if said.engine == "spark":
        from ..archive.spark.run import SparkRun  # noqa: PLC0415
        from ..archive.spark.session import session  # noqa: PLC0415

        spark = session(said.master, said.jobs)
        return SparkRun(spark, options, said.sources, said.target, work=work)
    from ..archive.run import ArchiveRun  # noqa: PLC0415

    return ArchiveRun(
        options, said.sources, said.target, jobs=said.jobs, memory=said.memory, work=work
    )


def _begun(target: str) -> UsageError:
    return UsageError(
        Finding(
            "archive/other-plan",
            "The target has results, or a run that ended before its end",
            expected="--resume, or a target that is empty",
            actual=target,
        )
    )


class _Progress:
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


def _print_summary(summary: Any, target: str, documents: tuple[str, ...]) -> None:
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
    click.echo(f"{_duration(summary.seconds)}")


class _Aside(msgspec.Struct):
    """A row of the table quarantine, as far as people are shown it."""

    rule: str
    message: str
    source: str = ""
    line: int = 0


def _print_reasons(target: str) -> None:
    """Print why lines were put aside: of the first rows, which do not take long to read."""
    from ..archive.readers import read_table  # noqa: PLC0415

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


def _print_cost(cost: Any, said: ArchiveSaid) -> None:
    if said.output_format == "json" or (said.output_format is None and not is_terminal(err=False)):
        emit_json(msgspec.json.encode(cost))
        return
    click.echo(f"inputs       {cost.inputs:,} of {_size(cost.size)}")
    click.echo(f"lines        about {cost.lines:,}")
    click.echo(f"tasks        {cost.tasks:,}")
    click.echo(f"disk         about {_size(cost.disk)} of results and {_size(cost.work)} meanwhile")
    with_jobs = f"{_duration(cost.seconds)} with --jobs {cost.jobs}"
    hours = f"about {cost.core_hours:.3g}" if cost.core_hours >= 0.001 else "less than 0.001"
    click.echo(f"core-hours   {hours} ({with_jobs})")


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
