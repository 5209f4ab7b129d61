"""Repairs of a history: every defect that ``check_history`` finds has a policy.

Nothing goes without being named: what a repair takes out is in its change. What nothing is wrong
with stays as it was given.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from ...contract.current import LATEST_VERSION
from ...errors import Finding, PartwireError, ReadError, clip, printable
from ...json.text import value_findings
from ...tables.history_repairs import HOME_ROLES, INTERRUPTED, REPAIRS
from .approvals import Approvals
from .changes import Changes, HistoryChange, RepairResult, whole_policy
from .draft import Draft, Item
from .messages import (
    APPROVALS,
    CALLS,
    RESULTS,
    allowed_kinds,
    has_outcome,
    plain_message,
    read_message,
    several_messages,
)
from .order import Order

__all__ = ["REPAIRS", "HistoryChange", "RepairResult", "repair_history"]


def repair_history(
    messages: Iterable[Any],
    policy: Mapping[str, str] | None = None,
    *,
    ongoing: bool = False,
    version: str = LATEST_VERSION,
) -> RepairResult:
    """Return the history without what ``check_history`` calls an error, and what was changed.

    ``policy`` says by name of the defect what to do about it (``REPAIRS``). The messages that
    are given are not changed; those that need no repair are returned as they are, the others in
    the same form (struct, JSON value or JSON text; models and snapshots become structs). Repairing
    what was repaired changes nothing. Calls that ``ongoing`` lets wait are left alone. New results
    have the time of the message before them: nothing here has a clock. ``version`` is the contract
    version whose table of roles holds; results that are made say their outcome where that knows it.

    Raises UsageError ``usage/invalid-argument`` for an unknown defect or action and for a single
    message in place of several, ``usage/unknown-version``, and ReadError for a message that cannot
    be read, unless the policy is to drop it.
    """
    whole = whole_policy({} if policy is None else policy)
    outcome = INTERRUPTED if has_outcome(version) else UNSET
    repair = _Repair(whole, allowed_kinds(version), outcome)
    return repair.run(several_messages(messages), ongoing)


_Key = tuple[str, str]


class _Slot(NamedTuple):
    """A run, the id of a call in it, and whether the provider runs it: calls and their results."""

    run_id: str
    call_id: str
    is_server: bool


class _Repair:
    """One repair: drafts of all messages, settled defect by defect."""

    def __init__(
        self,
        policy: dict[str, str],
        kinds: Mapping[str, frozenset[str]],
        outcome: str | UnsetType,
    ) -> None:
        self._policy = policy
        self._kinds = kinds
        self._outcome = outcome
        self._drafts: list[Draft] = []
        self._changes = Changes()
        self._approvals = Approvals(self._changes)
        # Calls and results, by run and by the id that they were given with.
        self._used: dict[str, set[str]] = defaultdict(set)
        self._latest: dict[_Key, Item] = {}
        self._waiting: dict[_Slot, deque[Item]] = {}
        self._early: dict[_Slot, list[Item]] = defaultdict(list)
        self._calls: list[Item] = []
        self._last_number: dict[_Key, int] = {}
        self._out_of_order: set[Item] = set()
        self._quoted: list[Item] = []

    def run(self, messages: Iterable[Any], ongoing: bool) -> RepairResult:
        self._open(messages)
        self._settle_roles()
        self._match()
        self._settle_early()
        order = Order(
            self._drafts,
            self._approvals,
            self._changes,
            self._policy,
            self._outcome,
            ongoing=ongoing,
        )
        drafts = order.settle(self._calls, self._out_of_order, self._quoted)
        self._approvals.settle()
        return self._changes.result(drafts)

    # --- messages ---------------------------------------------------------------------------------

    def _open(self, messages: Iterable[Any]) -> None:
        refused: list[Finding] = []
        for index, given in enumerate(messages):
            message, found = read_message(given)
            if message is not None:
                self._drafts.append(Draft.open(given, message, index))
            elif self._policy["unreadable-message"] == "refuse":
                refused += [each._replace(pointer=f"/{index}{each.pointer}") for each in found]
            else:
                self._changes.unreadable(found[0], index, _raw(given))
        if refused:
            raise ReadError(*refused)

    def _settle_roles(self) -> None:
        drafts: list[Draft] = []
        known: frozenset[str | None] = frozenset().union(*self._kinds.values())
        for draft in self._drafts:
            kinds = self._kinds[draft.role]
            misplaced = [item for item in draft.items if item.kind in known.difference(kinds)]
            if self._policy["role-part-kind"] == "drop":
                # Not approvals: without its question, or the first answer, a call may run.
                for item in misplaced:
                    if item.kind not in APPROVALS:
                        self._changes.drop("role-part-kind", item)
                misplaced = [item for item in misplaced if item.kind in APPROVALS]
            drafts += self._split(draft, misplaced) if misplaced else [draft]
        self._drafts = drafts

    def _split(self, draft: Draft, misplaced: list[Item]) -> list[Draft]:
        """Cut a message where the speaker changes; the first piece of its role stays itself."""
        wrong = set(misplaced)
        items = draft.take_all()
        speakers = [HOME_ROLES[item.kind or ""] if item in wrong else draft.role for item in items]
        draft.role = draft.role if draft.role in speakers else speakers[0]
        pieces: list[Draft] = []
        for item, speaker in zip(items, speakers, strict=True):
            if not pieces or pieces[-1].role != speaker:
                stays = speaker == draft.role and not draft.count
                pieces.append(draft if stays else draft.beside(speaker))
            pieces[-1].put(item)
        for item in misplaced:
            self._changes.note(
                "role-part-kind", "split", item, f"In a message of role {item.draft.role}"
            )
        return pieces

    # --- calls and results ------------------------------------------------------------------------

    def _match(self) -> None:
        """Give every call the first result that comes while it waits."""
        for draft in self._drafts:
            self._used[draft.run_id].update(item.call_id for item in draft.items)
        for draft in self._drafts:
            for item in draft.items:
                if item.kind in CALLS:
                    self._match_call(item, _Slot(draft.run_id, item.call_id, item.is_server))
                elif item.kind in RESULTS:
                    self._match_result(item, _Slot(draft.run_id, item.call_id, item.is_server))
                elif item.kind == "approval_request":
                    self._approvals.ask(item, self._latest.get((draft.run_id, item.call_id)))
                elif item.kind == "approval_response":
                    self._approvals.answer(item)

    def _match_call(self, call: Item, slot: _Slot) -> None:
        key = slot[:2]
        is_used = key in self._latest
        self._latest[key] = call
        if is_used:
            if self._policy["duplicate-tool-call"] == "drop":
                self._changes.drop("duplicate-tool-call", call)
                return
            self._changes.rename(call, self._new_id(key))
        self._calls.append(call)
        self._waiting.setdefault(slot, deque()).append(call)

    def _match_result(self, result: Item, slot: _Slot) -> None:
        waiting = self._waiting.get(slot)
        if waiting is None:
            self._early[slot].append(result)
        elif waiting:
            self._answer(waiting.popleft(), result)
        else:
            self._changes.drop("duplicate-tool-result", result)

    def _answer(self, call: Item, result: Item) -> None:
        call.partner = result
        result.partner = call
        if call.call_id != result.call_id:
            self._changes.rename(result, call.call_id)

    def _new_id(self, key: _Key) -> str:
        run_id, call_id = key
        used = self._used[run_id]
        # Of n calls with one id, each looks behind the names of those before it.
        number = self._last_number.get(key, 1) + 1
        while (new_id := f"{call_id}_{number}") in used:
            number += 1
        self._last_number[key] = number
        return new_id

    def _settle_early(self) -> None:
        """Settle results that stand before their call, and those that have none."""
        for slot, results in self._early.items():
            waiting = self._waiting.get(slot)
            for result in results:
                if waiting is None:
                    self._settle_orphan(result)
                elif waiting and self._policy["result-before-call"] == "move":
                    where = "message" if result.is_server else "turn"
                    self._changes.note(
                        "result-before-call", "move", result, f"Behind the {where} of its call"
                    )
                    self._answer(waiting.popleft(), result)
                    self._out_of_order.add(result)
                else:  # as the policy says, or because the call has another result behind it
                    self._changes.drop("result-before-call", result)

    def _settle_orphan(self, orphan: Item) -> None:
        if self._policy["orphan-tool-result"] == "text":
            self._quoted.append(orphan)
        else:
            self._changes.drop("orphan-tool-result", orphan)


def _raw(given: Any) -> Any:
    """Return what is not a message: as JSON value as far as it is one, else as text."""
    if isinstance(given, str):
        return printable(given)
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(given).decode("utf-8", "backslashreplace")
    try:
        value = plain_message(given)
    except PartwireError:
        return clip(given)
    return clip(given) if value_findings(value) else value
