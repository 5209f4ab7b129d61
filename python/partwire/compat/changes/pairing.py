"""Which variant of one union is which of another: by tag, then by best match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .places import plain
from .view import ALL_TYPES, Node, Union, View

__all__ = ["Variant", "pair_variants", "variants"]

_LIKE_ENOUGH = 0.3


class Variant(NamedTuple):
    """One branch of a union together with what is beside the union."""

    node: Node
    view: View


def variants(node: Node, seen: View, union: Union | None, look: Callable[[Node], View]) -> Any:
    """Return the variants of a node by one of its unions; without one, the node alone.

    Without a union, a list of types counts as one: ``[string, null]`` is two variants.
    """
    if union is not None:
        spot = (union.place.resource.uri, union.place.pointer)
        nodes = [
            Node((*node.places, branch), node.chosen | {spot}, node.only)
            for branch in union.branches
        ]
        return [Variant(each, look(each)) for each in nodes]
    types = seen.types - ({"integer"} if "number" in seen.types else set())
    if len(types) > 1 and seen.types != ALL_TYPES:
        nodes = [Node(node.places, node.chosen, frozenset({name})) for name in sorted(types)]
        return [Variant(each, look(each)) for each in nodes]
    return [Variant(node, seen)]


def pair_variants(
    writers: list[Variant], readers: list[Variant]
) -> list[tuple[Variant, Variant | None]]:
    """Return each variant of the writer with the reader's that stands for it, if there is one."""
    tag = _shared_tag(writers, readers)
    pairs: dict[int, int] = {}
    scores = sorted(
        (
            (-_likeness(one.view, other.view, tag), abs(n - m), n, m)
            for n, one in enumerate(writers)
            for m, other in enumerate(readers)
        ),
    )
    taken: set[int] = set()
    for score, _, n, m in scores:
        if -score >= _LIKE_ENOUGH and n not in pairs and m not in taken:
            pairs[n] = m
            taken.add(m)
    for score, _, n, m in scores:
        # Two variants may have become one.
        if -score >= 1 and n not in pairs:
            pairs[n] = m
    return [(one, readers[pairs[n]] if n in pairs else None) for n, one in enumerate(writers)]


def tag_values(seen: View, names: set[str] | None = None) -> dict[str, str]:
    """Return the members of which a variant allows a single value, with that value."""
    found = {}
    for name, places in seen.mapped("properties").items():
        if names is not None and name not in names:
            continue
        for place in places:
            part = place.value
            if not isinstance(part, dict):
                continue
            if "const" in part:
                found[name] = plain(part["const"])
            elif isinstance(part.get("enum"), list) and len(part["enum"]) == 1:
                found[name] = plain(part["enum"][0])
    return found


def _shared_tag(writers: list[Variant], readers: list[Variant]) -> str | None:
    """The member that distinguishes variants on both sides: the one that most of them have."""
    counts: dict[str, set[str]] = {}
    sides: dict[str, set[int]] = {}
    for side, group in enumerate((writers, readers)):
        for variant in group:
            for name, value in tag_values(variant.view).items():
                if name in variant.view.required:
                    counts.setdefault(name, set()).add(value)
                    sides.setdefault(name, set()).add(side)
    both = [name for name in counts if len(sides[name]) == 2]
    return max(both, key=lambda name: (len(counts[name]), name), default=None)


def _likeness(one: View, other: View, tag: str | None) -> float:
    """How much two variants are alike; below the threshold they are different ones."""
    if tag is not None:
        mine = tag_values(one, {tag}).get(tag)
        yours = tag_values(other, {tag}).get(tag)
        if mine is not None and yours is not None:
            return 10.0 if mine == yours else 0.0
    if not one.types & other.types:
        return 0.0
    names = [set(each.mapped("properties")) for each in (one, other)]
    whole = names[0] | names[1]
    alike = len(names[0] & names[1]) / len(whole) if whole else 1.0
    if _texts(one) == _texts(other):
        alike += 2
    values = [set(map(plain, each.values or ())) for each in (one, other)]
    if values[0] and values[1]:
        alike += 1 if values[0] & values[1] else -1
    needed = [set(each.required) for each in (one, other)]
    every = needed[0] | needed[1]
    alike += 0.5 * len(needed[0] & needed[1]) / len(every) if every else 0.25
    return alike + (0.5 if one.types == other.types else 0.0)


def _texts(seen: View) -> list[tuple[str, list[str]]]:
    return sorted(
        (keyword, sorted(plain(each.value) for each in said)) for keyword, said in seen.said.items()
    )
