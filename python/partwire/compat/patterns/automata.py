"""Finite automata for patterns: whether a text matches, and a shortest text that does.

A pattern is searched for, as JSON Schema says; ``^`` and ``$`` are assertions wherever they are.
"""

from __future__ import annotations

import bisect
import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

from .regex import (
    ANY,
    WORD,
    Intervals,
    RegexError,
    Tree,
    certain_groups,
    is_regular,
    parse_regex,
    to_python,
)

__all__ = [
    "Automaton",
    "LookingAutomaton",
    "TooLargeError",
    "Undecided",
    "automaton",
    "contains",
    "matches",
    "representatives",
    "widened",
    "wider",
]

_MAX_STATES: Final = 30_000
_START = "start"

State = Any


class Undecided(Exception):
    """Something that cannot be known here; it never leaves the room."""


class TooLargeError(Exception):
    """There is no automaton of a size that is worth it; it never leaves the room."""


class Automaton:
    """The nondeterministic automaton of one pattern, run as a deterministic one, lazily.

    A state is a frozenset of positions; the initial one is marked, for ``^`` holds only there.
    """

    def __init__(self, pattern: Tree) -> None:
        self.empty: list[list[int]] = []
        self.begin: list[list[int]] = []
        self.end: list[list[int]] = []
        self.edges: list[list[tuple[Intervals, int]]] = []
        self.final = self._new()
        tree = ("cat", (("rep", ("chars", ANY), 0, None), pattern))
        self.rest = self._loop_before_final()
        self.start = self._build(tree, self.rest)
        self.first: State = (_START, self._closure({self.start}, begin=True, end=False))
        self._steps: dict[tuple[State, int], State] = {}
        self._accepts: dict[State, bool] = {}
        self.work = 0
        """Positions that were looked at: what the run so far has cost."""
        self.intervals = {intervals for edges in self.edges for intervals, _ in edges}

    def _new(self) -> int:
        if len(self.empty) >= _MAX_STATES:
            raise TooLargeError
        for table in (self.empty, self.begin, self.end, self.edges):
            table.append([])
        return len(self.empty) - 1

    def _loop_before_final(self) -> int:
        state = self._new()
        self.edges[state].append((ANY, state))
        self.empty[state].append(self.final)
        return state

    def _build(self, tree: Any, after: int) -> int:
        """Return the state from which ``tree``, then what follows ``after``, is read."""
        kind = tree[0]
        if kind == "cat":
            for part in reversed(tree[1]):
                after = self._build(part, after)
            return after
        if kind == "group":
            return self._build(tree[2], after)
        if kind == "rep":
            return self._repeat(tree, after)
        state = self._new()
        if kind == "chars":
            self.edges[state].append((tree[1], after))
        elif kind == "alt":
            self.empty[state].extend(self._build(part, after) for part in tree[1])
        else:
            (self.begin if kind == "bol" else self.end)[state].append(after)
        return state

    def _repeat(self, tree: Any, after: int) -> int:
        _, part, least, most = tree
        if most is None:
            loop = self._new()
            self.empty[loop].append(after)
            self.empty[loop].append(self._build(part, loop))
            after = loop
        else:
            if most > _MAX_STATES:
                raise TooLargeError
            leave = after
            for _ in range(most - least):
                state = self._new()
                self.empty[state] += [leave, self._build(part, after)]
                after = state
        if least > _MAX_STATES:
            raise TooLargeError
        for _ in range(least):
            after = self._build(part, after)
        return after

    def _closure(self, states: set[int], *, begin: bool, end: bool) -> frozenset[int]:
        seen = set(states)
        work = list(states)
        while work:
            state = work.pop()
            reached = self.empty[state]
            if begin and self.begin[state]:
                reached = reached + self.begin[state]
            if end and self.end[state]:
                reached = reached + self.end[state]
            for other in reached:
                if other not in seen:
                    seen.add(other)
                    work.append(other)
        return frozenset(seen)

    def step(self, state: State, code: int) -> State:
        """Return the state after one more code point."""
        known = self._steps.get((state, code))
        if known is None:
            here = state[1] if isinstance(state, tuple) else state
            self.work += len(here)
            reached = {
                target
                for position in here
                for intervals, target in self.edges[position]
                if contains(intervals, code)
            }
            known = self._closure(reached, begin=False, end=False)
            self._steps[state, code] = known
        return known

    def accepts(self, state: State) -> bool:
        """Whether the text may end here."""
        known = self._accepts.get(state)
        if known is None:
            at_start = isinstance(state, tuple)
            here = state[1] if at_start else state
            known = self.final in self._closure(set(here), begin=at_start, end=True)
            self._accepts[state] = known
        return known

    def is_sink(self, state: State) -> bool:
        """Whether nothing that follows can change the answer: it matched already."""
        return not isinstance(state, tuple) and self.final in state

    def is_dead(self, state: State) -> bool:
        """Whether nothing that follows can match any more."""
        return not state

    def matches(self, text: str) -> bool:
        """Whether the pattern is found in the text; time linear in its length."""
        state = self.first
        for char in text:
            state = self.step(state, ord(char))
            if self.is_sink(state):
                return True
        return self.accepts(state)


