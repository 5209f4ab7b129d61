"""Documents of every type: valid ones, slightly wrong ones, and values that nobody expects.

Fast, and a function of the seed alone: for runs of many thousands, and for comparing languages.
What shrinks, and promises to be valid or to be refused, is `partwire_testing.strategies`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from partwire.contract.current import LATEST_VERSION

from .meaning import settle
from .patterns import string_of
from .schemas import Schema, at_least_one_of, definitions, exactly_one_groups, resolve

__all__ = ["NUMBERS", "TEXTS", "Documents", "edited"]

TEXTS = (
    *("", "a", "run_1", "a b", "é", "e\u0301", "🌍", "\u2028", "\x00", "\x7f", "\ufeff", "a\n"),
    *("\n", "\r\n", '"', "\\", "/", "~", "~1", "null", "1", "text", "x" * 37, "ü" * 300),
)
NUMBERS = (
    *(0, 1, -1, 2, 7, 255, 2**31, 2**53 - 1, 2**53, -(2**53) + 1, -(2**53), 2**63, 2**64, 10**300),
    *(0.0, -0.0, 1.0, -1.0, 0.5, 1e-9, 5e-324, 1e15, 1e16, 1e300, 1.7976931348623157e308, 3e2),
)
_ANY: tuple[Any, ...] = (None, True, False, {}, [], [[]], {"": {}}, {"kind": "text"}, {"a": None})


class Documents:
    """Makes documents of the types of one version of the contract."""

    def __init__(self, seed: object, version: str = LATEST_VERSION) -> None:
        self.version = version
        self.rng = random.Random(str(seed))
        self._slip = 0.0
        self._defs: Mapping[str, Schema] = {}

    def valid(self, type_name: str) -> Any:
        """Return a document of right shape; what it means is mostly right too."""
        return self._make(type_name, 0.0)

    def mutated(self, type_name: str) -> Any:
        """Return a document in which one place or a few are likely to be wrong."""
        document = self._make(type_name, 0.0)
        if self.rng.random() < 0.5:
            places = 1 + sum(1 for _ in _places(document))
            return self._make(type_name, 1.5 / places)
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            document = self.changed(document)
        return document

    def _make(self, type_name: str, slip: float) -> Any:
        family, _, name = type_name.partition(".")
        self._slip = slip
        self._defs = definitions(family, self.version)
        return self._value(self._defs[name], 0)

    # --- values by their schema ------------------------------------------------------------------

    def _value(self, schema: Schema, depth: int) -> Any:
        schema = resolve(schema, self._defs)
        if self._slip and self.rng.random() < self._slip:
            return self._wrong(schema)
        if "oneOf" in schema:
            return self._value(self.rng.choice(schema["oneOf"]), depth)
        if not schema:
            return self.json()
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        makers: Mapping[str, Callable[[Schema, int], Any]] = {
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda _schema, _depth: self.rng.random() < 0.5,
            "array": self._array,
            "object": self._object,
        }
        return makers[schema["type"]](schema, depth)

    def _string(self, schema: Schema, _depth: int) -> str:
        if "pattern" in schema:
            return string_of(schema["pattern"], self.rng)
        if "x-known-values" in schema and self.rng.random() < 0.5:
            return str(self.rng.choice(schema["x-known-values"]))
        text: str = self.rng.choice(TEXTS)
        most: int = schema.get("maxLength", len(text))
        least: int = schema.get("minLength", 0)
        return text[:most] + "z" * (least - len(text))

    def _integer(self, schema: Schema, _depth: int) -> int | float:
        low, high = schema["minimum"], schema["maximum"]
        picked = self.rng.choice((low, high, low + 1, self.rng.randint(low, high), 3))
        picked = min(max(picked, low), high)
        return float(picked) if self.rng.random() < 0.06 else picked

    def _number(self, schema: Schema, _depth: int) -> int | float:
        low, high = schema.get("minimum", -1.7e308), schema.get("maximum", 1.7e308)
        fitting = [each for each in NUMBERS if low <= each <= high]
        return self.rng.choice(fitting)

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        count = schema.get("minItems", 0) + self.rng.choice((0, 1, 1, 2, 3) if depth < 9 else (0,))
        return [self._value(schema["items"], depth + 1) for _ in range(count)]

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties: Schema = schema.get("properties", {})
        required = set(schema.get("required", ()))
        for group in exactly_one_groups(schema):
            required.add(self.rng.choice(group))
            properties = {k: v for k, v in properties.items() if k in required or k not in group}
        if any_of := at_least_one_of(schema):
            required.add(self.rng.choice(any_of))
        names = [k for k in properties if k in required or self.rng.random() < 0.4]
        made = {name: self._value(properties[name], depth + 1) for name in names}
        others = schema.get("additionalProperties")
        if others:  # a map
            names = [self.rng.choice(TEXTS) for _ in range(self.rng.randrange(3))]
            made.update({name: self._value(others, depth + 1) for name in names})
        elif (others is not None and self.rng.random() < 0.5) or self.rng.random() < 0.05:
            name = self.rng.choice(TEXTS)
            made.setdefault(name, self.json())
        if self.rng.random() < 0.2:
            made = dict(self.rng.sample(sorted(made.items(), key=str), len(made)))
        if self.rng.random() < 0.8:
            settle(made, schema)
        return made

    def json(self, depth: int = 0) -> Any:
        """Return any JSON value, small."""
        kind = self.rng.randrange(6 if depth < 3 else 4)
        if kind < 4:
            return _copied(self.rng.choice((TEXTS, NUMBERS, _ANY, _ANY)[kind]))  # it may be changed
        values = [self.json(depth + 1) for _ in range(self.rng.randrange(4))]
        if kind == 4:
            return values
        return {self.rng.choice(TEXTS): value for value in values}

    # --- wrong values ----------------------------------------------------------------------------

    def _wrong(self, schema: Schema) -> Any:
        """Return a value just outside of ``schema``, or any value."""
        near = self.near(schema)
        return self.json() if not near or self.rng.random() < 0.2 else self.rng.choice(near)

    def near(self, schema: Schema) -> list[Any]:
        """Return values at the edge of ``schema``, wrong ones and right ones."""
        kind = schema.get("type")
        if kind == "string":
            slip, self._slip = self._slip, 0.0
            right = str(self._value(schema, 0))
            self._slip = slip
            near = [right + "\n", right + " ", right[1:], right[:-1], right.swapcase(), "", [right]]
            return [
                *near,
                right + right,
                edited(right, self.rng),
                edited(right, self.rng),
                "x" * 400,
            ]
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", 0), schema.get("maximum", 2**53)
            near = [low - 1, low, low + 0.0, high + 1, high, low - 0.5, low + 0.5, high + 0.5]
            return [*near, 1.5, True, str(low), 10**30]
        if kind == "array":
            return [{}, [None], [[]], [{}], "", [], [self.json()]]
        if kind == "object":
            return [{}, [], [{}], "", dict.fromkeys(schema.get("properties", ()))]
        return []

    def changed(self, document: Any) -> Any:
        """Return ``document`` with one change at a random place; ``document`` may be changed."""
        places = list(_places(document))
        if not places or self.rng.random() < 0.02:
            return self.json()
        holder, key = self.rng.choice(places)
        value = holder[key]
        change = self.rng.randrange(10)
        if change == 0:
            del holder[key]
        elif change == 1:
            holder[key] = None
        elif change == 2:
            holder[key] = self.json()
        elif change == 3:
            other, name = self.rng.choice(places)
            holder[key] = _copied(other[name])
        elif change == 4:
            holder[key] = [_copied(value)] if self.rng.random() < 0.5 else {"": _copied(value)}
        elif change == 5 and isinstance(holder, dict):
            del holder[key]
            holder[edited(key, self.rng)] = value
        elif change == 6 and isinstance(holder, list):
            holder.insert(self.rng.randrange(len(holder) + 1), _copied(value))
        elif isinstance(value, str):
            holder[key] = edited(value, self.rng)
        elif isinstance(value, (int, float)):
            holder[key] = self.rng.choice((-value, value + 1, float(value), *NUMBERS))
        elif isinstance(holder, dict):
            holder.setdefault(self.rng.choice(TEXTS), self.json())
        return document


def edited(text: str, rng: random.Random) -> str:
    """Return ``text`` with one character more, less or other."""
    at = rng.randrange(len(text) + 1)
    piece = rng.choice(("", "\n", " ", "0", "9", "-", ".", "é", "🌍", "Z", "a", "T", "+", "="))
    return text[:at] + piece + text[at + rng.randrange(2) :]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a JSON value as container and key."""
    keys: list[Any] = list(value) if isinstance(value, dict) else []
    for key in range(len(value)) if isinstance(value, list) else keys:
        yield value, key
        yield from _places(value[key])


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(member) for name, member in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
