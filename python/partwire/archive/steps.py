"""Operations in steps, and the steps in tasks: what an engine needs to know of either.

A step's tasks can be done anywhere and in any order; what has come of each is kept as JSON, and the
next step begins when all are done. A task that is done twice, since a process died or two runs work
on one target, counts once: what was kept first is its result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec

from .store import Store

__all__ = ["Kept", "Operation", "Step", "Steps", "Totals"]


class Totals(msgspec.Struct):
    """Where the lines are. ``lines`` is the sum of all others but ``messages``."""

    lines: int = 0
    blank: int = 0
    in_messages: int = 0
    quarantined: int = 0
    repeats: int = 0
    given_on: int = 0
    """Lines that the next step takes; less than 0 where it has taken them."""
    messages: int = 0

    def __add__(self, other: Totals) -> Totals:
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return Totals(*(one + another for one, another in pairs))

    @property
    def lost(self) -> int:
        """Lines that are in none of the others: 0, or the run has failed."""
        return self.lines - (
            self.blank + self.in_messages + self.quarantined + self.repeats + self.given_on
        )


class Step(NamedTuple):
    """Tasks that can be done at the same time."""

    name: str
    tasks: int
    work: Callable[[int], Any]
    """Does the task of a number, from 0; what it returns is JSON, as a struct."""
    result: type[Any]
    are_results: bool
    """Whether what is kept of the tasks are manifests of results, and belongs to the target."""


Steps: TypeAlias = Generator[Step, list[Any], Totals]
"""Yields steps, and is sent what has come of all tasks of each, in their order."""


class Operation(Protocol):
    """What is done over an archive."""

    def steps(self) -> Steps:
        """Return the steps."""


class Kept:
    """What has come of the tasks of a step, in files of a store."""

    def __init__(self, store: Store, step: Step) -> None:
        self._store = store
        self._folder = f"_partwire/{step.name}"
        self._step = step

    def known(self) -> dict[int, Any]:
        """Return what is there, by task."""
        there = set(self._store.names(self._folder))
        numbers = range(self._step.tasks)
        return {number: self._get(number) for number in numbers if self._name(number) in there}

    def __call__(self, number: int) -> Any:
        """Do a task, and return what has come of it, or what another run has kept before."""
        result = self._step.work(number)
        if self._store.put_new(self._name(number), msgspec.json.encode(result)):
            return result
        return self._get(number)

    def _name(self, number: int) -> str:
        return f"{self._folder}/{number:06}.json"

    def _get(self, number: int) -> Any:
        data = self._store.read(self._name(number))
        assert data is not None
        return msgspec.json.decode(data, type=self._step.result)
