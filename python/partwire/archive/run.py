"""Run an operation with the processes of this machine, and go on where a run was left."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ..errors import Finding, UsageError
from .operations import Options, operation_of
from .plan import Plan, make_plan
from .pool import run_tasks
from .steps import Done, Kept, Step, Totals
from .store import Folder, Store, open_store

__all__ = ["ArchiveRun", "Cost", "Summary", "Table"]

_PLAN: Final = "_partwire/plan.json"
_SUMMARY: Final = "_partwire/summary.json"
_PROCESS_BYTES: Final = 40 << 20  # what a process takes that does nothing
_LEAST_BYTES: Final = 4 << 20
_SAMPLE_BYTES: Final = 64 << 20
_HELD_SHARE: Final = 0.4
"""Of the memory for a task, what it may hold: the rest is on the way."""

Progress = Callable[[Step, int], None]
"""Is called with a step, and how many of its tasks are done."""


class Table(msgspec.Struct):
    """A table of results: the names of its files in the target, their rows and bytes together."""

    files: list[str]
    rows: int
    size: int


class Summary(msgspec.Struct):
    """What has come of a run."""

    operation: str
    totals: Totals
    tables: dict[str, Table]
    seconds: float


class Cost(msgspec.Struct):
    """What a run would cost, as far as a part of it tells."""

    inputs: int
    size: int
    """Bytes of the inputs, as they are stored."""
    tasks: int
    lines: int
    disk: int
    """Bytes of the results."""
    work: int
    """Bytes that are on disk while it runs."""
    core_hours: float
    seconds: float
    """With as many jobs, of which each has a core."""
    jobs: int


class ArchiveRun:
    """One operation over some inputs, with its results in a target.

    ``sources`` are files, folders and globs; ``target`` is a folder, or the URL of a place in an
    object store. ``memory`` is about how many bytes all processes may take. Raises UsageError for
    what cannot be read.
    """

    def __init__(
        self,
        options: Options,
        sources: Sequence[str],
        target: str | Path,
        *,
        jobs: int | None = None,
        memory: int = 512 << 20,
        work: Path | None = None,
        task_bytes: int | None = None,
    ) -> None:
        self.options = options
        jobs = jobs or _cores()
        said = msgspec.to_builtins(options)
        self.plan: Plan = make_plan(sources, options.name, said, jobs, task_bytes)
        self.jobs = min(jobs, max(len(self.plan.tasks), 1))
        self.target: Store = open_store(target)
        self._memory = memory
        self._work = work

    @property
    def _held_bytes(self) -> int:
        room = self._memory - _PROCESS_BYTES * (self.jobs + (self.jobs > 1))
        return max(int(room / self.jobs * _HELD_SHARE), _LEAST_BYTES)

    @property
    def was_begun(self) -> bool:
        """Whether the target has a plan: of a run that is done, or that ended before its end."""
        return self.target.read(_PLAN) is not None

    def cost(self) -> Cost:
        """Return what the run would cost, by doing a part of it in a folder that is taken away."""
        sample = self.plan.sample(_SAMPLE_BYTES)
        with tempfile.TemporaryDirectory(prefix="partwire-") as folder:
            target, work = Folder(Path(folder) / "target"), Path(folder) / "work"
            work.mkdir()
            begin = time.process_time()
            operation = operation_of(self.options, sample, target, work, self._held_bytes)
            steps, done, disk = operation.steps(), list[Done](), 0
            step = next(steps)
            try:
                while True:
                    results = [step.work(number) for number in range(step.tasks)]
                    done += results if step.are_results else []
                    disk = max(disk, sum(path.stat().st_size for path in work.iterdir()))
                    step = steps.send(results)
            except StopIteration as ended:
                totals: Totals = ended.value
            seconds = time.process_time() - begin
        read = sum(sample.size_of(part) for task in sample.tasks for part in task) or 1
        size = sum(each.size for each in self.plan.inputs)
        share = size / read
        results_size = sum(table.size for table in _tables(done).values())
        return Cost(
            inputs=len(self.plan.inputs),
            size=size,
            tasks=len(self.plan.tasks),
            lines=round(totals.lines * share),
            disk=round(results_size * share),
            work=round(disk * share),
            core_hours=seconds * share / 3600,
            seconds=seconds * share / self.jobs,
            jobs=self.jobs,
        )

    def go(self, progress: Progress = lambda _step, _done: None) -> Summary:
        """Do what has not been done, and return what has come of all.

        Raises UsageError ``archive/other-plan`` where the target has results of another plan,
        ``archive/lines-lost`` where a line is not in the results, ``archive/input-changed``,
        ``archive/worker-died``, and what the operation raises. What was done until then is kept.
        """
        begin = time.monotonic()
        if not self.target.put_new(_PLAN, self.plan.to_json()):
            self.plan = self.plan.kept(self.target.read(_PLAN) or b"")
        summary = self.target.read(_SUMMARY)
        if summary is not None:
            return msgspec.json.decode(summary, type=Summary)
        work = self._work or self.target.work_folder(self.plan.digest())
        work.mkdir(parents=True, exist_ok=True)
        operation = operation_of(self.options, self.plan, self.target, work, self._held_bytes)
        local = Folder(work)
        done: list[Done] = []
        steps = operation.steps()
        step = next(steps)
        try:
            while True:
                kept = Kept(self.target if step.are_results else local, step)
                results = self._all(kept, step, progress)
                done += results if step.are_results else []
                step = steps.send(results)
        except StopIteration as ended:
            totals: Totals = ended.value
        if totals.lost or totals.given_on:
            raise _lost(totals)
        seconds = round(time.monotonic() - begin, 3)
        found = Summary(self.plan.operation, totals, _tables(done), seconds)
        self._end(found)
        shutil.rmtree(work, ignore_errors=True)
        return found

    def _all(self, kept: Kept, step: Step, progress: Progress) -> list[Any]:
        found = kept.known()
        progress(step, len(found))
        missing = [number for number in range(step.tasks) if number not in found]
        for number, result in run_tasks(kept, missing, self.jobs):
            found[number] = result
            progress(step, len(found))
        return [found[number] for number in range(step.tasks)]

    def _end(self, summary: Summary) -> None:
        """Take away what attempts left that were not the ones to count, and write the summary."""
        for name, table in summary.tables.items():
            named = set(table.files)
            for file in self.target.names(name):
                if file not in named:
                    self.target.delete(file)
        self.target.put_new(_SUMMARY, msgspec.json.encode(summary) + b"\n")


def _tables(done: list[Done]) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for each in done:
        for file in each.files:
            table = tables.setdefault(file["name"].partition("/")[0], Table([], 0, 0))
            table.files.append(file["name"])
            table.rows += file["rows"]
            table.size += file["size"]
    return tables


def _lost(totals: Totals) -> UsageError:
    return UsageError(
        Finding(
            "archive/lines-lost",
            "Not every line is in the results: they must not be used",
            expected=f"{totals.lines:,} lines",
            actual=f"{totals.lines - totals.lost - totals.given_on:,}",
        )
    )


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
