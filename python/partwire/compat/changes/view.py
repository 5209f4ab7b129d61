"""What schemas say about one location, wherever it is written: references and wraps are gone.

A node is one or more places that apply to the same location. Its view gathers their keywords
under the names of 2020-12, so that a schema moved behind a reference, into ``allOf`` or into a
union of one branch looks as it did before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ...json.pointer import escape
from ..sources.dialects import ANNOTATIONS
from ..sources.schemas import CompatError, Place, SchemaSet
from .places import order_of, plain

__all__ = ["ALL_TYPES", "Node", "Said", "Union", "View", "view"]

ALL_TYPES: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_MAX_OBJECTS: Final = 500


class Said(NamedTuple):
    """One keyword: its value and where it is."""

    value: Any
    place: Place
    beside: Place
    """The schema object that holds the keyword."""


class Union(NamedTuple):
    """``anyOf`` or ``oneOf`` with more than one branch."""

    keyword: str
    place: Place
    branches: tuple[Place, ...]


class Node(NamedTuple):
    """Schemas of one location; ``chosen`` are pointers of unions of which a branch was taken.

    ``only`` narrows the location to some types.
    """

    places: tuple[Place, ...]
    chosen: frozenset[tuple[str, str]] = frozenset()
    only: frozenset[str] | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """What the node is known by."""
        spots = tuple((place.resource.uri, place.pointer) for place in self.places)
        return spots, self.chosen, self.only


@dataclass
class View:
    """The keywords of a node. Names are those of 2020-12; ``const`` is kept as ``enum``."""

    schemas: SchemaSet
    place: Place
    said: dict[str, list[Said]] = field(default_factory=dict)
    unions: list[Union] = field(default_factory=list)
    false: Place | None = None
    only: frozenset[str] | None = None

    def all(self, keyword: str) -> list[Said]:
        """Return every occurrence of a keyword."""
        return self.said.get(keyword, [])

    @property
    def types(self) -> frozenset[str]:
        """The types that are allowed; with "number" always "integer"."""
        found = ALL_TYPES if self.only is None else _widened(self.only)
        for said in self.all("type"):
            names = [said.value] if isinstance(said.value, str) else said.value
            found &= _widened(frozenset(names))
        return found

    @property
    def closed(self) -> Said | None:
        """What refuses every member that is not declared."""
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            for said in self.all(keyword):
                if said.value is False:
                    return said
        return None

    @property
    def required(self) -> dict[str, Place]:
        """Names that have to be there, with the place of each."""
        found: dict[str, Place] = {}
        for said in self.all("required"):
            for number, name in enumerate(said.value):
                found.setdefault(name, _below(said.place, number, name))
        return found

    def mapped(self, keyword: str) -> dict[str, tuple[Place, ...]]:
        """Return the schemas of ``properties`` or another map, by name."""
        found: dict[str, tuple[Place, ...]] = {}
        for said in self.all(keyword):
            for name, schema in said.value.items():
                if isinstance(schema, (dict, bool)):
                    found[name] = (*found.get(name, ()), self.schemas.child(said.place, name))
        return found

    @property
    def values(self) -> list[Any] | None:
        """The values that are allowed, None where any is."""
        found: list[Any] | None = None
        for said in self.all("enum"):
            if found is None:
                found = list(said.value)
            else:
                texts = {plain(value) for value in said.value}
                found = [value for value in found if plain(value) in texts]
        return found


def _widened(types: frozenset[str]) -> frozenset[str]:
    return types | {"integer"} if "number" in types else types


def _below(place: Place, step: str | int, value: Any) -> Place:
    return Place(value, f"{place.pointer}/{escape(str(step))}", place.resource)


def view(schemas: SchemaSet, node: Node) -> View:
    """Return what a node says. Dangling references were refused before; here they say nothing."""
    found = View(schemas, node.places[0], only=node.only)
    seen: set[tuple[str, str]] = set()
    stack = list(reversed(node.places))
    while stack and len(seen) < _MAX_OBJECTS:
        place = stack.pop()
        key = (place.resource.uri, place.pointer)
        if key in seen:
            continue
        seen.add(key)
        if place.value is False:
            found.false = place
        if isinstance(place.value, dict):
            stack.extend(reversed(_take(schemas, place, found, node.chosen)))
    _put_in_order(schemas, found)
    return found


def _put_in_order(schemas: SchemaSet, found: View) -> None:
    """Let nothing hang on the order of a list: the first one named is the first by its name."""
    for said in found.said.values():
        if len(said) > 1:
            said.sort(key=lambda each: order_of(schemas, each.place))
    found.unions.sort(key=lambda each: order_of(schemas, each.place))


def _take(
    schemas: SchemaSet, place: Place, into: View, chosen: frozenset[tuple[str, str]]
) -> list[Place]:
    """Add the keywords of one schema object; return the schemas that apply beside it."""
    value, dialect = place.value, place.resource.dialect
    more: list[Place] = []
    for keyword in _REFERENCES:
        if keyword in dialect.keywords and isinstance(value.get(keyword), str):
            try:
                more.append(schemas.resolve(place, value[keyword]))
            except CompatError:
                continue
    if dialect.ref_alone and "$ref" in value:
        return more
    for keyword, part in value.items():
        if keyword in ANNOTATIONS or keyword in _REFERENCES:
            continue
        if keyword not in dialect.keywords and keyword not in _COMPANIONS:
            continue
        if keyword == "allOf":
            more += _branches(schemas, place, keyword)
        elif keyword in ("anyOf", "oneOf"):
            more += _union(schemas, place, keyword, into, chosen)
        else:
            for name, said in _canonical(place, keyword, part):
                into.said.setdefault(name, []).append(said)
    return more


_COMPANIONS: Final = frozenset(
    {
        "additionalItems",
        "else",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxContains",
        "minContains",
        "then",
    }
)


def _branches(schemas: SchemaSet, place: Place, keyword: str) -> list[Place]:
    return [schemas.child(place, keyword, n) for n in range(len(place.value[keyword]))]


def _union(
    schemas: SchemaSet,
    place: Place,
    keyword: str,
    into: View,
    chosen: frozenset[tuple[str, str]],
) -> list[Place]:
    """Add a union to a view; one with a single branch is that branch, one of values an enum."""
    spot = _below(place, keyword, place.value[keyword])
    if (spot.resource.uri, spot.pointer) in chosen:
        return []
    branches = [b for b in _branches(schemas, place, keyword) if b.value is not False]
    branches.sort(key=lambda branch: order_of(schemas, branch))
    if len(branches) == 1:
        return branches
    values = _constants(branches)
    # A value that two branches of oneOf allow is refused: that is not an enum.
    texts = set(map(plain, values or ()))
    if values is not None and (keyword == "anyOf" or len(texts) == len(values)):
        into.said.setdefault("enum", []).append(Said(values, spot, place))
    else:
        into.unions.append(Union(keyword, spot, tuple(branches)))
    return []


def _constants(branches: list[Place]) -> list[Any] | None:
    """Return the values of branches that hold nothing but values."""
    found = []
    for branch in branches:
        if not isinstance(branch.value, dict):
            return None
        rest = set(branch.value) - ANNOTATIONS
        known = {"const", "enum"} & branch.resource.dialect.keywords
        if not rest & known or not rest <= known | {"type"}:
            return None
        part = branch.value
        found += [part["const"]] if "const" in rest & known else list(part["enum"])
    return found


def _canonical(place: Place, keyword: str, part: Any) -> Iterator[tuple[str, Said]]:
    """Yield a keyword under its name in 2020-12."""
    spot = _below(place, keyword, part)
    schema = place.value
    if keyword == "const":
        yield "enum", Said([part], spot, place)
    elif keyword == "dependencies":
        names = {name: needed for name, needed in part.items() if isinstance(needed, list)}
        schemas = {name: needed for name, needed in part.items() if name not in names}
        yield "dependentRequired", Said(names, spot, place)
        yield "dependentSchemas", Said(schemas, spot, place)
    elif keyword == "items" and isinstance(part, list):
        yield "prefixItems", Said(part, spot, place)
    elif keyword == "additionalItems":
        if isinstance(schema.get("items"), list):
            yield "items", Said(part, spot, place)
    elif isinstance(part, bool) and keyword.startswith("exclusive"):
        return
    elif keyword in ("minimum", "maximum") and schema.get(f"exclusiveM{keyword[1:]}") is True:
        yield f"exclusiveM{keyword[1:]}", Said(part, spot, place)
    else:
        yield keyword, Said(part, spot, place)
