"""The report of a conformance run, as text for people; the other forms are made in its room."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final

import click

from ..conformance.html_page import html_page
from ..conformance.junit import junit_xml
from ..conformance.report import Report, document, summary
from ..conformance.running import Trial
from ..errors import printable
from .render import safe_text

__all__ = ["show"]

_MOST: Final = 50
"""So many failures of a driver are told; the other formats have all."""


def show(report: Report, output_format: str) -> None:
    """Print the report on stdout."""
    if output_format == "json":
        click.echo(printable(json.dumps(document(report), ensure_ascii=False)).encode())
    elif output_format == "junit":
        click.echo(junit_xml(report), nl=False)
    elif output_format == "html":
        click.echo(printable(html_page(report)).encode(), nl=False)
    else:
        _text(report)


def _text(report: Report) -> None:
    for trial in report.trial:
        _failures(report, trial)
    for line in report.unexpected:
        click.echo(f"{safe_text(line)} {click.style('[unexpected]', fg='red')}")
    _matrix(report)
    for trial in report.trial:
        _skips(trial)
        words = safe_text(trial.problem) or summary(report.counts(trial))
        restarts = f"; started again {trial.restarts} times" if trial.restarts else ""
        click.echo(f"{safe_text(trial.name)}: {words}{restarts}")


def _failures(report: Report, trial: Trial) -> None:
    bad = report.bad(trial)
    for outcome in bad[:_MOST]:
        click.echo(f"{outcome.run} {click.style(f'[{outcome.status}]', fg='red')}")
        click.echo(f"  {safe_text(outcome.detail)}".replace("\n", "\n  "))
    if len(bad) > _MOST:
        click.echo(f"… and {len(bad) - _MOST} more; --format json has all")


def _matrix(report: Report) -> None:
    names = [safe_text(trial.name)[:24] for trial in report.trial]
    rows = [
        [f"{version} {suite}", *(_cell(report, each, version, suite) for each in report.trial)]
        for version, suite in report.places
    ]
    table = [["suite", *names], *rows, ["all", *(_cell(report, each) for each in report.trial)]]
    widths = [max(len(row[at]) for row in table) for at in range(len(names) + 1)]
    for row in table:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        click.echo("  ".join(cells).rstrip())


def _cell(
    report: Report, trial: Trial, version: str | None = None, suite: str | None = None
) -> str:
    counts = report.counts(trial, version, suite)
    asked = sum(counts.values()) - counts["skipped"]
    return f"{counts['passed']}/{sum(counts.values())}" if asked else "-"


def _skips(trial: Trial) -> None:
    reasons = Counter(each.detail for each in trial.outcomes if each.status == "skipped")
    for reason, count in reasons.most_common(10):
        click.echo(f"{safe_text(trial.name)}: {count} skipped: {safe_text(reason)}")
