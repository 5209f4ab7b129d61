"""What is known of a value of one type, kept so that contradictions show at once."""

from __future__ import annotations

from typing import Any, Protocol

from .numbers import NumberGoal
from .strings import StringGoal
from .terms import (
    Contains,
    Enum,
    Item,
    Items,
    Literal,
    Minimum,
    MinItems,
    MinLength,
    MultipleOf,
    Pattern,
    Term,
    UniqueItems,
)

__all__ = ["ArrayBox", "Box", "NumberBox", "ScalarBox", "StringBox"]


class Box(Protocol):
    """``add`` takes one fact and says False where it contradicts; ``clashes`` only asks."""

    def copy(self) -> Any:
        """Return an independent copy."""

    def add(self, literal: Literal, term: Term) -> bool:
        """Take a fact; False: there is no such value."""
        ...

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would plainly contradict; False says nothing."""
        ...


class ScalarBox:
    """null and booleans: their few values are tried one by one."""

    def copy(self) -> ScalarBox:
        """Return itself: there is nothing to keep apart."""
        return self

    def add(self, literal: Literal, term: Term) -> bool:
        """Take nothing."""
        return True

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Know nothing."""
        return False


class NumberBox:
    """Interval, grids, and single numbers that are out."""

    def __init__(self, goal: NumberGoal | None = None) -> None:
        self.goal = goal or NumberGoal()

    def copy(self) -> NumberBox:
        """Return an independent copy."""
        return NumberBox(self.goal.copy())

    def add(self, literal: Literal, term: Term) -> bool:
        """Take a fact; False: there is no such number."""
        goal = self.goal
        match term:
            case Minimum(bound, strict) if literal > 0:
                goal.above(bound, strict)
            case Minimum(bound, strict):
                goal.below(bound, not strict)
            case MultipleOf(divisor) if literal > 0:
                goal.multiple(divisor)
            case MultipleOf(divisor):
                goal.off.add(divisor)
            case Enum(values) if literal < 0:
                goal.excluded.update(values)
        return not goal.is_empty()

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would leave no number."""
        return isinstance(term, (Minimum, MultipleOf)) and not self.copy().add(literal, term)


class StringBox:
    """Lengths, patterns, and single strings that are out."""

    def __init__(self) -> None:
        self.least = 0
        self.most: int | None = None
        self.wanted: set[str] = set()
        self.unwanted: set[str] = set()
        self.excluded: set[str] = set()

    def copy(self) -> StringBox:
        """Return an independent copy."""
        other = StringBox()
        other.least, other.most = self.least, self.most
        other.wanted, other.unwanted = set(self.wanted), set(self.unwanted)
        other.excluded = set(self.excluded)
        return other

    def add(self, literal: Literal, term: Term) -> bool:
        """Take a fact; False: there is no such string."""
        match term:
            case MinLength(size) if literal > 0:
                self.least = max(self.least, size)
            case MinLength(size):
                self.most = size - 1 if self.most is None else min(self.most, size - 1)
            case Pattern(pattern):
                (self.wanted if literal > 0 else self.unwanted).add(pattern)
            case Enum(values) if literal < 0:
                self.excluded.update(values)
        return self.most is None or self.least <= self.most

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would leave no length."""
        if not isinstance(term, MinLength):
            return False
        if literal > 0:
            return self.most is not None and self.most < term.size
        return self.least >= term.size

    def goal(self) -> StringGoal:
        """Return what is known as a question."""
        return StringGoal(
            frozenset(self.wanted),
            frozenset(self.unwanted),
            self.least,
            self.most,
            frozenset(self.excluded),
        )


class ArrayBox:
    """Items by position, lengths, and items that have to be somewhere."""

    def __init__(self) -> None:
        self.at: dict[int, set[Literal]] = {}
        self.tails: dict[int, set[Literal]] = {}
        self.least = 0
        self.most: int | None = None
        self.unique = False
        self.repeated = False
        self.counts: dict[Literal, tuple[int, int | None]] = {}
        """Least and most items of a kind."""
        self.somewhere: list[tuple[int, Literal]] = []

    def copy(self) -> ArrayBox:
        """Return an independent copy."""
        other = ArrayBox()
        other.at = {n: set(facts) for n, facts in self.at.items()}
        other.tails = {n: set(facts) for n, facts in self.tails.items()}
        other.least, other.most = self.least, self.most
        other.unique, other.repeated = self.unique, self.repeated
        other.counts, other.somewhere = dict(self.counts), list(self.somewhere)
        return other

    def at_least(self, count: int) -> None:
        """Take a lower bound of the length."""
        self.least = max(self.least, count)

    def at_most(self, count: int) -> None:
        """Take an upper bound of the length."""
        self.most = count if self.most is None else min(self.most, count)

    def add(self, literal: Literal, term: Term) -> bool:
        """Take a fact; False: there is no such array."""
        holds = literal > 0
        match term:
            case MinItems(size) if holds:
                self.at_least(size)
            case MinItems(size):
                self.at_most(size - 1)
            case UniqueItems() if holds:
                self.unique = True
            case UniqueItems():
                self.repeated = True
                self.at_least(2)
            case Item(position, schema):
                self.at.setdefault(position, set()).add(schema if holds else -schema)
                if not holds:
                    self.at_least(position + 1)
            case Items(start, schema) if holds:
                self.tails.setdefault(start, set()).add(schema)
            case Items(start, schema):
                self.somewhere.append((start, -schema))
                self.at_least(start + 1)
            case Contains() if holds:
                self._contains(term)
                fewest, largest = self.counts[term.schema]
                if largest is not None and largest < fewest:
                    return False
        if self.unique and self.repeated:
            return False
        return self.most is None or self.least <= self.most

    def _contains(self, term: Contains) -> None:
        kind, least, most = term
        if most == 0:
            self.tails.setdefault(0, set()).add(-kind)
        known, limit = self.counts.get(kind, (0, None))
        limits = [bound for bound in (most, limit) if bound is not None]
        self.counts[kind] = (max(known, least), min(limits, default=None))
        self.at_least(least)

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would leave no length."""
        match term:
            case MinItems(size) if literal < 0:
                return self.least >= size
            case MinItems(size):
                return self.most is not None and self.most < size
            case Item(position) | Items(position) if literal < 0:
                return self.most is not None and self.most <= position
        return False

    def known_at(self, position: int) -> set[Literal]:
        """Return what every item at a position has to be."""
        facts = set(self.at.get(position, ()))
        for start, more in self.tails.items():
            if start <= position:
                facts |= more
        return facts

    @property
    def regular_from(self) -> int:
        """The position from which on all items are alike."""
        return max([n + 1 for n in self.at] + list(self.tails), default=0)
