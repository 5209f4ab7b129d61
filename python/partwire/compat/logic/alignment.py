"""Which members the other side declares of an object that is open by declaration.

Whoever writes ``additionalProperties: true`` says that members may come that nobody has declared
yet. When one is declared, in the next version, the declared reading takes it as not written before;
every other name may still be there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..patterns.automata import Undecided, matches
from .shapes import Shapes

__all__ = ["align"]

_MAX_LOCATIONS: Final = 20_000

Location = frozenset[int]


def align(shapes: Shapes, pairs: Iterable[tuple[int, int]]) -> None:
    """Note for every such object, below pairs of roots, what the other side declares of it.

    Conditions are passed over: whatever may apply does. Bounded by steps: a name that is not noted
    is taken as written, which finds more breaks.
    """
    if not any(shape.free for shape in shapes.all):
        return
    stack = [(frozenset((one,)), frozenset((other,))) for one, other in pairs]
    seen: set[tuple[Location, Location]] = set()
    while stack and len(seen) < _MAX_LOCATIONS:
        both = stack.pop()
        if both in seen or not all(both):
            continue
        seen.add(both)
        one, other = (_in_place(shapes, location) for location in both)
        _claim(shapes, one, other)
        _claim(shapes, other, one)
        stack.extend(_below(shapes, one, other))


def _in_place(shapes: Shapes, location: Location) -> Location:
    """Return the shapes of a location with all that may apply to it as well."""
    found = set(location)
    stack = list(location)
    while stack:
        for _, sub in shapes.all[stack.pop()].subs:
            if sub not in found:
                found.add(sub)
                stack.append(sub)
    return frozenset(found)


def _names(shapes: Shapes, location: Location) -> set[str]:
    return {name for index in location for name in shapes.all[index].props}


def _claim(shapes: Shapes, mine: Location, yours: Location) -> None:
    told = shapes.declared(mine)
    if any(shapes.all[index].mapped for index in mine):
        return
    claimed = {
        name
        for name in _names(shapes, yours) - told.names
        if not any(_may_match(pattern, name) for pattern in told.patterns)
    }
    for index in mine:
        if shapes.all[index].free:
            shapes.all[index].claimed |= claimed


def _may_match(pattern: str, name: str) -> bool:
    try:
        return matches(pattern, name)
    except Undecided:
        return True


def _below(shapes: Shapes, one: Location, other: Location) -> Iterable[tuple[Location, Location]]:
    """Yield the locations of members and items, side by side."""
    for name in sorted(_names(shapes, one) | _names(shapes, other)):
        try:
            yield (
                shapes.below_member(one, name, matches),
                shapes.below_member(other, name, matches),
            )
        except Undecided:
            continue
    first = max(len(shapes.all[index].prefix) for index in one | other)
    for position in range(first + 1):
        yield shapes.below_item(one, position), shapes.below_item(other, position)
    yield _undeclared(shapes, one), _undeclared(shapes, other)


def _undeclared(shapes: Shapes, location: Location) -> Location:
    found: set[int | None] = set()
    for index in location:
        shape = shapes.all[index]
        found.update((*shape.patterns.values(), shape.others, shape.late))
    return frozenset(index for index in found if index is not None)
