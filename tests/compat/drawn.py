"""Pairs of schemas drawn from a random source: in every draft, small, and changed like people do.

Both schemas speak of few names and values, so that documents drawn from the same ones meet their
bounds.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

__all__ = ["DRAFTS", "DrawnPair", "documents", "pair"]

DRAFTS: Final = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")
_NAMES: Final = ("a", "b", "ab", "c")
_TEXTS: Final = ("", "a", "b", "ab", "aa", "aab", "abc", "é", "😀", "1", "A")
_NUMBERS: Final = (-2, -1, 0, 1, 2, 3, 4, 0.5, 1.5, -0.5, 10, 2**53, 2**63 - 1)
_SCALARS: Final = (None, True, False, *_NUMBERS, *_TEXTS)
_PATTERNS: Final = ("^a", "a$", "^a*$", "^[ab]+$", "b", r"^\d+$", "^.{1,2}$", "^(?!a)", "^(?:ab)*$")
_NAME_PATTERNS: Final = ("^a", "b$", "^[ab]$", "a")
_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_MAPS: Final = ("properties", "patternProperties", "$defs", "dependentSchemas", "dependencies")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_PARTS: Final = (
    *("not", "if", "then", "else", "items", "additionalItems", "contains", "propertyNames"),
    *("additionalProperties", "unevaluatedProperties", "unevaluatedItems"),
)


class DrawnPair(NamedTuple):
    """Two schemas of one draft."""

    dialect: str
    old: Any
    new: Any


class _Drawer:
    def __init__(self, rng: random.Random, year: int) -> None:
        self.rng = rng
        self.year = year
        self.defined: list[str] = []

    def maybe(self, share: float) -> bool:
        return self.rng.random() < share

    def value(self, depth: int = 0) -> Any:
        if depth > 1 or self.maybe(0.8):
            return self.rng.choice(_SCALARS)
        if self.maybe(0.5):
            return [self.value(depth + 1) for _ in range(self.rng.randint(0, 2))]
        names = self.rng.sample(_NAMES, self.rng.randint(0, 2))
        return {name: self.value(depth + 1) for name in names}

    def schema(self, depth: int = 0) -> Any:
        if self.year > 4 and self.maybe(0.06):
            return self.maybe(0.7)
        if self.defined and depth and self.maybe(0.1):
            return {"$ref": f"#/definitions/{self.rng.choice(self.defined)}"}
        types = self.rng.sample(_TYPES, self.rng.choice((1, 1, 1, 2)))
        made: dict[str, Any] = {}
        if self.maybe(0.75):
            made["type"] = types[0] if len(types) == 1 else types
        for kind in types:
            if depth < 3 or kind not in ("array", "object"):
                getattr(self, f"_{kind}", self._scalar)(made, depth)
        if self.maybe(0.08):
            values = {repr(value): value for value in (self.value() for _ in range(3))}
            made["enum"] = [v for v in values.values() if not isinstance(v, (bool, float))] or [0]
        if depth < 2 and self.maybe(0.25):
            self._logic(made, depth)
        return made

    def _logic(self, made: dict[str, Any], depth: int) -> None:
        keyword = self.rng.choice(("allOf", "anyOf", "oneOf", "anyOf", "oneOf", "not", "if"))
        if keyword == "not":
            made["not"] = self.schema(depth + 1)
        elif keyword != "if":
            made[keyword] = [self.schema(depth + 1) for _ in range(self.rng.randint(1, 3))]
        elif self.year > 6:
            parts = ["if", *self.rng.sample(("then", "else"), 2)][: self.rng.randint(2, 3)]
            made.update({part: self.schema(depth + 1) for part in parts})

    def _scalar(self, _made: dict[str, Any], _depth: int) -> None:
        """Null and booleans have no keywords of their own."""

    def _number(self, made: dict[str, Any], _depth: int) -> None:
        for bound in ("minimum", "maximum"):
            strict = "exclusive" + bound.capitalize()
            if self.maybe(0.3):
                made[bound] = self.rng.choice(_NUMBERS)
                if self.year == 4 and self.maybe(0.3):
                    made[strict] = self.maybe(0.7)
            elif self.year > 4 and self.maybe(0.15):
                made[strict] = self.rng.choice(_NUMBERS)
        if self.maybe(0.2):
            made["multipleOf"] = self.rng.choice((1, 2, 3, 6, 0.5, 1.5))

    _integer = _number

    def _string(self, made: dict[str, Any], _depth: int) -> None:
        self._sizes(made, "Length", 0.3)
        if self.maybe(0.3):
            made["pattern"] = self.rng.choice(_PATTERNS)

    def _sizes(self, made: dict[str, Any], what: str, share: float) -> None:
        for keyword in (f"min{what}", f"max{what}"):
            if self.maybe(share):
                made[keyword] = self.rng.randint(0, 3)

    def _array(self, made: dict[str, Any], depth: int) -> None:
        self._sizes(made, "Items", 0.2)
        if self.maybe(0.15):
            made["uniqueItems"] = True
        if self.maybe(0.3):
            first = [self.schema(depth + 1) for _ in range(self.rng.randint(1, 2))]
            made["prefixItems" if self.year == 2020 else "items"] = first
            if self.maybe(0.5):
                rest = "items" if self.year == 2020 else "additionalItems"
                made[rest] = self._rest(depth)
        elif self.maybe(0.5):
            made["items"] = self.schema(depth + 1)
        if self.year > 4 and self.maybe(0.2):
            made["contains"] = self.schema(depth + 1)
            if self.year > 7:
                self._sizes(made, "Contains", 0.3)
        if self.year > 7 and self.maybe(0.1):
            made["unevaluatedItems"] = False

    def _rest(self, depth: int) -> Any:
        return self.maybe(0.3) if self.maybe(0.6) else self.schema(depth + 1)

    def _object(self, made: dict[str, Any], depth: int) -> None:
        some = self.rng.sample(_NAMES, self.rng.randint(1, 3))
        if self.maybe(0.7):
            made["properties"] = {name: self.schema(depth + 1) for name in some}
        if self.maybe(0.12):
            made["patternProperties"] = {self.rng.choice(_NAME_PATTERNS): self.schema(depth + 1)}
        if self.maybe(0.4):
            made["additionalProperties"] = self.maybe(0.5) or self._rest(depth)
        if self.maybe(0.35):  # of all names, not only of those that are declared
            made["required"] = self.rng.sample(_NAMES, self.rng.randint(1, 2))
        self._sizes(made, "Properties", 0.08)
        if self.year > 4 and self.maybe(0.08):
            made["propertyNames"] = {"pattern": self.rng.choice(_NAME_PATTERNS)}
        if self.maybe(0.1):
            self._dependencies(made, some[0], depth)
        if self.year > 7 and self.maybe(0.1):
            made["unevaluatedProperties"] = False

    def _dependencies(self, made: dict[str, Any], name: str, depth: int) -> None:
        names = self.rng.sample(_NAMES, 1)
        if self.year < 2019:
            made["dependencies"] = {name: names if self.maybe(0.5) else self.schema(depth + 1)}
        elif self.maybe(0.5):
            made["dependentRequired"] = {name: names}
        else:
            made["dependentSchemas"] = {name: self.schema(depth + 1)}


def pair(rng: random.Random) -> DrawnPair:
    """Return a schema and what one to three changes make of it; sometimes two of their own."""
    number = rng.randrange(len(DRAFTS))
    drawer = _Drawer(rng, (4, 6, 7, 2019, 2020)[number])
    if rng.random() < 0.3:
        drawer.defined = ["one", "two"]
    old = drawer.schema()
    if isinstance(old, dict):
        # What is defined is below a member: a schema that demands itself is another test.
        named = {name: {"items": drawer.schema(1)} for name in drawer.defined}
        old = {**old, "definitions": named} if named else old
    if rng.random() < 0.1:
        return DrawnPair(DRAFTS[number], old, _Drawer(rng, drawer.year).schema())
    new = old
    for _ in range(rng.choice((1, 1, 2, 3))):
        new = _changed(drawer, new)
    return DrawnPair(DRAFTS[number], old, new)


# --- changes --------------------------------------------------------------------------------------

_Path = tuple[Any, ...]


def _places(schema: Any, path: _Path = ()) -> Iterator[_Path]:
    if isinstance(schema, (dict, bool)):
        yield path
    if not isinstance(schema, dict):
        return
    for keyword, part in schema.items():
        if keyword in (*_MAPS, "definitions") and isinstance(part, dict):
            for name, below in part.items():
                yield from _places(below, (*path, keyword, name))
        elif keyword in _LISTS and isinstance(part, list):
            for at, below in enumerate(part):
                yield from _places(below, (*path, keyword, at))
        elif keyword in _PARTS:
            yield from _places(part, (*path, keyword))


def _changed(drawer: _Drawer, schema: Any) -> Any:
    """Return a copy with one of its schemas changed."""
    path = drawer.rng.choice(list(_places(schema)))
    schema = copy.deepcopy(schema)
    here = parent = schema
    for step in path:
        parent, here = here, here[step]
    if isinstance(here, dict) and "$ref" not in here and drawer.maybe(0.7):
        drawer.rng.choice(_EDITS)(drawer, here)
    elif path and (isinstance(here, dict) or drawer.year > 4):
        parent[path[-1]] = _wrapped(drawer, here)
    return schema


def _wrapped(drawer: _Drawer, schema: Any) -> Any:
    """Return what says the same, or nearly so, in other words."""
    other = drawer.schema(2)
    again = copy.deepcopy(schema)
    ways: list[Any] = [
        {"allOf": [schema]},
        {"oneOf": [schema]},
        {"not": {"not": schema}},
        {"anyOf": [schema, other]},
        {"oneOf": [schema, other]},
        {"anyOf": [{"allOf": [schema, other]}, {"allOf": [again, {"not": other}]}]},
    ]
    if drawer.year > 6:
        ways.append({"if": other, "then": schema, "else": again})
    return drawer.rng.choice(ways)


def _drop(drawer: _Drawer, schema: dict[str, Any]) -> None:
    keywords = [keyword for keyword in schema if keyword != "definitions"]
    if keywords:
        del schema[drawer.rng.choice(keywords)]


def _add(drawer: _Drawer, schema: dict[str, Any]) -> None:
    more = drawer.schema(2)
    if isinstance(more, dict) and "$ref" not in more:
        schema.update({keyword: part for keyword, part in more.items() if keyword not in schema})


def _move_bound(drawer: _Drawer, schema: dict[str, Any]) -> None:
    sizes = [k for k, v in schema.items() if k.startswith(("min", "max")) and v not in (0, True)]
    for keyword in sizes[:1]:
        schema[keyword] += drawer.rng.choice((-1, 1)) if schema[keyword] >= 1 else 1


def _turn_over(drawer: _Drawer, schema: dict[str, Any]) -> None:
    members = list(schema.items())
    drawer.rng.shuffle(members)
    schema.clear()
    schema.update(members)
    for keyword in ("anyOf", "oneOf", "allOf", "enum", "required", "type"):
        if isinstance(schema.get(keyword), list):
            drawer.rng.shuffle(schema[keyword])


def _open_or_close(_drawer: _Drawer, schema: dict[str, Any]) -> None:
    schema["additionalProperties"] = not schema.get("additionalProperties", True)


def _require(drawer: _Drawer, schema: dict[str, Any]) -> None:
    names = {*schema.get("required", ()), drawer.rng.choice(_NAMES)}
    schema["required"] = sorted(names)


def _more_types(_drawer: _Drawer, schema: dict[str, Any]) -> None:
    kind = schema.get("type")
    if kind in ("integer", "number"):
        schema["type"] = "number" if kind == "integer" else "integer"
    elif isinstance(kind, str) and kind != "null":
        schema["type"] = [kind, "null"]
    elif isinstance(kind, list) and "anyOf" not in schema:
        schema["anyOf"] = [{"type": one} for one in schema.pop("type")]


_EDITS: Final[tuple[Callable[[_Drawer, dict[str, Any]], None], ...]] = (
    *(_drop, _add, _move_bound, _turn_over, _open_or_close, _require, _more_types),
)


# --- documents ------------------------------------------------------------------------------------


def documents(rng: random.Random, drawn: DrawnPair, count: int) -> Iterator[Any]:
    """Yield documents of the names and values that the schemas speak of."""
    values = list(_SCALARS)
    for schema in (drawn.old, drawn.new):
        _collect(schema, values)
    for _ in range(count):
        yield _document(rng, values, 0)


def _collect(part: Any, values: list[Any]) -> None:
    if isinstance(part, dict):
        for keyword, below in part.items():
            if keyword == "enum" and isinstance(below, list):
                values.extend(below)
            else:
                _collect(below, values)
    elif isinstance(part, list):
        for below in part:
            _collect(below, values)
    elif isinstance(part, (int, float)) and not isinstance(part, bool):
        values.extend((part, part + 1, part - 1))


def _document(rng: random.Random, values: list[Any], depth: int) -> Any:
    kind = rng.random()
    if depth > 2 or kind < 0.3 + 0.2 * depth:
        return rng.choice(values)
    size = rng.choice((0, 1, 1, 2, 2, 3))
    if kind < 0.65:
        return [_document(rng, values, depth + 1) for _ in range(size)]
    return {rng.choice((*_NAMES, "z")): _document(rng, values, depth + 1) for _ in range(size)}
