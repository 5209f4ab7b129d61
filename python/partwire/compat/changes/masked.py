"""All changes that break, not only those of one witness: what is known is lifted, then asked again.

Whoever accepts a break must not accept another one behind it that no witness has shown yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ...json.pointer import names, value_at
from ..report import Change, Pair
from ..sources.schemas import CompatError, Place, SchemaSet
from ..verdict import Budget, Comparison, Direction, Reading, Verdict
from .explanation import explain, put
from .keywords import NOTHING

__all__ = ["Copies", "Explained", "explain_all"]


# --- changes taken back in copies of schemas ------------------------------------------------------

_DROPPED: Final = frozenset({"contains", "not"})
_UNIONS: Final = frozenset({"anyOf", "oneOf"})
_COMPANIONS: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}

Roots = dict[str, Any]
Spot = tuple[str, str]
"""A document and a pointer into it."""


class Copies:
    """Copies of the documents of a writer and a reader, in which changes are taken back."""

    def __init__(self, writer: SchemaSet, reader: SchemaSet, *, backward: bool) -> None:
        self._sets = writer, reader
        self._backward = backward
        self._writer, self._reader = (_copied(schemas) for schemas in (writer, reader))
        self._moved: dict[Spot, str] = {}

    def undo(self, changes: Iterable[Change]) -> int:
        """Take changes back, each as far as it goes; return how many were."""
        count = 0
        # From the end of a list to its beginning: what is taken out moves what follows.
        for change in sorted(changes, key=lambda each: _order(self._spots(each)[1]), reverse=True):
            count += self._undo(change)
        return count

    def sets(self) -> tuple[SchemaSet, SchemaSet]:
        """Return the copies as sets, the writer's first. Raises CompatError."""
        made = []
        for schemas, roots in zip(self._sets, (self._writer, self._reader), strict=True):
            copy = SchemaSet(dialect=schemas.default.name)
            for source, root in roots.items():
                place = copy.add(root, source)
                for uri, resource in schemas.resources.items():
                    if resource.document == source and resource.pointer == "":
                        copy.alias(uri, place)
            made.append(copy)
        return made[0], made[1]

    def origin(self, source: str, pointer: str | None) -> str | None:
        """Return where a place of the reader's copy was before keywords moved."""
        for length in sorted({len(spot[1]) for spot in self._moved}, reverse=True):
            before = self._moved.get((source, (pointer or "")[:length]))
            if pointer is not None and before is not None:
                return before + pointer[length:]
        return pointer

    def _spots(self, change: Change) -> tuple[Spot | None, Spot | None]:
        """Return where a change is in the writer's and in the reader's schema."""
        old = new = None
        if change.old_pointer is not None:
            old = change.old_source, change.old_pointer
        if change.new_pointer is not None:
            new = change.new_source, change.new_pointer
        return (old, new) if self._backward else (new, old)

    def _undo(self, change: Change) -> bool:
        mine, yours = self._spots(change)
        if yours is None:
            return False
        steps = names(yours[1])
        if not steps:
            self._reader[yours[0]] = {}
            return True
        try:
            parent = _walk(self._reader[yours[0]], steps[:-1])
            last: Any = int(steps[-1]) if isinstance(parent, list) else steps[-1]
            value = parent[last]
        except (KeyError, IndexError, TypeError, ValueError):
            return False
        if last in _UNIONS and isinstance(value, list):
            return self._union(change, mine, (yours[0], yours[1]), parent)
        self._keyword(change, yours, parent, last)
        return True

    # --- one keyword ----------------------------------------------------------------------------

    def _keyword(self, change: Change, spot: Spot, parent: Any, last: Any) -> None:
        value, rule = parent[last], change.rule
        if rule.startswith("compat/enum-value") and last in ("enum", "const"):
            known = value if last == "enum" else [parent.pop("const")]
            parent["enum"] = [*known, *change.values]
            if last == "const":
                self._moved[spot[0], _beside(spot[1], "enum")] = spot[1]
        elif value is False and change.values and rule.startswith("compat/property-"):
            parent.setdefault("properties", {})[change.values[0]] = {}
        elif value is False and change.values and rule.startswith("compat/pattern-property-"):
            parent.setdefault("patternProperties", {})[change.values[0]] = {}
        elif rule.startswith("compat/dependency-") and _needs(value, change.values):
            parent[last][change.values[0]].remove(change.values[1])
        elif isinstance(value, (dict, bool)) and last not in _DROPPED:
            parent[last] = {}
        else:
            del parent[last]
            companion = _COMPANIONS.get(last)
            if companion and isinstance(parent.get(companion), bool):
                del parent[companion]

    # --- unions ---------------------------------------------------------------------------------

    def _union(self, change: Change, mine: Spot | None, yours: Spot, parent: Any) -> bool:
        keyword = names(yours[1])[-1]
        branches, values = parent[keyword], change.values
        if change.rule.startswith("compat/variants-"):
            self._loosen(yours, parent, keyword)
        elif change.rule.startswith("compat/enum-value"):
            branches.append({"enum": list(values)})
        elif len(values) == 2 and isinstance(values[0], str):
            name, value = values
            tag = {"properties": {name: {"enum": [value]}}, "required": [name]}
            branches.append({"type": "object", **tag})
        elif mine is not None and self._without(mine):
            return True
        elif len(values) == 1 and isinstance(values[0], list) and values[0]:
            branches.append({"type": values[0]})
        else:
            del parent[keyword]
        return True

    def _loosen(self, spot: Spot, parent: Any, keyword: str) -> None:
        """Let one document be of two variants."""
        beside = parent.setdefault("allOf", [])
        beside.append({"anyOf": parent.pop(keyword)})
        moved = f"{_beside(spot[1], 'allOf')}/{len(beside) - 1}/anyOf"
        self._moved[spot[0], moved] = spot[1]

    def _without(self, spot: Spot) -> bool:
        """Take a branch out of a union of the writer's; whether it was one."""
        steps = names(spot[1])
        if len(steps) < 2 or steps[-2] not in _UNIONS or not steps[-1].isdecimal():
            return False
        try:
            holder = _walk(self._writer[spot[0]], steps[:-2])
            branches = holder[steps[-2]]
            gone = branches[int(steps[-1])]
        except (KeyError, IndexError, TypeError):
            return False
        if not isinstance(branches, list):
            return False
        dialect = self._sets[0].at(spot[0], "").resource.dialect
        branches[int(steps[-1])] = False if dialect.year >= 2017 else {"not": {}}
        if steps[-2] == "oneOf":
            # What two branches allowed was refused: it is not to come in now.
            holder.setdefault("allOf", []).append({"not": gone})
        return True


