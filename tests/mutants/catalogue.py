"""All mutants, and how each is run."""

from __future__ import annotations

from typing import Any, Final

from tests.mutants import (  # noqa: F401 (they fill the list)
    edits,
    in_arguments,
    in_calls,
    in_histories,
    in_limits,
    in_opaque,
    in_parts,
    in_precedence,
    in_shape,
    in_states,
    in_streams,
    in_text,
    in_usage,
    in_variants,
    in_whole,
)
from tests.mutants.edited import cases_of
from tests.mutants.mutant import MUTANTS, Mutant
from tests.mutants.operations import Implementation
from tests.mutants.running import Operations, caught_by, first_catch

__all__ = ["ALL", "cases_for", "is_caught"]

ALL: Final[tuple[Mutant, ...]] = tuple(MUTANTS.values())


def cases_for(mutant: Mutant) -> tuple[str, ...]:
    """Return the cases that catch a mutant, in the order of versions and suites."""
    if mutant.part is None:
        return cases_of(mutant)
    return tuple(caught_by(mutant.operations, _operations(mutant.room, mutant.part)))


def is_caught(mutant: Mutant) -> bool:
    """Whether any case catches a mutant."""
    if mutant.part is None:
        return bool(cases_of(mutant))
    return first_catch(mutant.operations, _operations(mutant.room, mutant.part)) is not None


def _operations(room: str, part: Any) -> Operations:
    return Implementation(**{room: part}).operations()
