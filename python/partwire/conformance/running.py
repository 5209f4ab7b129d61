"""Runs of a driver: each is asked, judged and told, whatever the driver does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, Literal, NamedTuple

from .answers import Errored, Nonsense, Skipped, Started, read_answer, read_started
from .driver import PROTOCOL
from .judge import judge
from .process import MAX_LINE_BYTES, DriverProcess, NoAnswer
from .runs import Run, runs_of
from .suites import Case

__all__ = ["Outcome", "Settings", "Status", "Trial", "try_driver"]

Status = Literal["passed", "failed", "errored", "skipped"]
"""``failed``: a wrong result. ``errored``: none, or one that is no answer."""

START_SECONDS: Final = 60.0
"""How long a driver may take to start: some are compiled first."""

GIVE_UP_AFTER: Final = 10
"""So many runs of one operation without an answer, one after the other, are the last of it."""


class Settings(NamedTuple):
    """How patient the runner is."""

    timeout: float = 10.0
    max_line_bytes: int = MAX_LINE_BYTES
    start_seconds: float = START_SECONDS
    give_up_after: int = GIVE_UP_AFTER


@dataclass(frozen=True)
class Outcome:
    """What became of a run; ``detail`` says why, and is empty for what has passed."""

    run: str
    version: str
    suite: str
    status: Status
    detail: str = ""
    seconds: float = 0.0

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
    runner = _Runner(tuple(command), settings or Settings())
    try:
        if not runner.start():
            return Trial(runner.command, None, (), 0, runner.problem)
        outcomes = [runner.outcome(run) for case in cases for run in runs_of(case)]
        return Trial(runner.command, runner.started, tuple(outcomes), runner.restarts)
    finally:
        runner.close()


class _Runner:
    """One driver, started again as often as it has to be."""

    def __init__(self, command: tuple[str, ...], settings: Settings) -> None:
        self.command = command
        self.started: Started | None = None
        self.restarts = -1
        self.problem = ""
        self._settings = settings
        self._process: DriverProcess | None = None
        self._number = 0
        self._unanswered: Counter[str] = Counter()

    def start(self) -> bool:
        """Start the driver and ask who it is; False, with the problem, if that fails."""
        line = _line({"type": "start", "protocol": PROTOCOL})
        try:
            process = DriverProcess(self.command, self._settings.max_line_bytes)
        except (OSError, ValueError) as error:
            self.problem = f"it cannot be started: {error}"
            return False
        try:
            started = read_started(process.ask(line, self._settings.start_seconds), PROTOCOL)
        except (NoAnswer, Nonsense) as error:
            process.kill()
            self.problem = f"no answer to start: {error}"
            return False
        self.restarts += 1
        self.started = self.started or started
        self._process = process
        return True

    def close(self) -> None:
        """Stop the driver."""
        if self._process is not None:
            self._process.tell(_line({"type": "stop"}))
            self._process.close()
            self._process = None

    def outcome(self, run: Run) -> Outcome:
        """Return what the driver makes of a run."""
        began = perf_counter()
        status, detail = self._asked(run)
        seconds = perf_counter() - began
        case = run.case
        return Outcome(run.id, case.version, case.suite, status, detail, seconds)

    def _asked(self, run: Run) -> tuple[Status, str]:
        started = self.started
        if started is None:
            raise AssertionError("a driver is asked before it has started")
        if run.case.version not in started.versions:
            return "skipped", f"the driver does not speak {run.case.version}"
        if run.operation not in started.operations:
            return "skipped", f"the driver has no operation {run.operation}"
        if self._unanswered[run.operation] >= self._settings.give_up_after:
            times = self._settings.give_up_after
            return "errored", f"not asked: {run.operation} gave no answer {times} times in a row"
        if self._process is None and not self.start():
            self._unanswered[run.operation] += 1
            return "errored", self.problem
        return self._answered(run, started)

    def _answered(self, run: Run, started: Started) -> tuple[Status, str]:
        try:
            result = self._result(run)
        except NoAnswer as error:
            self._give_up(run)
            return "errored", f"{error.cause}: {error.message}"
        except Nonsense as error:
            # Whatever it says next may belong to this run: it starts anew.
            self._give_up(run)
            return "errored", f"nonsense: {error}"
        except Skipped as skipped:
            status: Status = "skipped"
            detail = str(skipped)
        except Errored as error:
            status, detail = "errored", f"the driver says: {error}"
        else:
            wrong = judge(run, result, exact=started.exact_integers)
            status, detail = ("passed", "") if wrong is None else ("failed", wrong)
        self._unanswered[run.operation] = 0
        return status, detail

    def _result(self, run: Run) -> Any:
        if self._process is None:
            raise AssertionError("no process")
        self._number += 1
        request = {"type": "run", "id": self._number, "operation": run.operation}
        line = _line({**request, "version": run.case.version, "input": run.given})
        return read_answer(self._process.ask(line, self._settings.timeout), self._number)

    def _give_up(self, run: Run) -> None:
        """End the process; the next run starts another."""
        self._unanswered[run.operation] += 1
        if self._process is not None:
            self._process.kill()
            self._process = None


def _line(request: Any) -> bytes:
    return json.dumps(request, separators=(",", ":")).encode("ascii")
