"""What is known of an object: members by name, by pattern, all others, and how many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..patterns.automata import matches
from .terms import FALSE, Literal, Term

__all__ = ["ObjectBox", "Somewhere"]

Somewhere = tuple[Any, ...]
"""A member that has to exist: ``("pattern", p, x)``, ``("other", names, patterns, x)`` or
``("name", x)``, where x is a literal of the value, for "name" of the name."""


class ObjectBox:
    """``hopeless`` tells whether literals of a member's value plainly contradict one another."""

    def __init__(self, hopeless: Callable[[frozenset[Literal]], bool]) -> None:
        self.hopeless = hopeless
        self.props: dict[str, set[Literal]] = {}
        self.required: set[str] = set()
        self.forbidden: set[str] = set()
        self.patterns: dict[str, set[Literal]] = {}
        self.others: set[tuple[frozenset[str], frozenset[str], Literal]] = set()
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
            if wanted[0] == "other":
                found |= wanted[1]
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
        kind, holds = term[0], literal > 0
        touched = ""
        if kind == "req":
            touched = term[1]
            (self.required if holds else self.forbidden).add(touched)
        elif kind == "prop":
            touched = term[1]
            self.props.setdefault(touched, set()).add(term[2] if holds else -term[2])
            if not holds:
                self.required.add(touched)
        elif kind == "minprops":
            if holds:
                self.least = max(self.least, term[1])
            else:
                self.most = term[1] - 1 if self.most is None else min(self.most, term[1] - 1)
        elif not holds:
            self._add_somewhere(term)
        elif kind == "patprop":
            self.patterns.setdefault(term[1], set()).add(term[2])
        elif kind == "addprops":
            self.others.add(term[1:])
        elif kind == "names":
            self.names.add(term[1])
        return self._plausible(touched, kind, holds)

    def _add_somewhere(self, term: Term) -> None:
        kind = term[0]
        if kind == "patprop":
            self.somewhere.append(("pattern", term[1], -term[2]))
        elif kind == "addprops":
            self.somewhere.append(("other", term[1], term[2], -term[3]))
        elif kind == "names":
            self.somewhere.append(("name", -term[1]))

    def _plausible(self, touched: str, kind: str, holds: bool) -> bool:
        if self.most is not None and max(self.least, len(self.required)) > self.most:
            return False
        if kind in ("req", "prop"):
            if touched in self.required and touched in self.forbidden:
                return False
            return touched not in self.required or not self.hopeless(self.known_of(touched))
        if holds and kind in ("patprop", "addprops"):
            if any(self.hopeless(self.known_of(name)) for name in self.required):
                return False
        elif kind != "addprops":
            return True
        return not any(
            wanted[0] == "other" and self._is_nowhere(*wanted[1:]) for wanted in self.somewhere
        )

    def _is_nowhere(self, names: frozenset[str], patterns: frozenset[str], value: Literal) -> bool:
        """Whether a member besides some names and patterns plainly cannot have a value."""
        return any(
            known <= names and hits <= patterns and self.hopeless(frozenset((fact, value)))
            for known, hits, fact in self.others
        )

    def clashes(self, literal: Literal, term: Term) -> bool:
        """Whether the fact would plainly contradict what is known."""
        kind, holds = term[0], literal > 0
        if kind == "req":
            name = term[1]
            if not holds:
                return name in self.required
            return name in self.forbidden or self.hopeless(self.known_of(name))
        if kind == "prop":
            name = term[1]
            if holds and name not in self.required:
                return False
            if not holds and name in self.forbidden:
                return True
            return self.hopeless(self.known_of(name) | {term[2] if holds else -term[2]})
        if kind == "minprops":
            if holds:
                return self.most is not None and bool(self.most < term[1])
            return bool(max(self.least, len(self.required)) >= term[1])
        if kind in ("patprop", "addprops", "names") and not holds:
            # A member that has to exist, of a kind that nothing can be.
            if term[-1] == -FALSE or self.most == 0:
                return True
            return kind == "addprops" and self._is_nowhere(term[1], term[2], -term[3])
        return False
