"""Runs of a driver: each is asked, judged and reported, whatever the driver does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

from .answers import Started
from .judge import judge
from .respondent import Respondent, Settings
from .runs import Run, runs_of
from .suites import Case

__all__ = ["Outcome", "Settings", "Status", "Trial", "try_driver"]

Status = Literal["passed", "failed", "errored", "skipped"]
"""``failed``: a wrong result. ``errored``: none, or one that is not an answer."""


@dataclass(frozen=True)
class Outcome:
    """What became of a run; ``detail`` says why, and is empty for what has passed."""

    run: str
    version: str
    suite: str
    status: Status
    detail: str = ""
    seconds: float = 0.0
    drawn: bool = False
    """Whether the run was generated: no file of the fixtures holds it."""

    @property
    def case(self) -> str:
        """The case that the run belongs to."""
        return self.run.partition("#")[0]


@dataclass(frozen=True)
class Trial:
    """A driver and all its outcomes; ``started`` is None where it never answered to start."""

    command: tuple[str, ...]
    started: Started | None
    outcomes: tuple[Outcome, ...]
    restarts: int = 0
    problem: str = ""

    @property
    def name(self) -> str:
        """How the implementation calls itself, or else the command."""
        return self.started.name if self.started else " ".join(self.command)

    @property
    def answered(self) -> bool:
        """Whether it has answered anything."""
        return any(each.status != "skipped" for each in self.outcomes)

    def counts(self, version: str | None = None, suite: str | None = None) -> Counter[Status]:
        """Return how many runs have which status, of all or of one version and suite."""
        return Counter(
            each.status
            for each in self.outcomes
            if version in (None, each.version) and suite in (None, each.suite)
        )


def try_driver(
    command: Sequence[str], cases: Iterable[Case], settings: Settings | None = None
) -> Trial:
    """Return what a driver makes of all runs of the cases. Nothing that it does raises."""
    driver = Respondent(tuple(command), settings or Settings())
    try:
        if not driver.start():
            return Trial(driver.command, None, (), 0, driver.problem)
        outcomes = [_outcome(driver, run) for case in cases for run in runs_of(case)]
        return Trial(driver.command, driver.started, tuple(outcomes), driver.restarts)
    finally:
        driver.close()


def _outcome(driver: Respondent, run: Run) -> Outcome:
    began = perf_counter()
    status, detail = _judged(driver, run)
    seconds = perf_counter() - began
    return Outcome(run.id, run.case.version, run.case.suite, status, detail, seconds)


def _judged(driver: Respondent, run: Run) -> tuple[Status, str]:
    answer = driver.ask(run.operation, run.case.version, run.given)
    if answer.status != "result":
        return answer.status, answer.detail
    exact = driver.started is not None and driver.started.exact_integers
    wrong = judge(run, answer.result, exact=exact)
    return ("passed", "") if wrong is None else ("failed", wrong)
