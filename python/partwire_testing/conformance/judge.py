"""Whether a result is the one that a case expects."""

from __future__ import annotations

from typing import Any

from .equality import Difference, difference
from .forms import Misfit
from .runs import Run
from .values import Json

__all__ = ["examine", "judge"]


def judge(run: Run, result: Json, *, exact: bool = False) -> str | None:
    """Return what is wrong with the result of a run, in one line; None if nothing is.

    ``exact``: integers beyond 2^53 have to be the same, not only as binary64.
    """
    try:
        place, _ = examine(run, result, exact=exact)
    except Misfit as misfit:
        return f"no result of {run.operation}: {misfit}"
    return None if place is None else str(place)


def examine(run: Run, result: Json, *, exact: bool = False) -> tuple[Difference | None, Any]:
    """Return where a result differs from the right one, and the form in which it was compared.

    Raises Misfit for what has no such form.
    """
    found = run.form(result)
    return difference(run.expected, found, exact=exact), found
