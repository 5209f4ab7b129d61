"""Whether an array exists with these items, and which: lengths first, then which item is where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, Final

from .domains import ArrayBox
from .strings import EMPTY, UNKNOWN
from .terms import Enum, Literal
from .values import Frozen, array_of

if TYPE_CHECKING:
    from .solver import Solver

__all__ = ["solve_array"]

_MAX_LENGTH: Final = 2_000
_MAX_WAYS: Final = 512
_MAX_PLACED: Final = 64
_MAX_DISTINCT: Final = 200
_MAX_KINDS: Final = 6


# --- items that have to be somewhere --------------------------------------------------------------


@dataclass(frozen=True)
class _Somewhere:
    """An item at or after a position that satisfies a literal."""

    start: int
    literal: Literal


@dataclass(frozen=True)
class _Counted:
    """One of the items of a kind that are counted."""

    kind: Literal


@dataclass(frozen=True)
class _Equal:
    """One of two equal items."""


_Need = _Somewhere | _Counted | _Equal


@dataclass(frozen=True)
class _Placement:
    """Needs that have a position: what the items there have to be, and which ones serve what."""

    facts: dict[int, frozenset[Literal]] = field(default_factory=dict)
    counted: dict[Literal, tuple[int, ...]] = field(default_factory=dict)
    equal: tuple[int, ...] = ()

    def first(self, need: _Need) -> int:
        """Return the first position for a need; like ones go from left to right."""
        match need:
            case _Somewhere(start):
                return start
            case _Counted(kind):
                return self.counted.get(kind, (-1,))[-1] + 1
            case _Equal():
                return self.equal[-1] + 1 if self.equal else 0

    def with_need(self, need: _Need, position: int) -> _Placement:
        """Return the placement with one need more."""
        more = self.facts.get(position, frozenset())
        counted, equal = self.counted, self.equal
        match need:
            case _Somewhere(_, literal):
                more |= {literal}
            case _Counted(kind):
                more |= {kind}
                counted = {**counted, kind: (*counted.get(kind, ()), position)}
            case _Equal():
                equal = (*equal, position)
        return _Placement({**self.facts, position: more}, counted, equal)


# --- arrays ---------------------------------------------------------------------------------------


def solve_array(solver: Solver, box: ArrayBox, applied: frozenset[int]) -> Any:
    """Answer a case of an array: a frozen array, EMPTY or UNKNOWN."""
    return _Arrays(solver, box, applied).solve()


class _Arrays:
    def __init__(self, solver: Solver, box: ArrayBox, applied: frozenset[int]) -> None:
        self.solver = solver
        self.box = box
        self.applied = applied
        # From here on all items are alike: by what has to hold, and by what shapes declare.
        self.regular = max(box.regular_from, solver.shapes.items(applied).first)
        self.inexact = False
        self.tried = 0
        self.counts = dict(box.counts)

    def solve(self) -> Any:
        box = self.box
        if not self._relate() or (box.unique and not self._are_enough()):
            return EMPTY
        for position in range(min(box.least, self.regular + 1)):
            answer = self._item(position, frozenset())
            if answer is EMPTY:
                return EMPTY
            self.inexact = self.inexact or answer is UNKNOWN
        needs: list[_Need] = [_Somewhere(start, literal) for start, literal in box.somewhere]
        for kind, (least, _) in box.counts.items():
            needs += [_Counted(kind)] * min(least, _MAX_PLACED + 1)
        # A need that has no position anywhere decides it: looked at before all combinations.
        for need in dict.fromkeys(needs):
            if not self._has_position(need):
                return UNKNOWN if self.inexact else EMPTY
        if box.repeated:
            needs += [_Equal(), _Equal()]
        if len(needs) > _MAX_PLACED or box.least > _MAX_LENGTH:
            return UNKNOWN
        return self._lengths(needs)

    def _relate(self) -> bool:
        """Let kinds of items limit one another where one is part of the other; False: too much.

        So many of the part are at least so many of the whole, at most so many of the whole are
        at most so many of the part.
        """
        if len(self.counts) > _MAX_KINDS:
            return True
        for part, whole in permutations(self.counts, 2):
            only = frozenset((part, -whole))
            places = range(self.regular, -1, -1)
            if any(self._item(position, only) is not EMPTY for position in places):
                continue
            fewest, limit = self.counts[part]
            least, most = self.counts[whole]
            self.counts[whole] = (max(least, fewest), most)
            limits = [bound for bound in (limit, most) if bound is not None]
            self.counts[part] = (fewest, min(limits, default=None))
        return not any(most is not None and most < least for least, most in self.counts.values())

    def _are_enough(self) -> bool:
        """Whether there are as many different values of each kind as have to be there."""
        from .solver import Goal  # noqa: PLC0415

        for kind, (least, _) in self.counts.items():
            used: set[Frozen] = set()
            while len(used) < min(least, _MAX_PLACED):
                others = {-self.solver.terms.make(Enum(frozenset(used)))} if used else set()
                answer = self.solver.below("0", Goal(frozenset({kind} | others)))
                if answer is EMPTY:
                    return False
                if answer is UNKNOWN:
                    break
                used.add(answer)
        return True

    def _item(self, position: int, more: frozenset[Literal]) -> Any:
        from .solver import Goal  # noqa: PLC0415

        shapes = self.applied and self.solver.shapes.below_item(self.applied, position)
        literals = frozenset(self.box.known_at(position)) | more
        return self.solver.below(str(position), Goal(literals, shapes))

    def _has_position(self, need: _Need) -> bool:
        placed = _Placement()
        start = placed.first(need)
        for position in range(start, max(self.regular, start) + 1):
            if self.box.most is not None and position >= self.box.most:
                break
            answer = self._item(position, placed.with_need(need, position).facts[position])
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                return True
            if position >= self.box.least and self._item(position, frozenset()) is EMPTY:
                break  # no array is any longer
        return False

    def _lengths(self, needs: list[_Need]) -> Any:
        box = self.box
        longest = max(box.least, self.regular) + len(needs)
        if box.most is not None:
            longest = min(longest, box.most)
        for length in range(box.least, longest + 1):
            if length and length > box.least:
                last = self._item(length - 1, frozenset())
                if last is EMPTY:
                    break
                self.inexact = self.inexact or last is UNKNOWN
            answer = self._assign(needs, length, _Placement())
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                return answer
        return UNKNOWN if self.inexact else EMPTY

    def _assign(self, needs: list[_Need], length: int, placed: _Placement) -> Any:
        """Give every need a position, then fill in the rest."""
        self.tried += 1
        self.solver.spend()
        if self.tried > _MAX_WAYS:
            self.inexact = True
            return EMPTY
        if not needs:
            return self._fill(length, placed)
        need, *others = needs
        for position in self._positions(need, length, placed):
            more = placed.with_need(need, position)
            if self._item(position, more.facts[position]) is EMPTY:
                continue
            answer = self._assign(others, length, more)
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                return answer
        return EMPTY

    def _positions(self, need: _Need, length: int, placed: _Placement) -> Iterator[int]:
        """Yield positions for a need; of the regular ones that nothing has taken, one will do."""
        has_regular = False
        for position in range(placed.first(need), length):
            is_regular = position >= self.regular and position not in placed.facts
            if not (is_regular and has_regular):
                yield position
            has_regular = has_regular or is_regular

    def _fill(self, length: int, placed: _Placement) -> Any:
        facts = [placed.facts.get(position, frozenset()) for position in range(length)]
        if placed.equal:
            one, other = placed.equal
            both = facts[one] | facts[other]
            both |= frozenset(self.box.known_at(one)) | frozenset(self.box.known_at(other))
            facts[one] = facts[other] = both
        free = list(facts)
        spare = 0
        for literal, (_, most) in self.counts.items():
            if most is not None:
                left = self._limit(facts, literal, most, placed.counted.get(literal, ()))
                if left < 0:
                    return EMPTY
                spare = max(spare, left)
        items: list[Frozen] = []
        if self.box.unique:
            return self._different(facts, free, spare)
        for position, more in enumerate(facts):
            if position in placed.equal[1:]:
                items.append(items[placed.equal[0]])
                continue
            answer = self._item(position, more)
            if answer is EMPTY or answer is UNKNOWN:
                return answer
            items.append(answer)
        return array_of(items)

    def _limit(
        self,
        facts: list[frozenset[Literal]],
        literal: Literal,
        most: int,
        placed: tuple[int, ...],
    ) -> int:
        """Make items not count, as many as can; how many more might: -1 if too many have to."""
        counted = set(placed)
        for position, more in enumerate(facts):
            if position in counted:
                continue
            answer = self._item(position, more | {-literal})
            if answer is EMPTY:
                counted.add(position)
            else:
                facts[position] = more | {-literal}
        if len(counted) <= most:
            return most - len(counted)
        limits = {-kind for kind, (_, limit) in self.counts.items() if limit is not None}
        if len(limits) > 1:
            # The first may have taken the second its choice: what never had one is certain.
            free = (
                position
                for position in counted.difference(placed)
                if self._item(position, (facts[position] - limits) | {-literal}) is not EMPTY
            )
            self.inexact = self.inexact or len(counted) - len(list(free)) <= most
        return -1

    def _different(
        self, facts: list[frozenset[Literal]], free: list[frozenset[Literal]], spare: int
    ) -> Any:
        """Choose different items. Where too few values do not count, ``spare`` items may.

        ``free`` are the facts of the items that may count.
        """
        answer = self._distinct(facts)
        held = [position for position, more in enumerate(facts) if more != free[position]]
        if answer is not EMPTY or not held or not spare or self._distinct(free) is EMPTY:
            return answer
        # With two limits, what one of them held back may be what the other one lets go.
        if sum(limit is not None for _, limit in self.counts.values()) > 1:
            return UNKNOWN
        for tried, freed in enumerate(combinations(held, min(spare, len(held)))):
            self.solver.spend()
            some = [free[n] if n in freed else more for n, more in enumerate(facts)]
            answer = self._distinct(some) if tried < _MAX_WAYS else UNKNOWN
            if answer is not EMPTY:
                return answer
        return EMPTY

    def _distinct(self, facts: list[frozenset[Literal]]) -> Any:
        """Choose different items: first as they come, then where values are few by matching."""
        items: dict[int, Frozen] = {}
        if len(facts) > _MAX_DISTINCT:
            return UNKNOWN
        stuck = self._choose(range(len(facts)), facts, items)
        if stuck is None:
            return array_of([items[n] for n in range(len(facts))])
        if stuck is UNKNOWN:
            return UNKNOWN
        return self._matched(facts)

    def _choose(
        self, order: Iterable[int], facts: list[frozenset[Literal]], items: dict[int, Frozen]
    ) -> Any:
        """Fill ``items``; return None, or the position that is stuck, or UNKNOWN."""
        for position in order:
            answer = self._another(position, facts[position], frozenset(items.values()))
            if answer is UNKNOWN:
                return UNKNOWN
            if answer is EMPTY:
                return position
            items[position] = answer
        return None

    def _another(self, position: int, more: frozenset[Literal], used: frozenset[Frozen]) -> Any:
        if used:
            more = more | {-self.solver.terms.make(Enum(used))}
        return self._item(position, more)

    def _matched(self, facts: list[frozenset[Literal]]) -> Any:
        """Give every position with few values a different one; the others have enough left."""
        few: dict[int, list[Frozen]] = {}
        for position, more in enumerate(facts):
            values: list[Frozen] = []
            answer = self._another(position, more, frozenset())
            while answer is not EMPTY and answer is not UNKNOWN and len(values) <= len(facts):
                values.append(answer)
                answer = self._another(position, more, frozenset(values))
            if answer is UNKNOWN:
                return UNKNOWN
            if answer is EMPTY:
                few[position] = values
        owner: dict[Frozen, int] = {}
        for position in few:
            if not _augment(position, few, owner, set()):
                return EMPTY
        items = {position: value for value, position in owner.items()}
        rest = [position for position in range(len(facts)) if position not in items]
        if self._choose(rest, facts, items) is not None:
            return UNKNOWN
        return array_of([items[n] for n in range(len(facts))])


def _augment(
    position: int, few: dict[int, list[Frozen]], owner: dict[Frozen, int], seen: set[Frozen]
) -> bool:
    """Find a value for a position, moving others on to another one where need be."""
    for value in few[position]:
        if value in seen:
            continue
        seen.add(value)
        if value not in owner or _augment(owner[value], few, owner, seen):
            owner[value] = position
            return True
    return False
