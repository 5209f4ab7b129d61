"""Second pass: what is evaluated where, and which recursive schemas are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .shapes import Shapes
from .terms import (
    TRUE,
    EvaluatedItems,
    Literal,
    Reference,
    Term,
    Terms,
    UnevaluatedItems,
    UnevaluatedProperties,
    UnlinkedItems,
    UnlinkedProperties,
)

__all__ = ["link"]


def link(
    terms: Terms, shapes: Shapes, bodies: dict[Any, Literal], roots: list[Literal]
) -> list[Literal]:
    """Return the roots with every reference settled; the shapes' conditions are settled as well.

    Recursive schemas that no document can distinguish by structure become one term, whichever
    document they come from: that is what makes most of two large schemas equal at a glance.
    """
    settle = _Settling(terms, shapes)
    settled = {key: settle.rewrite(body) for key, body in bodies.items()}
    roots = [settle.rewrite(root) for root in roots]
    classes = _classes(terms, settled)
    memo: dict[Literal, Literal] = {}
    names = {key: ("class", number, len(terms.bodies)) for key, number in classes.items()}

    def leaf(term: Term) -> Literal | None:
        if isinstance(term, Reference) and term.key in names:
            return terms.make(Reference(names[term.key]))
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
    named = {terms.bodies[name]: terms.make(Reference(name)) for name in set(names.values())}
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
        match term:
            case UnlinkedProperties():
                base, conditions = self._evaluated(term.shape, self.shapes.members)
                kind: Any = UnevaluatedProperties
            case UnlinkedItems():
                base, conditions = self._evaluated(term.shape, self._items)
                kind = UnevaluatedItems
            case _:
                return None
        if base.is_open:
            return TRUE
        return self.terms.make(kind(base, conditions, self.rewrite(term.schema)))

    def _evaluated(
        self, owner: int, look: Callable[[Iterable[int], int], Any]
    ) -> tuple[Any, tuple[tuple[Literal, Any], ...]]:
        """Return what counts as evaluated in any case, and what more where a condition holds."""
        always, groups = self.shapes.groups(frozenset((owner,)))
        base = look(always, owner)
        if base.is_open:
            return base, ()
        found = [(self.rewrite(group.when), look(group.shapes, owner)) for group in groups]
        return base, tuple((when, more) for when, more in found if more != base)

    def _items(self, shapes: Iterable[int], owner: int) -> EvaluatedItems:
        found = self.shapes.items(shapes, owner)
        return found._replace(kinds=tuple(sorted(self.rewrite(part) for part in found.kinds)))


def _classes(terms: Terms, bodies: dict[Any, Literal]) -> dict[Any, int]:
    """Partition refinement: two references are one as long as their bodies are."""
    classes = dict.fromkeys(bodies, 0)
    count = 1 if bodies else 0
    while True:
        memo: dict[Literal, Literal] = {}
        current = classes

        def leaf(term: Term, current: dict[Any, int] = current) -> Literal | None:
            if isinstance(term, Reference) and term.key in current:
                return terms.make(Reference(("guess", current[term.key])))
            return None

        numbers: dict[tuple[int, Literal], int] = {}
        classes = {
            key: numbers.setdefault((current[key], terms.rewrite(body, leaf, memo)), len(numbers))
            for key, body in bodies.items()
        }
        if len(numbers) == count:
            return classes
        count = len(numbers)
