"""Walks two schemas side by side and names what differs; with a document, what it runs into.

Properties pair by name, items by position, variants of unions by tag. Nothing here decides
whether a change breaks: without a document everything is named that may, with one only what the
document is refused for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..logic.oracle import Oracle
from ..sources.schemas import Place, SchemaSet
from .keywords import NOTHING, Candidate, differences, kind_of, shown_types
from .members import Nested, nested
from .pairing import pair_variants, variants
from .places import branch_name
from .view import Node, Union, View, view

__all__ = ["Side", "Walk"]

_MAX_STEPS: Final = 10_000
_MAX_DEPTH: Final = 80


class Side(NamedTuple):
    """A set of schemas with the validators that know it."""

    schemas: SchemaSet
    oracle: Oracle


class Walk:
    """One walk, from what a writer's schema says to what a reader's says.

    Bounded by steps, which count schemas that are looked at, variants that are likened and
    questions to the validators; ``cut`` is the first place that no steps were left for, on both
    sides.
    """

    def __init__(self, writer: Side, reader: Side) -> None:
        self.writer = writer
        self.reader = reader
        self.steps = 0
        self.cut: tuple[Place, Place] | None = None
        self._seen: set[tuple[Any, ...]] = set()
        self._views: dict[tuple[Any, ...], View] = {}

    def candidates(self, writer: Place, reader: Place, document: Any = NOTHING) -> list[Candidate]:
        """Return the changes below two places, each once, in the order of the reader's schema."""
        found: dict[tuple[Any, ...], Candidate] = {}
        for candidate in self._pair(Node((writer,)), Node((reader,)), document, 0):
            found.setdefault(_key(candidate), candidate)
        return list(found.values())

    def _look(self, side: Side, node: Node) -> View:
        key = (side is self.reader, *node.key)
        if key not in self._views:
            found = self._views[key] = view(side.schemas, node)
            self.steps += len(node.places) + sum(len(union.branches) for union in found.unions)
        return self._views[key]

    def wrong(self, places: tuple[Place, ...], value: Any) -> bool:
        """Whether the reader refuses a value at these places."""
        self.steps += len(places)
        return any(self.reader.oracle.agree(place, value) is not True for place in places)

    def right(self, places: tuple[Place, ...], value: Any) -> bool:
        """Whether the writer allows a value at these places."""
        self.steps += len(places)
        return all(self.writer.oracle.agree(place, value) is not False for place in places)

    def _pair(self, writer: Node, reader: Node, value: Any, depth: int) -> Iterator[Candidate]:
        spot = None if value is NOTHING else id(value)
        key = (writer.key, reader.key, spot)
        self.steps += 1
        if key in self._seen:
            return
        if self.steps > _MAX_STEPS or depth > _MAX_DEPTH:
            self.cut = self.cut or (writer.places[-1], reader.places[-1])
            return
        self._seen.add(key)
        mine, yours = self._look(self.writer, writer), self._look(self.reader, reader)
        if mine.unions or yours.unions:
            yield from self._unions(writer, reader, value, depth)
            return
        for candidate, test in differences(mine, yours):
            if value is NOTHING or test(value):
                yield candidate
        if yours.false is None and mine.false is None:
            yield from self._below(mine, yours, value, depth)

    def _below(self, mine: View, yours: View, value: Any, depth: int) -> Iterator[Candidate]:
        for found in nested(mine, yours, value, self.wrong):
            if not isinstance(found, Nested):
                yield found
                continue
            for part in found.values:
                if part is NOTHING or self.wrong(found.reader, part):
                    nodes = Node(found.writer), Node(found.reader)
                    yield from self._pair(*nodes, part, depth + 1)

    # --- unions -----------------------------------------------------------------------------

    def _unions(self, writer: Node, reader: Node, value: Any, depth: int) -> Iterator[Candidate]:
        mine, yours = self._look(self.writer, writer), self._look(self.reader, reader)
        my_union, your_union = _fitting(mine, yours)
        ours = variants(writer, mine, my_union, lambda n: self._look(self.writer, n))
        theirs = variants(reader, yours, your_union, lambda n: self._look(self.reader, n))
        self.steps += len(ours) * len(theirs)
        held = [
            pair
            for pair in pair_variants(ours, theirs)
            if value is NOTHING or self._holds(pair[0].node, writer, value)
        ]
        if value is not NOTHING and your_union is not None and your_union.keyword == "oneOf":
            hits = [b for b in your_union.branches if not self.wrong((b,), value)]
            if len(hits) > 1:
                spot = my_union.place if my_union else None
                told = sorted(branch_name(self.reader.schemas, branch) for branch in hits)
                yield Candidate("compat/variants-overlap", spot, your_union.place, (), (told,))
                return
        for one, other in held:
            if other is not None:
                yield from self._pair(one.node, other.node, value, depth + 1)
            else:
                yield _gone(one.node, one.view, writer, yours, your_union)

    def _holds(self, variant: Node, whole: Node, value: Any) -> bool:
        """Whether a document is of a variant of the writer's."""
        if variant.only is not None and variant.only != whole.only:
            kind = kind_of(value)
            return kind in variant.only or (kind == "integer" and "number" in variant.only)
        return self.right(variant.places[len(whole.places) :], value)


def _fitting(mine: View, yours: View) -> tuple[Union | None, Union | None]:
    """The unions to pair: the largest of each side, since others may be left to later turns."""
    largest = [
        max(side.unions, key=lambda union: len(union.branches), default=None)
        for side in (mine, yours)
    ]
    return largest[0], largest[1]


def _gone(variant: Node, seen: View, whole: Node, yours: View, union: Union | None) -> Candidate:
    added = variant.places[len(whole.places) :]
    place = added[0] if added else variant.places[0]
    reader = union.place if union else yours.place
    told = _named(place, seen)
    if seen.types == {"null"}:
        return Candidate("compat/type-narrowed", place, reader, (shown_types(seen.types),))
    return Candidate("compat/variant-removed", place, reader, told)


def _named(place: Place, seen: View) -> tuple[Any, ...]:
    """What a variant is called: its tag, or the last name of its reference, or its types."""
    for name, parts in sorted(seen.mapped("properties").items()):
        for part in parts:
            if isinstance(part.value, dict) and "const" in part.value and name in seen.required:
                return (name, part.value["const"])
    reference = place.value.get("$ref") if isinstance(place.value, dict) else None
    if isinstance(reference, str):
        return (reference.rpartition("/")[2],)
    return (shown_types(seen.types),)


def _key(candidate: Candidate) -> tuple[Any, ...]:
    spots = tuple(
        (place.resource.document, place.pointer) if place else None
        for place in (candidate.writer, candidate.reader)
    )
    return candidate.rule, spots, repr((candidate.before, candidate.after))
