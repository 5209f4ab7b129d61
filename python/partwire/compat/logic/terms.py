"""Schemas as logic: one store of shared terms, so that equal parts are one part.

A *literal* is an int: ``n`` says that term ``n`` holds, ``-n`` that it does not. A term is a named
tuple; "or" is the negation of an ``And`` of negations. Terms about one JSON type hold for values of
any other: ``ABOUT`` says which type that is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any, Final, NamedTuple

from .values import TYPES, Frozen, type_of

__all__ = [
    "ABOUT",
    "FALSE",
    "TRUE",
    "AdditionalProperties",
    "And",
    "Contains",
    "Enum",
    "EvaluatedItems",
    "EvaluatedMembers",
    "Item",
    "Items",
    "Literal",
    "MaxItems",
    "MaxLength",
    "MaxProperties",
    "Maximum",
    "MinItems",
    "MinLength",
    "MinProperties",
    "Minimum",
    "MultipleOf",
    "Opaque",
    "Pattern",
    "PatternProperty",
    "Property",
    "PropertyNames",
    "Reference",
    "Required",
    "Term",
    "Terms",
    "Type",
    "UnevaluatedItems",
    "UnevaluatedProperties",
    "UniqueItems",
    "UnlinkedItems",
    "UnlinkedProperties",
    "Xor",
]

Literal = int

TRUE: Final = 1
FALSE: Final = -1


# --- terms about any value ------------------------------------------------------------------------


class And(NamedTuple):
    """All parts hold."""

    parts: tuple[Literal, ...]


class Xor(NamedTuple):
    """Exactly one part holds."""

    parts: tuple[Literal, ...]


class Type(NamedTuple):
    """The value is of one of these types; an integer is a number and a multiple of 1."""

    names: tuple[str, ...]


class Enum(NamedTuple):
    """The value is one of these."""

    values: frozenset[Frozen]


class Reference(NamedTuple):
    """A schema that contains itself: what ``Terms.bodies`` has under the key."""

    key: Hashable


class Opaque(NamedTuple):
    """A keyword whose meaning differs between validators."""

    keyword: str


# --- numbers and strings --------------------------------------------------------------------------


class Minimum(NamedTuple):
    """The number is at least the bound; ``strict``: above it."""

    bound: Fraction
    strict: bool


class Maximum(NamedTuple):
    """The number is at most the bound; ``strict``: below it."""

    bound: Fraction
    strict: bool


class MultipleOf(NamedTuple):
    """The number is a multiple of the divisor."""

    divisor: Fraction


class MinLength(NamedTuple):
    """The string has at least so many code points."""

    size: int


class MaxLength(NamedTuple):
    """The string has at most so many code points."""

    size: int


class Pattern(NamedTuple):
    """The expression of ECMA 262 is found in the string."""

    pattern: str


# --- arrays ---------------------------------------------------------------------------------------


class EvaluatedItems(NamedTuple):
    """Which items of an array are evaluated: the first so many, all, and those of some kinds."""

    first: int
    is_open: bool
    kinds: tuple[Literal, ...]

    def merged(self, other: EvaluatedItems) -> EvaluatedItems:
        """Return what one of them evaluates or both do."""
        is_open = self.is_open or other.is_open
        return EvaluatedItems(max(self.first, other.first), is_open, self.kinds + other.kinds)


class MinItems(NamedTuple):
    """The array has at least so many items."""

    size: int


class MaxItems(NamedTuple):
    """The array has at most so many items."""

    size: int


class UniqueItems(NamedTuple):
    """No two items are equal."""


class Item(NamedTuple):
    """The item at a position satisfies a schema, where there is one."""

    position: int
    schema: Literal


class Items(NamedTuple):
    """All items from a position on satisfy a schema."""

    start: int
    schema: Literal


class Contains(NamedTuple):
    """So many items satisfy a schema; ``most`` None: no limit."""

    schema: Literal
    least: int
    most: int | None


class UnlinkedItems(NamedTuple):
    """The items that a schema object does not evaluate satisfy a schema; ``shape`` is its shape."""

    shape: int
    schema: Literal


class UnevaluatedItems(NamedTuple):
    """Likewise, linked: evaluated in any case is ``base``, and more where a condition holds."""

    base: EvaluatedItems
    conditions: tuple[tuple[Literal, EvaluatedItems], ...]
    schema: Literal


# --- objects --------------------------------------------------------------------------------------


class EvaluatedMembers(NamedTuple):
    """Which members of an object are evaluated: by name, by pattern of names, or all."""

    names: frozenset[str]
    patterns: frozenset[str]
    is_open: bool

    def merged(self, other: EvaluatedMembers) -> EvaluatedMembers:
        """Return what one of them evaluates or both do."""
        is_open = self.is_open or other.is_open
        return EvaluatedMembers(self.names | other.names, self.patterns | other.patterns, is_open)


class Required(NamedTuple):
    """The object has a member of this name."""

    name: str


class Property(NamedTuple):
    """The member of this name satisfies a schema, where there is one."""

    name: str
    schema: Literal


class PatternProperty(NamedTuple):
    """Members whose name matches the pattern satisfy a schema."""

    pattern: str
    schema: Literal


class AdditionalProperties(NamedTuple):
    """Members with none of these names and patterns satisfy a schema."""

    names: frozenset[str]
    patterns: frozenset[str]
    schema: Literal


class MinProperties(NamedTuple):
    """The object has at least so many members."""

    size: int


class MaxProperties(NamedTuple):
    """The object has at most so many members."""

    size: int


class PropertyNames(NamedTuple):
    """The name of each member satisfies a schema."""

    schema: Literal


class UnlinkedProperties(NamedTuple):
    """Members that a schema object does not evaluate satisfy a schema; ``shape`` is its shape."""

    shape: int
    schema: Literal


class UnevaluatedProperties(NamedTuple):
    """Likewise, linked: evaluated in any case is ``base``, and more where a condition holds."""

    base: EvaluatedMembers
    conditions: tuple[tuple[Literal, EvaluatedMembers], ...]
    schema: Literal


Term = (
    And
    | Xor
    | Type
    | Enum
    | Reference
    | Opaque
    | Minimum
    | Maximum
    | MultipleOf
    | MinLength
    | MaxLength
    | Pattern
    | MinItems
    | MaxItems
    | UniqueItems
    | Item
    | Items
    | Contains
    | UnlinkedItems
    | UnevaluatedItems
    | Required
    | Property
    | PatternProperty
    | AdditionalProperties
    | MinProperties
    | MaxProperties
    | PropertyNames
    | UnlinkedProperties
    | UnevaluatedProperties
)

ABOUT: Final[dict[type, str]] = {
    **dict.fromkeys((Minimum, Maximum, MultipleOf), "number"),
    **dict.fromkeys((MinLength, MaxLength, Pattern), "string"),
    **dict.fromkeys((MinItems, MaxItems, UniqueItems, Item, Items, Contains), "array"),
    **dict.fromkeys((UnlinkedItems, UnevaluatedItems), "array"),
    **dict.fromkeys((Required, Property, PatternProperty, AdditionalProperties), "object"),
    **dict.fromkeys((MinProperties, MaxProperties, PropertyNames), "object"),
    **dict.fromkeys((UnlinkedProperties, UnevaluatedProperties), "object"),
}
"""The JSON type that a term speaks of; one that is not here speaks of values of any type."""


# --- the store ------------------------------------------------------------------------------------


class Terms:
    """The store. Literals of two stores have nothing in common."""

    def __init__(self) -> None:
        # Nothing is 0, which has no negation; 1 is what always holds.
        self.terms: list[Term] = [And(()), And(())]
        self._ids: dict[tuple[type, Term], int] = {}
        self.bodies: dict[Any, Literal] = {}
        self._as: dict[str, dict[Literal, Literal]] = {name: {} for name in TYPES}

    def of(self, literal: Literal) -> Term:
        """Return the term of a literal, whatever its sign."""
        return self.terms[abs(literal)]

    def make(self, term: Term) -> Literal:
        """Return the literal of a term; one that always holds is TRUE."""
        if _always_holds(term):
            return TRUE
        # Named tuples of two kinds are equal where what they hold is.
        key = (type(term), term)
        known = self._ids.get(key)
        if known is None:
            known = len(self.terms)
            self.terms.append(term)
            self._ids[key] = known
        return known

    def all_of(self, literals: Iterable[Literal]) -> Literal:
        """Return the conjunction, simplified."""
        flat: set[Literal] = set()
        for literal in literals:
            if literal == FALSE:
                return FALSE
            flat.update(self.conjuncts(literal))
        if any(-literal in flat for literal in flat):
            return FALSE
        if not flat:
            return TRUE
        if len(flat) == 1:
            return next(iter(flat))
        return self.make(And(tuple(sorted(flat))))

    def any_of(self, literals: Iterable[Literal]) -> Literal:
        """Return the disjunction, simplified."""
        return -self.all_of([-literal for literal in literals])

    def one_of(self, literals: Iterable[Literal]) -> Literal:
        """Return "exactly one of them", simplified."""
        given = [literal for literal in literals if literal != FALSE]
        twice = {literal for literal in given if given.count(literal) > 1}
        kept = sorted(set(given) - twice)
        out = [-literal for literal in twice]
        for literal in kept:
            if literal == TRUE or -literal in kept:
                # Exactly one of these always holds: none of the others may.
                pair = {literal, -literal}
                return self.all_of([*out, *(-part for part in kept if part not in pair)])
        if len(kept) < 2:
            return self.all_of([*out, *(kept or [FALSE])])
        return self.all_of([*out, self.make(Xor(tuple(kept)))])

    def conjuncts(self, literal: Literal) -> tuple[Literal, ...]:
        """Return the parts of a conjunction, none of TRUE; anything else is its own only part."""
        if literal > 0:
            term = self.terms[literal]
            if type(term) is And:
                return term.parts
        return (literal,)

    # --- under the assumption of one type -----------------------------------------------------

    def under(self, literal: Literal, kind: str) -> Literal:
        """Return what the literal says about values of one JSON type."""
        if literal < 0:
            return -self.under(-literal, kind)
        if literal == TRUE:
            return TRUE
        memo = self._as[kind]
        known = memo.get(literal)
        if known is None:
            known = memo[literal] = self._under(self.terms[literal], literal, kind)
        return known

    def _under(self, term: Term, literal: Literal, kind: str) -> Literal:
        if ABOUT.get(type(term), kind) != kind:
            return TRUE
        match term:
            case And():
                return self.all_of([self.under(part, kind) for part in term.parts])
            case Xor():
                return self.one_of([self.under(part, kind) for part in term.parts])
            case Type():
                return TRUE if kind in term.names else FALSE
            case Enum():
                return self._enum(frozenset(v for v in term.values if type_of(v) == kind), kind)
            case Reference():
                return self.under(self.bodies[term.key], kind)
            # What an upper bound is the negation of: one spelling for one thing.
            case Maximum():
                return -self.make(Minimum(term.bound, not term.strict))
            case MaxLength():
                return -self.make(MinLength(term.size + 1))
            case MaxItems():
                return -self.make(MinItems(term.size + 1))
            case MaxProperties():
                return -self.make(MinProperties(term.size + 1))
        return literal

    def _enum(self, values: frozenset[Frozen], kind: str) -> Literal:
        if not values:
            return FALSE
        if kind == "null" or (kind == "boolean" and len(values) == 2):
            return TRUE
        return self.make(Enum(values))

    # --- rewriting ------------------------------------------------------------------------------

    def rewrite(
        self,
        literal: Literal,
        leaf: Callable[[Term], Literal | None],
        memo: dict[Literal, Literal],
    ) -> Literal:
        """Return the literal with every term for which ``leaf`` has an answer replaced by it."""

        def change(literal: Literal) -> Literal:
            if literal < 0:
                return -change(-literal)
            if literal == TRUE:
                return TRUE
            known = memo.get(literal)
            if known is None:
                term = self.terms[literal]
                replaced = leaf(term)
                if replaced is None:
                    replaced = self._with_parts(literal, term, change)
                known = memo[literal] = replaced
            return known

        return change(literal)

    def _with_parts(
        self, literal: Literal, term: Term, change: Callable[[Literal], Literal]
    ) -> Literal:
        """Return the literal of a term whose literals are changed, one by one."""
        match term:
            case And():
                return self.all_of([change(part) for part in term.parts])
            case Xor():
                return self.one_of([change(part) for part in term.parts])
            case (
                Item()
                | Items()
                | Contains()
                | Property()
                | PatternProperty()
                | AdditionalProperties()
                | PropertyNames()
            ):
                return self.make(term._replace(schema=change(term.schema)))
            case UnevaluatedProperties(base, conditions, schema):
                whens = tuple((change(when), more) for when, more in conditions)
                return self.make(UnevaluatedProperties(base, whens, change(schema)))
            case UnevaluatedItems(base, conditions, schema):

                def kinds(items: EvaluatedItems) -> EvaluatedItems:
                    return items._replace(kinds=tuple(map(change, items.kinds)))

                found = tuple((change(when), kinds(more)) for when, more in conditions)
                return self.make(UnevaluatedItems(kinds(base), found, change(schema)))
        return literal


def _always_holds(term: Term) -> bool:
    match term:
        case MinLength() | MinItems() | MinProperties():
            return term.size <= 0
        case Contains():
            return term.least <= 0 and term.most is None
    return getattr(term, "schema", FALSE) == TRUE
