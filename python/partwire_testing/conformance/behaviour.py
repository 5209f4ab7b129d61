"""Golden cases of an older version through today's code: what it does is part of the promise.

A schema may stay as it is while the code that reads it changes. Every case of the older version is
run as a driver would run it, and what comes out differently is a change that breaks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from partwire.compat.changes.places import digest
from partwire.compat.report import Change, EntryVerdict, Replay
from partwire.compat.verdict import Reading
from partwire.errors import clip

from .equality import ABSENT, Difference
from .forms import Misfit
from .judge import examine
from .operations.table import run_operation
from .runs import SUITES, Run, runs_of
from .suites import all_cases
from .values import Skip

__all__ = ["replay_behaviour"]

_CHARS: Final = 120
_WORDS: Final = {
    "compat/behaviour-accepted": "What was refused is taken",
    "compat/behaviour-error": "The refusal is another one",
    "compat/behaviour-failed": "The code fails",
    "compat/behaviour-findings": "The findings are other ones",
    "compat/behaviour-refused": "What was taken is refused",
    "compat/behaviour-result": "The result is another one",
}


def replay_behaviour(
    version: str, reading: Reading = "declared", folder: Path | None = None
) -> tuple[list[EntryVerdict], Replay]:
    """Return one breaking verdict per suite of ``version`` that is not as it was, and the counts.

    ``folder``: other fixtures than those of the package. Raises UsageError
    ``usage/unknown-version`` for a version without fixtures.
    """
    changes: dict[str, list[Change]] = {}
    tried = 0
    for case in all_cases(version, folder):
        for run in runs_of(case) if case.suite in SUITES else ():
            change = _change(run)
            tried += 1
            if change is not None:
                changes.setdefault(case.suite, []).append(change)
    verdicts = [
        EntryVerdict(f"behaviour {version}/{suite}", "breaking", "backward", reading, tuple(found))
        for suite, found in changes.items()
    ]
    return verdicts, Replay("behaviour", tried, sum(map(len, changes.values())))


def _change(run: Run) -> Change | None:
    """Return how a run differs from what its case expects; None if it does not."""
    try:
        result = run_operation(run.operation, run.case.version, run.given)
    except Skip:
        return None
    except Exception as error:  # noqa: BLE001 (whatever fails here did not fail before)
        told = clip(f"{type(error).__name__}: {error}", _CHARS)
        return _told(run, "compat/behaviour-failed", Difference("", run.expected, told), told)
    try:
        place, found = examine(run, result, exact=True)
    except Misfit as misfit:
        rule = _rule(run.expected, result, "")
        return _told(run, rule, Difference("", run.expected, str(misfit)), str(misfit))
    if place is None:
        return None
    return _told(run, _rule(run.expected, found, place.pointer), place, found)


def _rule(expected: Any, found: Any, pointer: str) -> str:
    """Return the rule for a difference: whether there is an error, which one, or another value."""
    before, now = _error_of(expected), _error_of(found)
    if before is not None and now is None:
        return "compat/behaviour-accepted"
    if before is None and now is not None:
        return "compat/behaviour-refused"
    if before is not None:
        return "compat/behaviour-error"
    if pointer.startswith("/findings"):
        return "compat/behaviour-findings"
    return "compat/behaviour-result"


def _error_of(form: Any) -> Any:
    """Return what a result, or a form of one, says of a refusal; None if it is none."""
    if not isinstance(form, dict):
        return None
    return next(
        (form[name] for name in ("error", "errors", "rule", "first") if form.get(name)), None
    )


def _told(run: Run, rule: str, place: Difference, found: Any) -> Change:
    """Return the change; its values are about all that differs, not the first place alone."""
    sides = [
        None if side is ABSENT else clip(side, _CHARS) for side in (place.expected, place.actual)
    ]
    where = f"fixtures/{run.case.id}"
    return Change(
        rule,
        place.pointer,
        place.pointer,
        f"{_WORDS[rule]}: {run.case.key}#{run.step} {place}",
        (run.step, *sides, digest([run.expected, found])),
        old_source=where,
        new_source=where,
    )
