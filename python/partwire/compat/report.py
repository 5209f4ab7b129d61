"""What a comparison of two sources comes to: verdicts, and the changes that explain them.

A verdict decides, a change explains: a ``Change`` names the rule, the place in both schemas and
the values; only where the engine says "breaking" does it stand for a break.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from .logic.oracle import Failure
from .logic.solver import Open
from .sources.schemas import Place, SchemaSet
from .verdict import Direction, Reading, Status

__all__ = [
    "SINGLE",
    "Bump",
    "Change",
    "EntryVerdict",
    "Pair",
    "Replay",
    "Report",
    "Surface",
    "fingerprint_of",
]

SINGLE: Final = "_"
"""The URI of a document that is compared alone: what its file is called says nothing."""

Bump = Literal["none", "patch", "minor", "major"]
"""What a change asks of the version: ``major`` breaks, ``minor`` adds, ``patch`` says it better."""

Surface = Literal["schema", "behaviour", "bindings", "documents"]
"""What was compared: schemas, or what is behind them."""


@dataclass(frozen=True)
class Pair:
    """Two places that are compared under one name, each with the set that it is in."""

    entrypoint: str
    old: Place
    new: Place
    old_set: SchemaSet
    new_set: SchemaSet


@dataclass(frozen=True)
class Change:
    """Why a verdict is what it is, at one place.

    ``rule`` is in ``schemas/rules/``. Pointers lead into the documents ``old_source`` and
    ``new_source`` (URIs within their sets: ``place.resource.document``); a side on which there is
    nothing is None. ``values`` are JSON: what the change is about (a name, the bounds before and
    after), never prose. ``direction`` is the one in which it breaks, and ``bump`` what it asks
    for. ``message`` is one sentence for people; no other member depends on its wording.
    """

    rule: str
    old_pointer: str | None
    new_pointer: str | None
    message: str
    values: tuple[Any, ...] = ()
    direction: Direction = "backward"
    bump: Bump = "major"
    old_source: str = ""
    new_source: str = ""
    at: str | None = None
    """The pointer of the place with names instead of a list's numbers; None: it has none."""

    @property
    def surface(self) -> Surface:
        """What changed: the schemas, or what code does, or what its names are."""
        kind = self.rule.partition("/")[2].partition("-")[0]
        return _SURFACES.get(kind, "schema")

    @property
    def place(self) -> str:
        """``document#at``, by the old schema where it is there: it does not move."""
        source, pointer = self.old_source, self.old_pointer
        if pointer is None:
            source, pointer = self.new_source, self.new_pointer or ""
        pointer = pointer if self.at is None else self.at
        return f"{'' if source == SINGLE else source}#{pointer}"

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits, made of rule, direction, place and values, not of prose."""
        return fingerprint_of(self.rule, self.direction, self.place, self.values)


_SURFACES: Final[dict[str, Surface]] = {
    "behaviour": "behaviour",
    "bindings": "bindings",
    "document": "documents",
}


def fingerprint_of(rule: str, direction: Direction, place: str, values: tuple[Any, ...]) -> str:
    """Return the fingerprint of a change; equal wherever JSON calls the values equal text."""
    told = [rule, direction, place, list(values)]
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class EntryVerdict:
    """The verdict of one entry point in one direction, with its changes.

    ``has_witness`` is False for a breaking verdict only where a whole type is gone: there is no
    reader that could refuse a document.
    """

    entrypoint: str
    status: Status
    direction: Direction
    reading: Reading
    changes: tuple[Change, ...] = ()
    has_witness: bool = False
    witness: Any = None
    failures: tuple[Failure, ...] = ()
    open: tuple[Open, ...] = ()
    tried: int = 0
    others: tuple[Change, ...] = ()
    """What breaks behind the changes of the witness: looked for only where breaks are accepted."""
    hidden: str = ""
    """Why there may be breaks besides all of these, "" where it is known that there are none."""
    harmless: bool = False
    """Of "no-documents": whatever the writer's schema allows, in any reading, is read as before."""
    exact_has_documents: bool = False
    """Of "no-documents": the exact reading leaves the writer some."""


@dataclass(frozen=True)
class Replay:
    """How much of a surface was tried again, and how much of it is not as it was.

    ``left_out``: documents that no entry point of the old schemas allows, which say nothing.
    """

    surface: Surface
    tried: int
    differing: int
    left_out: int = 0


@dataclass(frozen=True)
class Report:
    """What comparing ``old`` with ``new`` came to; both are the names that were given.

    ``verdicts`` are in the order of the entry points, backward before forward. ``notes`` are
    changes that break nobody, such as a new entry point.
    """

    old: str
    new: str
    verdicts: tuple[EntryVerdict, ...]
    notes: tuple[Change, ...] = ()
    replays: tuple[Replay, ...] = ()
    touched: Mapping[str, int] = field(default_factory=dict)
    """Fingerprint of a change → how many of the recorded documents it touches."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change of a breaking verdict once, in order of the verdicts."""
        found: dict[str, Change] = {}
        for verdict in self.verdicts:
            for change in (*verdict.changes, *verdict.others):
                found.setdefault(change.fingerprint, change)
        return tuple(found.values())

    def verdicts_of(self, change: Change) -> tuple[EntryVerdict, ...]:
        """Return the verdicts that a change explains: a shared type may break many."""
        return tuple(
            each
            for each in self.verdicts
            if any(
                known.fingerprint == change.fingerprint for known in (*each.changes, *each.others)
            )
        )
