"""What a schema declares for members and items of one location, beside what it demands.

A shape mirrors a schema object: which member names it speaks of, with the shape of each member,
and the subschemas that apply to the same location, each under the literal that must hold for it
to count. ``unevaluatedProperties`` and the declared reading rest on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..sources.schemas import Place
from .terms import FALSE, TRUE, EvaluatedItems, EvaluatedMembers, Literal, Terms

__all__ = ["Declared", "Evaluated", "Shape", "Shapes"]


@dataclass
class Shape:
    """One schema object. Numbers are indices of other shapes."""

    place: Place
    props: dict[str, int] = field(default_factory=dict)
    patterns: dict[str, int] = field(default_factory=dict)
    others: int | None = None
    open: bool = False
    """Every member counts as evaluated: additionalProperties is there."""
    mapped: bool = False
    """Members that are not declared have a schema that says something: the object is a map."""
    free: bool = False
    """Such members may be anything, and the schema says so itself: open by declaration."""
    claimed: set[str] = field(default_factory=set)
    """Names of such members that the other side of a comparison declares."""
    named: set[str] = field(default_factory=set)
    """Names that are spoken of elsewhere than in ``properties``: required or depended on."""
    least: int = 0
    """How many members there have to be."""
    listed: bool = False
    """The objects that are allowed are written down one by one: const or enum."""
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


class Declared(NamedTuple):
    """What some shapes of one location declare, as the declared reading takes it."""

    names: frozenset[str]
    patterns: frozenset[str]
    is_open: bool
    """Every name counts as declared."""
    speaks: bool
    """``properties`` declares members; an object of which no schema does so stays free."""
    least: int
    claimed: frozenset[str]
    """Names that are not written, though every name counts as declared."""

    @property
    def evaluated(self) -> EvaluatedMembers:
        """The members that count as declared."""
        return EvaluatedMembers(self.names, self.patterns, self.is_open)

    @property
    def is_free(self) -> bool:
        """Whether undeclared names are written: nothing is declared, or less than has to be."""
        too_few = not self.patterns and self.least > len(self.names)
        return self.is_open or not self.speaks or too_few


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

    def new(self, place: Place) -> int:
        """Return the index of a new, empty shape of the schema at a place."""
        self.all.append(Shape(place))
        return len(self.all) - 1

    def groups(
        self, roots: frozenset[int], *, declared: bool = False
    ) -> tuple[frozenset[int], list[Evaluated]]:
        """Return the shapes that count always, and those that count under a condition.

        ``declared``: also those that say something for the declared reading alone.
        """
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
        known = self.declared(always).names if declared else None
        found = [
            Evaluated(when, tuple(sorted(indices - always)))
            for when, indices in whens.items()
            if any(self._speaks(index, known) for index in indices - always)
        ]
        return frozenset(always), found

    def _speaks(self, index: int, known: frozenset[str] | None) -> bool:
        """Whether a shape says more than nothing; ``known``: more than these names."""
        shape = self.all[index]
        if known is not None and (shape.named - known or shape.least > 1 or shape.listed):
            return True
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

    def members(self, indices: Iterable[int], owner: int = -1) -> EvaluatedMembers:
        """Return which members some shapes evaluate.

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
        return EvaluatedMembers(frozenset(names), frozenset(patterns), is_open)

    def declared(self, indices: Iterable[int]) -> Declared:
        """Return what some shapes declare, as the declared reading takes it.

        Names that have to be there count as declared. So does every name where members that are
        not declared have a schema, where they are allowed in so many words (but for what the
        other side claims), and where objects are written down one by one.
        """
        shapes = [self.all[index] for index in indices]
        names = frozenset(name for shape in shapes for name in (*shape.props, *shape.named))
        speaks = any(shape.props for shape in shapes)
        is_listed = any(shape.listed for shape in shapes)
        claimed = {name for shape in shapes if speaks and not is_listed for name in shape.claimed}
        return Declared(
            names,
            frozenset(pattern for shape in shapes for pattern in shape.patterns),
            is_listed or any(shape.mapped or shape.free for shape in shapes),
            speaks,
            max((shape.least for shape in shapes), default=0),
            frozenset(claimed - names),
        )

    def has_claims(self, root: int) -> bool:
        """Whether the other side claims a name of an object that is at or below a shape."""
        seen = {root}
        stack = [root]
        while stack:
            shape = self.all[stack.pop()]
            if shape.claimed:
                return True
            more = [*shape.props.values(), *shape.patterns.values(), *shape.prefix]
            more += [part for part in (shape.others, shape.rest) if part is not None]
            more += [part for part in (shape.late, shape.late_items) if part is not None]
            more += [part for _, part in (*shape.contains, *shape.subs)]
            stack.extend(set(more) - seen)
            seen.update(more)
        return False

    def items(self, indices: Iterable[int], owner: int = -1) -> EvaluatedItems:
        """Return which items some shapes evaluate."""
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
        return EvaluatedItems(count, is_open, tuple(sorted(kinds)))

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

    def find_loop(self) -> Shape | None:
        """Return a shape that says of its own location what hangs on itself, if there is one.

        One that only demands itself once more, by ``$ref`` and ``allOf`` alone, is none.
        """
        group = self._groups_in_place()
        for index, shape in enumerate(self.all):
            hanging = [sub for when, sub in shape.subs if when != TRUE] + shape.unsettled
            if any(group[sub] == group[index] for sub in hanging):
                return shape
        return None

    def _groups_in_place(self) -> dict[int, int]:
        """Return which shapes reach one another without leaving their location: a number each.

        Tarjan's algorithm, without recursion.
        """
        order: dict[int, int] = {}
        low: dict[int, int] = {}
        group: dict[int, int] = {}
        path: list[int] = []
        for root in range(len(self.all)):
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
