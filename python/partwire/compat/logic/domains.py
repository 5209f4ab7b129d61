"""What is known of a value of one type, kept so that contradictions show at once."""

from __future__ import annotations

from typing import Any, Protocol

from .numbers import NumberGoal
from .strings import StringGoal
from .terms import Literal, Term

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
        kind, goal = term[0], self.goal
        if kind == "min":
            if literal > 0:
                goal.above(term[1], term[2])
            else:
                goal.below(term[1], not term[2])
        elif kind == "mult":
            if literal > 0:
                goal.multiple(term[1])
            else:
                goal.off.add(term[1])
        elif kind == "enum" and literal < 0:
            goal.excluded.update(term[1])
        return not goal.is_empty()

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would leave no number."""
        return not self.copy().add(literal, term)


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
        kind = term[0]
        if kind == "minlen":
            if literal > 0:
                self.least = max(self.least, term[1])
            else:
                self.most = term[1] - 1 if self.most is None else min(self.most, term[1] - 1)
        elif kind == "pattern":
            (self.wanted if literal > 0 else self.unwanted).add(term[1])
        elif kind == "enum" and literal < 0:
            self.excluded.update(term[1])
        return self.most is None or self.least <= self.most

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would leave no length."""
        if term[0] != "minlen":
            return False
        if literal > 0:
            return self.most is not None and bool(self.most < term[1])
        return bool(self.least >= term[1])

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
        kind, holds = term[0], literal > 0
        if kind == "minitems":
            if holds:
                self.at_least(term[1])
            else:
                self.at_most(term[1] - 1)
        elif kind == "unique":
            self.unique = self.unique or holds
            self.repeated = self.repeated or not holds
            if not holds:
                self.at_least(2)
        elif kind == "item":
            self.at.setdefault(term[1], set()).add(term[2] if holds else -term[2])
            if not holds:
                self.at_least(term[1] + 1)
        elif kind == "items":
            if holds:
                self.tails.setdefault(term[1], set()).add(term[2])
            else:
                self.somewhere.append((term[1], -term[2]))
                self.at_least(term[1] + 1)
        elif kind == "contains" and holds:
            self._contains(term)
            fewest, largest = self.counts[term[1]]
            if largest is not None and largest < fewest:
                return False
        if self.unique and self.repeated:
            return False
        return self.most is None or self.least <= self.most

    def _contains(self, term: Term) -> None:
        _, kind, least, most = term
        if most == 0:
            self.tails.setdefault(0, set()).add(-kind)
        known, limit = self.counts.get(kind, (0, None))
        limits = [bound for bound in (most, limit) if bound is not None]
        self.counts[kind] = (max(known, least), min(limits, default=None))
        self.at_least(least)

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would leave no length."""
        if term[0] == "minitems" and literal < 0:
            return bool(self.least >= term[1])
        needed = {"minitems": 0, "item": 1, "items": 1}.get(term[0])
        if needed is None or (term[0] == "minitems") != (literal > 0):
            return False
        return self.most is not None and bool(self.most < term[1] + needed)

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
