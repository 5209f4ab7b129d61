"""What comes whole: results of server tools, requests for approval, citations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from partwire.contract.current.message import (
    ApprovalRequest,
    ApprovalRequestDelta,
    Opaque,
    ServerToolResult,
    ServerToolResultDelta,
    TextCitationDelta,
    TextCitationDeltaPayload,
)

from ..citations import citation_of
from ..opaque import OpaqueItem, storable, well_formed
from .calls import CallWriter
from .stream import Items, StreamInit, as_name

__all__ = ["WholePartWriter"]


class WholePartWriter(CallWriter):
    """Write what comes whole: results of server tools, requests for approval, citations."""

    def __init__(self, stream: StreamInit) -> None:
        super().__init__(stream)
        self._answered: set[str] = set()  # ids of server calls
        self._approvals: set[str] = set()

    def server_result(
        self,
        call_id: str | None,
        *,
        is_error: bool,
        content: str,
        outcome: str | None = None,
        structured: object = None,
        opaque: Items = (),
    ) -> bool:
        """Write the result of a server tool, whole; its call ends if it is open.

        ``call_id`` is the call's, or the provider's own for it; it may be of an earlier message.
        Without one it is the first call of the stream that has no result. Returns False, with
        nothing written, where there is none, where the call has a result already, and where it is
        a call of the other kind. ``structured`` is any JSON value; None is none.
        """
        if (found := self.answers(call_id)) is None:
            return False
        value = None if structured is None else storable(structured)
        if call := self._open.get(found):
            self.end_call(call)
        self._waiting.remove(found)
        self._answered.add(found)
        self._call_ids.retire(found)
        self.start()
        self._break_part()
        self._new_part("server_tool_result")
        payload = ServerToolResult(
            tool_call_id=found,
            is_error=is_error,
            content=well_formed(content),
            outcome=well_formed(outcome) if outcome else UNSET,
            structured=UNSET if value is None else value,
            opaque=self._carried(opaque),
        )
        self._add(ServerToolResultDelta, payload)
        return True

    def answers(self, call_id: str | None) -> str | None:
        """Return the id of the call that a result answers, None where it answers none."""
        call_id = as_name(call_id)
        waiting = self._waiting.find(call_id)
        if waiting or not call_id:
            return waiting
        is_taken = call_id in self._answered or call_id in self._open or call_id in self._ended
        return None if is_taken else call_id

    def approval_request(
        self, *, approval_id: str, call_id: str, reason: str | None = None, opaque: Items = ()
    ) -> bool:
        """Ask for approval of a call of this stream, which ends if it is open.

        Returns False, with nothing written, where there is no such call, and for an id that has
        been used.
        """
        approval_id = as_name(approval_id)
        if call := self._open.get(call_id):
            self.end_call(call)
        if not approval_id or approval_id in self._approvals or call_id not in self._ended:
            return False
        self._approvals.add(approval_id)
        self._break_part()
        self._new_part("approval_request")
        payload = ApprovalRequest(
            approval_id=approval_id,
            tool_call_id=call_id,
            reason=well_formed(reason) if reason else UNSET,
            opaque=self._carried(opaque),
        )
        self._add(ApprovalRequestDelta, payload)
        return True

    def _carried(self, items: Items) -> Opaque | UnsetType:
        """Return ``items`` and what else is due, as the part that has just begun carries them."""
        for kind, data in items:
            self.state.keep(OpaqueItem(kind, data, self.part))
        return self.state.of_part(self.part) if self.state else UNSET

    def cite_block(
        self,
        given: list[Any],
        begin: int | None,
        made: Callable[[dict[str, Any], int, int], dict[str, Any]],
    ) -> int | None:
        """Write a block's citations over its text, which is open from ``begin`` on.

        ``made`` is the contract's citation of the provider's, and of start and end. What is not a
        citation of text is kept. Returns where the text begins, None where there is none.
        """
        if given and self.says_new:
            self.flush_half()
        start = None if begin is None or self.chars <= begin else begin
        for each in given:
            citation = None
            if self.says_new and start is not None and isinstance(each, dict):
                citation = made(each, start, self.chars)
            if citation is None or not self.cite(citation, [("citation", each)]):
                self.keep("citation", each, start)
        return start

    def cite(self, citation: dict[str, Any], opaque: Items = (), part: int | None = None) -> bool:
        """Write a citation, a JSON object of the contract, for the last text part or ``part``.

        Members that are not as the contract has them are left out. ``opaque`` is the
        provider's own, where its requests take it back: ``[("citation", event)]``. Returns False,
        with nothing written, without such a text part, and for what is not a citation.
        """
        at = self._last_text if part is None else part
        if at not in self._text_parts:
            return False
        made = citation_of(citation)
        if made is None:
            return False
        self.flush_half()
        if items := [OpaqueItem(kind, data, at) for kind, data in opaque]:
            made = replace(made, opaque=self.state.carry(items))
        payload = TextCitationDeltaPayload(
            citation=made, part_index=UNSET if at == self._last_text else at
        )
        self._add(TextCitationDelta, payload)
        return True