def _copied(schemas: SchemaSet) -> Roots:
    return {name: json.loads(json.dumps(root)) for name, root in schemas.documents.items()}


def _needs(value: Any, values: tuple[Any, ...]) -> bool:
    if not isinstance(value, dict) or len(values) != 2 or not isinstance(values[0], str):
        return False
    needed = value.get(values[0])
    return isinstance(needed, list) and values[1] in needed


def _beside(pointer: str, keyword: str) -> str:
    return f"{pointer.rpartition('/')[0]}/{keyword}"


def _order(spot: Spot | None) -> tuple[str, list[tuple[int, str]]]:
    """A key by which the items of a list are in the order of their numbers."""
    source, pointer = spot or ("", "")
    return source, [(len(step), step) for step in names(pointer)]


def _walk(root: Any, steps: list[str]) -> Any:
    for step in steps:
        root = root[int(step) if isinstance(root, list) else step]
    return root


def moved(schemas: SchemaSet, place: Place) -> Place:
    """Return the same place in another set."""
    return schemas.at(place.resource.document, place.pointer)


# --- the search -----------------------------------------------------------------------------------

_HIDDEN: Final = ("compat/property-", "compat/pattern-property-")


class Explained(NamedTuple):
    """The changes behind the verdict of one pair.

    ``complete``: with all of them taken back in copies of the schemas, the engine finds no further
    break. Otherwise there may be more than what is reported; ``reason`` says why it is not known.
    """

    changes: tuple[Change, ...]
    complete: bool
    reason: str = ""


def explain_all(
    pairs: Sequence[Pair],
    verdicts: Sequence[Verdict],
    *,
    budget: Budget | None = None,
    rounds: int = 60,
) -> list[Explained]:
    """Return every change behind some verdicts of one direction and reading, pair by pair.

    ``pairs`` are of one old and one new set. Every round lifts what was found from copies of the
    documents, and compares all pairs that are broken still; so the cost is that of at most
    ``rounds`` further comparisons. Nothing that is given is changed.
    """
    found = [list(explain(pair, verdict)) for pair, verdict in zip(pairs, verdicts, strict=True)]
    reasons = {number: "" for number, changes in enumerate(found) if changes}
    if reasons:
        asking = verdicts[min(reasons)]
        _Lift(pairs, found, reasons, asking.reading, asking.direction, budget).go(rounds)
    return [
        Explained(tuple(changes), number not in reasons, reasons.get(number, ""))
        for number, changes in enumerate(found)
    ]


