"""Second pass: what is evaluated where, and which recursive schemas are the same."""

from __future__ import annotations

from typing import Any

from .shapes import Shapes
from .terms import TRUE, Literal, Term, Terms

__all__ = ["link"]


def link(
    terms: Terms, shapes: Shapes, bodies: dict[Any, Literal], roots: list[Literal]
) -> list[Literal]:
    """Return the roots with every reference settled; the shapes' conditions are settled as well.

    Recursive schemas that no document can tell apart by structure become one term, whichever
    document they come from: that is what makes most of two large schemas equal at a glance.
    """
    settle = _Settling(terms, shapes)
    settled = {key: settle.rewrite(body) for key, body in bodies.items()}
    roots = [settle.rewrite(root) for root in roots]
    classes = _classes(terms, settled)
    memo: dict[Literal, Literal] = {}
    names = {key: ("class", number, len(terms.bodies)) for key, number in classes.items()}

    def leaf(term: Term) -> Literal | None:
        if term[0] == "ref" and term[1] in names:
            return terms.make("ref", names[term[1]])
        return None

    done = set()
    for key, body in settled.items():
        if classes[key] not in done:
            done.add(classes[key])
            terms.bodies[names[key]] = terms.rewrite(body, leaf, memo)
    for shape in shapes.all:
        shape.subs = [
            (terms.rewrite(settle.rewrite(when), leaf, memo), sub) for when, sub in shape.subs
        ]
        shape.contains = [
            (terms.rewrite(settle.rewrite(kind), leaf, memo), sub) for kind, sub in shape.contains
        ]
    # A schema that is referred to is known by its name: goals are then the same ones.
    named = {terms.bodies[name]: terms.make("ref", name) for name in set(names.values())}
    linked = [terms.rewrite(root, leaf, memo) for root in roots]
    return [named.get(root, root) for root in linked]


class _Settling:
    """Replaces "what this schema object leaves unevaluated" by names, patterns and conditions."""

    def __init__(self, terms: Terms, shapes: Shapes) -> None:
        self.terms = terms
        self.shapes = shapes
        self.memo: dict[Literal, Literal] = {}

    def rewrite(self, literal: Literal) -> Literal:
        return self.terms.rewrite(literal, self._leaf, self.memo)

    def _leaf(self, term: Term) -> Literal | None:
        if term[0] not in ("uprops", "uitems") or term[1][0] != "shape":
            return None
        owner = term[1][1]
        always, groups = self.shapes.groups(frozenset((owner,)))
        look = self.shapes.members if term[0] == "uprops" else self.shapes.items
        base = self._settled(term[0], look(always, owner))
        if base[2 if term[0] == "uprops" else 1]:
            return TRUE
        whens = tuple(
            (self.rewrite(group.when), *self._settled(term[0], look(group.shapes, owner)))
            for group in groups
        )
        useful = tuple(when for when in whens if when[1:] != base)
        return self.terms.make(term[0], base, useful, self.rewrite(term[3]))

    def _settled(self, kind: str, found: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        if kind == "uprops":
            return found
        return found[0], found[1], tuple(sorted(self.rewrite(part) for part in found[2]))


def _classes(terms: Terms, bodies: dict[Any, Literal]) -> dict[Any, int]:
    """Partition refinement: two references are one as long as their bodies are."""
    classes = dict.fromkeys(bodies, 0)
    count = 1 if bodies else 0
    while True:
        memo: dict[Literal, Literal] = {}
        current = classes

        def leaf(term: Term, current: dict[Any, int] = current) -> Literal | None:
            if term[0] == "ref" and term[1] in current:
                return terms.make("ref", ("guess", current[term[1]]))
            return None

        numbers: dict[tuple[int, Literal], int] = {}
        classes = {
            key: numbers.setdefault((current[key], terms.rewrite(body, leaf, memo)), len(numbers))
            for key, body in bodies.items()
        }
        if len(numbers) == count:
            return classes
        count = len(numbers)
