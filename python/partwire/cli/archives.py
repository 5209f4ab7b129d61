"""What all commands over archives have: their options, and how a run is begun."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec
from click.core import ParameterSource

from ..errors import Finding, UsageError, bad_argument
from ..files.limits import document_bytes
from .files.signals import ending_cleanly
from .options import gathered, jobs_option
from .report.archives import RunProgress, print_cost, print_summary
from .report.render import EXIT_FINDINGS, emit_problems, is_terminal, keep_problem

__all__ = ["PLANNED", "ArchiveSaid", "archive_options", "go"]

PLANNED: Final = "partwire.archive.planned"
"""In the meta of a context: the run is planned, and not done."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?) ?([KMG]?)i?B?", re.IGNORECASE)
_LEAST_MEMORY: Final = 64 << 20


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
    jobs_option("one for each core", "as many as --memory has room for"),
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
    is_planned = said.dry_run or PLANNED in ctx.meta
    if said.engine == "spark":
        _refuse_for_spark(ctx, is_planned)
    run = _run_of(said, options)
    if is_planned:
        print_cost(run.cost(), said.output_format)
        return
    if run.was_begun and not said.resume:
        raise _begun(said.target)
    show = RunProgress(run.plan)
    with ending_cleanly():
        try:
            summary = run.go(show)
        except KeyboardInterrupt:
            show.end()
            if is_terminal(err=True):
                click.echo("What is done is kept: --resume goes on.", err=True)
            raise
        except UsageError as error:
            if error.rule != "archive/lines-lost":
                raise
            show.end()
            keep_problem(error)
            emit_problems(ctx, EXIT_FINDINGS)
            ctx.exit(EXIT_FINDINGS)
        finally:
            show.end()
    print_summary(summary, said.target, documents, said.output_format)
    if summary.totals.counts.get("invalid"):
        ctx.exit(EXIT_FINDINGS)


def _refuse_for_spark(ctx: click.Context, is_planned: bool) -> None:
    """Refuse what would do nothing on Spark, or say what is not true of it."""
    if is_planned:
        what = "A plan tries a part of the work as one machine does it, not Spark"
        raise bad_argument(what, "plan or --dry-run without --engine spark", "--engine spark")
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
