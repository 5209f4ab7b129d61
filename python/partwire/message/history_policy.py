"""What a repair may do about a defect, and how it says what it did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ..errors import bad_argument

__all__ = ["REPAIRS", "HistoryChange", "RepairResult", "whole_policy"]

REPAIRS: Final[Mapping[str, tuple[str, ...]]] = {
    "duplicate-tool-call": ("rename", "drop"),
    "duplicate-tool-result": ("drop",),
    "late-tool-result": ("move", "keep"),
    "orphan-tool-result": ("drop", "text"),
    "result-before-call": ("move", "drop"),
    "role-part-kind": ("split", "drop"),
    "unanswered-tool-call": ("answer", "drop"),
    "unreadable-message": ("refuse", "drop"),
}
"""Defect → what can be done about it; the first is done where the policy says nothing.

The names are those of the rules ``history/…``; ``unreadable-message`` is a message that is none.
"""


class HistoryChange(NamedTuple):
    """One thing that a repair did.

    ``pointer`` is the place in the given history, ``result`` the place in the repaired one where
    what was made of it stands (None if nothing is left). ``removed`` is what was taken out, as
    JSON value.
    """

    rule: str
    action: str
    pointer: str
    message: str
    result: str | None = None
    removed: Any = None

    def to_wire(self) -> dict[str, Any]:
        """Return the change as a JSON object; fields that are None are left out."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class RepairResult(NamedTuple):
    """The repaired history, each message in the form in which it was given, and the changes."""

    messages: list[Any]
    changes: list[HistoryChange]


def whole_policy(policy: Mapping[str, str]) -> dict[str, str]:
    """Return defect → action for all defects; raises UsageError ``usage/invalid-argument``."""
    if not isinstance(policy, Mapping):
        raise bad_argument(
            "A policy maps defects to actions",
            'a mapping, such as {"orphan-tool-result": "text"}',
            policy,
        )
    for name, action in policy.items():
        actions = REPAIRS.get(name, ())
        if action not in actions:
            raise bad_argument(
                f"No such repair of {name}" if actions else "No such defect",
                " or ".join(actions or REPAIRS),
                action if actions else name,
            )
    return {name: policy.get(name, actions[0]) for name, actions in REPAIRS.items()}
