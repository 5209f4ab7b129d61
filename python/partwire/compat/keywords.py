"""What the compiler of schemas knows while it reads one schema object, and how it reads numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import Finding
from .loading import CompatError, Place, Resource
from .shapes import Shape
from .terms import Literal
from .values import exact

__all__ = ["Context", "Scope", "endless", "entered", "number_of", "whole_of"]

Scope = frozenset[tuple[str, str]]
"""Dynamic anchors that are bound, with the URI of the resource that binds them."""


@dataclass
class Context:
    """One schema object on its way into terms."""

    place: Place
    scope: Scope
    shape: Shape
    index: int
    parts: list[Literal]

    @property
    def schema(self) -> dict[str, Any]:
        """The schema object."""
        value: dict[str, Any] = self.place.value
        return value

    @property
    def year(self) -> int:
        """The draft, as its year."""
        return self.place.resource.dialect.year


def number_of(value: Any) -> int | float:
    """Return a JSON number. Raises TypeError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(value)
    return value


def whole_of(value: Any) -> int:
    """Return a size. Raises TypeError or ValueError."""
    number = exact(number_of(value))
    if number.denominator != 1 or number < 0:
        raise ValueError(value)
    return number.numerator


def entered(scope: Scope, resource: Resource) -> Scope:
    """Return the scope inside a resource: it binds its dynamic anchors, unless one outside did."""
    new = resource.dynamic - {name for name, _ in scope}
    return scope | {(name, resource.uri) for name in new} if new else scope


def endless(place: Place, pointer: str) -> CompatError:
    """Return the error that what a schema says of a location hangs on what it says of it."""
    return CompatError(
        Finding(
            "compat/invalid-schema",
            "A schema applies to its own location by way of itself: it says nothing",
            pointer=pointer,
            expected="a reference that leads to a member or an item in between",
            source=place.resource.document or None,
        )
    )
