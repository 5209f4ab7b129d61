"""Approvals of a history while it is repaired: requests of calls, and answers to requests."""

from __future__ import annotations

from collections import defaultdict

from .changes import Changes
from .draft import Item

__all__ = ["Approvals"]


class Approvals:
    """The approvals of a history that are kept; of several with one id, the first."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        # By run and approval: the requests, each with the id of its call as given; those answered.
        self._requests: dict[tuple[str, str], tuple[Item, str]] = {}
        self._decided: set[tuple[str, str]] = set()
        self._of_call: dict[Item, list[Item]] = defaultdict(list)

    def ask(self, request: Item, call: Item | None) -> None:
        """Take a request that is about ``call``, if there is one."""
        asked = (request.draft.run_id, request.approval_id)
        if asked in self._requests:
            self._changes.drop("duplicate-approval", request, "approvalId")
        elif call is None or call.gone:
            self._changes.drop("orphan-approval", request)
        else:
            self._requests[asked] = (request, request.call_id)
            self._keep(request, call, call)

    def answer(self, response: Item) -> None:
        """Take an answer: the first that names the request and its call."""
        asked = (response.draft.run_id, response.approval_id)
        request, call_id = self._requests.get(asked, (None, ""))
        if asked in self._decided:
            self._changes.drop("duplicate-approval", response, "approvalId")
        elif request is None or request.partner is None:
            self._changes.drop("orphan-approval", response, "approvalId")
        elif response.call_id != call_id:
            self._changes.drop("orphan-approval", response)
        else:
            self._decided.add(asked)
            self._keep(response, request, request.partner)

    def _keep(self, item: Item, partner: Item, call: Item) -> None:
        item.partner = partner
        self._of_call[call].append(item)
        if item.call_id != call.call_id:
            self._changes.rename(item, call.call_id)

    def before(self, result: Item) -> list[Item]:
        """Return requests and answers that stand before the result of their call, in order."""
        own = self._of_call.get(result.partner, ()) if result.partner else ()
        return [item for item in own if (item.place or ()) < (result.place or ())]

    def settle(self) -> None:
        """Drop the requests of calls that are dropped, and their answers."""
        for call, items in self._of_call.items():
            for item in items if call.gone else ():
                is_answer = item.kind == "approval_response"
                member = "approvalId" if is_answer else "toolCallId"
                self._changes.drop("orphan-approval", item, member)
