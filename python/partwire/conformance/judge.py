"""Whether a result is the one that a case expects."""

from __future__ import annotations

from .equality import difference
from .forms import Misfit
from .runs import Run
from .values import Json

__all__ = ["judge"]


def judge(run: Run, result: Json, *, exact: bool = False) -> str | None:
    """Return what is wrong with the result of a run, in one line; None if nothing is.

    ``exact``: integers beyond 2^53 have to be the same, not only as binary64.
    """
    try:
        found = run.form(result)
    except Misfit as misfit:
        return f"no result of {run.operation}: {misfit}"
    place = difference(run.expected, found, exact=exact)
    return None if place is None else str(place)
