"""The order of a history while it is repaired: what stands behind which turn, or before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from msgspec import UnsetType

from ...tables.history_repairs import INTERRUPTED
from .approvals import Approvals
from .changes import Changes
from .draft import Draft, Item
from .runs import Turns

__all__ = ["Order"]


class Order:
    """The turns of the messages, and what comes to stand beside a message."""

    def __init__(
        self,
        drafts: list[Draft],
        approvals: Approvals,
        changes: Changes,
        policy: Mapping[str, str],
        outcome: str | UnsetType,
        *,
        ongoing: bool,
    ) -> None:
        self._drafts = drafts
        self._approvals = approvals
        self._changes = changes
        self._policy = policy
        self._outcome = outcome
        self._ongoing = ongoing
        # Turns, by run and number: the first and the last message of each.
        self._starts: dict[tuple[str, int], Draft] = {}
        self._ends: dict[tuple[str, int], Draft] = {}
        self._before: dict[Draft, list[Draft]] = defaultdict(list)
        self._next: dict[Draft, list[Draft]] = defaultdict(list)
        self._behind: dict[Draft, list[Draft]] = defaultdict(list)

    def settle(self, calls: list[Item], moved: set[Item], quoted: list[Item]) -> list[Draft]:
        """Return the messages in their new order.

        Answers the open calls, brings results behind the turn of their call, those of ``moved`` in
        any case, and quotes orphans.
        """
        last = self._count_turns()
        answers: dict[Draft, Draft] = {}
        for call in calls:
            draft, result = call.draft, call.partner
            # A version that does not know a kind leaves its part where no turn ends or starts.
            end = self._ends.get((draft.run_id, draft.turn), draft)
            if call.is_server:  # only the provider knows whether it goes on
                if result in moved:
                    self._next[draft].append(self._alone(result))
            elif result is None:
                if not self._ongoing or draft.turn != last[draft.run_id].now:
                    self._settle_unanswered(call, end, answers)
            elif result in moved:
                self._behind[end].append(self._alone(result))
            elif result.draft.turn != draft.turn and self._policy["late-tool-result"] == "move":
                self._settle_late(result, end, draft.turn)
        for orphan in quoted:
            self._quote(orphan)
        return [
            each
            for draft in self._drafts
            for each in (
                *self._before.get(draft, ()),
                *(() if draft.leaves else (draft,)),
                *self._next.get(draft, ()),
                *self._behind.get(draft, ()),
            )
        ]

    def _count_turns(self) -> dict[str, Turns]:
        turns: dict[str, Turns] = defaultdict(Turns)
        for draft in self._drafts:
            run_id, turn = draft.run_id, turns[draft.run_id]
            if not draft.is_silent:
                turn.hear(draft.role)
            draft.turn = turn.now
            answers = draft.role == "tool" and any(map(self._is_in_time, draft.items))
            if answers:
                turn.hear_result()
            if answers or draft.is_silent or draft.role in ("user", "assistant"):
                self._ends[run_id, turn.now] = draft
            if draft.role != "system":
                self._starts.setdefault((run_id, turn.now), draft)
        return turns

    def _is_in_time(self, result: Item) -> bool:
        # The turn of a call that has not come is still 0; an approval answers no call.
        if result.kind != "tool_result":
            return False
        return result.partner is not None and result.partner.draft.turn == result.draft.turn

    def _settle_late(self, result: Item, end: Draft, turn: int) -> None:
        """Move a late result, and what was asked and answered before it: it stays approved so."""
        asked = [item for item in self._approvals.before(result) if item.draft.turn != turn]
        for item in (*asked, result):
            self._changes.note("late-tool-result", "move", item, "Behind the turn of its call")
            self._behind[end].append(self._alone(item))

    def _alone(self, item: Item) -> Draft:
        """Return the message that holds ``item`` alone: its own, or a new one."""
        draft = item.draft
        if draft.count == 1:
            draft.leaves = True
            return draft
        alone = draft.beside(draft.role)
        draft.remove(item, "history/late-tool-result")
        alone.put(item)
        return alone

    def _settle_unanswered(self, call: Item, end: Draft, answers: dict[Draft, Draft]) -> None:
        if self._policy["unanswered-tool-call"] == "drop":
            self._changes.drop("unanswered-tool-call", call)
            return
        if end not in answers:
            answers[end] = end.beside("tool", invented=True)
            self._behind[end].append(answers[end])
        result = answers[end].put_result(call.call_id, INTERRUPTED, self._outcome)
        message = f"Answered by an error result: {INTERRUPTED}"
        self._changes.note("unanswered-tool-call", "answer", call, message, result)

    def _quote(self, orphan: Item) -> None:
        """Let the user say what an orphan holds, before the turn that it stands in.

        Behind it, the quote would part a call that waits from its result.
        """
        draft = orphan.draft
        quote = draft.beside("user")
        message = "Quoted in a message of the user"
        self._changes.note("orphan-tool-result", "text", orphan, message, quote.put_quote(orphan))
        draft.remove(orphan, "history/orphan-tool-result")
        start = self._starts.get((draft.run_id, draft.turn), draft)
        self._before[start].append(quote)
