"""What a schema declares for members and items of one location, beside what it demands.

A shape mirrors a schema object: which member names it speaks of, with the shape of each member,
and the subschemas that apply to the same location, each under the literal that must hold for it
to count. ``unevaluatedProperties`` and the declared reading rest on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .terms import FALSE, TRUE, Literal, Terms

__all__ = ["Evaluated", "Shape", "Shapes"]


@dataclass
class Shape:
    """One schema object. Numbers are indices of other shapes."""

    pointer: str = ""
    props: dict[str, int] = field(default_factory=dict)
    patterns: dict[str, int] = field(default_factory=dict)
    others: int | None = None
    open: bool = False
    """Every member counts as evaluated: additionalProperties is there."""
    late: int | None = None
    """The shape of unevaluatedProperties: every member counts as evaluated, from outside."""
    prefix: list[int] = field(default_factory=list)
    rest: int | None = None
    late_items: int | None = None
    contains: list[tuple[Literal, int]] = field(default_factory=list)
    contains_evaluates: bool = False
    subs: list[tuple[Literal, int]] = field(default_factory=list)
    """In-place subschemas and when they count; TRUE: whenever this schema does."""
    unsettled: list[int] = field(default_factory=list)
    """In-place subschemas that never count (``not``); kept to find loops."""


@dataclass(frozen=True)
class Evaluated:
    """One group of what is evaluated, and when."""

    when: Literal
    shapes: tuple[int, ...]


class Shapes:
    """All shapes of one comparison."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.all: list[Shape] = []

    def new(self, pointer: str) -> int:
        """Return the index of a new, empty shape."""
        self.all.append(Shape(pointer))
        return len(self.all) - 1

    def groups(self, roots: frozenset[int]) -> tuple[frozenset[int], list[Evaluated]]:
        """Return the shapes that count always, and those that count under a condition."""
        always: set[int] = set()
        whens: dict[Literal, set[int]] = {}

        def visit(index: int, when: Literal) -> None:
            if when == FALSE or index in (always if when == TRUE else whens.get(when, ())):
                return
            (always if when == TRUE else whens.setdefault(when, set())).add(index)
            for condition, sub in self.all[index].subs:
                visit(sub, self.terms.all_of([when, condition]))

        for root in roots:
            visit(root, TRUE)
        found = [
            Evaluated(when, tuple(sorted(indices - always)))
            for when, indices in whens.items()
            if any(self._speaks(index) for index in indices - always)
        ]
        return frozenset(always), found

    def _speaks(self, index: int) -> bool:
        shape = self.all[index]
        return bool(
            shape.props
            or shape.patterns
            or shape.open
            or shape.prefix
            or shape.rest is not None
            or shape.late is not None
            or shape.late_items is not None
            or shape.contains
        )

    def members(self, indices: Iterable[int], owner: int = -1) -> tuple[Any, Any, bool]:
        """Return names, patterns and whether all others are evaluated, of some shapes.

        ``owner`` is the shape whose own unevaluatedProperties asks.
        """
        names: set[str] = set()
        patterns: set[str] = set()
        is_open = False
        for index in indices:
            shape = self.all[index]
            names.update(shape.props)
            patterns.update(shape.patterns)
            is_open = is_open or shape.open or (shape.late is not None and index != owner)
        return frozenset(names), frozenset(patterns), is_open

    def items(self, indices: Iterable[int], owner: int = -1) -> tuple[int, bool, Any]:
        """Return how many first items, whether all, and which kinds of items are evaluated."""
        count = 0
        is_open = False
        kinds: set[Literal] = set()
        for index in indices:
            shape = self.all[index]
            count = max(count, len(shape.prefix))
            late = shape.late_items is not None and index != owner
            is_open = is_open or shape.rest is not None or late
            if shape.contains_evaluates:
                kinds.update(literal for literal, _ in shape.contains)
        return count, is_open, tuple(sorted(kinds))

    def below_member(self, indices: frozenset[int], name: str, matches: Any) -> frozenset[int]:
        """Return the shapes of a member, given those of the object."""
        found: set[int] = set()
        for index in indices:
            shape = self.all[index]
            hits = [sub for pattern, sub in shape.patterns.items() if matches(pattern, name)]
            if name in shape.props:
                hits.append(shape.props[name])
            elif not hits and shape.others is not None:
                hits.append(shape.others)
            found.update(hits)
        late = [self.all[index].late for index in indices]
        return frozenset(found or (sub for sub in late if sub is not None))

    def below_item(self, indices: frozenset[int], position: int) -> frozenset[int]:
        """Return the shapes of an item, given those of the array."""
        found: set[int] = set()
        for index in indices:
            shape = self.all[index]
            if position < len(shape.prefix):
                found.add(shape.prefix[position])
            elif shape.rest is not None:
                found.add(shape.rest)
            elif shape.late_items is not None:
                found.add(shape.late_items)
            found.update(sub for _, sub in shape.contains)
        return frozenset(found)

    def loop_from(self, roots: list[int]) -> int | None:
        """Return a shape that applies to its own location by way of itself, if there is one."""
        done: set[int] = set()
        for root in roots:
            path: set[int] = set()
            stack = [(root, False)]
            while stack:
                index, leaving = stack.pop()
                if leaving:
                    path.discard(index)
                    done.add(index)
                elif index in path:
                    return index
                elif index not in done:
                    path.add(index)
                    stack.append((index, True))
                    shape = self.all[index]
                    stack.extend((sub, False) for _, sub in shape.subs)
                    stack.extend((sub, False) for sub in shape.unsettled)
        return None
