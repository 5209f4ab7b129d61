"""Implementations through the conformance suite: which cases they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from partwire_testing.conformance import (
    NOT_PORTABLE,
    Run,
    Skip,
    all_cases,
    judge,
    runs_of,
    versions,
)

__all__ = ["caught_by", "first_catch", "runs_for", "wrong_runs"]

Operations = Mapping[str, Callable[[dict[str, Any], str], dict[str, Any]]]


_ONE_SUITE: Final = {
    "adapt": "providers",
    "check_history": "histories",
    "convert": "bridges",
    "convert_stream": "chunks",
    "encode_request": "requests",
    "envelope": "envelopes",
    "repair_history": "histories",
    "transition": "transitions",
}
"""Operations that one suite alone asks for: the files of the others need not be read."""


@cache
def runs_for(operations: tuple[str, ...]) -> tuple[Run, ...]:
    """Return the runs of some operations, of every version.

    ``adapt-bytes`` gives the same bytes once more, one by one: what it would catch besides is a
    decoder's, and those have tests of their own; it would take most of the time.
    """
    suites = {_ONE_SUITE.get(each, "") for each in operations}
    return tuple(
        run
        for version in versions()
        for case in all_cases(version)
        if case.suite not in NOT_PORTABLE and ("" in suites or case.suite in suites)
        for run in runs_of(case)
        if run.operation in operations and run.step != "adapt-bytes"
    )


def caught_by(names: tuple[str, ...], operations: Operations) -> list[str]:
    """Return the cases that an implementation fails, in the order of versions and suites."""
    return list(dict.fromkeys(_catching(names, operations)))


def first_catch(names: tuple[str, ...], operations: Operations) -> str | None:
    """Return the first case that an implementation fails; the others are not run."""
    return next(_catching(names, operations), None)


def _catching(names: tuple[str, ...], operations: Operations) -> Iterator[str]:
    """Yield a case for each run that an implementation fails.

    Where it falls over instead of answering, nothing is proved: the judge has to refuse a result.
    """
    wrong = wrong_runs(names, operations)
    return (run.case.id for run, _, answered in wrong if answered)


def wrong_runs(names: tuple[str, ...], operations: Operations) -> Iterator[tuple[Run, str, bool]]:
    """Yield the runs that an implementation fails, what is wrong, and whether it has answered."""
    for run in runs_for(names):
        try:
            result = operations[run.operation](run.given, run.case.version)
        except Skip:
            continue
        except Exception as error:  # noqa: BLE001 (a mutant may do anything)
            yield run, f"{type(error).__name__}: {error}", False
            continue
        if (wrong := judge(run, result, exact=True)) is not None:
            yield run, wrong, True
