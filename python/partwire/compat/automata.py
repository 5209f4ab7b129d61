"""Finite automata for patterns: whether a text matches, and a shortest text that does.

A pattern is searched for, as JSON Schema says; ``^`` and ``$`` are assertions wherever they stand.
"""

from __future__ import annotations

import bisect
import re
from functools import lru_cache
from typing import Any, Final

from .regex import ANY, Intervals, RegexError, Tree, is_regular, parse_regex, to_python
from .widening import widened

__all__ = [
    "Automaton",
    "TooLargeError",
    "Undecided",
    "automaton",
    "contains",
    "matches",
    "representatives",
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
    from .lookahead import LookingAutomaton  # noqa: PLC0415

    try:
        if is_regular(tree):
            return Automaton(tree)
        return LookingAutomaton(tree) if is_regular(tree, looking=True) else None
    except TooLargeError:
        return None


@lru_cache(maxsize=65536)
def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text. Raises Undecided where that cannot be told."""
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
    """Return one code point for each class of those that no set tells apart; nicest first."""
    chosen: dict[tuple[bool, ...], int] = {}
    ordered = sorted(sets)
    cuts = sorted({edge for part in ordered for low, high in part for edge in (low, high + 1)})
    for code in [*_PREFERRED, 0x20, 0, *cuts, 0xE000]:
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            continue
        chosen.setdefault(tuple(contains(part, code) for part in ordered), code)
    return list(chosen.values())
