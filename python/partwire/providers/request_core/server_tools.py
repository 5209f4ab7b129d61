"""Calls and results of tools that a provider ran: sent back as its own, or as text to another."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from partwire.contract.current.message import (
    ApprovalRequestPart,
    Message,
    Opaque,
    ServerToolCallPart,
    ServerToolResultPart,
    TextPart,
)
from partwire.json.text import json_text

from .notes import Notes

__all__ = ["ServerTools"]

_Key = tuple[str, str]  # run and call
_NO_MEDIA: Final = "text: what another provider ran is sent as text"


class ServerTools:
    """The server tools of one request, which are known before any of it is written.

    A call and its result go back to their own provider with the state that each has; one item of
    the provider may be both, and is the call's then. All else is text, at the place of the result.
    """

    def __init__(self, dialect: str, notes: Notes, *, apart: bool) -> None:
        self._dialect = dialect
        self._apart = apart
        self._notes = notes
        self._calls: dict[_Key, Any] = {}
        self._results: dict[_Key, Any] = {}
        self._asked: set[_Key] = set()  # calls of which the provider itself asks for approval

    def read(self, messages: list[Message]) -> None:
        """Read all messages."""
        for message in messages:
            for part in message.parts:
                if isinstance(part, ServerToolCallPart):
                    self._calls.setdefault(
                        (message.run_id, part.payload.tool_call_id), part.payload
                    )
                elif isinstance(part, ServerToolResultPart):
                    key = message.run_id, part.payload.tool_call_id
                    self._results.setdefault(key, part.payload)
                elif isinstance(part, ApprovalRequestPart) and self._is_own(part.payload):
                    self._asked.add((message.run_id, part.payload.tool_call_id))

    def goes_back(self, run_id: str, part: ServerToolCallPart | ServerToolResultPart) -> bool:
        """Return whether a call or result goes back as the provider's own state says it."""
        key = run_id, part.payload.tool_call_id
        if isinstance(part, ServerToolCallPart):
            result = self._results.get(key)
            return self._is_own(part.payload) and (result is None or self._follows(result))
        call = self._calls.get(key)
        if call is None:
            return self._is_own(part.payload)
        return self._is_own(call) and self._follows(part.payload)

    def text(self, run_id: str, part: ServerToolCallPart | ServerToolResultPart, place: str) -> str:
        """Return the text of a result with its call, "" for a call, whose result says it."""
        key = run_id, part.payload.tool_call_id
        if isinstance(part, ServerToolCallPart):
            if key not in self._results and key not in self._asked:
                self._notes.add(
                    "encode/dangling-state",
                    "The call of another provider's tool is sent with its result, and not alone",
                    place,
                    actual=part.payload.tool_name[:80],
                )
            return ""
        self._notes.add(
            "encode/server-tool-as-text",
            "What another provider ran is sent as text",
            place,
        )
        call = self._calls.get(key)
        lines = [] if call is None else [f"{call.tool_name} {_arguments(call)}"]
        return "\n".join(filter(None, (*lines, self._content(part.payload.content, place))))

    def _content(self, content: Any, place: str) -> str:
        if isinstance(content, str):
            return content
        if not isinstance(content, list):
            return json_text(content)
        texts = []
        for number, part in enumerate(content):
            if isinstance(part, TextPart):
                texts.append(part.payload.text)
            else:
                at = f"{place}/payload/content/{number}"
                self._notes.unsupported_part(at, _NO_MEDIA, getattr(part, "kind", ""))
        return "\n".join(texts)

    def _follows(self, result: Any) -> bool:
        """Return whether a result goes where its call goes: it says nothing else of its own."""
        return (result.opaque is UNSET and not self._apart) or self._is_own(result)

    def _is_own(self, payload: Any) -> bool:
        opaque = payload.opaque
        if not isinstance(opaque, Opaque) or opaque.provider != self._dialect:
            return False
        items = opaque.data.get("items")
        return isinstance(items, list) and bool(items)


def _arguments(call: Any) -> str:
    raw: str | None = None if call.raw_args_text is UNSET else call.raw_args_text
    return json_text(call.arguments) if raw is None else raw
