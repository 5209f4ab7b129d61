"""One case of a question: facts, and choices that are still open."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .domains import ArrayBox, Box, NumberBox, ScalarBox, StringBox
from .object_domain import ObjectBox
from .terms import (
    And,
    Contains,
    Enum,
    Item,
    Literal,
    MinItems,
    MinProperties,
    Opaque,
    Property,
    Required,
    Terms,
    UnevaluatedItems,
    UnevaluatedProperties,
    Xor,
)
from .values import Frozen

__all__ = ["Branch", "Choice"]

Choice = tuple[tuple[Literal, ...], ...]
"""Alternatives, of which one has to hold: each a conjunction of literals."""


class Branch:
    """Facts about one value of one type; everything is a literal under that type.

    ``exclusive`` says whether no value satisfies two of the parts of an ``xor`` term.
    """

    def __init__(
        self,
        terms: Terms,
        kind: str,
        *,
        hopeless: Callable[[frozenset[Literal]], bool],
        exclusive: Callable[[Literal, str], bool],
    ) -> None:
        self.terms = terms
        self.kind = kind
        self.exclusive = exclusive
        self.facts: set[Literal] = set()
        self.choices: list[Choice] = []
        self.late: list[Literal] = []
        self.values: frozenset[Frozen] | None = None
        self.opaque = False
        self.applied: frozenset[int] | None = None
        self.box: Box
        if kind == "object":
            self.box = ObjectBox(hopeless)
        elif kind == "array":
            self.box = ArrayBox()
        else:
            self.box = {"number": NumberBox, "string": StringBox}.get(kind, ScalarBox)()

    def copy(self) -> Branch:
        """Return an independent copy."""
        other = Branch.__new__(Branch)
        other.__dict__.update(self.__dict__)
        other.facts = set(self.facts)
        other.choices = list(self.choices)
        other.late = list(self.late)
        other.box = self.box.copy()
        return other

    def assume(self, literals: Iterable[Literal]) -> bool:
        """Take literals as facts; False: they contradict what is known."""
        work = list(literals)
        while work:
            literal = work.pop()
            if literal in self.facts or literal == 1:
                continue
            if -literal in self.facts or literal == -1:
                return False
            self.facts.add(literal)
            term = self.terms.of(literal)
            match term:
                case And():
                    if literal > 0:
                        work.extend(term.parts)
                    else:
                        self.choices.append(tuple((-part,) for part in term.parts))
                case Xor():
                    work.extend(self._exactly_one(literal, term.parts))
                case UnevaluatedProperties() | UnevaluatedItems():
                    self.late.append(literal)
                case Opaque():
                    self.opaque = True
                case Enum() if not self._values(literal, term.values):
                    return False
                case Contains() if literal < 0:
                    self._not_so_many(term)
                case _ if not self.box.add(literal, term):
                    return False
        return True

    def _exactly_one(self, literal: Literal, parts: tuple[Literal, ...]) -> list[Literal]:
        """Open the choice of an xor; return what follows without one."""
        if self.exclusive(abs(literal), self.kind):
            if literal < 0:
                return [-part for part in parts]
            self.choices.append(tuple((part,) for part in parts))
        elif literal > 0:
            self.choices.append(
                tuple((part, *(-other for other in parts if other != part)) for part in parts)
            )
        else:
            pairs = [(one, other) for n, one in enumerate(parts) for other in parts[n + 1 :]]
            self.choices.append((tuple(-part for part in parts), *pairs))
        return []

    def _values(self, literal: Literal, values: frozenset[Frozen]) -> bool:
        if literal > 0:
            self.values = values if self.values is None else self.values & values
            return bool(self.values)
        if self.kind in ("number", "string"):
            return True
        make = self.terms.make
        for value in values:
            apart: list[Literal] = []
            if self.kind == "object":
                apart.append(make(MinProperties(len(value[1]) + 1)))
                for name, member in value[1]:
                    same = make(Enum(frozenset((member,))))
                    apart += [-make(Required(name)), -make(Property(name, same))]
            elif self.kind == "array":
                size = len(value[1])
                apart.append(make(MinItems(size + 1)))
                if size:
                    apart.append(-make(MinItems(size)))
                for n, item in enumerate(value[1]):
                    same = make(Enum(frozenset((item,))))
                    apart.append(-make(Item(n, same)))
            if apart:
                self.choices.append(tuple((part,) for part in apart))
        return True

    def _not_so_many(self, term: Contains) -> None:
        kind, least, most = term
        options = []
        if least > 0:
            options.append((self.terms.make(Contains(kind, 0, least - 1)),))
        if most is not None:
            options.append((self.terms.make(Contains(kind, most + 1, None)),))
        self.choices.append(tuple(options))

    # --- what follows --------------------------------------------------------------------------

    def refutes(self, literal: Literal) -> bool:
        """Whether the literal plainly contradicts what is known; False says nothing."""
        if -literal in self.facts or literal == -1:
            return True
        if literal in self.facts or literal == 1:
            return False
        term = self.terms.of(literal)
        if isinstance(term, And):
            if literal > 0:
                return any(self.refutes(part) for part in term.parts)
            return all(self.refutes(-part) for part in term.parts)
        return self.box.clashes(literal, term)

    def propagate(self) -> bool:
        """Drop dead alternatives, take what is left alone; False: nothing is left."""
        changed = True
        while changed:
            changed = False
            choices, self.choices = self.choices, []
            while choices:
                choice = choices.pop()
                alive = self.alive(choice)
                if alive is None:
                    continue
                if not alive:
                    return False
                if len(alive) == 1:
                    if not self.assume(alive[0]):
                        return False
                    changed = True
                else:
                    self.choices.append(alive)
        return True

    def alive(self, choice: Choice) -> Choice | None:
        """Return the alternatives that are left; None: one of them holds already."""
        alive = []
        for alternative in choice:
            if all(literal in self.facts for literal in alternative):
                return None
            if any(self.refutes(literal) for literal in alternative):
                continue
            if len(alternative) == 1 and self.refutes(-alternative[0]):
                return None
            alive.append(alternative)
        return tuple(alive)
