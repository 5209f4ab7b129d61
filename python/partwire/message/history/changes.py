"""What a repair does about which defect, and how it says what it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...errors import Finding, bad_argument, clip
from ...tables.history_repairs import REPAIRS
from .draft import Draft, Item
from .runs import pointer_position

__all__ = ["Changes", "HistoryChange", "RepairResult", "whole_policy"]


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


class _Note(NamedTuple):
    """A change whose result has no place yet: it is where ``item`` comes to stand."""

    change: HistoryChange
    item: Item | None


class Changes:
    """What was done so far: each method does a thing and takes it down."""

    def __init__(self) -> None:
        self._notes: list[_Note] = []

    def unreadable(self, first: Finding, index: int, removed: Any) -> None:
        """Note that something that is not a message is left out."""
        text = f"Not a message: {first.message}"
        change = HistoryChange(first.rule, "drop", f"/{index}", text, None, removed)
        self._notes.append(_Note(change, None))

    def drop(self, defect: str, item: Item, member: str = "toolCallId") -> None:
        """Take a part out."""
        change = _change(defect, "drop", item, "Taken out", member)._replace(removed=item.wire())
        self._notes.append(_Note(change, None))
        item.draft.remove(item, change.rule)

    def rename(self, item: Item, new_id: str) -> None:
        """Give a call, or what belongs to one, another id."""
        message = f"Renamed from {clip(item.call_id)} to {clip(new_id)}"
        self.note("duplicate-tool-call", "rename", item, message)
        item.rename(new_id)

    def note(
        self, defect: str, action: str, item: Item, message: str, made: Item | None = None
    ) -> None:
        """Note what is done elsewhere; ``made`` is what came of ``item``, if that is another."""
        self._notes.append(_Note(_change(defect, action, item, message), made or item))

    def result(self, drafts: Iterable[Draft]) -> RepairResult:
        """Return the messages that are left, and the changes in the order of the given history."""
        drafts = list(drafts)
        kept = [draft for draft in drafts if draft.count or not draft.changed]
        emptied = [
            _emptied(draft)
            for draft in drafts
            if draft.changed and not draft.count and draft.index is not None
        ]
        places = {
            item: f"/{index}/parts/{number}"
            for index, draft in enumerate(kept)
            for number, item in enumerate(draft.items)
        }
        # A part that was named and taken out later has no place.
        changes = [
            change if item is None else change._replace(result=places.get(item))
            for change, item in self._notes
        ]
        changes = sorted([*changes, *emptied], key=pointer_position)
        return RepairResult([draft.result() for draft in kept], changes)


def _change(
    defect: str, action: str, item: Item, message: str, member: str = "toolCallId"
) -> HistoryChange:
    member = "/kind" if defect == "role-part-kind" else f"/payload/{member}"
    return HistoryChange(f"history/{defect}", action, item.pointer + member, message)


def _emptied(draft: Draft) -> HistoryChange:
    return HistoryChange(
        draft.emptied_by,
        "drop",
        f"/{draft.index}",
        "Taken out: nothing is left of the message",
        removed=draft.given_wire(),
    )
