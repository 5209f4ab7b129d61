"""Automata for patterns with look-ahead and word boundaries: alternating ones, run lazily.

A state is a formula over positions of the pattern, as alternatives of conjunctions: ``+q`` says
that the rest of the text is read from ``q``, ``-q`` that it is not.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .automata import Automaton, TooLargeError, Undecided, contains
from .regex import WORD, Tree

__all__ = ["LookingAutomaton"]

_PRICE: Final = 10
"""What a step costs here, beside one of a plain automaton."""
_MAX_WAYS: Final = 160

Formula = frozenset[frozenset[int]]
TRUE: Final[Formula] = frozenset((frozenset(),))
FALSE: Final[Formula] = frozenset()


class _State(NamedTuple):
    """``begins``: nothing was read yet; ``word``: the last code point was one of a word."""

    begins: bool
    word: bool
    formula: Formula


class _Turn(NamedTuple):
    """Between two code points: what stands before and after; ``code`` None is the end."""

    begins: bool
    word: bool
    code: int | None

    @property
    def is_edge(self) -> bool:
        return self.word != (self.code is not None and contains(WORD, self.code))


class LookingAutomaton(Automaton):
    """As :class:`Automaton`; methods raise Undecided where formulas grow too large."""

    def __init__(self, pattern: Tree) -> None:
        self.edge: dict[int, list[tuple[bool, int]]] = {}
        self.look: dict[int, list[tuple[bool, int, int]]] = {}
        self._circles = 0
        super().__init__(pattern)
        self.first = _State(True, False, frozenset((frozenset((self.start,)),)))
        self.intervals = self.intervals | {WORD}

    def _build(self, tree: Any, after: int) -> int:
        if tree[0] == "edge":
            state = self._new()
            self.edge.setdefault(state, []).append((tree[1], after))
            return state
        if tree[0] == "look":
            if not tree[1]:
                raise TooLargeError  # what stands before is not kept
            state = self._new()
            inside = self._build(tree[3], self.rest)
            self.look.setdefault(state, []).append((tree[2], inside, after))
            return state
        return super()._build(tree, after)

    def step(self, state: Any, code: int) -> Any:
        """Return the state after one more code point."""
        known = self._steps.get((state, code))
        if known is None:
            turn = _Turn(state.begins, state.word, code)
            formula = self._of(state.formula, turn)
            known = _State(False, contains(WORD, code), formula)
            self._steps[state, code] = known
        return known

    def accepts(self, state: Any) -> bool:
        """Whether the text may end here."""
        known = self._accepts.get(state)
        if known is None:
            known = self._of(state.formula, _Turn(state.begins, state.word, None)) == TRUE
            self._accepts[state] = known
        return known

    def is_sink(self, state: Any) -> bool:
        """Whether nothing that follows can change the answer: it matched already."""
        return bool(state.formula == TRUE)

    def is_dead(self, state: Any) -> bool:
        """Whether nothing that follows can match any more."""
        return not state.formula

    # --- formulas -----------------------------------------------------------------------------

    def _of(self, formula: Formula, turn: _Turn) -> Formula:
        memo: dict[int, Formula] = {}
        result = FALSE
        for ways in formula:
            part = TRUE
            for literal in sorted(ways):
                read = self._read(abs(literal), turn, memo, set())
                part = self._both(part, read if literal > 0 else self._none(read))
                if not part:
                    break
            result = self._either(result, part)
        return result

    def _read(
        self, position: int, turn: _Turn, memo: dict[int, Formula], above: set[int]
    ) -> Formula:
        """Return what has to hold after ``turn`` for the rest to be read from a position."""
        if position == self.rest:
            return TRUE
        if position in memo:
            return memo[position]
        if position in above:
            self._circles += 1
            return FALSE
        above.add(position)
        circles = self._circles
        found = FALSE
        if position == self.final and turn.code is None:
            found = TRUE
        for intervals, target in self.edges[position]:
            if turn.code is not None and contains(intervals, turn.code):
                way = frozenset() if target == self.rest else frozenset((target,))
                found = self._either(found, frozenset((way,)))
        for target in self._passed(position, turn):
            found = self._either(found, self._read(target, turn, memo, above))
        for negative, inside, target in self.look.get(position, ()):
            seen = self._read(inside, turn, memo, above)
            then = self._read(target, turn, memo, above)
            found = self._either(found, self._both(self._none(seen) if negative else seen, then))
        above.discard(position)
        if circles == self._circles or not above:
            memo[position] = found
        return found

    def _passed(self, position: int, turn: _Turn) -> list[int]:
        """Return where one gets to without reading anything."""
        reached = list(self.empty[position])
        if turn.begins:
            reached += self.begin[position]
        if turn.code is None:
            reached += self.end[position]
        for negative, target in self.edge.get(position, ()):
            if turn.is_edge is not negative:
                reached.append(target)
        return reached

    def _either(self, one: Formula, other: Formula) -> Formula:
        return self._least(one | other)

    def _both(self, one: Formula, other: Formula) -> Formula:
        if len(one) * len(other) > _MAX_WAYS * 4:
            raise self._too_large()
        self.work += _PRICE * len(one) * len(other)
        return self._least(
            frozenset(
                merged
                for left in one
                for right in other
                for merged in (left | right,)
                if not any(-literal in merged for literal in merged)
            )
        )

    def _none(self, formula: Formula) -> Formula:
        result = TRUE
        for ways in formula:
            result = self._both(result, frozenset(frozenset((-literal,)) for literal in ways))
        return result

    def _least(self, formula: Formula) -> Formula:
        """Drop alternatives that ask for more than another one."""
        kept: list[frozenset[int]] = []
        for ways in sorted(formula, key=len):
            self.work += _PRICE * (1 + len(kept))
            if not any(other <= ways for other in kept):
                kept.append(ways)
        if len(kept) > _MAX_WAYS:
            raise self._too_large()
        return frozenset(kept)

    @staticmethod
    def _too_large() -> Undecided:
        return Undecided("a pattern that looks ahead too far")
