"""Witnesses that the prover did not write itself: mutated ones; and smaller ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any, Final

from .terms import (
    AdditionalProperties,
    And,
    Contains,
    Enum,
    Item,
    Items,
    Literal,
    Maximum,
    MaxLength,
    Minimum,
    MinLength,
    MultipleOf,
    Pattern,
    PatternProperty,
    Property,
    PropertyNames,
    Reference,
    Required,
    Term,
    Terms,
    UnevaluatedItems,
    UnevaluatedProperties,
    Xor,
)
from .values import FALSE_VALUE, NULL, TRUE_VALUE, Frozen, type_of, weight

__all__ = ["Material", "shrink", "variations"]

_SIMPLE: Final[tuple[Frozen, ...]] = (
    NULL,
    TRUE_VALUE,
    FALSE_VALUE,
    Fraction(0),
    Fraction(1),
    Fraction(-1),
    Fraction(1, 2),
    "",
    "a",
    ("array", ()),
    ("object", ()),
)
_LONG: Final = 200
_MAX_SHRINKS: Final = 400
_MAX_SHRUNK: Final = 40_000


class Material:
    """What two schemas speak of: constants, bounds and the values beside them, names."""

    def __init__(self, terms: Terms, roots: list[Literal]) -> None:
        self.values: dict[Frozen, None] = dict.fromkeys(_SIMPLE)
        self.names: dict[str, None] = {}
        self.keys = ["a", "x", "zz"]
        seen: set[int] = set()
        stack = [abs(root) for root in roots]
        while stack:
            number = stack.pop()
            if number in seen or len(seen) > 20_000:
                continue
            seen.add(number)
            term = terms.terms[number]
            self._take(term)
            stack.extend(_below(terms, term))

    def _take(self, term: Term) -> None:
        match term:
            case Enum(values):
                self.values.update(dict.fromkeys(sorted(values, key=repr)[:20]))
            case Minimum(number) | Maximum(number) | MultipleOf(number):
                for step in (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)):
                    self.values[number + step] = None
            case MinLength(size) | MaxLength(size) if size < _LONG:
                for length in (size - 1, size, size + 1):
                    self.values["a" * max(length, 0)] = None
            case Required(name) | Property(name):
                self.names[name] = None
            case Pattern(pattern):
                self.values[_letters(pattern)] = None
            case PatternProperty(pattern):
                self.names[_letters(pattern)] = None


def _letters(pattern: str) -> str:
    return "".join(c for c in pattern if c.isalnum())[:20]


def _below(terms: Terms, term: Term) -> Iterator[int]:
    """Yield the numbers of the terms that a term names."""
    match term:
        case Reference(key):
            yield abs(terms.bodies[key])
        case And(parts) | Xor(parts):
            yield from map(abs, parts)
        case UnevaluatedProperties() | UnevaluatedItems():
            yield from (abs(when) for when, _ in term.conditions)
            yield abs(term.schema)
        case (
            Item()
            | Items()
            | Contains()
            | Property()
            | PatternProperty()
            | AdditionalProperties()
            | PropertyNames()
        ):
            yield abs(term.schema)


def variations(
    seeds: list[Frozen], material: Material, count: int, seed: int = 0
) -> Iterator[Frozen]:
    """Yield documents made of the seeds and the material; the same ones every time."""
    random = Random(seed)  # noqa: S311
    pool = [*seeds, *material.values]
    yield from pool[:count]
    values = list(material.values)
    names = [*material.names, *material.keys]
    for _ in range(count - min(count, len(pool))):
        value = random.choice(pool)
        for _ in range(random.choice((1, 1, 2, 3))):
            value = _mutate(value, random, values, names)
        if weight(value) < 2_000:
            yield value
            if random.random() < 0.1:
                pool.append(value)


def _mutate(value: Frozen, random: Random, values: list[Frozen], names: list[str]) -> Frozen:
    kind = type_of(value)
    if kind == "object" and random.random() < 0.85:
        members = dict(value[1])
        if members and random.random() < 0.4:
            name = random.choice(sorted(members))
            members[name] = _mutate(members[name], random, values, names)
        elif members and random.random() < 0.3:
            del members[random.choice(sorted(members))]
        else:
            members[random.choice(names)] = random.choice(values)
        return ("object", tuple(sorted(members.items())))
    if kind == "array" and random.random() < 0.85:
        items = list(value[1])
        if items and random.random() < 0.4:
            at = random.randrange(len(items))
            items[at] = _mutate(items[at], random, values, names)
        elif items and random.random() < 0.3:
            del items[random.randrange(len(items))]
        else:
            items.append(random.choice([*values, *items[:1]]))
        return ("array", tuple(items))
    if kind == "number" and random.random() < 0.5:
        return value + random.choice((1, -1, Fraction(1, 2), Fraction(1, 10)))
    return random.choice(values)


def shrink(value: Frozen, refutes: Callable[[Frozen], bool]) -> Frozen:
    """Return a smaller value for which ``refutes`` still holds, as far as single steps lead."""
    tries = 0
    changed = True
    # What a try costs grows with the value: so does what can be saved.
    limit = min(_MAX_SHRINKS, 1 + _MAX_SHRUNK // max(weight(value), 1))
    while changed and tries < limit:
        changed = False
        heavy = weight(value)
        for smaller in _smaller(value):
            if weight(smaller) >= heavy:
                continue
            tries += 1
            if tries > limit:
                break
            if refutes(smaller):
                value, changed = smaller, True
                break
    return value


def _smaller(value: Frozen) -> Iterator[Frozen]:
    kind = type_of(value)
    if kind in ("object", "array"):
        parts: tuple[Any, ...] = value[1]
        for n in range(len(parts)):
            yield (kind, parts[:n] + parts[n + 1 :])
        for n, part in enumerate(parts):
            inner = part[1] if kind == "object" else part
            limit = weight(inner)
            simpler = (simple for simple in _SIMPLE if weight(simple) < limit)
            # What is deeper is weighed as a whole, once: not at each level on its way up.
            for simple in (*simpler, *_smaller(inner)):
                kept = (part[0], simple) if kind == "object" else simple
                yield (kind, (*parts[:n], kept, *parts[n + 1 :]))
    elif kind == "string" and value:
        yield from ("", "a", value[: len(value) // 2], value[:-1])
    elif kind == "number":
        yield from (Fraction(0), Fraction(1), Fraction(-1))
