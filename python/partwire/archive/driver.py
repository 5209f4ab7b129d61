"""Do an operation over an archive with the processes of this machine, and go on where it was left."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from ..errors import Finding, PartwireError, UsageError
from .assemble import Assembly, Done, Scanned, Totals
from .plan import Plan
from .pool import run_tasks
from .store import Folder, Store

__all__ = ["assemble_archive"]

_WORK = "_partwire/work"


class _Steps:
    """Tasks of which each is done once: what is known of it is in a file of a store."""

    def __init__(self, store: Store, name: str, kind: type[Any]) -> None:
        self._store = store
        self._name = name
        self._kind = kind

    def known(self, count: int) -> dict[int, Any]:
        found = {}
        there = set(self._store.names(self._name))
        for number in range(count):
            if self._file(number) in there:
                data = self._store.read(self._file(number))
                assert data is not None
                found[number] = msgspec.json.decode(data, type=self._kind)
        return found

    def _file(self, number: int) -> str:
        return f"{self._name}/{number:06}.json"

    def note(self, number: int, result: Any) -> Any:
        """Keep what has come of a task; return what another run has kept first, if one has."""
        if self._store.put_new(self._file(number), msgspec.json.encode(result)):
            return result
        data = self._store.read(self._file(number))
        assert data is not None
        return msgspec.json.decode(data, type=self._kind)


def assemble_archive(plan: Plan, folder: Path, jobs: int, most_bytes: int, most_line: int) -> Totals:
    target = Folder(folder)
    work = folder / _WORK
    work.mkdir(parents=True, exist_ok=True)
    if not target.put_new("_partwire/plan.json", plan.to_json()):
        if target.read("_partwire/plan.json") != plan.to_json():
            raise UsageError(Finding("archive/other-plan", "other plan"))
    run = Assembly(plan, target, work, plan.options["on_unknown"], most_bytes, most_line)
    count = len(plan.tasks)
    scans = _all(_Steps(Folder(work), "scan", Scanned), run.scan, count, jobs)
    partitions = run.find_odd(scans)
    firsts = _first_lines(plan, scans)
    split = _Split(run, scans, firsts, partitions)
    splits = _all(_Steps(target, "_partwire/split", Done), split, count, jobs)
    settle = partial(run.settle, splits=splits)
    settled = _all(_Steps(target, "_partwire/settle", Done), settle, partitions, jobs)
    totals = Totals()
    for done in (*splits, *settled):
        totals += done.totals
    if totals.lost or totals.given_on:
        raise UsageError(Finding("archive/lines-lost", "lost", actual=str(totals)))
    shutil.rmtree(work)
    return totals


class _Split:
    def __init__(self, run: Assembly, scans: list[Scanned], firsts: Any, partitions: int) -> None:
        self._run, self._scans, self._firsts, self._partitions = run, scans, firsts, partitions

    def __call__(self, task: int) -> Done:
        return self._run.split(task, self._scans[task], self._firsts[task], self._partitions)


def _all(steps: _Steps, work: Callable[[int], Any], count: int, jobs: int) -> list[Any]:
    found = steps.known(count)
    missing = [number for number in range(count) if number not in found]
    for number, result in run_tasks(_Noting(steps, work), missing, jobs):
        found[number] = result
    return [found[number] for number in range(count)]


class _Noting:
    def __init__(self, steps: _Steps, work: Callable[[int], Any]) -> None:
        self._steps, self._work = steps, work

    def __call__(self, number: int) -> Any:
        return self._steps.note(number, self._work(number))


def _first_lines(plan: Plan, scans: list[Scanned]) -> list[list[int]]:
    ended: dict[int, int] = {}
    found = []
    for parts, scan in zip(plan.tasks, scans, strict=True):
        firsts = []
        for part, lines in zip(parts, scan.lines, strict=True):
            firsts.append(ended.get(part.source, 0) + 1)
            ended[part.source] = firsts[-1] + lines - 1
        found.append(firsts)
    return found
