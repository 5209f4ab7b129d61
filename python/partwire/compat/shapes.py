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
        """Return a shape that says of its own location what hangs on itself, if there is one.

        One that only demands itself once more, by ``$ref`` and ``allOf`` alone, is none.
        """
        group = self._groups_in_place(roots)
        for index, shape in enumerate(self.all):
            if index in group:
                hanging = [sub for when, sub in shape.subs if when != TRUE] + shape.unsettled
                if any(group[sub] == group[index] for sub in hanging):
                    return index
        return None

    def _groups_in_place(self, roots: list[int]) -> dict[int, int]:
        """Return which shapes reach one another without leaving their location: a number each.

        Tarjan's algorithm, without recursion.
        """
        order: dict[int, int] = {}
        low: dict[int, int] = {}
        group: dict[int, int] = {}
        path: list[int] = []
        for root in roots:
            stack = [] if root in order else [(root, iter(self._in_place(root)))]
            while stack:
                index, below = stack[-1]
                if index not in order:
                    order[index] = low[index] = len(order)
                    path.append(index)
                for sub in below:
                    if sub not in order:
                        stack.append((sub, iter(self._in_place(sub))))
                        break
                    if sub not in group:
                        low[index] = min(low[index], low[sub])
                else:
                    stack.pop()
                    if stack:
                        low[stack[-1][0]] = min(low[stack[-1][0]], low[index])
                    if low[index] == order[index]:
                        at = path.index(index)
                        group.update(dict.fromkeys(path[at:], index))
                        del path[at:]
        return group

    def _in_place(self, index: int) -> list[int]:
        shape = self.all[index]
        return [sub for _, sub in shape.subs] + shape.unsettled
