"""The three errors of a session's parts, and what is logged of them.

Policies: a failed validation and a transition that is not allowed are logged and raised, a missing
field is logged and answered with None. A log record names ids, rules and pointers, and no payload.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec.inspect as shape

from partwire.contract.current import session
from partwire.contract.current.session import (
    InvalidStateTransitionDetails,
    InvalidStateTransitionError,
    ToolStatus,
)
from partwire.contract.current.vocabulary import TRANSITIONS
from partwire.errors import Finding, PartwireError, clip, printable

__all__ = [
    "NO_IDS",
    "Ids",
    "InvalidStateTransition",
    "MissingRequiredField",
    "PartValidationError",
    "is_member_name",
    "known_place",
    "log_findings",
    "part_refused",
    "transition_refused",
]


# --- places that a log may name -------------------------------------------------------------------

_ROOTS: Final = (session.WithParts, session.Part, session.ToolState)
"""What a finding's pointer may start at."""


def known_place(pointer: str) -> str:
    """Return ``pointer`` up to the last step that the contract names."""
    kinds: list[shape.Type] = list(_roots())
    known = ""
    for step in pointer.split("/")[1:]:
        found = [each for kind in kinds for each in _below(kind, step)]
        if not found:
            break
        known, kinds = f"{known}/{step}", found
    return known or "the whole"


def is_member_name(name: str) -> bool:
    """Return whether a part, or what it holds, has a member or an attribute of this name."""
    return name in _names()


@functools.cache
def _roots() -> tuple[shape.Type, ...]:
    return shape.multi_type_info(_ROOTS)


@functools.cache
def _names() -> frozenset[str]:
    names: set[str] = set()
    seen: set[int] = set()
    todo = list(_roots())
    while todo:
        kind = todo.pop()
        if id(kind) in seen:
            continue
        seen.add(id(kind))
        if isinstance(kind, shape.UnionType):
            todo += kind.types
        elif isinstance(kind, shape.ListType):
            todo.append(kind.item_type)
        elif isinstance(kind, shape.StructType):
            names.update({kind.tag_field} if kind.tag_field else ())
            for field in kind.fields:
                names |= {field.name, field.encode_name}
                todo.append(field.type)
    return frozenset(names)


def _below(kind: shape.Type, step: str) -> Iterator[shape.Type]:
    """Give what may be at ``step`` in a value of this type."""
    if isinstance(kind, shape.UnionType):
        for each in kind.types:
            yield from _below(each, step)
    elif isinstance(kind, shape.ListType):
        if step.isdecimal() and step.isascii():
            yield kind.item_type
    elif isinstance(kind, shape.StructType):
        if step == kind.tag_field:
            yield shape.StrType()
        yield from (field.type for field in kind.fields if field.encode_name == step)


# --- errors ---------------------------------------------------------------------------------------

_log = logging.getLogger("partwire.session")
# Who has not set up logging hears of the errors once: they are raised.
_log.addHandler(logging.NullHandler())

Ids = Mapping[str, object]
"""What a log record says the matter is about: "part", "call", "message", "session" → id."""

NO_IDS: Final[Ids] = {}

_TABLE: Final = TRANSITIONS["session.ToolState"]
_SHOWN: Final = 10


class PartValidationError(PartwireError, ValueError):
    """A part, a state or a message that is not valid; ``findings`` holds its errors.

    Logged when it is raised.
    """


class InvalidStateTransition(PartwireError):
    """A state that may not follow; the state that there is stays as it is.

    ``current`` is its status, ``attempted`` the status that was asked for. Both are the same where
    a state was to get other content. Logged when it is raised.
    """

    def __init__(self, finding: Finding, *, current: ToolStatus, attempted: str) -> None:
        super().__init__(finding)
        self.current: ToolStatus = current
        self.attempted = attempted

    def to_document(self) -> InvalidStateTransitionError:
        """Return the error as the document that is sent."""
        return InvalidStateTransitionError(
            name="InvalidStateTransition",
            message=self.findings[0].message,
            details=InvalidStateTransitionDetails(
                current_status=self.current,
                attempted_status=printable(self.attempted),
                valid_transitions=list(_TABLE[self.current]),
            ),
        )


class MissingRequiredField(PartwireError, LookupError):
    """A part lacks ``field``; logged, and handed to whoever asked to know."""

    def __init__(self, finding: Finding, *, field: str) -> None:
        super().__init__(finding)
        self.field = field


def part_refused(findings: Sequence[Finding], ids: Ids = NO_IDS) -> PartValidationError:
    """Log the findings and return the error to be raised."""
    log_findings(logging.ERROR, "Not valid", findings, ids)
    return PartValidationError(*findings)


def transition_refused(
    finding: Finding, current: ToolStatus, attempted: str, ids: Ids
) -> InvalidStateTransition:
    """Log the refusal and return the error to be raised."""
    to = clip(attempted) if attempted in _TABLE else "an unknown status"
    log_findings(logging.ERROR, f"Refused: {current} to {to}", [finding], ids)
    return InvalidStateTransition(finding, current=current, attempted=attempted)


def log_findings(level: int, what: str, findings: Sequence[Finding], ids: Ids) -> None:
    """Log rules, pointers and ids: nothing that a user, a model or a tool has written."""
    if not _log.isEnabledFor(level):
        return
    places = [f"{each.rule} at {known_place(each.pointer)}" for each in findings[:_SHOWN]]
    if len(findings) > _SHOWN:
        places.append(f"{len(findings) - _SHOWN} more")
    about = "".join(f", {name} {clip(value)}" for name, value in ids.items() if value is not None)
    _log.log(level, "%s: %s%s", what, ", ".join(places), about)
