"""Operations in steps, and the steps in tasks: what an engine needs to know of either.

A step's tasks can be done anywhere and in any order; what has come of each is kept as JSON, and the
next step begins when all are done. A task that is done twice, since a process died or two runs work
on one target, counts once: what was kept first is its result.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec

from .store import Store

__all__ = ["Done", "Kept", "Operation", "Step", "Steps", "Totals", "run_steps"]


class Totals(msgspec.Struct):
    """Where the lines are: ``lines`` is the sum of those down to ``given_on``."""

    lines: int = 0
    blank: int = 0
    used: int = 0
    """Lines that are in a result: of a message, one of its deltas."""
    quarantined: int = 0
    repeats: int = 0
    """Lines that say again what another one says."""
    left_out: int = 0
    """Lines that were not asked for."""
    given_on: int = 0
    """Lines that the next step takes; less than 0 where it has taken them."""
    made: int = 0
    """Results: messages, or documents."""
    counts: dict[str, int] = {}
    """What else an operation counts, by name."""

    def __add__(self, other: Totals) -> Totals:
        counts = Counter(self.counts)
        counts.update(other.counts)
        sums = {
            name: getattr(self, name) + getattr(other, name)
            for name in self.__struct_fields__
            if name != "counts"
        }
        return Totals(**sums, counts=dict(counts))

    @property
    def lost(self) -> int:
        """Lines of which nothing is known: 0, or the run has failed."""
        known = self.blank + self.used + self.quarantined + self.repeats + self.left_out
        return self.lines - known - self.given_on


class Done(msgspec.Struct):
    """What has come of a task: its files are results from when this is kept in the target."""

    files: list[dict[str, Any]]
    totals: Totals
    spill: str | None = None
    """The file in the work folder with what the next step takes."""
    ends: list[list[int]] = []
    """Where each partition ends in each piece of that file, in bytes."""


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
        ...


def run_steps(steps: Steps, do: Callable[[Step], list[Any]]) -> tuple[list[Done], Totals]:
    """Run steps one after another; ``do`` does all tasks of one, and returns what has come of each.

    Returns what has come of the tasks that make results, and where all lines are.
    """
    done: list[Done] = []
    step = next(steps)
    while True:
        results = do(step)
        done += results if step.are_results else []
        try:
            step = steps.send(results)
        except StopIteration as ended:
            totals: Totals = ended.value
            return done, totals


class Kept:
    """What has come of the tasks of a step, in files of a store."""

    def __init__(self, store: Store, step: Step, attempt: str = "") -> None:
        self._store = store
        self._folder = f"_partwire/{step.name}{attempt and f'-{attempt}'}"
        self._step = step

    def known(self) -> dict[int, Any]:
        """Return what is there, by task."""
        there = set(self._store.names(self._folder))
        found = {}
        for number in range(self._step.tasks):
            if self._name(number) in there:
                try:
                    found[number] = self._get(number)
                except ValueError:  # half of it, of a file system that puts no file whole
                    self._store.delete(self._name(number))
        return found

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
        if data is None:  # another run, which has ended first, has taken it away
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._name(number))
        return msgspec.json.decode(data, type=self._step.result)
