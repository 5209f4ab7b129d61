"""The report of a conformance run: implementations, suites, and what became of every run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .known_failures import Known, KnownFailures
from .runner import Outcome, Status, Trial
from .values import Json

__all__ = ["ORDER", "Report", "document", "summary"]

ORDER: tuple[Status, ...] = ("passed", "failed", "errored", "skipped")
"""The order in which counts are reported."""


@dataclass(frozen=True)
class Report:
    """What came out; ``places`` are the versions and suites that were asked for, in order."""

    trial: tuple[Trial, ...]
    places: tuple[tuple[str, str], ...]
    known: KnownFailures
    seed: int | None = None
    """Of generated runs: the same seed asks the same again."""

    @property
    def unexpected(self) -> list[str]:
        """Known failures that excuse nothing, one line each."""
        return self.known.unexpected(self.trial, set(self.places))

    @property
    def idle(self) -> list[tuple[Known, str]]:
        """Known failures that excuse nothing, and why."""
        return self.known.idle(self.trial, set(self.places))

    def bad(self, trial: Trial) -> list[Outcome]:
        """Return the failures of a driver that are not known, in the order of the runs."""
        return [
            each
            for each in trial.outcomes
            if each.status in ("failed", "errored") and not self.known.is_known(trial, each)
        ]

    def counts(
        self, trial: Trial, version: str | None = None, suite: str | None = None
    ) -> Counter[str]:
        """Return how many runs of a driver have which status, ``known`` taken out of failures."""
        found: Counter[str] = Counter()
        for each in trial.outcomes:
            if version in (None, each.version) and suite in (None, each.suite):
                found["known" if self.known.is_known(trial, each) else each.status] += 1
        return found

    @property
    def ran(self) -> bool:
        """Whether every driver has answered something."""
        return all(each.answered for each in self.trial)

    @property
    def passed(self) -> bool:
        """Whether nothing has failed but what is known, and nothing passes that should not."""
        return self.ran and not self.unexpected and not any(map(self.bad, self.trial))


def summary(counts: Counter[str]) -> str:
    """Return counts as one line: ``12 passed, 1 failed``."""
    names = (*ORDER[:3], "known", ORDER[3])
    return ", ".join(f"{counts[name]} {name}" for name in names if counts[name]) or "nothing ran"


def document(report: Report) -> Json:
    """Return the report as a JSON value."""
    seed = {} if report.seed is None else {"seed": report.seed}
    return {
        "passed": report.passed,
        **seed,
        "implementations": [_driver(report, each) for each in report.trial],
        "unexpected": report.unexpected,
    }


def _driver(report: Report, trial: Trial) -> Json:
    found: Json = {"name": trial.name, "command": list(trial.command)}
    if trial.started is not None:
        found |= {"version": trial.started.version, "language": trial.started.language}
    if trial.problem:
        found["problem"] = trial.problem
    suites = [
        {"version": version, "suite": suite, "counts": dict(report.counts(trial, version, suite))}
        for version, suite in report.places
    ]
    runs = [_run(report, trial, each) for each in trial.outcomes]
    return {
        **found,
        "restarts": trial.restarts,
        "counts": dict(report.counts(trial)),
        "suites": suites,
        "runs": runs,
    }


def _run(report: Report, trial: Trial, outcome: Outcome) -> dict[str, Any]:
    run: Json = {"run": outcome.run, "status": outcome.status}
    if outcome.detail:
        run["detail"] = outcome.detail
    if report.known.is_known(trial, outcome):
        entry = report.known.entry_of(trial, outcome)
        run["known"] = entry.reason if entry else ""
    return {**run, "seconds": round(outcome.seconds, 6)}
