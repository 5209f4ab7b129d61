"""Whether an object exists with these members, and which: names first, then values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..patterns.automata import matches
from .object_domain import ObjectBox, Somewhere
from .strings import EMPTY, UNKNOWN
from .terms import (
    FALSE,
    AdditionalProperties,
    Enum,
    Literal,
    Pattern,
    PatternProperty,
    PropertyNames,
    Type,
)
from .values import Frozen, object_of

if TYPE_CHECKING:
    from .solver import Solver

__all__ = ["solve_object"]

_MAX_MEMBERS: Final = 2_000
_MAX_WAYS: Final = 512
_MAX_KINDS: Final = 128


class _Place(NamedTuple):
    """Where a member that has to exist can be: a known name, or any of a kind of names."""

    name: str | None
    kind: frozenset[Literal]
    """Literals of the name, where it is not known."""
    value: frozenset[Literal]


def solve_object(solver: Solver, box: ObjectBox, applied: frozenset[int]) -> Any:
    """Answer a case of an object: a frozen object, EMPTY or UNKNOWN."""
    return _Objects(solver, box, applied).solve()


class _Objects:
    def __init__(self, solver: Solver, box: ObjectBox, applied: frozenset[int]) -> None:
        self.solver = solver
        self.box = box
        self.applied = applied
        # Where shapes declare members, a name decides more than the literals that are known of it.
        self.declared = solver.shapes.members(applied)
        self.explicit = box.explicit() | self.declared.names
        self.inexact = False
        self._kinds: list[tuple[frozenset[Literal], frozenset[Literal]]] | None = None

    def solve(self) -> Any:
        from .solver import Goal  # noqa: PLC0415

        self.goal = Goal
        box = self.box
        if box.most is not None and max(len(box.required), box.least) > box.most:
            return EMPTY
        unknown = False
        # The member whose value most likely cannot be comes first.
        for name in sorted(box.required, key=self._hope):
            if not self._may_be_named(name):
                return EMPTY
            answer = self._value(name, box.known_of(name))
            if answer is EMPTY:
                return EMPTY
            unknown = unknown or answer is UNKNOWN
        ways = []
        for wanted in box.somewhere:
            places = self._places(wanted)
            if not places:
                return UNKNOWN if self.inexact else EMPTY
            ways.append(places)
        if unknown:
            return UNKNOWN
        return self._combine(ways)

    def _hope(self, name: str) -> tuple[bool, str]:
        facts = self.box.props.get(name, set())
        return (not any(fact < 0 for fact in facts), name)

    def _may_be_named(self, name: str) -> bool:
        return all(self.solver.evaluator.holds(fact, name) for fact in self.box.names)

    def _value(self, name: str, literals: frozenset[Literal]) -> Any:
        shapes = self.solver.member_shapes(self.applied, name)
        return self.solver.below(name, self.goal(literals, shapes))

    # --- members that have to be somewhere -----------------------------------------------------

    def _places(self, wanted: Somewhere) -> list[_Place]:
        """Every place that is not ruled out."""
        value = frozenset[Literal]()
        if not isinstance(wanted, PropertyNames):
            value = frozenset((-wanted.schema,))
        found = []
        for name in sorted(self.explicit - self.box.forbidden):
            if self._fits(wanted, name) and self._may_be_named(name):
                answer = self._value(name, self.box.known_of(name) | value)
                self.inexact = self.inexact or answer is UNKNOWN
                if answer is not EMPTY and answer is not UNKNOWN:
                    found.append(_Place(name, frozenset(), value))
        if self._is_nowhere_fresh(wanted, value):
            return found
        for kind, facts in self._fresh(wanted):
            name = self._name(kind, frozenset())
            if not isinstance(name, str):
                self.inexact = self.inexact or name is UNKNOWN
                continue
            answer = self._value(name, facts | value)
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                found.append(_Place(None, kind, facts | value))
        return found

    def _is_nowhere_fresh(self, wanted: Somewhere, value: frozenset[Literal]) -> bool:
        """Whether what holds for all names of the wanted kind leaves no value; the short way."""
        if isinstance(wanted, PropertyNames):
            return False
        make = self.solver.terms.make
        kind = self._base() | self._more(wanted)
        facts = set(value)
        for pattern, more in self.box.patterns.items():
            if self._name(kind | {-make(Pattern(pattern))}, frozenset()) is EMPTY:
                facts |= more
        for _, patterns, literal in self.box.others:
            if all(
                self._name(kind | {make(Pattern(pattern))}, frozenset()) is EMPTY
                for pattern in patterns
            ):
                facts.add(literal)
        return self.solver.solve(self.goal(frozenset(facts))) is EMPTY

    def _fits(self, wanted: Somewhere, name: str) -> bool:
        match wanted:
            case PatternProperty():
                return matches(wanted.pattern, name)
            case PropertyNames():
                return self.solver.evaluator.holds(-wanted.schema, name)
            case AdditionalProperties(names, patterns):
                return name not in names and not any(matches(p, name) for p in patterns)

    def _fresh(
        self, wanted: Somewhere | None
    ) -> Iterator[tuple[frozenset[Literal], frozenset[Literal]]]:
        """Kinds of names that nothing speaks of by name, with what their values have to be."""
        more = self._more(wanted)
        for kind, facts in self._all_kinds():
            if not any(-literal in kind for literal in more):
                yield kind | more, facts

    def _more(self, wanted: Somewhere | None) -> frozenset[Literal]:
        """What a name has to be, for a member that is wanted."""
        make = self.solver.terms.make
        match wanted:
            case None:
                return frozenset()
            case PatternProperty():
                return frozenset((make(Pattern(wanted.pattern)),))
            case AdditionalProperties():
                return frozenset(-make(Pattern(pattern)) for pattern in wanted.patterns)
            case PropertyNames():
                return frozenset((-wanted.schema,))

    def _base(self) -> frozenset[Literal]:
        """What every name has to be that nothing speaks of."""
        make = self.solver.terms.make
        base = frozenset(self.box.names) | {make(Type(("string",)))}
        return base | {-make(Enum(frozenset(self.explicit)))} if self.explicit else base

    def _all_kinds(self) -> list[tuple[frozenset[Literal], frozenset[Literal]]]:
        if self._kinds is None:
            patterns = set(self.box.patterns) | self.declared.patterns
            patterns.update(p for _, others, _ in self.box.others for p in others)
            for wanted in self.box.somewhere:
                match wanted:
                    case PatternProperty(pattern):
                        patterns.add(pattern)
                    case AdditionalProperties():
                        patterns |= wanted.patterns
            self._kinds = []
            self._split(self._base(), sorted(patterns), {})
        return self._kinds

    def _split(self, kind: frozenset[Literal], patterns: list[str], signs: dict[str, bool]) -> None:
        """Sort names by the patterns that they match; kinds that hold no name are left out."""
        assert self._kinds is not None
        if len(self._kinds) >= _MAX_KINDS:
            self.inexact = True
            return
        if self._name(kind, frozenset()) is EMPTY:
            return
        if not patterns:
            self._kinds.append((kind, self._facts(signs)))
            return
        literal = self.solver.terms.make(Pattern(patterns[0]))
        for sign in (False, True):
            self._split(
                kind | {literal if sign else -literal},
                patterns[1:],
                {**signs, patterns[0]: sign},
            )

    def _facts(self, signs: dict[str, bool]) -> frozenset[Literal]:
        facts: set[Literal] = set()
        for pattern, more in self.box.patterns.items():
            if signs[pattern]:
                facts |= more
        for _, patterns, literal in self.box.others:
            if not any(signs[pattern] for pattern in patterns):
                facts.add(literal)
        return frozenset(facts)

    def _name(self, kind: frozenset[Literal], used: frozenset[str]) -> Any:
        if used:
            kind = kind | {-self.solver.terms.make(Enum(used))}
        return self.solver.solve(self.goal(kind))

    # --- all together -------------------------------------------------------------------------

    def _combine(self, ways: list[list[_Place]]) -> Any:
        self.tried = 0
        answer = self._choose(ways, {}, [])
        if answer is EMPTY and self.inexact:
            return UNKNOWN
        return answer

    def _choose(
        self,
        ways: list[list[_Place]],
        known: dict[str, frozenset[Literal]],
        fresh: list[_Place],
    ) -> Any:
        self.tried += 1
        if self.tried > _MAX_WAYS:
            self.inexact = True
            return EMPTY
        if not ways:
            return self._build(known, fresh)
        for place in ways[0]:
            if place.name is None:
                answer = self._choose(ways[1:], known, [*fresh, place])
            else:
                merged = known.get(place.name, frozenset()) | place.value
                answer = self._choose(ways[1:], {**known, place.name: merged}, fresh)
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                return answer
        return EMPTY

    def _build(self, known: dict[str, frozenset[Literal]], fresh: list[_Place]) -> Any:
        box = self.box
        members: dict[str, Frozen] = {}
        for name in sorted(box.required | set(known)):
            answer = self._value(name, box.known_of(name) | known.get(name, frozenset()))
            if answer is EMPTY or answer is UNKNOWN:
                return answer
            members[name] = answer
        for place in fresh:
            name = self._name(place.kind, frozenset(members) - self.explicit)
            if not isinstance(name, str):
                # Two of them might be one member; that is not looked into.
                self.inexact = self.inexact or name is UNKNOWN or len(fresh) > 1
                return EMPTY
            answer = self._value(name, place.value)
            if answer is EMPTY or answer is UNKNOWN:
                return answer
            members[name] = answer
        if box.most is not None and len(members) > box.most:
            self.inexact = self.inexact or len(fresh) > 1
            return EMPTY
        return self._fill(members)

    def _fill(self, members: dict[str, Frozen]) -> Any:
        """Add members until there are enough."""
        needed = self.box.least
        if len(members) >= needed:
            return object_of(members)
        if needed > _MAX_MEMBERS:
            self.inexact = True
            return EMPTY
        for name in sorted(self.explicit - self.box.forbidden - set(members)):
            if not self._may_be_named(name):
                continue
            answer = self._value(name, self.box.known_of(name))
            if answer is UNKNOWN:
                self.inexact = True
            elif answer is not EMPTY:
                members[name] = answer
                if len(members) >= needed:
                    return object_of(members)
        for kind, facts in self._fresh(None):
            if self._fill_kind(members, kind, facts):
                return object_of(members)
        return EMPTY

    def _fill_kind(
        self,
        members: dict[str, Frozen],
        kind: frozenset[Literal],
        facts: frozenset[Literal],
    ) -> bool:
        """Add members of one kind of names; whether there are enough then."""
        if FALSE in facts:
            return False
        while len(members) < self.box.least:
            self.solver.spend()
            name = self._name(kind, frozenset(members) - self.explicit)
            if not isinstance(name, str):
                self.inexact = self.inexact or name is UNKNOWN
                return False
            answer = self._value(name, facts)
            if answer is EMPTY or answer is UNKNOWN:
                self.inexact = self.inexact or answer is UNKNOWN
                return False
            members[name] = answer
        return True
