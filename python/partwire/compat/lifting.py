"""All changes that break, not only those of one witness: what is known is lifted, then asked again.

Whoever accepts a break must not accept another one behind it that no witness has shown yet.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from .comparing import Budget, Comparison, Direction, Reading, Verdict
from .explaining import explain, put
from .loading import CompatError, Place, SchemaSet
from .report import Change, Pair

__all__ = ["Explained", "explain_all"]

_DROPPED: Final = frozenset({"contains", "not"})
_UNIONS: Final = frozenset({"anyOf", "oneOf"})


class Explained(NamedTuple):
    """The changes behind the verdict of one pair.

    ``complete``: with all of them taken back in a copy of the reader's schema, the engine finds
    no further break. Otherwise there may be more than what is told.
    """

    changes: tuple[Change, ...]
    complete: bool


def explain_all(
    pairs: Sequence[Pair],
    verdicts: Sequence[Verdict],
    *,
    budget: Budget | None = None,
    rounds: int = 6,
) -> list[Explained]:
    """Return every change behind some verdicts of one direction and reading, pair by pair.

    ``pairs`` are of one old and one new set. Every round lifts what was found from a copy of the
    reader's documents, and compares all pairs that broke once more; so the cost is that of at most
    ``rounds`` further comparisons. Nothing that is given is changed.
    """
    found = [list(explain(pair, verdict)) for pair, verdict in zip(pairs, verdicts, strict=True)]
    broken = [n for n, changes in enumerate(found) if changes]
    undone = set(broken)
    if broken:
        reading, direction = verdicts[broken[0]].reading, verdicts[broken[0]].direction
        current = list(pairs)
        fresh = [change for changes in found for change in changes]
        for _ in range(rounds):
            copies = _lifted(current, fresh, direction)
            if copies is None or not undone:
                break
            current = copies
            asked = sorted(undone)
            try:
                again = _ask(current, asked, reading, direction, budget)
            except CompatError:
                break  # what is left of a schema without a keyword may be none
            fresh = []
            for n, verdict in zip(asked, again, strict=True):
                if verdict.status == "compatible":
                    undone.discard(n)
                more = explain(current[n], verdict)
                fresh += more
                found[n] = _united(found[n], [_restored(pairs[n], each) for each in more])
    return [Explained(tuple(changes), complete=n not in undone) for n, changes in enumerate(found)]


def _united(known: list[Change], more: list[Change]) -> list[Change]:
    united: dict[str, Change] = {}
    for each in (*known, *more):
        united.setdefault(each.fingerprint, each)
    return list(united.values())


def _ask(
    pairs: list[Pair],
    numbers: list[int],
    reading: Reading,
    direction: Direction,
    budget: Budget | None,
) -> list[Verdict]:
    first = pairs[numbers[0]]
    places = [(pairs[n].old, pairs[n].new) for n in numbers]
    comparison = Comparison(first.old_set, first.new_set, places)
    return [
        comparison.verdict(n, reading=reading, direction=direction, budget=budget)
        for n in range(len(numbers))
    ]


def _lifted(pairs: list[Pair], changes: list[Change], direction: Direction) -> list[Pair] | None:
    """Return the pairs with a reader that no longer has the changes; None where none was lifted."""
    backward = direction == "backward"
    schemas = pairs[0].new_set if backward else pairs[0].old_set
    roots = {
        resource.document: json.loads(json.dumps(resource.root))
        for resource in schemas.resources.values()
        if resource.pointer == ""
    }
    count = 0
    # From the end of a list to its beginning: what is taken out moves what follows.
    for change in sorted(changes, key=lambda each: _steps(_spot(each, backward)[1]), reverse=True):
        source, pointer = _spot(change, backward)
        if pointer is not None and source in roots:
            count += _lift(roots[source], pointer, change)
    if not count:
        return None
    copy = SchemaSet(dialect=schemas.default.name)
    places = {source: copy.add(root, source) for source, root in roots.items()}
    found = []
    for pair in pairs:
        here = pair.new if backward else pair.old
        moved = _at(copy, places[here.resource.document], here.pointer)
        found.append(
            replace(pair, new=moved, new_set=copy)
            if backward
            else replace(pair, old=moved, old_set=copy)
        )
    return found


def _spot(change: Change, backward: bool) -> tuple[str, str | None]:
    if backward:
        return change.new_source, change.new_pointer
    return change.old_source, change.old_pointer


def _steps(pointer: str | None) -> list[tuple[int, str]]:
    """A key by which the items of a list stand in the order of their numbers."""
    return [(len(step), step) for step in _tokens(pointer or "")]


def _tokens(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _at(schemas: SchemaSet, root: Place, pointer: str) -> Place:
    here = root
    for step in _tokens(pointer):
        here = schemas.child(here, int(step) if isinstance(here.value, list) else step)
    return here


def _lift(root: Any, pointer: str, change: Change) -> int:
    """Take one change back, as far as the reader alone allows; return whether it was."""
    steps = _tokens(pointer)
    if not steps:
        return 0
    parent: Any = root
    try:
        for step in steps[:-1]:
            parent = parent[int(step) if isinstance(parent, list) else step]
        last: Any = int(steps[-1]) if isinstance(parent, list) else steps[-1]
        value = parent[last]
    except (KeyError, IndexError, TypeError, ValueError):
        return 0
    if last in _UNIONS:
        return _with_variant(value, change.values)
    if last == "enum" and change.rule.startswith("compat/enum-value"):
        value.extend(change.values)
    elif isinstance(parent, list):
        del parent[int(steps[-1])]
    elif isinstance(value, (dict, bool)) and last not in _DROPPED:
        parent[last] = {}
    else:
        del parent[last]
    return 1


def _with_variant(branches: Any, values: tuple[Any, ...]) -> int:
    if len(values) != 2 or not isinstance(values[0], str):
        return 0
    name, value = values
    tag = {"properties": {name: {"enum": [value]}}, "required": [name]}
    branches.append({"type": "object", **tag})
    return 1


def _restored(pair: Pair, change: Change) -> Change:
    """Return a change of a copy as one of the schemas that were given: lists had more items."""
    restored = replace(
        change,
        old_pointer=_in_full(pair.old, change.old_pointer, change.values),
        new_pointer=_in_full(pair.new, change.new_pointer, change.values),
    )
    return put(pair, restored)


def _in_full(place: Place, pointer: str | None, values: tuple[Any, ...]) -> str | None:
    """Return where a name stands in a list of required ones that has all its names."""
    steps = _tokens(pointer or "")
    if pointer is None or len(steps) < 2 or steps[-2] != "required" or len(values) != 1:
        return pointer
    here: Any = place.resource.root if place.resource.pointer == "" else None
    try:
        for step in steps[:-1]:
            here = here[int(step) if isinstance(here, list) else step]
        return f"{pointer.rpartition('/')[0]}/{here.index(values[0])}"
    except (KeyError, IndexError, TypeError, ValueError):
        return pointer
