"""Members that a type does not name: findings, with the name that was probably meant.

Reading passes them over, so that a newer peer can add members. In a file that somebody has written
they are more often misspelt: whoever checks files wants to hear of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, Literal

from ..contract.versions import TypeName
from ..errors import Finding, Severity, bad_argument, clip
from ..json.pointer import escape_pointer
from .tolerant import Schemas

__all__ = ["UNKNOWN_MEMBERS", "UnknownMembers", "check_choice", "find_unknown_members"]

UnknownMembers = Literal["error", "warn", "ignore"]
UNKNOWN_MEMBERS: Final[tuple[UnknownMembers, ...]] = ("error", "warn", "ignore")
"""What becomes of a member that its type does not name."""

_SEVERITIES: Final[dict[UnknownMembers, Severity]] = {"error": "error", "warn": "warning"}
_LONGEST_NAME: Final = 64
_MOST_GUESSES: Final = 20
"""In one document: a comparison of names costs more than all else that is done with a member."""


def check_choice(choice: Any) -> None:
    """Raise UsageError ``usage/invalid-argument`` for what is not in :data:`UNKNOWN_MEMBERS`."""
    if choice not in UNKNOWN_MEMBERS:
        expected = " or ".join(UNKNOWN_MEMBERS)
        raise bad_argument("No such treatment of unknown members", expected, choice)


def find_unknown_members(
    value: Any, type_name: TypeName, choice: UnknownMembers
) -> Iterator[Finding]:
    """Yield a finding ``shape/unknown-member`` for each member that its object does not name.

    Objects that are open to any member, such as a message's ``meta``, name all of them.
    """
    severity = _SEVERITIES.get(choice)
    if severity is None:
        return
    found = Schemas.of(type_name).unnamed(value, type_name.name)
    for number, (pointer, name, around, known) in enumerate(found):
        near = None
        if number < _MOST_GUESSES and len(name) <= _LONGEST_NAME:
            near = _nearest(name, tuple(each for each in known if each not in around))
        yield Finding(
            "shape/unknown-member",
            f"The type names no such member{f'; did you mean {near}?' if near else ''}",
            f"{pointer}/{escape_pointer(name)}",
            severity,
            near or (f"one of {', '.join(known)}" if known else "no members"),
            clip(name),
        )


@lru_cache(maxsize=1024)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    """Return which of the names is most like ``name``; case, ``_`` and ``-`` do not count."""
    folded = {_folded(each): each for each in known}
    from difflib import get_close_matches  # noqa: PLC0415  # a misspelt name is rare

    found = get_close_matches(_folded(name), folded, n=1)
    return folded[found[0]] if found else None


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()
