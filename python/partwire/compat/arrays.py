"""Whether an array exists with these items, and which: lengths first, then who stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .boxes import ArrayBox
from .strings import EMPTY, UNKNOWN
from .terms import Literal
from .values import Frozen, array_of

if TYPE_CHECKING:
    from .solving import Solver

__all__ = ["solve_array"]

_MAX_LENGTH: Final = 2_000
_MAX_WAYS: Final = 512
_MAX_PLACED: Final = 64
_MAX_DISTINCT: Final = 200

_Need = tuple[str, int, Literal]
"""``("some", first position, literal)``, ``("count", index of the count, literal)`` or
``("same", 0, 0)`` and its partner."""


def solve_array(solver: Solver, box: ArrayBox, applied: frozenset[int]) -> Any:
    """Answer a case of an array: a frozen array, EMPTY or UNKNOWN."""
    return _Arrays(solver, box, applied).solve()


class _Arrays:
    def __init__(self, solver: Solver, box: ArrayBox, applied: frozenset[int]) -> None:
        self.solver = solver
        self.box = box
        self.applied = applied
        self.regular = box.regular_from
        self.inexact = False
        self.tried = 0

    def solve(self) -> Any:
        box = self.box
        if any(most is not None and most < least for _, least, most in box.counts):
            return EMPTY
        for position in range(min(box.least, self.regular + 1)):
            answer = self._item(position, frozenset())
            if answer is EMPTY:
                return EMPTY
            self.inexact = self.inexact or answer is UNKNOWN
        needs: list[_Need] = [("some", start, literal) for start, literal in box.somewhere]
        for number, (literal, least, _) in enumerate(box.counts):
            needs += [("count", number, literal)] * min(least, _MAX_PLACED + 1)
        # Whoever cannot stand anywhere decides it: looked at before all combinations.
        for need in dict.fromkeys(needs):
            if not self._anywhere(need):
                return UNKNOWN if self.inexact else EMPTY
        if box.repeated:
            needs += [("same", 0, 0), ("same", 1, 0)]
        if len(needs) > _MAX_PLACED or box.least > _MAX_LENGTH:
            return UNKNOWN
        return self._lengths(needs)

    def _item(self, position: int, more: frozenset[Literal]) -> Any:
        from .solving import Goal  # noqa: PLC0415

        shapes = self.applied and self.solver.shapes.below_item(self.applied, position)
        literals = frozenset(self.box.known_at(position)) | more
        return self.solver.below(str(position), Goal(literals, shapes))

    def _anywhere(self, need: _Need) -> bool:
        kind, start, literal = need
        found = False
        for position in range(start if kind == "some" else 0, max(self.regular, start) + 1):
            if self.box.most is not None and position >= self.box.most:
                break
            answer = self._item(position, frozenset((literal,)))
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                found = True
                break
            if position >= self.box.least and self._item(position, frozenset()) is EMPTY:
                break  # no array is any longer
        return found

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
            answer = self._assign(needs, length, {}, {})
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                return answer
        return UNKNOWN if self.inexact else EMPTY

    def _assign(
        self,
        needs: list[_Need],
        length: int,
        placed: dict[int, frozenset[Literal]],
        taken: dict[Any, tuple[int, ...]],
    ) -> Any:
        """Give every need a position, then fill in the rest."""
        self.tried += 1
        self.solver.spend()
        if self.tried > _MAX_WAYS:
            self.inexact = True
            return EMPTY
        if not needs:
            return self._fill(length, placed, taken)
        kind, start, literal = needs[0]
        key = (kind, start if kind == "count" else 0)
        first = start if kind == "some" else taken.get(key, (-1,))[-1] + 1
        # Of positions past the regular part that nobody stands on, one is as good as another.
        fresh = True
        for position in range(first, length):
            if position >= self.regular and position not in placed:
                if not fresh:
                    continue
                fresh = False
            more = placed.get(position, frozenset()) | ({literal} if literal else frozenset())
            if self._item(position, more) is EMPTY:
                continue
            found = taken if kind == "some" else {**taken, key: (*taken.get(key, ()), position)}
            if kind == "same" and start == 1:
                found = {**taken, "pair": (taken["same", 0][0], position)}
                if position == taken["same", 0][0]:
                    continue
            elif kind == "same":
                found = {**taken, key: (position,)}
            answer = self._assign(needs[1:], length, {**placed, position: more}, found)
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                return answer
        return EMPTY

    def _fill(
        self,
        length: int,
        placed: dict[int, frozenset[Literal]],
        taken: dict[Any, tuple[int, ...]],
    ) -> Any:
        facts = [placed.get(position, frozenset()) for position in range(length)]
        pair = taken.get("pair")
        if pair is not None:
            one, other = pair
            both = facts[one] | facts[other]
            both |= frozenset(self.box.known_at(one)) | frozenset(self.box.known_at(other))
            facts[one] = facts[other] = both
        for number, (literal, _, most) in enumerate(self.box.counts):
            if most is not None and not self._limit(facts, literal, most, number, taken):
                return EMPTY
        items: list[Frozen] = []
        if self.box.unique:
            return self._distinct(facts)
        for position, more in enumerate(facts):
            if pair is not None and position == pair[1]:
                items.append(items[pair[0]])
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
        number: int,
        taken: dict[Any, tuple[int, ...]],
    ) -> bool:
        """Make items not count, as many as can; whether few enough are left that do."""
        counted = set(taken.get(("count", number), ()))
        for position, more in enumerate(facts):
            if position in counted:
                continue
            answer = self._item(position, more | {-literal})
            if answer is EMPTY:
                counted.add(position)
            else:
                facts[position] = more | {-literal}
        limited = [most for _, _, most in self.box.counts if most is not None]
        if len(counted) > most:
            # With two limits, the first may have taken the second its choice.
            self.inexact = self.inexact or len(limited) > 1
            return False
        return True

    def _distinct(self, facts: list[frozenset[Literal]]) -> Any:
        items: list[Frozen] = []
        for position, more in enumerate(facts):
            if position > _MAX_DISTINCT:
                return UNKNOWN
            used = more
            if items:
                used = more | {-self.solver.terms.make("enum", frozenset(items))}
            answer = self._item(position, used)
            if answer is UNKNOWN:
                return UNKNOWN
            if answer is EMPTY:
                return EMPTY if self._all_alike(facts[: position + 1]) else UNKNOWN
            items.append(answer)
        return array_of(items)

    def _all_alike(self, facts: list[frozenset[Literal]]) -> bool:
        """Whether all items so far come from one set: then it is too small, however chosen."""
        kinds = {
            frozenset(self.box.known_at(position)) | more for position, more in enumerate(facts)
        }
        shapes = {
            self.solver.shapes.below_item(self.applied, position)
            for position in range(len(facts))
            if self.applied
        }
        return len(kinds) == 1 and len(shapes) <= 1
