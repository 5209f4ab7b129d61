"""Bounds on what work costs, so that a cost that explodes is seen, on slow machines as well.

A bound counts seconds of the processor of a machine at rest. What the work took is set against a
loop that is run right behind it: where that is slow, by other load or because coverage is measured,
the bound is as much longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

__all__ = ["costs_at_most"]

_TURNS = 400_000
_AT_REST = 0.02
"""Seconds of the processor that the loop takes on a machine at rest."""


@contextmanager
def costs_at_most(seconds: float) -> Iterator[None]:
    """Fail where what is done inside takes more of the processor than so many seconds."""
    begin = process_time()
    yield
    taken = process_time() - begin
    slowness = max(1.0, _loop() / _AT_REST)
    assert taken < seconds * slowness, f"{taken:.1f} s on a machine {slowness:.1f} × as slow"


def _loop() -> float:
    begin = process_time()
    number = 0
    for turn in range(_TURNS):
        number += turn & 3
    return process_time() - begin
