"""What a case leaves unevaluated: conditions that are open, and names that are closed over.

For ``unevaluatedProperties``, ``unevaluatedItems`` and the declared reading, which closes every
object over what the schemas declare that apply to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from ..patterns.automata import matches
from .shapes import Declared, Evaluated
from .strings import EMPTY
from .terms import (
    FALSE,
    TRUE,
    AdditionalProperties,
    EvaluatedItems,
    EvaluatedMembers,
    Items,
    Literal,
    Property,
    Required,
    Terms,
    UnevaluatedItems,
    UnevaluatedProperties,
)

if TYPE_CHECKING:
    from .cases import Branch
    from .solver import Solver

__all__ = ["Closing", "by_names"]

_MAX_UNDECIDED: Final = 8
_MANY_CONDITIONS: Final = 4

Condition = tuple[Literal, EvaluatedMembers]
"""A condition, and what is evaluated where it holds."""


def by_names(
    terms: Terms, base: EvaluatedMembers, value: Literal, conditions: Iterable[Condition]
) -> Literal | None:
    """Return the literal that what no condition evaluates satisfies ``value``; None: not this way.

    ``base`` is evaluated in any case. Branches that overlap make as many cases
    as there are sets of branches, but only as many names as there are names: a member is fine if
    it is not there, if its value is, or if one of the conditions holds that speak of it. Conditions
    that evaluate patterns cannot be decided by names. Raises Undecided.
    """
    names, patterns, _ = base
    open_ones = list(conditions)
    if any(more.patterns or more.is_open for _, more in open_ones):
        return None
    speakers: dict[str, list[Literal]] = {}
    for when, more in open_ones:
        for name in more.names - names:
            speakers.setdefault(name, []).append(when)
    parts = [terms.make(AdditionalProperties(names | frozenset(speakers), patterns, value))]
    for name, whens in sorted(speakers.items()):
        if not any(matches(pattern, name) for pattern in patterns):
            absent, good = -terms.make(Required(name)), terms.make(Property(name, value))
            parts.append(terms.any_of([absent, good, *whens]))
    return terms.all_of(parts)


class Closing:
    """Settles in a case what is evaluated; its methods answer as the solver's do."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.terms = solver.terms
        self.shapes = solver.shapes
        self._groups: dict[frozenset[int], tuple[frozenset[int], list[Evaluated]]] = {}

    def early(self, branch: Branch) -> bool:
        """Settle ``unevaluatedProperties`` by names where cases are many; False: there is none."""
        again = bool(branch.late)
        while again:
            again = False
            for literal in branch.late:
                plain = self._by_names(branch, literal)
                if plain is not None:
                    branch.late.remove(literal)
                    under = self.terms.under(plain, "object")
                    if not branch.assume([under if literal > 0 else -under]):
                        return False
                    if not branch.propagate():
                        return False
                    again = True
                    break
        return True

    def _by_names(self, branch: Branch, literal: Literal) -> Literal | None:
        term = self.terms.of(literal)
        if not isinstance(term, UnevaluatedProperties):
            return None
        base, undecided = self._settled(branch, term)
        if base.is_open or len(undecided) < _MANY_CONDITIONS:
            return None
        return by_names(self.terms, base, term.schema, undecided)

    def late(self, branch: Branch, shapes: frozenset[int]) -> Any:
        """Settle one ``unevaluated…``: first the conditions, then it is as plain as others."""
        literal = branch.late[-1]
        term: Any = self.terms.of(literal)
        base, undecided = self._settled(branch, term)
        if undecided:
            return self.solver.either(branch, _both_ways(undecided[0][0]), shapes)
        branch.late.pop()
        plain = self._plain(base, term.schema)
        if not branch.assume([plain if literal > 0 else -plain]):
            return EMPTY
        return self.solver.cases(branch, shapes)

    def _undecided(self, branch: Branch, when: Literal) -> bool | None:
        """Whether a condition holds in this case; None where that is another choice."""
        under = self.terms.under(when, branch.kind)
        if under == TRUE or under in branch.facts or branch.refutes(-under):
            return True
        return False if branch.refutes(under) else None

    def _settled(
        self, branch: Branch, term: UnevaluatedProperties | UnevaluatedItems
    ) -> tuple[Any, list[Any]]:
        """Return what is evaluated in this case, and the conditions that are open still."""
        base: Any = term.base
        undecided = []
        for when, more in term.conditions:
            holds = self._undecided(branch, when)
            if holds is None:
                undecided.append((self.terms.under(when, branch.kind), more))
            elif holds:
                base = base.merged(more)
        return base, undecided

    def _plain(self, base: EvaluatedMembers | EvaluatedItems, schema: Literal) -> Literal:
        """Return the literal that what is not in ``base`` satisfies a schema."""
        if base.is_open:
            return TRUE
        if isinstance(base, EvaluatedMembers):
            return self.terms.make(AdditionalProperties(base.names, base.patterns, schema))
        return self.terms.make(Items(base.first, self.terms.any_of([schema, *base.kinds])))

    # --- the declared reading -----------------------------------------------------------------

    def declared(self, branch: Branch, shapes: frozenset[int]) -> Any:
        """Settle which subschemas apply, then close the object over what they declare."""
        if shapes not in self._groups:
            self._groups[shapes] = self.shapes.groups(shapes, declared=True)
        always, groups = self._groups[shapes]
        undecided = []
        for group in groups:
            holds = self._undecided(branch, group.when)
            if holds is None:
                undecided.append(group)
            elif holds:
                always = always.union(group.shapes)
        if undecided and len(undecided) <= _MAX_UNDECIDED:
            under = self.terms.under(undecided[0].when, branch.kind)
            return self.solver.either(branch, _both_ways(under), shapes)
        # Too many to distinguish: for what is below they are taken to apply, which allows more.
        branch.applied = always.union(*(group.shapes for group in undecided))
        if branch.kind == "object" and not branch.assume([self._closed(always, undecided)]):
            return EMPTY
        return self.solver.cases(branch, shapes)

    def _closed(self, always: frozenset[int], undecided: list[Evaluated]) -> Literal:
        """Return the literal that there is no member that is not declared.

        An object that declares nothing is free; where it is open what is declared, no more is
        asked than holds in any case.
        """
        base = self.shapes.declared(always)
        unwritten = [-self.terms.make(Required(name)) for name in sorted(base.claimed)]
        closed = self._closed_over(base, always, undecided)
        return self.terms.under(self.terms.all_of([*unwritten, closed]), "object")

    def _closed_over(
        self, base: Declared, always: frozenset[int], undecided: list[Evaluated]
    ) -> Literal:
        whole = self.shapes.declared(always.union(*(group.shapes for group in undecided)))
        if base.is_open or whole.is_free:
            return TRUE
        told = [(group.when, self.shapes.declared(group.shapes)) for group in undecided]
        whens = [(self.terms.under(when, "object"), said) for when, said in told]
        conditions = [(when, said.evaluated) for when, said in whens]
        closed = by_names(self.terms, base.evaluated, FALSE, conditions)
        if closed is None:
            if not base.speaks or whole.is_open:
                return TRUE
            closed = self.terms.make(AdditionalProperties(whole.names, whole.patterns, FALSE))
        # Where nothing is declared for certain: only if one of these conditions holds.
        speaks = TRUE if base.speaks else self.terms.any_of([w for w, s in whens if s.speaks])
        return self.terms.any_of([-speaks, closed])


def _both_ways(literal: Literal) -> list[list[Literal]]:
    return [[literal], [-literal]]
