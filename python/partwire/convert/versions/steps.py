"""The steps from version to version, and the way that leads from one to another.

A further version adds its step to ``STEPS``, oldest first, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from partwire.contract.versions import TypeName
from partwire.errors import bad_argument
from partwire.losses import Loss, in_order
from partwire.reading.pipeline import Binding

from . import v0_1_to_v0_2, v0_2_to_v0_3
from .members import Hooks, Walk, later_members

__all__ = ["STEPS", "VERSIONS", "Moved", "Step", "origin", "path"]


class Step(NamedTuple):
    """What leads from version ``old`` to ``new``, and back.

    ``up`` is by type, ``down`` by family and definition; what is not there is taken over as it is.
    ``changes`` tells whether either way may change a document that the older version takes, too;
    ``keeps``, of its text, whether neither does.
    """

    old: str
    new: str
    up: Mapping[str, Callable[[Any], Any]]
    down: Mapping[str, Hooks]
    changes: Callable[[str, Any], bool]
    keeps: Callable[[str, bytes], bool]


STEPS: Final = (
    Step(
        v0_1_to_v0_2.OLD,
        v0_1_to_v0_2.NEW,
        v0_1_to_v0_2.UP,
        v0_1_to_v0_2.DOWN,
        v0_1_to_v0_2.changes,
        v0_1_to_v0_2.keeps,
    ),
    Step(
        v0_2_to_v0_3.OLD,
        v0_2_to_v0_3.NEW,
        v0_2_to_v0_3.UP,
        v0_2_to_v0_3.DOWN,
        v0_2_to_v0_3.changes,
        v0_2_to_v0_3.keeps,
    ),
)

VERSIONS: Final = (STEPS[0].old, *(step.new for step in STEPS))
"""The versions that documents can be taken from and to, oldest first."""


class Moved(NamedTuple):
    """A document one version further: the losses have pointers into the one before, as have the
    values of ``moved``, by the pointers into ``value``.
    """

    value: Any
    losses: list[Loss]
    moved: Mapping[str, str]


class _Move(NamedTuple):
    """One step in one direction."""

    source: str
    target: str
    step: Step

    def run(self, value: Any, family: str, name: str, text: bytes) -> Moved:
        """Return a valid document as the target has it, what that lost, and what it moved.

        ``text`` is the document as JSON text, empty where it surely has none. The result shares
        what it can with ``value``, and is ``value`` where nothing changes.
        """
        type_name = TypeName(family, name, self.source)
        older = Binding.of(str(type_name), self.step.old)
        later = later_members(family, self.source, self.target).get(name, frozenset())
        has_later = isinstance(value, dict) and not later.isdisjoint(value)
        closed = not has_later and older.is_clean(text, "warn")
        if self.target == self.step.new:
            made = Moved(value, [], {})
            if not closed:
                made = _walked(Walk(type_name, self.target, {}), value)
            take = self.step.up.get(str(type_name))
            return made if take is None else made._replace(value=take(made.value))
        if closed and not self.step.changes(family, value):
            return Moved(value, [], {})
        return _walked(Walk(type_name, self.target, self.step.down.get(family, {})), value)


def _walked(walk: Walk, value: Any) -> Moved:
    return Moved(walk.run(value), in_order(walk.log.losses), walk.moved)


def origin(pointer: str, ways: Sequence[Mapping[str, str]]) -> str:
    """Return where something stood before the moves that moved by ``ways``, oldest first."""
    for moved in reversed(ways):
        end = len(pointer) if moved else 0
        while end > 0 and pointer[:end] not in moved:
            end = pointer.rfind("/", 0, end)
        if end > 0:
            pointer = moved[pointer[:end]] + pointer[end:]
    return pointer


def path(source: str, target: str) -> list[_Move]:
    """Return the steps from one version to another, none where they are the same.

    Raises UsageError ``usage/unknown-version``.
    """
    start, end = position(source), position(target)
    if start <= end:
        return [_Move(step.old, step.new, step) for step in STEPS[start:end]]
    return [_Move(step.new, step.old, step) for step in reversed(STEPS[end:start])]


def position(version: Any) -> int:
    """Return the place of ``version`` among :data:`VERSIONS`; raises UsageError."""
    if version in VERSIONS:
        return VERSIONS.index(version)
    raise bad_argument(
        "No such contract version", ", ".join(VERSIONS), version, "usage/unknown-version"
    )
