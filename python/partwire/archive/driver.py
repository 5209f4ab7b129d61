"""Run an operation with the processes of this machine, and go on where a run was left."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ..errors import Finding, UsageError
from .plan import Plan
from .pool import run_tasks
from .steps import Kept, Operation, Step, Totals
from .store import Folder, Store

__all__ = ["PLAN", "run"]

PLAN: Final = "_partwire/plan.json"
_SUMMARY: Final = "_partwire/summary.json"

Progress = Callable[[Step, int], None]
"""Is called with a step and how many of its tasks are done."""


def run(
    operation: Operation,
    plan: Plan,
    target: Store,
    work: Path,
    jobs: int = 1,
    progress: Progress = lambda _step, _done: None,
) -> Totals:
    """Do all steps of an operation, and return where all lines are.

    ``work`` is a folder of this machine for what only the run needs; it is taken away at the end. A
    run that ended before its end goes on where it was, if ``work`` is as it was left.

    Raises UsageError ``archive/other-plan`` where the target has results of another plan,
    ``archive/lines-lost`` where a line is not in the results, and what the tasks raise.
    """
    _begin(plan, target)
    local = Folder(work)
    steps = operation.steps()
    step = next(steps)
    try:
        while True:
            kept = Kept(target if step.are_results else local, step)
            step = steps.send(_all(kept, step, jobs, progress))
    except StopIteration as ended:
        totals: Totals = ended.value
    if totals.lost or totals.given_on:
        raise _lost(totals)
    shutil.rmtree(work, ignore_errors=True)
    return totals


def _begin(plan: Plan, target: Store) -> None:
    text = plan.to_json()
    if not target.put_new(PLAN, text):
        known = target.read(PLAN)
        if known != text:
            raise UsageError(
                Finding(
                    "archive/other-plan",
                    "The target has results of other inputs or options",
                    expected="the same inputs and options, or a target that is empty",
                    actual=plan.difference(known or b""),
                )
            )


def _all(kept: Kept, step: Step, jobs: int, progress: Progress) -> list[Any]:
    found = kept.known()
    progress(step, len(found))
    missing = [number for number in range(step.tasks) if number not in found]
    for number, result in run_tasks(kept, missing, jobs):
        found[number] = result
        progress(step, len(found))
    return [found[number] for number in range(step.tasks)]


def _lost(totals: Totals) -> UsageError:
    return UsageError(
        Finding(
            "archive/lines-lost",
            "Not every line is in the results: they must not be used",
            expected=f"{totals.lines:,} lines",
            actual=f"{totals.lines - totals.lost - totals.given_on:,}",
        )
    )
