"""A driver under a name, which is asked many requests in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..respondent import Answer, Respondent, Settings
from .request import Request

__all__ = ["Driver", "DriverGone"]

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
