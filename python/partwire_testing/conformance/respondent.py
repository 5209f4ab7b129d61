"""A driver that is asked, and started again as often as it has to be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from .answers import Errored, Nonsense, Skipped, Started, read_answer, read_started
from .drawn.request import Request
from .driver import PROTOCOL
from .process import MAX_LINE_BYTES, DriverProcess, NoAnswer
from .values import Json

__all__ = ["Answer", "Driver", "DriverGone", "Respondent", "Settings"]


# --- a driver under a name ------------------------------------------------------------------------

_SECONDS: Final = 60.0


class DriverGone(Exception):
    """A driver cannot be asked at all; its one argument says why."""


class Driver:
    """A driver that has started, under a name; not for several threads."""

    def __init__(self, name: str, respondent: Respondent) -> None:
        self.name = name
        self._respondent = respondent

    @classmethod
    def start(cls, name: str, command: Sequence[str], seconds: float = _SECONDS) -> Driver:
        """Start the command; raises DriverGone where it does not say who it is.

        ``seconds``: how long one answer may take.
        """
        respondent = Respondent(tuple(command), Settings(timeout=seconds))
        if not respondent.start():
            raise DriverGone(f"{name}: {respondent.problem}")
        return cls(name, respondent)

    def can(self, request: Request) -> bool:
        """Return whether the driver has the operation and the version of a request."""
        return self._respondent.cannot(request.operation, request.version) is None

    def ask(self, requests: Sequence[Request]) -> list[Answer]:
        """Return the answers to requests, in order; what is not answered is ``errored``."""
        return [self._respondent.ask(*request) for request in requests]

    def close(self) -> None:
        """End the process."""
        self._respondent.close()


# --- the respondent -------------------------------------------------------------------------------

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


class Answer(NamedTuple):
    """What a driver answers to a run: a result, or why there is none."""

    status: Literal["result", "errored", "skipped"]
    result: Any = None
    detail: str = ""


class Respondent:
    """One driver, started again as often as it has to be. Nothing that it does raises."""

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

    def cannot(self, operation: str, version: str) -> str | None:
        """Return why the driver, which has started, cannot be asked for this; None if it can."""
        if self.started is None:
            raise AssertionError("a driver is asked before it has started")
        if version not in self.started.versions:
            return f"the driver does not speak {version}"
        if operation not in self.started.operations:
            return f"the driver has no operation {operation}"
        return None

    def ask(self, operation: str, version: str, given: Json) -> Answer:
        """Return the answer to a run."""
        reason = self.cannot(operation, version)
        if reason is not None:
            return Answer("skipped", detail=reason)
        if self._unanswered[operation] >= self._settings.give_up_after:
            times = self._settings.give_up_after
            detail = f"not asked: {operation} gave no answer {times} times in a row"
            return Answer("errored", detail=detail)
        if self._process is None and not self.start():
            self._unanswered[operation] += 1
            return Answer("errored", detail=self.problem)
        try:
            answer = self._answered(operation, version, given)
        except NoAnswer as error:
            self._give_up(operation)
            return Answer("errored", detail=f"{error.cause}: {error.message}")
        except Nonsense as error:
            # Whatever it says next may belong to this run: it starts anew.
            self._give_up(operation)
            return Answer("errored", detail=f"nonsense: {error}")
        self._unanswered[operation] = 0
        return answer

    def _answered(self, operation: str, version: str, given: Json) -> Answer:
        if self._process is None:
            raise AssertionError("no process")
        self._number += 1
        request = {"type": "run", "id": self._number, "operation": operation}
        line = _line({**request, "version": version, "input": given})
        try:
            text = self._process.ask(line, self._settings.timeout)
            return Answer("result", read_answer(text, self._number))
        except Skipped as skipped:
            return Answer("skipped", detail=str(skipped))
        except Errored as error:
            return Answer("errored", detail=f"the driver says: {error}")

    def _give_up(self, operation: str) -> None:
        """End the process; the next run starts another."""
        self._unanswered[operation] += 1
        if self._process is not None:
            self._process.kill()
            self._process = None


def _line(request: Any) -> bytes:
    return json.dumps(request, separators=(",", ":")).encode("ascii")
