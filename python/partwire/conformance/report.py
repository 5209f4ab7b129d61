"""The report of a conformance run: implementations, suites, and what became of every run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .known import KnownFailures
from .running import Outcome, Status, Tested
from .values import Json

__all__ = ["ORDER", "Report", "document", "summary"]

ORDER: tuple[Status, ...] = ("passed", "failed", "errored", "skipped")
"""The order in which counts are told."""


@dataclass(frozen=True)
class Report:
    """What came out; ``places`` are the versions and suites that were asked for, in order."""

    tested: tuple[Tested, ...]
    places: tuple[tuple[str, str], ...]
    known: KnownFailures

    @property
    def unexpected(self) -> list[str]:
        """Known failures that excuse nothing, one line each."""
        return self.known.unexpected(self.tested, set(self.places))

    def bad(self, tested: Tested) -> list[Outcome]:
        """Return the failures of a driver that are not known, in the order of the runs."""
        return [
            each
            for each in tested.outcomes
            if each.status in ("failed", "errored") and not self.known.is_known(tested, each)
        ]

    def counts(
        self, tested: Tested, version: str | None = None, suite: str | None = None
    ) -> Counter[str]:
        """Return how many runs of a driver have which status, ``known`` taken out of failures."""
        found: Counter[str] = Counter()
        for each in tested.outcomes:
            if version in (None, each.version) and suite in (None, each.suite):
                found["known" if self.known.is_known(tested, each) else each.status] += 1
        return found

    @property
    def ran(self) -> bool:
        """Whether every driver has answered something."""
        return all(set(each.counts()) - {"skipped"} for each in self.tested)

    @property
    def passed(self) -> bool:
        """Whether nothing has failed but what is known, and nothing passes that should not."""
        return self.ran and not self.unexpected and not any(map(self.bad, self.tested))


def summary(counts: Counter[str]) -> str:
    """Return counts as one line: ``12 passed, 1 failed``."""
    names = (*ORDER[:3], "known", ORDER[3])
    return ", ".join(f"{counts[name]} {name}" for name in names if counts[name]) or "nothing ran"


def document(report: Report) -> Json:
    """Return the report as a JSON value."""
    return {
        "passed": report.passed,
        "implementations": [_driver(report, each) for each in report.tested],
        "unexpected": report.unexpected,
    }


def _driver(report: Report, tested: Tested) -> Json:
    found: Json = {"name": tested.name, "command": list(tested.command)}
    if tested.started is not None:
        found |= {"version": tested.started.version, "language": tested.started.language}
    if tested.problem:
        found["problem"] = tested.problem
    suites = [
        {"version": version, "suite": suite, "counts": dict(report.counts(tested, version, suite))}
        for version, suite in report.places
    ]
    runs = [_run(report, tested, each) for each in tested.outcomes]
    return {
        **found,
        "restarts": tested.restarts,
        "counts": dict(report.counts(tested)),
        "suites": suites,
        "runs": runs,
    }


def _run(report: Report, tested: Tested, outcome: Outcome) -> dict[str, Any]:
    run: Json = {"run": outcome.run, "status": outcome.status}
    if outcome.detail:
        run["detail"] = outcome.detail
    if report.known.is_known(tested, outcome):
        entry = report.known.entry_of(tested, outcome)
        run["known"] = entry.reason if entry else ""
    return {**run, "seconds": round(outcome.seconds, 6)}
