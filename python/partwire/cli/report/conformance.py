"""The report of a conformance run: its findings, and the forms that are its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from partwire_testing.conformance.html_page import html_page
from partwire_testing.conformance.junit import junit_xml
from partwire_testing.conformance.known_failures import Known, KnownFailures
from partwire_testing.conformance.report import Report, document, summary
from partwire_testing.conformance.runner import Outcome, Trial

from ...compat.report import fingerprint_of
from ...errors import Finding, UsageError, printable
from ...reporting import Baseline, Form, Item, Totals
from ...reporting.text import finding_text, styled
from ...reporting.words import safe_text
from .options import CommandReport

__all__ = ["FORMS", "show"]

_MOST: Final = 50
"""So many failures of a driver are reported; the other formats have all."""

_CLIP: Final = 500


def show(result: Report, report: CommandReport) -> None:
    """Report the failures of a run, and give the report what else it has to show."""
    report.summary = None
    report.also_read(
        f"fixtures/{each.case}" for one in result.trial for each in one.outcomes if not each.drawn
    )
    for trial in result.trial:
        report.begin_source(trial.name)
        report.totals.documents += len(trial.outcomes)
        for outcome in result.bad(trial):
            report.add(_finding(trial, outcome), fingerprint=_fingerprint(trial, outcome))
        if not trial.answered:
            report.cannot_read(UsageError(_unusable(trial)))
    for entry, words in result.idle:
        message = f"{entry.case}: {words}: {entry.reason}"
        source = f"fixtures/{entry.case.partition('#')[0]}"
        report.add(Finding("conformance/unexpected", message, source=source))
    if report.baseline is not None:
        result = replace(result, known=_accepting(result, report.baseline))
    report.details = document(result)
    if isinstance(report.form, _OwnForm):
        report.form.result = result


def _finding(trial: Trial, outcome: Outcome) -> Finding:
    detail = outcome.detail if len(outcome.detail) <= _CLIP else f"{outcome.detail[:_CLIP]}…"
    message = f"{trial.name}: {outcome.run}: {detail}"
    source = None if outcome.drawn else f"fixtures/{outcome.case}"
    return Finding(_rule(outcome), message, source=source)


def _rule(outcome: Outcome) -> str:
    return f"conformance/{outcome.status}"


def _fingerprint(trial: Trial, outcome: Outcome) -> str:
    return fingerprint_of(_rule(outcome), "backward", outcome.run, (trial.name,))


def _unusable(trial: Trial) -> Finding:
    return Finding(
        "conformance/unusable-driver",
        f"The driver could not be asked: {trial.problem or 'nothing ran'}",
        expected="a program that answers at least one run",
        actual=" ".join(trial.command)[:200],
    )


def _accepting(result: Report, baseline: Baseline) -> KnownFailures:
    """Return the known failures with those of a baseline: every form counts them as known."""
    more = tuple(
        Known(outcome.run, reason, trial.name)
        for trial in result.trial
        for outcome in result.bad(trial)
        if (reason := baseline.excuse(_fingerprint(trial, outcome))) is not None
    )
    return KnownFailures((*result.known.entries, *more))


# --- its own forms ------------------------------------------------------------------------------


class _OwnForm(Form):
    """A form that shows the whole result at once; findings are part of it."""

    result: Report | None = None

    def item(self, item: Item) -> None:
        """Leave it to the end."""

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write the result."""
        if self.result is not None:
            self.write(self.shown(self.result))

    def shown(self, result: Report) -> str:
        """Return all of it."""
        raise NotImplementedError


class _JUnit(_OwnForm):
    """One testsuite per driver and suite, one testcase per run."""

    def shown(self, result: Report) -> str:
        """Return XML."""
        return junit_xml(result).decode()


class _HTML(_OwnForm):
    """A page."""

    def shown(self, result: Report) -> str:
        """Return the page."""
        return printable(html_page(result))


class _Text(_OwnForm):
    """Failures, a table of all suites, and what was skipped."""

    encoded = False

    def item(self, item: Item) -> None:
        """Write what is not a failure of a driver: what the baseline has to say."""
        if not item.finding.rule.startswith("conformance/"):
            self.write(finding_text(item.finding, item.rows, colour=self.head.colour) + "\n")

    def shown(self, result: Report) -> str:
        """Return lines."""
        return "".join(f"{line}\n" for line in _lines(result, self.head.colour))


FORMS: Final[Mapping[str, type[Form]]] = {"text": _Text, "junit": _JUnit, "html": _HTML}
"""The forms in which a run of the suite says more than its failures."""


def _lines(report: Report, colour: bool) -> Iterator[str]:
    for trial in report.trial:
        yield from _failures(report, trial, colour)
    for line in report.unexpected:
        yield f"{safe_text(line)} {styled('[conformance/unexpected]', 'error', colour=colour)}"
    yield from _matrix(report)
    if report.seed is not None:
        yield f"seed {report.seed}"
    for trial in report.trial:
        yield from _skips(trial)
        words = safe_text(trial.problem) or summary(report.counts(trial))
        restarts = f"; started again {trial.restarts} times" if trial.restarts else ""
        yield f"{safe_text(trial.name)}: {words}{restarts}"


def _failures(report: Report, trial: Trial, colour: bool) -> Iterator[str]:
    bad = report.bad(trial)
    for outcome in bad[:_MOST]:
        rule = styled(f"[{_rule(outcome)}]", "error", colour=colour)
        yield f"{safe_text(outcome.run)} {rule}"
        yield f"  {safe_text(outcome.detail)}".replace("\n", "\n  ")
    if len(bad) > _MOST:
        yield f"… and {len(bad) - _MOST} more; --format json has all"


def _matrix(report: Report) -> Iterator[str]:
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
        yield "  ".join(cells).rstrip()


def _cell(
    report: Report, trial: Trial, version: str | None = None, suite: str | None = None
) -> str:
    counts = report.counts(trial, version, suite)
    asked = sum(counts.values()) - counts["skipped"]
    return f"{counts['passed']}/{sum(counts.values())}" if asked else "-"


def _skips(trial: Trial) -> Iterator[str]:
    reasons = Counter(each.detail for each in trial.outcomes if each.status == "skipped")
    for reason, count in reasons.most_common(10):
        yield f"{safe_text(trial.name)}: {count} skipped: {safe_text(reason)}"
