"""JSON values as the prover holds them: hashable, numbers exact, ``1.0`` equal to ``1``.

null is ``("null",)``, a boolean ``("boolean", bool)``, a number a Fraction, a string a str, an
array ``("array", items)`` and an object ``("object", members)`` with members sorted by name.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

__all__ = [
    "FALSE_VALUE",
    "NULL",
    "TRUE_VALUE",
    "TYPES",
    "Frozen",
    "array_of",
    "exact",
    "freeze",
    "is_faithful",
    "object_of",
    "thaw",
    "type_of",
    "weight",
]

Frozen = Any
"""A frozen JSON value; the module says how each kind is held."""

TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
NULL: Final = ("null",)
TRUE_VALUE: Final = ("boolean", True)
FALSE_VALUE: Final = ("boolean", False)


def exact(number: int | float) -> Fraction:
    """Return the decimal that was written, not the double that it became: 0.1 is 1/10."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def freeze(value: Any) -> Frozen:
    """Return a JSON value in its hashable form."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return TRUE_VALUE if value else FALSE_VALUE
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return exact(value)
    if isinstance(value, list):
        return ("array", tuple(map(freeze, value)))
    return ("object", tuple(sorted((name, freeze(member)) for name, member in value.items())))


def thaw(value: Frozen) -> Any:
    """Return the JSON value; whole numbers come out as ints."""
    if isinstance(value, str):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else _as_float(value)
    kind = value[0]
    if kind == "null":
        return None
    if kind == "array":
        return [thaw(item) for item in value[1]]
    if kind == "object":
        return {name: thaw(member) for name, member in value[1]}
    return value[1]


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return 1.7e308 if number > 0 else -1.7e308


def is_faithful(number: Fraction) -> bool:
    """Whether ``thaw`` gives back the very number."""
    if number.denominator == 1:
        return True
    try:
        return Fraction(repr(float(number))) == number
    except (OverflowError, ValueError):
        return False


_MAX_SIZE: Final = 20_000


def array_of(items: list[Frozen]) -> Frozen:
    """Return the frozen array of frozen items."""
    return ("array", tuple(items))


def object_of(members: dict[str, Frozen]) -> Frozen:
    """Return the frozen object of frozen members."""
    return ("object", tuple(sorted(members.items())))


def type_of(value: Frozen) -> str:
    """Return the JSON type of a frozen value; integers are numbers."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, Fraction):
        return "number"
    kind: str = value[0]
    return kind


def is_writable(value: Frozen) -> bool:
    """Whether a value is of a size that anybody writes; in memory its equal parts are shared."""
    sizes: dict[int, int] = {}

    def size(part: Frozen) -> int:
        if not isinstance(part, tuple) or part[0] not in ("array", "object"):
            return 1
        known = sizes.get(id(part))
        if known is None:
            inner = part[1] if part[0] == "array" else [member for _, member in part[1]]
            known = sizes[id(part)] = 1 + sum(size(each) for each in inner)
        return known

    return size(value) <= _MAX_SIZE


def weight(value: Frozen) -> int:
    """Return about how long the value is when written; smaller witnesses read better."""
    if isinstance(value, str):
        return 2 + len(value)
    if isinstance(value, Fraction):
        return 1 + value.numerator.bit_length() // 3 + value.denominator.bit_length()
    if value[0] == "array":
        return 2 + sum(1 + weight(item) for item in value[1])
    if value[0] == "object":
        return 2 + sum(3 + len(name) + weight(member) for name, member in value[1])
    return 1
