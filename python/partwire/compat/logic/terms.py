"""Schemas as logic: one store of shared terms, so that equal parts are one part.

A *literal* is an int: ``n`` says that term ``n`` holds, ``-n`` that it does not. A term is a tuple
whose first member names it; every term but ``and``, ``xor``, ``type``, ``enum``, ``ref`` and
``opaque`` speaks of one JSON type and holds for values of any other. ``or`` is the negation of an
``and`` of negations.

==================================  ===============================================================
``("and", literals)``               all of them
``("xor", literals)``               exactly one of them
``("type", names)``                 the value is of one of these types (integer is number + mult 1)
``("enum", values)``                the value is one of these frozen values
``("min", q, strict)``              number: above q; ``max`` likewise; ``("mult", q)`` multiple of q
``("minlen", n)``, ``("maxlen",…)`` string: code points; ``("pattern", text)`` ECMA 262, searched
``("minitems", n)``, ``("maxitems", n)``, ``("unique",)``
``("item", i, x)``                  array: item i, where there is one; ``("items", k, x)`` from k on
``("contains", x, least, most)``    array: so many items are x; most None: no limit
``("req", name)``                   object: has the member
``("prop", name, x)``               object: that member, where there is one, is x
``("patprop", pattern, x)``         object: so are members whose name matches
``("addprops", names, pats, x)``    object: so are all other members
``("minprops", n)``, ``("maxprops", n)``, ``("names", x)``
``("uprops", base, whens, x)``      object: members that nothing beside it evaluates are x
``("uitems", base, whens, x)``      array: likewise for items
``("ref", key)``                    a schema that contains itself: what ``bodies[key]`` says
``("opaque", text)``                something whose meaning differs between validators
==================================  ===============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from .values import TYPES, Frozen, type_of

__all__ = ["FALSE", "TRUE", "Literal", "Term", "Terms"]

Literal = int
Term = tuple[Any, ...]

TRUE: Final = 1
FALSE: Final = -1

_TYPE_OF_TERM: Final = {
    **dict.fromkeys(("min", "max", "mult"), "number"),
    **dict.fromkeys(("minlen", "maxlen", "pattern"), "string"),
    **dict.fromkeys(
        ("minitems", "maxitems", "unique", "item", "items", "contains", "uitems"), "array"
    ),
    **dict.fromkeys(
        ("req", "prop", "patprop", "addprops", "minprops", "maxprops", "names", "uprops"), "object"
    ),
}
# What an upper bound is the negation of, once the type is known: one spelling for one thing.
_UPPER: Final = {"maxlen": "minlen", "maxitems": "minitems", "maxprops": "minprops"}
_TRIVIAL: Final = frozenset({"item", "items", "prop", "patprop", "addprops", "names"})


class Terms:
    """The store. Literals of two stores have nothing in common."""

    def __init__(self) -> None:
        self.terms: list[Term] = [("none",), ("true",)]
        self._ids: dict[Term, int] = {("true",): 1}
        self.bodies: dict[Any, Literal] = {}
        self._as: dict[str, dict[Literal, Literal]] = {name: {} for name in TYPES}

    def of(self, literal: Literal) -> Term:
        """Return the term of a literal, whatever its sign."""
        return self.terms[abs(literal)]

    def make(self, *term: Any) -> Literal:
        """Return the literal of a term; one that always holds is TRUE."""
        kind = term[0]
        if kind in _TRIVIAL and term[-1] == TRUE:
            return TRUE
        if kind in ("minlen", "minitems", "minprops") and term[1] <= 0:
            return TRUE
        if kind in ("uprops", "uitems") and term[-1] == TRUE:
            return TRUE
        if kind == "contains" and term[2] <= 0 and term[3] is None:
            return TRUE
        known = self._ids.get(term)
        if known is None:
            known = len(self.terms)
            self.terms.append(term)
            self._ids[term] = known
        return known

    def all_of(self, literals: Iterable[Literal]) -> Literal:
        """Return the conjunction, simplified."""
        flat: set[Literal] = set()
        for literal in literals:
            if literal == FALSE:
                return FALSE
            if literal == TRUE:
                continue
            if literal > 0 and self.terms[literal][0] == "and":
                flat.update(self.terms[literal][1])
            else:
                flat.add(literal)
        if any(-literal in flat for literal in flat):
            return FALSE
        if not flat:
            return TRUE
        if len(flat) == 1:
            return next(iter(flat))
        return self.make("and", tuple(sorted(flat)))

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
        return self.all_of([*out, self.make("xor", tuple(kept))])

    def conjuncts(self, literal: Literal) -> tuple[Literal, ...]:
        """Return the parts of a conjunction; anything else is its own only part."""
        if literal > 0 and self.terms[literal][0] == "and":
            parts: tuple[Literal, ...] = self.terms[literal][1]
            return parts
        return () if literal == TRUE else (literal,)

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
        name = term[0]
        if name == "and":
            return self.all_of([self.under(part, kind) for part in term[1]])
        if name == "xor":
            return self.one_of([self.under(part, kind) for part in term[1]])
        if name == "type":
            return TRUE if kind in term[1] else FALSE
        if name == "enum":
            return self._enum(frozenset(v for v in term[1] if type_of(v) == kind), kind)
        if name == "ref":
            return self.under(self.bodies[term[1]], kind)
        if name == "opaque":
            return literal
        if _TYPE_OF_TERM[name] != kind:
            return TRUE
        if name in _UPPER:
            return -self.make(_UPPER[name], term[1] + 1)
        if name == "max":
            return -self.make("min", term[1], not term[2])
        return literal

    def _enum(self, values: frozenset[Frozen], kind: str) -> Literal:
        if not values:
            return FALSE
        if kind == "null" or (kind == "boolean" and len(values) == 2):
            return TRUE
        return self.make("enum", values)

    # --- rewriting ------------------------------------------------------------------------------

    def rewrite(
        self,
        literal: Literal,
        leaf: Callable[[Term], Literal | None],
        memo: dict[Literal, Literal],
    ) -> Literal:
        """Return the literal with every term for which ``leaf`` has an answer replaced by it."""
        if literal < 0:
            return -self.rewrite(-literal, leaf, memo)
        if literal == TRUE:
            return TRUE
        known = memo.get(literal)
        if known is None:
            known = memo[literal] = self._rewrite(literal, leaf, memo)
        return known

    def _rewrite(
        self, literal: Literal, leaf: Callable[[Term], Literal | None], memo: dict[Literal, Literal]
    ) -> Literal:
        term = self.terms[literal]
        replaced = leaf(term)
        if replaced is not None:
            return replaced
        kind = term[0]
        if kind == "and":
            return self.all_of([self.rewrite(part, leaf, memo) for part in term[1]])
        if kind == "xor":
            return self.one_of([self.rewrite(part, leaf, memo) for part in term[1]])
        if kind in _TRIVIAL:
            return self.make(*term[:-1], self.rewrite(term[-1], leaf, memo))
        if kind == "contains":
            return self.make("contains", self.rewrite(term[1], leaf, memo), *term[2:])
        if kind in ("uprops", "uitems"):
            whens: tuple[Any, ...] = tuple(
                (self.rewrite(w[0], leaf, memo), *w[1:]) for w in term[2]
            )
            base = term[1]
            if kind == "uitems":
                base = (*base[:2], tuple(self.rewrite(x, leaf, memo) for x in base[2]))
                whens = tuple(
                    (*w[:3], tuple(self.rewrite(x, leaf, memo) for x in w[3])) for w in whens
                )
            return self.make(kind, base, whens, self.rewrite(term[3], leaf, memo))
        return literal
