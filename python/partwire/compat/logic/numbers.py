"""Whether a number exists in an interval, on these grids, off those; exact, and which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import Any, Final

from .strings import EMPTY, UNKNOWN
from .values import is_faithful

__all__ = ["NumberGoal", "find_number"]

_MAX_TRIED: Final = 20_000


@dataclass
class NumberGoal:
    """What is wanted. Bounds are None where there are none."""

    low: Fraction | None = None
    low_open: bool = False
    high: Fraction | None = None
    high_open: bool = False
    grid: Fraction | None = None
    off: set[Fraction] = field(default_factory=set)
    excluded: set[Fraction] = field(default_factory=set)

    def copy(self) -> NumberGoal:
        """Return an independent copy."""
        return NumberGoal(
            self.low,
            self.low_open,
            self.high,
            self.high_open,
            self.grid,
            set(self.off),
            set(self.excluded),
        )

    def above(self, bound: Fraction, strict: bool) -> None:
        """Raise the lower bound, if this one is higher."""
        if self.low is None or (bound, strict) > (self.low, self.low_open):
            self.low, self.low_open = bound, strict

    def below(self, bound: Fraction, strict: bool) -> None:
        """Lower the upper bound, if this one is lower."""
        if self.high is None or (bound, not strict) < (self.high, not self.high_open):
            self.high, self.high_open = bound, strict

    def multiple(self, of: Fraction) -> None:
        """Demand multiples of one more number: the grid becomes the least common multiple."""
        self.grid = of if self.grid is None else common_multiple(self.grid, of)

    def is_empty(self) -> bool:
        """Whether it is plain that there is no number; False says nothing."""
        if self.grid is not None and any((self.grid / q).denominator == 1 for q in self.off):
            return True
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def holds(self, number: Fraction) -> bool:
        """Whether the number is one of those wanted."""
        if self.low is not None and (number < self.low or (self.low_open and number == self.low)):
            return False
        if self.high is not None and (
            number > self.high or (self.high_open and number == self.high)
        ):
            return False
        if self.grid is not None and (number / self.grid).denominator != 1:
            return False
        return number not in self.excluded and all((number / q).denominator != 1 for q in self.off)


def common_multiple(one: Fraction, other: Fraction) -> Fraction:
    """Return the least positive rational that is a multiple of both."""
    return Fraction(lcm(one.numerator, other.numerator), gcd(one.denominator, other.denominator))


def find_number(goal: NumberGoal) -> Any:
    """Return a number of the goal, EMPTY where there is none, UNKNOWN where it is open."""
    if goal.is_empty():
        return EMPTY
    if goal.grid is not None:
        return _on_grid(goal, goal.grid)
    if goal.low is not None and goal.low == goal.high:
        return goal.low if goal.holds(goal.low) else EMPTY
    awkward = UNKNOWN
    for number in _dense(goal):
        if goal.holds(number):
            if is_faithful(number):
                return number
            awkward = number
    return awkward


def _on_grid(goal: NumberGoal, grid: Fraction) -> Any:
    low = None if goal.low is None else ceil(goal.low / grid)
    high = None if goal.high is None else floor(goal.high / grid)
    if low is not None and goal.low_open and goal.low == low * grid:
        low += 1
    if high is not None and goal.high_open and goal.high == high * grid:
        high -= 1
    if low is not None and high is not None and low > high:
        return EMPTY
    period = 1
    for q in goal.off:
        period = lcm(period, int(common_multiple(grid, q) / grid))
    # Off the grids of `off`, the pattern repeats; each excluded number spoils one place.
    needed = period * (len(goal.excluded) + 1)
    for tried, index in enumerate(_outwards(low, high)):
        if goal.holds(index * grid):
            return index * grid
        if tried > 2 * needed:
            return EMPTY
        if tried > _MAX_TRIED:
            return UNKNOWN
    return EMPTY


def _outwards(low: int | None, high: int | None) -> Iterator[int]:
    """Whole numbers of a range, those near zero first."""
    start = 0
    if low is not None and low > 0:
        start = low
    elif high is not None and high < 0:
        start = high
    yield start
    distance = 1
    while True:
        up, down = start + distance, start - distance
        above, below = high is None or up <= high, low is None or down >= low
        if above:
            yield up
        if below:
            yield down
        if not above and not below:
            return
        distance += 1


def _dense(goal: NumberGoal) -> Iterator[Fraction]:
    """Numbers of an interval that holds infinitely many, plain ones first."""
    low, high = goal.low, goal.high
    if low is None and high is None:
        low, high = Fraction(-1000), Fraction(1000)
    elif low is None and high is not None:
        low = high - 1000
    elif high is None and low is not None:
        high = low + 1000
    assert low is not None
    assert high is not None
    for count, number in enumerate(_outwards(ceil(low), floor(high))):
        if count > 200 or number < low or number > high:
            break
        yield Fraction(number)
    for step in (2, 10, 4, 100, 7, 1000, 128, 10**6, 2**20, 10**9, 10**15):
        unit = Fraction(1, step)
        for count, index in enumerate(_outwards(ceil(low / unit), floor(high / unit))):
            if count > 40 or not low <= index * unit <= high:
                break
            yield index * unit
    for parts in (2, 16, 1024):
        for part in range(1, parts):
            yield low + (high - low) * part / parts
