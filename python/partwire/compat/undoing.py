"""Takes changes back in copies of the schemas, so that what stands behind them comes to light.

Mostly the copy of the reader's schema asks for less. Where a variant is gone that no tag tells,
the copy of the writer's no longer has it: that alone leaves everything else to be compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from .loading import Place, SchemaSet
from .report import Change

__all__ = ["Copies"]

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
        """Return where a place of the reader's copy stood before keywords moved."""
        for length in sorted({len(spot[1]) for spot in self._moved}, reverse=True):
            before = self._moved.get((source, (pointer or "")[:length]))
            if pointer is not None and before is not None:
                return before + pointer[length:]
        return pointer

    def _spots(self, change: Change) -> tuple[Spot | None, Spot | None]:
        """Return where a change stands in the writer's and in the reader's schema."""
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
        steps = _tokens(yours[1])
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
        keyword = _tokens(yours[1])[-1]
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
        steps = _tokens(spot[1])
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


def _tokens(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _order(spot: Spot | None) -> tuple[str, list[tuple[int, str]]]:
    """A key by which the items of a list stand in the order of their numbers."""
    source, pointer = spot or ("", "")
    return source, [(len(step), step) for step in _tokens(pointer)]


def _walk(root: Any, steps: list[str]) -> Any:
    for step in steps:
        root = root[int(step) if isinstance(root, list) else step]
    return root


def moved(schemas: SchemaSet, place: Place) -> Place:
    """Return the same place in another set."""
    return schemas.at(place.resource.document, place.pointer)