class _Lift:
    """``reasons`` holds the pairs that are not settled, each with what keeps it open."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        found: list[list[Change]],
        reasons: dict[int, str],
        reading: Reading,
        direction: Direction,
        budget: Budget | None,
    ) -> None:
        self.pairs = pairs
        self.found = found
        self.reasons = reasons
        self.reading: Reading = reading
        self.direction: Direction = direction
        self.budget = budget
        backward = direction == "backward"
        sets = pairs[0].old_set, pairs[0].new_set
        self.copies = Copies(*(sets if backward else sets[::-1]), backward=backward)

    def go(self, rounds: int) -> None:
        """Lift and ask until nothing breaks any more, or nothing more can be lifted."""
        fresh = [change for changes in self.found for change in changes]
        for _ in range(rounds):
            self._reveal()
            if not self.copies.undo(fresh):
                self._give_up("a break that cannot be taken back in a copy of the schema hides it")
                return
            try:
                fresh = self._again()
            except CompatError:
                self._give_up("without what breaks, what is left is not a schema any more")
                return
            if not fresh:
                return
        self._give_up(f"there are breaks behind breaks, more than {rounds} times")

    def _give_up(self, reason: str) -> None:
        for number, known in self.reasons.items():
            self.reasons[number] = known or reason

    def _reveal(self) -> None:
        """Add the members that a closed object no longer has: opening it would hide them."""
        for number in self.reasons:
            closed = {
                (change.old_pointer, change.new_pointer)[self.direction == "backward"]
                for change in self.found[number]
                if change.rule in ("compat/additional-closed", "compat/additional-opened")
            }
            if closed:
                verdict = Verdict("breaking", self.reading, self.direction, True, NOTHING)
                hidden = [
                    change
                    for change in explain(self.pairs[number], verdict)
                    if change.rule.startswith(_HIDDEN)
                    and (change.old_pointer, change.new_pointer)[self.direction == "backward"]
                    in closed
                ]
                self._unite(number, hidden)

    def _again(self) -> list[Change]:
        """Compare the copies; return what breaks there, note what does not."""
        backward = self.direction == "backward"
        writer, reader = self.copies.sets()
        old_set, new_set = (writer, reader) if backward else (reader, writer)
        asked = sorted(self.reasons)
        current = [
            replace(
                self.pairs[number],
                old=moved(old_set, self.pairs[number].old),
                new=moved(new_set, self.pairs[number].new),
                old_set=old_set,
                new_set=new_set,
            )
            for number in asked
        ]
        comparison = Comparison(old_set, new_set, [(pair.old, pair.new) for pair in current])
        fresh: list[Change] = []
        for at, (number, pair) in enumerate(zip(asked, current, strict=True)):
            verdict = comparison.verdict(
                at, reading=self.reading, direction=self.direction, budget=self.budget
            )
            if verdict.status in ("compatible", "no-documents"):
                del self.reasons[number]
            elif verdict.status == "unproven":
                reasons = [part.reason for part in verdict.open] or ["no proof and no witness"]
                self.reasons[number] = f"without it the verdict is unproven: {reasons[0]}"
            more = explain(pair, verdict)
            fresh += more
            self._unite(number, [self._restored(self.pairs[number], each) for each in more])
        return fresh

    def _unite(self, number: int, more: Sequence[Change]) -> None:
        known = {change.fingerprint for change in self.found[number]}
        for each in more:
            if each.fingerprint not in known:
                known.add(each.fingerprint)
                self.found[number].append(each)

    def _restored(self, pair: Pair, change: Change) -> Change:
        """Return a change of a copy as one of the schemas that were given."""
        old, new = change.old_pointer, change.new_pointer
        if self.direction == "backward":
            new = self.copies.origin(change.new_source, new)
        else:
            old = self.copies.origin(change.old_source, old)
        restored = replace(
            change,
            old_pointer=_in_full(pair.old, old, change.values),
            new_pointer=_in_full(pair.new, new, change.values),
        )
        return put(pair, restored)


def _in_full(place: Place, pointer: str | None, values: tuple[Any, ...]) -> str | None:
    """Return where a name is in a list of required ones that has all its names."""
    head, _, _ = (pointer or "").rpartition("/")
    if pointer is None or not head.endswith("/required") or len(values) != 1:
        return pointer
    here: Any = place.resource.root if place.resource.pointer == "" else None
    try:
        return f"{head}/{value_at(here, head).index(values[0])}"
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return pointer
