"""``partwire conformance``: whether other implementations behave as the fixtures say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import groupby

import click

from .report_options import ReportOptions, report_options
from .usage import finite

__all__ = ["conformance"]


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
@report_options("html")
@click.pass_context
def conformance(
    ctx: click.Context,
    command: tuple[str, ...],
    suites: str | None,
    versions: str | None,
    cases: str | None,
    known_failures: str | None,
    timeout: float,
    reporting: ReportOptions,
) -> None:
    """Give every case of the fixtures to a program that speaks JSON Lines, and compare.

    COMMAND starts a driver; several follow one another, each behind a --. Without one, partwire's
    own is run. Exit status 0: all that ran has passed. 1: something failed, or a known failure
    passes. 2: a driver could not be asked.

    \b
    Examples:
      partwire conformance -- node driver.js
      partwire conformance --suite streams,documents -- node driver.js -- ./driver
      partwire conformance --format html -- ./driver > report.html
    """
    # The suite comes with its command: the others need not wait for it.
    from ..conformance.known import KnownFailures, read_known  # noqa: PLC0415
    from ..conformance.report import Report  # noqa: PLC0415
    from ..conformance.running import Settings, try_driver  # noqa: PLC0415
    from ..conformance.suites import select  # noqa: PLC0415
    from .conformance_view import FORMS, show  # noqa: PLC0415

    known = read_known(known_failures) if known_failures else KnownFailures()
    chosen = select(_names(versions), _names(suites))
    if cases is not None:
        chosen = [case for case in chosen if fnmatch(case.key, cases)]
    places = tuple(dict.fromkeys((case.version, case.suite) for case in chosen))
    settings = Settings(timeout=timeout)
    with reporting.open(forms=FORMS) as report:
        trial = tuple(try_driver(each, chosen, settings) for each in _commands(command))
        show(Report(trial, places, known), report)
    ctx.exit(report.status)


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _commands(words: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the commands between the dashes; partwire's own driver where there is none."""
    found = [
        list(group) for dashes, group in groupby(words, lambda word: word == "--") if not dashes
    ]
    yield from found or [[sys.executable, "-m", "partwire.conformance.driver"]]
