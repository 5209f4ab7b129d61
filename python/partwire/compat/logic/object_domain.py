"""What is known of an object: members by name, by pattern, all others, and how many."""

from __future__ import annotations

from collections.abc import Callable

from ..patterns.automata import matches
from .terms import (
    AdditionalProperties,
    Literal,
    MinProperties,
    PatternProperty,
    Property,
    PropertyNames,
    Required,
    Term,
)

__all__ = ["ObjectBox", "Somewhere"]

Somewhere = PatternProperty | AdditionalProperties | PropertyNames
"""A member that has to exist: one for which the term does not hold."""


class ObjectBox:
    """``hopeless`` says whether literals of a member's value plainly contradict one another."""

    def __init__(self, hopeless: Callable[[frozenset[Literal]], bool]) -> None:
        self.hopeless = hopeless
        self.props: dict[str, set[Literal]] = {}
        self.required: set[str] = set()
        self.forbidden: set[str] = set()
        self.patterns: dict[str, set[Literal]] = {}
        self.others: set[AdditionalProperties] = set()
        self.names: set[Literal] = set()
        self.least = 0
        self.most: int | None = None
        self.somewhere: list[Somewhere] = []

    def copy(self) -> ObjectBox:
        """Return an independent copy."""
        other = ObjectBox(self.hopeless)
        other.props = {name: set(facts) for name, facts in self.props.items()}
        other.required, other.forbidden = set(self.required), set(self.forbidden)
        other.patterns = {name: set(facts) for name, facts in self.patterns.items()}
        other.others, other.names = set(self.others), set(self.names)
        other.least, other.most = self.least, self.most
        other.somewhere = list(self.somewhere)
        return other

    def explicit(self) -> set[str]:
        """Return every name that something known speaks of."""
        found = set(self.props) | self.required | self.forbidden
        for names, _, _ in self.others:
            found |= names
        for wanted in self.somewhere:
            if isinstance(wanted, AdditionalProperties):
                found |= wanted.names
        return found

    def known_of(self, name: str) -> frozenset[Literal]:
        """Return what a member of that name has to be. Raises Undecided."""
        facts = set(self.props.get(name, ()))
        for pattern, more in self.patterns.items():
            if matches(pattern, name):
                facts |= more
        for names, patterns, literal in self.others:
            if name not in names and not any(matches(pattern, name) for pattern in patterns):
                facts.add(literal)
        return frozenset(facts)

    def add(self, literal: Literal, term: Term) -> bool:
        """Take a fact; False: there is no such object."""
        holds = literal > 0
        match term:
            case Required(name):
                (self.required if holds else self.forbidden).add(name)
            case Property(name, schema):
                self.props.setdefault(name, set()).add(schema if holds else -schema)
                if not holds:
                    self.required.add(name)
            case MinProperties(size) if holds:
                self.least = max(self.least, size)
            case MinProperties(size):
                self.most = size - 1 if self.most is None else min(self.most, size - 1)
            case PatternProperty() | AdditionalProperties() | PropertyNames() if not holds:
                self.somewhere.append(term)
            case PatternProperty(pattern, schema):
                self.patterns.setdefault(pattern, set()).add(schema)
            case AdditionalProperties():
                self.others.add(term)
            case PropertyNames(schema):
                self.names.add(schema)
        return self._is_plausible(term, holds)

    def _is_plausible(self, term: Term, holds: bool) -> bool:
        """Whether the fact that came last leaves no plain contradiction."""
        if self.most is not None and max(self.least, len(self.required)) > self.most:
            return False
        match term:
            case Required(name) | Property(name):
                if name in self.required and name in self.forbidden:
                    return False
                return name not in self.required or not self.hopeless(self.known_of(name))
            case PatternProperty() | AdditionalProperties() if holds:
                if any(self.hopeless(self.known_of(name)) for name in self.required):
                    return False
            case AdditionalProperties():
                pass
            case _:
                return True
        return not any(self._is_nowhere(wanted) for wanted in self.somewhere)

    def _is_nowhere(self, wanted: Somewhere) -> bool:
        """Whether a member besides some names and patterns plainly cannot have a value."""
        return isinstance(wanted, AdditionalProperties) and any(
            known <= wanted.names
            and hits <= wanted.patterns
            and self.hopeless(frozenset((fact, -wanted.schema)))
            for known, hits, fact in self.others
        )

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would plainly contradict what is known."""
        holds = literal > 0
        match term:
            case Required(name) if holds:
                return name in self.forbidden or self.hopeless(self.known_of(name))
            case Required(name):
                return name in self.required
            case Property(name, schema):
                if holds and name not in self.required:
                    return False
                if not holds and name in self.forbidden:
                    return True
                return self.hopeless(self.known_of(name) | {schema if holds else -schema})
            case MinProperties(size) if holds:
                return self.most is not None and self.most < size
            case MinProperties(size):
                return max(self.least, len(self.required)) >= size
            case PatternProperty() | AdditionalProperties() | PropertyNames() if not holds:
                # A member that has to exist, of a kind that nothing can be.
                return self.most == 0 or self._is_nowhere(term)
        return False
