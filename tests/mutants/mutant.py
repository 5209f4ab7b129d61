"""What a mutant is, and the list of all. Nothing of partwire is imported here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

__all__ = ["MUTANTS", "Edit", "Mutant", "edited", "fails"]

Part = TypeVar("Part", bound=type[Any])

_ANSWERS: Final = {
    "Assembler": ("assemble",),
    "Reader": ("validate", "read", "read_tolerant"),
    "States": ("transition",),
    "History": ("check_history",),
}
"""Class of the second implementation → the operations that it answers."""


@dataclass(frozen=True)
class Edit:
    """A text in partwire's own source that says something else: ``old`` is there once."""

    module: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutant:
    """An implementation with one error, and the operations that it shows in.

    ``failure`` is the id in the failure catalogue, ``says`` what is wrong. One of ``part``, a class
    that takes the place of the second implementation's ``room``, and ``edit``.
    """

    name: str
    room: str
    failure: str
    says: str
    operations: tuple[str, ...]
    part: type[Any] | None = None
    edit: Edit | None = None


MUTANTS: Final[dict[str, Mutant]] = {}


def _add(mutant: Mutant) -> None:
    if mutant.name in MUTANTS:
        raise ValueError(f"two mutants are called {mutant.name}")
    MUTANTS[mutant.name] = mutant


def fails(failure: str) -> Callable[[Part], Part]:
    """Add a class of the second implementation that is wrong, as its docstring says."""

    def add(part: Part) -> Part:
        base = next(each.__name__ for each in part.__mro__ if each.__name__ in _ANSWERS)
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", part.__name__).lower()
        says = " ".join((part.__doc__ or "").split())
        _add(Mutant(name, base.lower(), failure, says, _ANSWERS[base], part=part))
        return part

    return add


def edited(name: str, failure: str, says: str, operations: tuple[str, ...], edit: Edit) -> None:
    """Add a change of partwire's own source."""
    _add(Mutant(name, edit.module.split(".")[1], failure, says, operations, edit=edit))
