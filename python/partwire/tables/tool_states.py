# Generated from schemas/tables/tool-states.json. Do not edit: change that, then
# run `python -m codegen`.

"""Tool states: what a move to each of them takes.

Which moves there are says the session schema; fields are named as in documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["DENIED_PLACEHOLDER", "EMPTY_OUTPUT_PLACEHOLDER", "STATES", "StateRow"]


class StateRow(NamedTuple):
    """What a move to one status takes."""

    takes: tuple[str, ...]
    """The fields that may be given."""
    needs: tuple[str, ...]
    """The fields that are to be given, in the order in which their absence is reported."""
    may_change: tuple[str, ...]
    """The members that may change while the status stays."""


STATES: Final[Mapping[str, StateRow]] = {
    "pending": StateRow(("input", "raw"), (), ()),
    "awaiting_approval": StateRow(("approval", "metadata"), ("approval",), ("metadata",)),
    "running": StateRow(
        ("start", "title", "metadata", "approval"),
        ("start",),
        ("title", "metadata"),
    ),
    "completed": StateRow(
        ("output", "end", "title", "tool", "metadata", "attachments", "empty_output"),
        ("output", "end"),
        (),
    ),
    "error": StateRow(("error", "end", "metadata"), ("error", "end"), ()),
    "denied": StateRow(("approval", "error", "metadata"), ("approval",), ()),
}
"""Status, then what a move to it takes."""

EMPTY_OUTPUT_PLACEHOLDER: Final[str] = "(no output)"
"""What replaces an empty output where that is asked for."""

DENIED_PLACEHOLDER: Final[str] = "The call was not approved."
"""The error of a denied call that says none, where an error has to be said."""
