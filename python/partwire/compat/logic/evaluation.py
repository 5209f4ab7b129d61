"""Whether one value satisfies a literal, and whether it keeps to declared names."""

from __future__ import annotations

from typing import Any

from ..patterns.automata import Undecided, matches
from .shapes import Shapes
from .terms import (
    ABOUT,
    TRUE,
    AdditionalProperties,
    And,
    Contains,
    Enum,
    Item,
    Items,
    Literal,
    Maximum,
    MaxItems,
    MaxLength,
    MaxProperties,
    Minimum,
    MinItems,
    MinLength,
    MinProperties,
    MultipleOf,
    Opaque,
    Pattern,
    PatternProperty,
    Property,
    PropertyNames,
    Reference,
    Required,
    Term,
    Terms,
    Type,
    UnevaluatedItems,
    UnevaluatedProperties,
    UniqueItems,
    Xor,
)
from .values import Frozen, type_of

__all__ = ["Evaluator"]


class Evaluator:
    """Evaluates literals on frozen values. Methods raise Undecided where nothing can be decided."""

    def __init__(self, terms: Terms, shapes: Shapes) -> None:
        self.terms = terms
        self.shapes = shapes
        self._memo: dict[tuple[Literal, Frozen], bool] = {}

    def holds(self, literal: Literal, value: Frozen) -> bool:
        """Whether the value satisfies the literal."""
        if literal < 0:
            return not self.holds(-literal, value)
        if literal == TRUE:
            return True
        key = (literal, value)
        known = self._memo.get(key)
        if known is None:
            if len(self._memo) > 200_000:
                self._memo.clear()
            known = self._memo[key] = self._term(self.terms.terms[literal], value)
        return known

    def _term(self, term: Term, value: Frozen) -> bool:
        match term:
            case And():
                return self._all(term.parts, value)
            case Xor():
                return sum(self.holds(part, value) for part in term.parts) == 1
            case Type():
                return type_of(value) in term.names
            case Enum():
                return value in term.values
            case Reference():
                return self.holds(self.terms.bodies[term.key], value)
            case Opaque():
                raise Undecided("a keyword that validators read differently")
        here = type_of(value)
        if ABOUT[type(term)] != here:
            return True
        if here == "number":
            return self._number(term, value)
        if here == "string":
            return self._string(term, value)
        return self._array(term, value[1]) if here == "array" else self._object(term, value[1])

    def _all(self, parts: tuple[Literal, ...], value: Frozen) -> bool:
        """A part that cannot be decided does not matter where another part says no."""
        undecided: Undecided | None = None
        for part in parts:
            try:
                if not self.holds(part, value):
                    return False
            except Undecided as error:
                undecided = error
        if undecided is not None:
            raise undecided
        return True

    @staticmethod
    def _number(term: Term, value: Any) -> bool:
        match term:
            case Minimum(bound, strict):
                return bool(value > bound or (value == bound and not strict))
            case Maximum(bound, strict):
                return bool(value < bound or (value == bound and not strict))
            case MultipleOf(divisor):
                return bool((value / divisor).denominator == 1)
        raise TypeError(term)

    @staticmethod
    def _string(term: Term, value: Any) -> bool:
        match term:
            case MinLength(size):
                return len(value) >= size
            case MaxLength(size):
                return len(value) <= size
            case Pattern(pattern):
                return matches(pattern, value)
        raise TypeError(term)

    def _array(self, term: Term, items: tuple[Frozen, ...]) -> bool:
        match term:
            case MinItems(size):
                return len(items) >= size
            case MaxItems(size):
                return len(items) <= size
            case UniqueItems():
                return len(set(items)) == len(items)
            case Item(position, schema):
                return len(items) <= position or self.holds(schema, items[position])
            case Items(start, schema):
                return all(self.holds(schema, item) for item in items[start:])
            case Contains(schema, least, most):
                count = sum(self.holds(schema, item) for item in items)
                return count >= least and (most is None or count <= most)
            case UnevaluatedItems(base, conditions, schema):
                whole = ("array", items)
                for when, more in conditions:
                    if self.holds(when, whole):
                        base = base.merged(more)
                return base.is_open or all(
                    self.holds(schema, item) or any(self.holds(kind, item) for kind in base.kinds)
                    for item in items[base.first :]
                )
        raise TypeError(term)

    def _object(self, term: Term, members: tuple[tuple[str, Frozen], ...]) -> bool:
        match term:
            case Required(name):
                return any(each == name for each, _ in members)
            case Property(name, schema):
                return all(self.holds(schema, value) for each, value in members if each == name)
            case MinProperties(size):
                return len(members) >= size
            case MaxProperties(size):
                return len(members) <= size
            case PropertyNames(schema):
                return all(self.holds(schema, name) for name, _ in members)
            case PatternProperty(pattern, schema):
                return all(
                    self.holds(schema, value) for name, value in members if matches(pattern, name)
                )
            case AdditionalProperties(names, patterns, schema):
                return self._others(names, patterns, schema, members)
            case UnevaluatedProperties(base, conditions, schema):
                whole = ("object", members)
                for when, more in conditions:
                    if self.holds(when, whole):
                        base = base.merged(more)
                return base.is_open or self._others(base.names, base.patterns, schema, members)
        raise TypeError(term)

    def _others(
        self,
        names: frozenset[str],
        patterns: frozenset[str],
        schema: Literal,
        members: tuple[tuple[str, Frozen], ...],
    ) -> bool:
        """Whether the members with none of these names and patterns satisfy a schema."""
        return all(
            self.holds(schema, value)
            for name, value in members
            if name not in names and not any(matches(pattern, name) for pattern in patterns)
        )

    # --- the declared reading -----------------------------------------------------------------

    def conforms(self, shapes: frozenset[int], value: Frozen) -> bool:
        """Whether a value has only members that its schema declares, at every location."""
        if not shapes or type_of(value) not in ("object", "array"):
            return True
        applied = self.applied(shapes, value)
        if value[0] == "array":
            return all(
                self.conforms(self.shapes.below_item(applied, n), item)
                for n, item in enumerate(value[1])
            )
        told = self.shapes.declared(applied)
        if told.claimed and any(name in told.claimed for name, _ in value[1]):
            return False
        if not told.is_free:
            for name, _ in value[1]:
                if name not in told.names and not any(matches(p, name) for p in told.patterns):
                    return False
        return all(
            self.conforms(self.shapes.below_member(applied, name, matches), member)
            for name, member in value[1]
        )

    def applied(self, shapes: frozenset[int], value: Frozen) -> frozenset[int]:
        """Return the shapes that count for this very value."""
        always, groups = self.shapes.groups(shapes, declared=True)
        more = {
            index for group in groups if self.holds(group.when, value) for index in group.shapes
        }
        return always | more
