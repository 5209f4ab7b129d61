"""Whether a string exists with these patterns, without those, of such a length; and which."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from ..patterns.automata import Automaton, Undecided, automaton, matches, representatives, wider

__all__ = ["EMPTY", "UNKNOWN", "StringGoal", "find_string"]

EMPTY: Final = object()
UNKNOWN: Final = object()

_MAX_STEPS: Final = 60_000
_MAX_WORK: Final = 8_000_000
_MAX_WRITTEN: Final = 100_000
_TRIES: Final = 24
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_MORE: Final = "".join(map(chr, range(0x4E00, 0x5E00)))


@dataclass(frozen=True)
class StringGoal:
    """What is wanted: lengths in code points, ``most`` None for no limit."""

    wanted: frozenset[str] = frozenset()
    unwanted: frozenset[str] = frozenset()
    least: int = 0
    most: int | None = None
    excluded: frozenset[str] = field(default_factory=frozenset)


_memo: dict[StringGoal, Any] = {}


def find_string(goal: StringGoal) -> Any:
    """Return a short string of the goal, EMPTY where there is none, UNKNOWN where it is open."""
    found = _memo.get(goal)
    if found is None:
        if len(_memo) > 20_000:
            _memo.clear()
        found = _memo[goal] = _find(goal)
    return found


def _find(goal: StringGoal) -> Any:
    if (goal.most is not None and goal.most < goal.least) or goal.wanted & goal.unwanted:
        return EMPTY
    if not goal.wanted and not goal.unwanted:
        return _any_string(goal)
    wanted = [(p, automaton(p)) for p in sorted(goal.wanted)]
    unwanted = [(p, automaton(p)) for p in sorted(goal.unwanted)]
    foreign = {p: True for p, a in wanted if a is None} | {p: False for p, a in unwanted if not a}
    known = [a if a is not None else wider(p) for p, a in wanted]
    machine = _Product(
        [a for a in known if a is not None], [a for _, a in unwanted if a is not None], goal
    )
    tried = goal.excluded
    sure = True
    for _ in range(_TRIES if foreign else 1):
        text = machine.shortest(tried)
        if text is EMPTY:
            # That a text is not known to be refused does not prove that there is none.
            return EMPTY if sure else UNKNOWN
        if text is UNKNOWN:
            return UNKNOWN
        agreed = _agrees(text, foreign)
        if agreed:
            return text
        sure = sure and agreed is not None
        tried = tried | {text}
    return _guess(goal)


def _agrees(text: str, foreign: dict[str, bool]) -> bool | None:
    """Whether a text matches some patterns and not others; None where it cannot be decided."""
    undecided = False
    for pattern, wanted in foreign.items():
        try:
            if matches(pattern, text) is not wanted:
                return False
        except Undecided:
            undecided = True
    return None if undecided else True


def _guess(goal: StringGoal) -> Any:
    """Texts made of the letters of the patterns themselves, where automata do not reach."""
    letters = "".join(sorted({c for p in goal.wanted for c in p if c.isalnum()}))[:6] + "a0 -_"
    for size in range(4):
        for chars in product(dict.fromkeys(letters), repeat=size):
            text = "".join(chars)
            if satisfies(text, goal):
                return text
    return UNKNOWN


def satisfies(text: str, goal: StringGoal) -> bool:
    """Whether the text is one of the goal's; False also where that cannot be decided."""
    if len(text) < goal.least or (goal.most is not None and len(text) > goal.most):
        return False
    table = dict.fromkeys(goal.wanted, True) | dict.fromkeys(goal.unwanted, False)
    return text not in goal.excluded and _agrees(text, table) is True


def _any_string(goal: StringGoal) -> Any:
    if goal.least > _MAX_WRITTEN:
        return UNKNOWN
    count = len(goal.excluded) + 1
    for size in (goal.least, goal.least + 1, goal.least + 2):
        if goal.most is not None and size > goal.most:
            continue
        for text in _of_length(size, count):
            if text not in goal.excluded:
                return text
    # Only the empty string is one of few: of any other length there are a million.
    return EMPTY if goal.most == 0 else UNKNOWN


def _of_length(size: int, count: int) -> Iterable[str]:
    """Yield different strings of one length, a few more than ``count`` if there are so many."""
    alphabet = _ALPHABET if size > 1 or count < len(_ALPHABET) else _ALPHABET + _MORE
    tail = 0
    while tail < size and len(alphabet) ** tail <= count:
        tail += 1
    for number, ending in enumerate(product(alphabet, repeat=tail)):
        if number > count:
            return
        yield "a" * (size - tail) + "".join(ending)


class _Product:
    """All automata side by side, and the length; searched breadth first."""

    def __init__(self, wanted: list[Automaton], unwanted: list[Automaton], goal: StringGoal):
        self.wanted = wanted
        self.unwanted = unwanted
        self.goal = goal

    def shortest(self, excluded: frozenset[str]) -> Any:
        machines = self.wanted + self.unwanted
        letters = {((ord(c), ord(c)),) for text in excluded for c in text}
        sets = letters.union(*(machine.intervals for machine in machines))
        codes = representatives(sets)
        prefixes = {text[:n] for text in excluded for n in range(len(text) + 1)}
        start = tuple(machine.first for machine in machines)
        first = (start, "" if prefixes else None, 0)
        before: dict[Any, Any] = {first: None}
        queue = deque([first])
        steps = 0
        limit = sum(machine.work for machine in machines) + _MAX_WORK
        while queue:
            node = queue.popleft()
            if sum(machine.work for machine in machines) > limit:
                return UNKNOWN
            if self._accepts(node, excluded):
                return _read_back(before, node)
            for code in codes:
                steps += 1
                if steps > _MAX_STEPS:
                    return UNKNOWN
                after = self._step(machines, node, code, prefixes)
                if after is not None and after not in before:
                    before[after] = (node, code)
                    queue.append(after)
        return EMPTY

    def _step(self, machines: list[Automaton], node: Any, code: int, prefixes: set[str]) -> Any:
        states, prefix, length = node
        least, most = self.goal.least, self.goal.most
        if most is not None and length >= most:
            return None
        after = []
        split = len(self.wanted)
        for index, (machine, state) in enumerate(zip(machines, states, strict=True)):
            reached = machine.step(state, code)
            if index < split:
                if machine.is_dead(reached):
                    return None
            elif machine.is_sink(reached):
                return None
            after.append(reached)
        text = None if prefix is None else prefix + chr(code)
        counted = length + 1 if most is not None else min(length + 1, least)
        return (tuple(after), text if text in prefixes else None, counted)

    def _accepts(self, node: Any, excluded: frozenset[str]) -> bool:
        states, prefix, length = node
        if length < self.goal.least or (prefix is not None and prefix in excluded):
            return False
        split = len(self.wanted)
        return all(
            machine.accepts(state) for machine, state in zip(self.wanted, states, strict=False)
        ) and not any(
            machine.accepts(state)
            for machine, state in zip(self.unwanted, states[split:], strict=True)
        )


def _read_back(before: dict[Any, Any], node: Any) -> str:
    codes = []
    while (step := before[node]) is not None:
        node, code = step
        codes.append(chr(code))
    return "".join(reversed(codes))