def contains(intervals: Intervals, code: int) -> bool:
    """Return whether a code point is in one of the intervals, which are sorted and apart."""
    at = bisect.bisect_right(intervals, (code, 0x7FFFFFFF)) - 1
    return at >= 0 and intervals[at][0] <= code <= intervals[at][1]


@lru_cache(maxsize=1024)
def automaton(pattern: str) -> Automaton | None:
    """Return the automaton of a pattern, or None where there is none that says the same."""
    return _made(parse_regex(pattern))


@lru_cache(maxsize=1024)
def wider(pattern: str) -> Automaton | None:
    """Return an automaton that matches all that a pattern matches, and maybe more."""
    tree = widened(parse_regex(pattern))
    return None if tree is None else _made(tree)


def _made(tree: Any) -> Automaton | None:
    try:
        if is_regular(tree):
            return Automaton(tree)
        return LookingAutomaton(tree) if is_regular(tree, looking=True) else None
    except TooLargeError:
        return None


@lru_cache(maxsize=65536)
def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text. Raises Undecided where that cannot be decided."""
    found = automaton(pattern)
    if found is not None:
        return found.matches(text)
    if len(text) > 64:
        raise Undecided(f"the pattern {pattern!r} on a text of {len(text)} characters")
    try:
        return re.search(to_python(parse_regex(pattern)), text) is not None
    except (RegexError, re.error, OverflowError, RecursionError):
        raise Undecided(f"the pattern {pattern!r}") from None


# What a reader of a witness likes to see first.
_PREFERRED: Final = [
    *range(97, 123),
    *range(48, 58),
    *range(65, 91),
    *map(ord, "_-. /:+@,;=&?!#$%'()*<>[]^`{|}~\"\\"),
]


def representatives(sets: set[Intervals]) -> list[int]:
    """Return one code point for each class of those that no set distinguishes; nicest first."""
    chosen: dict[tuple[bool, ...], int] = {}
    ordered = sorted(sets)
    cuts = sorted({edge for part in ordered for low, high in part for edge in (low, high + 1)})
    for code in [*_PREFERRED, 0x20, 0, *cuts, 0xE000]:
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            continue
        chosen.setdefault(tuple(contains(part, code) for part in ordered), code)
    return list(chosen.values())


# --- over-approximation ---------------------------------------------------------------------------

_MANY: Final = 64
_ALL: Final[Tree] = ("rep", ("chars", ANY), 0, None)


def widened(tree: Tree) -> Tree | None:
    """Return a tree that automata know, and that matches at least what this one matches.

    None where nothing of the kind is at hand: behind a negative assertion more would be less.
    """
    groups: dict[int, Tree] = {}
    _collect(tree, groups)
    return _widened(tree, groups, certain_groups(tree))


def _collect(tree: Tree, groups: dict[int, Tree]) -> None:
    for part in tree[1:]:
        if isinstance(part, tuple):
            for inside in part if tree[0] in ("cat", "alt") else (part,):
                if inside and isinstance(inside[0], str):
                    _collect(inside, groups)
    if tree[0] == "group":
        groups[tree[1]] = tree[2]


def _widened(tree: Tree, groups: dict[int, Tree], certain: frozenset[int]) -> Tree | None:
    kind = tree[0]
    if kind == "property":
        return ("chars", ANY)
    if kind == "back":
        group = groups.get(tree[1], _ALL)
        again = group if is_regular(group) else _ALL
        return again if tree[1] in certain else ("alt", (again, ("cat", ())))
    if kind == "look":
        if is_regular(tree, looking=True):
            return tree
        return None if tree[1] and tree[2] else ("cat", ())
    if kind in ("cat", "alt"):
        parts = [_widened(part, groups, certain) for part in tree[1]]
        return None if None in parts else (kind, tuple(parts))
    if kind == "rep":
        inside = _widened(tree[1], groups, certain)
        most = None if tree[3] is None or tree[3] > _MANY else tree[3]
        return None if inside is None else ("rep", inside, min(tree[2], _MANY), most)
    return _widened(tree[2], groups, certain) if kind == "group" else tree


# --- look-ahead and word boundaries: alternating automata, run lazily -----------------------------

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
    """Between two code points: what is before and after; ``code`` None is the end."""

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
                raise TooLargeError  # what is before is not kept
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
