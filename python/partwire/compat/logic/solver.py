"""The question behind every verdict: is there a value that satisfies all of these literals?

Goals are solved by cases: by JSON type, then by open choices, then by the members and items of
the value, which are goals themselves. A goal that comes up again below itself is taken to have no
answer: a smallest document never holds a smaller one that answers the same question. So recursive
schemas come to an end, and "there is none" stays a proof.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Final, NamedTuple

from ...json.pointer import escape_pointer
from ..patterns.automata import Undecided, matches
from .arrays import solve_array
from .cases import Branch, Choice
from .evaluation import Evaluator
from .numbers import find_number
from .objects import solve_object
from .shapes import Shapes
from .strings import EMPTY, UNKNOWN, find_string
from .terms import FALSE, TRUE, And, Enum, Literal, Terms, Type, Xor
from .unevaluated import Closing
from .values import FALSE_VALUE, NULL, TRUE_VALUE, TYPES, Frozen, weight

__all__ = ["BudgetSpent", "Goal", "Open", "Solver"]

_FREE: Final = 1 << 30
_MAX_REASONS: Final = 16
_SCALARS: Final[dict[str, list[Frozen]]] = {"null": [NULL], "boolean": [TRUE_VALUE, FALSE_VALUE]}


class BudgetSpent(Exception):
    """The budget is used up; it never leaves the room."""


class Open(NamedTuple):
    """What could not be proved: ``pointer`` is where in a document, "" for the whole of it."""

    pointer: str
    reason: str


class Goal(NamedTuple):
    """Literals that one value has to satisfy, and the shapes whose declared names it keeps to."""

    literals: frozenset[Literal]
    shapes: frozenset[int] = frozenset()


class Solver:
    """Answers goals: a frozen value, EMPTY (proved: there is none) or UNKNOWN."""

    def __init__(self, terms: Terms, shapes: Shapes) -> None:
        self.terms = terms
        self.shapes = shapes
        self.evaluator = Evaluator(terms, shapes)
        self.reasons: dict[Open, None] = {}
        self.path: list[str] = []
        """Where in the document the goal in hand is: member names and positions."""
        self.steps = 0
        self.limit = 0
        self.deadline = 0.0
        self._known: dict[Goal, Any] = {}
        self._active: dict[Goal, int] = {}
        self._assumed: dict[Goal, int] = {}
        self._low = _FREE
        self._hopeless: dict[frozenset[Literal], bool] = {}
        self._exclusive: dict[tuple[Literal, str], bool] = {}
        self.closing = Closing(self)

    def allow(self, steps: int, seconds: float) -> None:
        """Set the budget of what comes next."""
        self.steps, self.limit = 0, steps
        self.deadline = monotonic() + seconds
        self.reasons = {}
        self.path = []

    def spend(self) -> None:
        """Count one step. Raises BudgetSpent."""
        self.steps += 1
        if self.steps > self.limit or (self.steps % 64 == 0 and monotonic() > self.deadline):
            self.open("the budget was used up")
            raise BudgetSpent

    def open(self, reason: str) -> Any:
        """Note why a goal stays open; return UNKNOWN."""
        if len(self.reasons) < _MAX_REASONS:
            pointer = "".join(f"/{escape_pointer(step)}" for step in self.path)
            self.reasons.setdefault(Open(pointer, reason))
        return UNKNOWN

    def below(self, step: str, goal: Goal) -> Any:
        """Answer a goal of a member or an item."""
        self.path.append(step)
        try:
            return self.solve(goal)
        finally:
            self.path.pop()

    def ask(self, literals: frozenset[Literal], shapes: frozenset[int]) -> Any:
        """Answer a goal that nothing is above: nothing is assumed any more."""
        self._active.clear()
        self._assumed.clear()
        self._low = _FREE
        return self.solve(Goal(literals, shapes))

    def solve(self, goal: Goal) -> Any:
        """Answer a goal; goals in progress above it are taken to be EMPTY."""
        if TRUE in goal.literals:
            goal = goal._replace(literals=goal.literals - {TRUE})
        known = self._known.get(goal)
        if known is not None:
            return known
        assumed = self._assumed.get(goal, self._active.get(goal))
        if assumed is not None:
            self._low = min(self._low, assumed)
            return EMPTY
        self.spend()
        depth = len(self._active)
        before, self._low = self._low, _FREE
        mark = len(self._assumed)
        self._active[goal] = depth
        try:
            answer = self._solve(goal)
        except Undecided as error:
            answer = self.open(str(error))
        finally:
            self._active.pop(goal, None)
        self._settle(goal, answer, depth, mark)
        self._low = min(before, self._low)
        return answer

    def _settle(self, goal: Goal, answer: Any, depth: int, mark: int) -> None:
        """Keep what is proved; keep apart what rests on an assumption, until it is settled."""
        late = list(self._assumed)[mark:]
        if answer is EMPTY and self._low < depth:
            self._assumed[goal] = self._low
            return
        for other in late:
            del self._assumed[other]
            if answer is EMPTY:
                self._known[other] = EMPTY
        self._known[goal] = answer
        self._low = _FREE

    def _solve(self, goal: Goal) -> Any:
        whole = self.terms.all_of(goal.literals)
        unknown = False
        for kind in TYPES:
            under = self.terms.under(whole, kind)
            if under == FALSE:
                continue
            answer = self._of_type(under, kind, goal)
            if answer is UNKNOWN:
                unknown = True
            elif answer is not EMPTY:
                return answer
        return UNKNOWN if unknown else EMPTY

    def _of_type(self, under: Literal, kind: str, goal: Goal) -> Any:
        shapes = goal.shapes
        values = self._few(under, kind)
        if values is not None:
            return self.choose(values, [under], shapes)
        branch = self._branch(kind)
        shapes = shapes if kind in ("object", "array") else frozenset()
        facts = set(self.terms.conjuncts(under))
        refused = [self.terms.under(part, kind) for part in goal.literals if part < 0]
        demand = self.terms.of(refused[0]) if len(refused) == 1 and refused[0] < 0 else None
        if not isinstance(demand, And):
            return self.cases(branch, shapes) if branch.assume(facts) else EMPTY
        # Which demand of the reader's fails says most: what follows settles most other choices.
        if not branch.assume(facts - set(refused)) or not branch.propagate():
            return EMPTY
        options = branch.alive(tuple((-part,) for part in demand.parts))
        if options is None:
            return self.cases(branch, shapes)
        return self.either(branch, [list(option) for option in options], shapes)

    def _few(self, under: Literal, kind: str) -> list[Frozen] | None:
        """The values that come into question, where they are few."""
        if kind in _SCALARS:
            return _SCALARS[kind]
        terms = [self.terms.of(part) for part in self.terms.conjuncts(under) if part > 0]
        found = [term.values for term in terms if isinstance(term, Enum)]
        if not found:
            return None
        found.sort(key=len)
        return sorted(found[0], key=_by_weight)

    def choose(self, values: list[Frozen], literals: list[Literal], shapes: frozenset[int]) -> Any:
        """Answer by trying values one by one: exact."""
        unknown = False
        for value in values:
            try:
                if all(self.evaluator.holds(literal, value) for literal in literals) and (
                    self.evaluator.conforms(shapes, value)
                ):
                    return value
            except Undecided as error:
                self.open(str(error))
                unknown = True
        return UNKNOWN if unknown else EMPTY

    def _branch(self, kind: str) -> Branch:
        return Branch(self.terms, kind, hopeless=self.hopeless, exclusive=self.is_exclusive)

    # --- cases --------------------------------------------------------------------------------

    def cases(self, branch: Branch, shapes: frozenset[int]) -> Any:
        """Answer a case: first by its open choices."""
        self.spend()
        if not branch.propagate() or not self.closing.early(branch):
            return EMPTY
        if branch.choices:
            choice = min(branch.choices, key=self._cost)
            branch.choices.remove(choice)
            return self.either(branch, [list(option) for option in choice], shapes)
        if branch.values is not None:
            values = sorted(branch.values, key=_by_weight)
            return self.choose(values, sorted(branch.facts), shapes)
        if branch.late:
            return self.closing.late(branch, shapes)
        if shapes and branch.applied is None:
            return self.closing.declared(branch, shapes)
        return self._leaf(branch)

    def _cost(self, choice: Choice) -> tuple[bool, int]:
        """Schemas before what is left of refused ones: more follows from a whole schema."""
        whole = choice[0][0] > 0 and isinstance(self.terms.of(choice[0][0]), (And, Xor))
        return (not whole and len(choice) > 1, len(choice))

    def either(self, branch: Branch, options: list[list[Literal]], shapes: frozenset[int]) -> Any:
        """Answer a case by further cases, each with the literals of one option."""
        unknown = False
        for option in options:
            case = branch.copy()
            if not case.assume(option):
                continue
            answer = self.cases(case, shapes)
            if answer is UNKNOWN:
                unknown = True
            elif answer is not EMPTY:
                return answer
        return UNKNOWN if unknown else EMPTY

    def _leaf(self, branch: Branch) -> Any:
        box: Any = branch.box
        applied = branch.applied or frozenset()
        if branch.kind == "number":
            answer = find_number(box.goal)
        elif branch.kind == "string":
            answer = find_string(box.goal())
        elif branch.kind == "array":
            answer = solve_array(self, box, applied)
        elif branch.kind == "object":
            answer = solve_object(self, box, applied)
        else:
            answer = self.choose(_SCALARS[branch.kind], sorted(branch.facts), frozenset())
        if answer is UNKNOWN:
            return self.open(f"no {branch.kind} was found, and none was ruled out")
        if answer is not EMPTY and branch.opaque:
            return self.open("a keyword that validators read differently")
        return answer

    # --- shortcuts ----------------------------------------------------------------------------

    def hopeless(self, literals: frozenset[Literal]) -> bool:
        """Whether literals plainly contradict one another; False says nothing."""
        if len(literals) < 2:
            return FALSE in literals
        known = self._hopeless.get(literals)
        if known is None:
            self._hopeless[literals] = False  # for what comes up again below itself
            known = self._hopeless[literals] = self._is_hopeless(literals)
        return known

    def _is_hopeless(self, literals: frozenset[Literal]) -> bool:
        whole = self.terms.all_of(literals)
        for kind in TYPES:
            under = self.terms.under(whole, kind)
            if under == FALSE:
                continue
            values = self._few(under, kind)
            try:
                if values is not None:
                    if len(values) > 64 or self.choose(values, [under], frozenset()) is not EMPTY:
                        return False
                    continue
                branch = self._branch(kind)
                if branch.assume(self.terms.conjuncts(under)) and branch.propagate():
                    return False
            except Undecided:
                return False
        return True

    def is_exclusive(self, literal: Literal, kind: str) -> bool:
        """Whether no value of a type satisfies two parts of an ``xor`` term."""
        key = (literal, kind)
        known = self._exclusive.get(key)
        if known is None:
            self._exclusive[key] = False
            term = self.terms.of(literal)
            assert isinstance(term, Xor)
            parts = term.parts
            known = self._exclusive[key] = all(
                self._apart(one, other, kind)
                for n, one in enumerate(parts)
                for other in parts[n + 1 :]
            )
        return known

    def _apart(self, one: Literal, other: Literal, kind: str) -> bool:
        if self.hopeless(frozenset((one, other))):
            return True
        saved = self._active, self._assumed, self._low
        self._active, self._assumed, self._low = {}, {}, _FREE
        try:
            type_is = self.terms.make(Type((kind,)))
            return self.solve(Goal(frozenset((one, other, type_is)))) is EMPTY
        finally:
            self._active, self._assumed, self._low = saved

    def member_shapes(self, applied: frozenset[int], name: str) -> frozenset[int]:
        """Return the shapes of a member."""
        return self.shapes.below_member(applied, name, matches) if applied else applied


def _by_weight(value: Frozen) -> tuple[int, str]:
    return weight(value), repr(value)
