"""``partwire conformance``: whether other implementations behave as the fixtures say."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import groupby
from typing import TYPE_CHECKING

import click

from ...extras import import_extra
from ..options import gathered
from ..report.options import ReportOptions, report_options
from ..report.usage import finite

if TYPE_CHECKING:
    from partwire_testing.conformance.report import Report
    from partwire_testing.conformance.respondent import Settings
    from partwire_testing.conformance.suites import Case

__all__ = ["conformance"]


@dataclass(frozen=True)
class _Asked:
    """Which drivers are asked what."""

    command: tuple[str, ...]
    suites: str | None
    versions: str | None
    cases: str | None
    known_failures: str | None
    timeout: float
    count: int | None
    seed: int | None


@click.command()
@click.argument("command", nargs=-1, metavar="[-- COMMAND ...]", type=click.UNPROCESSED)
@click.option("--suite", "suites", metavar="NAME,…", help="Only these suites.")
@click.option("--version", "versions", metavar="VERSION,…", help="Only these contract versions.")
@click.option("--case", "cases", metavar="GLOB", help="Only these cases, such as 'streams/late-*'.")
@click.option(
    "--known-failures",
    metavar="FILE",
    help="Runs that may fail: a JSON array of {implementation, case, reason}.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    default=10.0,
    show_default=True,
    help="Seconds that a run may take.",
)
@click.option(
    "--random",
    "count",
    type=click.IntRange(min=1),
    metavar="N",
    help="Not the cases but N generated runs, compared with what partwire answers.",
)
@click.option("--seed", type=int, help="Of --random, to ask the same again; else a new one.")
@report_options("html")
@click.pass_context
@gathered(_Asked)
def conformance(ctx: click.Context, asked: _Asked, reporting: ReportOptions) -> None:
    """Give every case of the fixtures to a program that speaks JSON Lines, and compare.

    With --random, input is generated instead: documents, streams, histories, and cases with
    something changed. What the driver answers is compared with what partwire answers, and the
    first difference of each kind is made as small as it gets.

    COMMAND starts a driver; several follow one another, each behind a --. Without one, partwire's
    own is run. Exit status 0: all that ran has passed. 1: something failed, or a known failure
    passes. 2: a driver could not be asked.

    \b
    Examples:
      partwire conformance -- node driver.js
      partwire conformance --suite streams,documents -- node driver.js -- ./driver
      partwire conformance --format html -- ./driver > report.html
      partwire conformance --random 10000 --seed 7 -- node driver.js
    """
    import_extra("partwire_testing", "testing", "The conformance suite")
    # The suite comes with its command: the others need not wait for it.
    from partwire_testing.conformance.known_failures import KnownFailures, read_known  # noqa: PLC0415
    from partwire_testing.conformance.report import Report  # noqa: PLC0415
    from partwire_testing.conformance.runner import Settings, try_driver  # noqa: PLC0415
    from partwire_testing.conformance.suites import select  # noqa: PLC0415

    from ..report.conformance import FORMS, show  # noqa: PLC0415

    _refuse_mixtures(asked)
    known = read_known(asked.known_failures) if asked.known_failures else KnownFailures()
    chosen = select(_names(asked.versions), _names(asked.suites))
    settings = Settings(timeout=asked.timeout)
    commands = list(_commands(asked.command))
    with reporting.open(forms=FORMS) as report:
        if asked.count is not None:
            result = _drawn(commands, asked.count, asked.seed, chosen, settings)
        else:
            if asked.cases is not None:
                chosen = [case for case in chosen if fnmatch(case.key, asked.cases)]
            places = tuple(dict.fromkeys((case.version, case.suite) for case in chosen))
            trial = tuple(try_driver(each, chosen, settings) for each in commands)
            result = Report(trial, places, known)
        show(result, report)
    ctx.exit(report.status)


def _refuse_mixtures(asked: _Asked) -> None:
    if asked.count is None and asked.seed is not None:
        raise click.UsageError("--seed is for --random.")
    is_of_cases = asked.cases is not None or asked.known_failures is not None
    if asked.count is not None and is_of_cases:
        raise click.UsageError("--case and --known-failures are for cases, not for --random.")


def _drawn(
    commands: list[list[str]],
    count: int,
    seed: int | None,
    chosen: list[Case],
    settings: Settings,
) -> Report:
    """Return what drivers make of generated runs, for the operations of the chosen cases."""
    from partwire_testing.conformance.drawn.trial import try_drawn  # noqa: PLC0415
    from partwire_testing.conformance.known_failures import KnownFailures  # noqa: PLC0415
    from partwire_testing.conformance.report import Report  # noqa: PLC0415
    from partwire_testing.conformance.runs import runs_of  # noqa: PLC0415

    if seed is None:
        seed = random.SystemRandom().randrange(1 << 32)
    operations = frozenset(run.operation for case in chosen for run in runs_of(case))
    versions = frozenset(case.version for case in chosen)
    trial = tuple(
        try_drawn(each, count, seed, operations=operations, versions=versions, settings=settings)
        for each in commands
    )
    ran = dict.fromkeys((each.version, each.suite) for one in trial for each in one.outcomes)
    return Report(trial, tuple(sorted(ran)), KnownFailures(), seed)


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _commands(words: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the commands between the dashes; partwire's own driver where there is none."""
    found = [
        list(group) for dashes, group in groupby(words, lambda word: word == "--") if not dashes
    ]
    yield from found or [[sys.executable, "-m", "partwire_testing.conformance.driver"]]
