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

from .citations import note_citations
from .notes import Notes
from .turns import Forms, media_piece, words_of

__all__ = ["ServerTools"]

_Key = tuple[str, str]  # run and call
_NO_MEDIA: Final = "text: what another provider ran is sent as text"


class ServerTools:
    """The server tools of one request, which are known before any of it is written.

    A call and its result go back to their own provider with the state that each has; one item of
    the provider may be both, and is the call's then. All else is text, at the place of the result.
    """

    def __init__(self, dialect: str, forms: Forms, notes: Notes) -> None:
        self._dialect = dialect
        self._forms = forms
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
                elif isinstance(part, ApprovalRequestPart) and self._asks(part.payload):
                    self._asked.add((message.run_id, part.payload.tool_call_id))

    def goes_back(self, run_id: str, part: ServerToolCallPart | ServerToolResultPart) -> bool:
        """Return whether a call or result goes back as the provider's own state says it."""
        key = run_id, part.payload.tool_call_id
        if isinstance(part, ServerToolCallPart):
            result = self._results.get(key)
            follows = result is None or self._follows(part.payload, result)
            return follows and self._is_own(part.payload)
        call = self._calls.get(key)
        if call is None:
            return self._is_own(part.payload)
        if self._results[key] is not part.payload:  # of several that have no block one follows
            return self._is_own(call) and self._is_own(part.payload)
        return self._is_own(call) and self._follows(call, part.payload)

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
            at = f"{place}/payload/content/{number}"
            if isinstance(part, TextPart):
                note_citations(part.payload, at, self._notes)
                texts.append(part.payload.text)
            elif (piece := media_piece(part, at)) is None:
                self._notes.unsupported_part(at, _NO_MEDIA, getattr(part, "tag", ""))
            elif (words := words_of(piece, _NO_MEDIA, self._notes)) is not None:
                texts.append(words.text)
        return "\n".join(texts)

    def _follows(self, call: Any, result: Any) -> bool:
        """Return whether a result goes where its own call goes: it says nothing else itself."""
        if result.opaque is not UNSET or self._forms.apart:
            return self._is_own(result)
        kinds = (each.get("kind") for each in self._items(call))
        return not any(isinstance(kind, str) and kind in self._forms.paired for kind in kinds)

    def _asks(self, payload: Any) -> bool:
        return bool(self._forms.approvals) and self._is_own(payload)

    def _is_own(self, payload: Any) -> bool:
        return bool(self._items(payload))

    def _items(self, payload: Any) -> list[dict[str, Any]]:
        """Return what a part is to its own provider; state that has a place stands beside it."""
        opaque, has_blocks = payload.opaque, self._forms.apart or self._forms.paired
        if not isinstance(opaque, Opaque) or opaque.provider != self._dialect or not has_blocks:
            return []
        items = opaque.data.get("items")
        given = items if isinstance(items, list) else []
        return [each for each in given if isinstance(each, dict) and each.get("start") is None]


def _arguments(call: Any) -> str:
    raw: str | None = None if call.raw_args_text is UNSET else call.raw_args_text
    return json_text(call.arguments) if raw is None else raw
