"""Run an operation with the processes of this machine, and go on where a run was left."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from ..errors import Finding, UsageError
from .operations import Options, check_options, operation_of
from .outputs import is_output
from .plan import Plan, at_least_one, make_plan
from .pool import run_tasks
from .readers import PLAN, SUMMARY, PassedOver, Summary, Table, rows_of
from .steps import Done, Kept, Step, Totals, run_steps
from .store import PART, Folder, Store, open_store

__all__ = ["ArchiveRun", "Cost", "Summary", "Table", "unwritable"]

_PROCESS_BYTES: Final = 40 << 20  # what a process takes that does nothing
_LEAST_BYTES: Final = 4 << 20
_SAMPLE_BYTES: Final = 64 << 20
_TRUNCATED: Final = b'"incomplete":{"ending":"truncated"'
_HELD_SHARE: Final = 0.4
"""Of the memory for a task, what it may hold: the rest is on the way."""

Progress = Callable[[Step, int], None]
"""Is called with a step, and how many of its tasks are done."""


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
    cut: float = 0.0
    """How many of the streams in the part do not end in it, from 0 to 1. Where it is most of them,
    all figures but ``lines`` are too high."""
    passed_over: PassedOver = msgspec.field(default_factory=PassedOver)
    """What else is in the folders."""


class ArchiveRun:
    """One operation over some inputs, with its results in a target.

    ``sources`` are files, folders, globs, and URLs of objects, of folders of these, and globs of
    them; ``target`` is a folder, or the URL of a place in an object store, and has nothing but
    results of the same run. ``memory`` is about how many bytes all processes may take; there are
    fewer than ``jobs`` where it has no room for so many, but always one. In a folder within
    ``work`` are files that only the run needs: without it, in the target, or in the user's cache
    where that is in an object store. Where objects are read or written, processes are not forked:
    a program then begins its work under ``if __name__ == "__main__"``. Raises UsageError for
    options that are wrong, numbers less than 1 among them, and for what cannot be read.
    """

    def __init__(
        self,
        options: Options,
        sources: Sequence[str | Path],
        target: str | Path,
        *,
        jobs: int | None = None,
        memory: int = 512 << 20,
        work: Path | None = None,
        task_bytes: int | None = None,
    ) -> None:
        check_options(options)
        self.options = options
        at_least_one("memory", memory)
        jobs = _cores() if jobs is None else jobs
        said = msgspec.to_builtins(options)
        self.passed_over = PassedOver()
        self.plan: Plan = make_plan(
            [os.fspath(each) for each in sources],
            options.name,
            said,
            jobs,
            task_bytes,
            takes_files=options.takes_files,
            passed_over=self.passed_over,
        )
        self.jobs = max(min(jobs, len(self.plan.tasks), _jobs_in(memory)), 1)
        self.target: Store = open_store(target)
        self._memory = memory
        self._work = None if work is None else partial(_work_in, work)

    @property
    def _held_bytes(self) -> int:
        room = self._memory - _PROCESS_BYTES * (self.jobs + (self.jobs > 1))
        return max(int(room / self.jobs * _HELD_SHARE), _LEAST_BYTES)

    @property
    def was_begun(self) -> bool:
        """Whether the target has a plan: of a run that is done, or that ended before its end."""
        return self.target.read(PLAN) is not None

    def cost(self) -> Cost:
        """Return what the run would cost, by doing a part of it in a folder that is taken away."""
        sample = self.plan.sample(_SAMPLE_BYTES)
        with tempfile.TemporaryDirectory(prefix="partwire-") as folder:
            target, work = Folder(Path(folder) / "target"), Path(folder) / "work"
            work.mkdir()
            begin = time.process_time()
            operation = operation_of(self.options, sample, target, work, self._held_bytes)
            disk = 0

            def do(step: Step) -> list[Any]:
                nonlocal disk
                results = [step.work(number) for number in range(step.tasks)]
                disk = max(disk, sum(path.stat().st_size for path in work.iterdir()))
                return results

            done, totals = run_steps(operation.steps(), do)
            seconds = time.process_time() - begin
            made = _tables(done)
            read = sum(sample.size_of(part) for task in sample.tasks for part in task) or 1
            size = sum(each.size for each in self.plan.inputs)
            # What has no end in all of the inputs has none elsewhere.
            cut = _share_cut(target, made) if read < size else 0.0
        share = size / read
        results_size = sum(table.stored for table in made.values())
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
            cut=cut,
            passed_over=self.passed_over,
        )

    def go(self, progress: Progress = lambda _step, _done: None) -> Summary:
        """Do what has not been done, and return what has come of all.

        Raises UsageError ``archive/other-plan`` where the target has results of another plan,
        ``archive/lines-lost`` where a line is not in the results, ``archive/input-changed``,
        ``archive/worker-died``, and what the operation raises. What was done until then is kept.
        """
        try:
            return self._go(progress)
        except OSError as error:
            raise unwritable(error) from None

    def _go(self, progress: Progress) -> Summary:
        begin = time.monotonic()
        self._keep_plan()
        found = self._summary()
        work = (self._work or self.target.work_folder)(self.plan.digest())
        if found is None:
            try:
                found = self._do(work, progress, begin)
            except (OSError, UsageError):
                # Another run of this plan that ends first takes away what both have worked with.
                found = self._summary()
                if found is None:
                    raise
        self._sweep(found)
        shutil.rmtree(work, ignore_errors=True)
        return found

    def _keep_plan(self) -> None:
        """Take the plan that is in the target, or put this one there."""
        known = self.target.read(PLAN)
        if known is None:
            # A part is of a run that was killed just here, or is as far as this one.
            is_empty = all(name.endswith(PART) for name in self.target.names())
            if is_empty and self.target.put_new(PLAN, self.plan.to_json()):
                return
            known = self.target.read(PLAN)  # of a run that has begun meanwhile
            if known is None:
                raise _not_empty(self.target)
        self.plan = self.plan.kept(known)

    def _summary(self) -> Summary | None:
        summary = self.target.read(SUMMARY)
        return None if summary is None else msgspec.json.decode(summary, type=Summary)

    def _do(self, work: Path, progress: Progress, begin: float) -> Summary:
        work.mkdir(parents=True, exist_ok=True)
        done, totals = self._results(work, progress)
        if totals.lost or totals.given_on:
            raise _lost(totals)
        seconds = round(time.monotonic() - begin, 3)
        found = Summary(self.plan.operation, totals, _tables(done), seconds, self.passed_over)
        if not self.target.put_new(SUMMARY, msgspec.json.encode(found) + b"\n"):
            found = self._summary() or found
        return found

    def _results(self, work: Path, progress: Progress) -> tuple[list[Done], Totals]:
        """Do all tasks that are not done; return what has come of those that make results."""
        local = Folder(work)
        # What is kept of tasks counts with the files of the work folder that it was made with:
        # where that is lost, or on another machine, all tasks are done again, beside the others.
        local.put_new("attempt", secrets.token_hex(4).encode())
        attempt = (local.read("attempt") or b"").decode()
        operation = operation_of(self.options, self.plan, self.target, work, self._held_bytes)

        def do(step: Step) -> list[Any]:
            kept = Kept(self.target if step.are_results else local, step, attempt)
            return self._all(kept, step, progress)

        return run_steps(operation.steps(), do)

    def _all(self, kept: Kept, step: Step, progress: Progress) -> list[Any]:
        found = kept.known()
        progress(step, len(found))
        missing = [number for number in range(step.tasks) if number not in found]
        for number, result in self._tasks(kept, missing):
            found[number] = result
            progress(step, len(found))
        return [found[number] for number in range(step.tasks)]

    def _tasks(self, kept: Kept, missing: list[int]) -> Iterable[tuple[int, Any]]:
        """Do tasks; yield the number of each and what has come of it, as they end."""
        return run_tasks(kept, missing, self.jobs)

    def _sweep(self, summary: Summary) -> None:
        """Take away what attempts have left that do not count."""
        named = {name for table in summary.tables.values() for name in table.files}
        for name in list(self.target.names()):
            if (is_output(name) and name not in named) or name.endswith(PART):
                self.target.delete(name)


def _work_in(folder: Path, plan: str) -> Path:
    return folder / f"partwire-{plan[:16]}"


def _share_cut(target: Store, made: dict[str, Table]) -> float:
    """Return how many of the assembled streams lack their end, from 0 to 1."""
    found = made.get("messages")
    if found is None or not found.rows:
        return 0.0
    return sum(_TRUNCATED in row for row in rows_of(target, found.files)) / found.rows


def _tables(done: list[Done]) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for each in done:
        for file in each.files:
            table = tables.setdefault(file["name"].partition("/")[0], Table([], 0, 0))
            table.files.append(file["name"])
            table.rows += file["rows"]
            table.size += file["size"]
            table.stored += file.get("stored", file["size"])
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


def _not_empty(target: Store) -> UsageError:
    return UsageError(
        Finding(
            "archive/other-plan",
            "The target has files that are not of a run",
            expected="a target that is empty, or not there",
            actual=target.place,
        )
    )


def unwritable(error: OSError) -> UsageError:
    """Return the error that says what to do where a disk is full; reading raises other errors."""
    name = error.filename2 or error.filename  # of a copy the second one
    return UsageError(
        Finding(
            "usage/unwritable-output",
            f"Cannot be written: {error.strerror or error}",
            expected="a disk that takes it; a run that ended so goes on with --resume",
            actual=None if name is None else str(name),
        )
    )


def _jobs_in(memory: int) -> int:
    """Return how many processes that do something have room beside the one that sends the tasks."""
    return (memory - _PROCESS_BYTES) // (_PROCESS_BYTES + int(_LEAST_BYTES / _HELD_SHARE))


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
