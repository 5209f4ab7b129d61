"""Items that an assistant's turn becomes in Responses requests: the provider's own, where kept.

A message or call goes back under the id that it came with, reasoning and the items of built-in
tools unchanged, all in their order. What the provider takes only together goes back together or
not at all: reasoning and the item that it led to, the call of a built-in tool and its output.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from .inputs import fresh, json_text
from .notes import Notes
from .responses_input import Json
from .state import Item
from .turns import AssistantTurn, Call, State, Text, Thinking

__all__ = ["ResponsesOutput"]

_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
# Calls of built-in tools whose output is an item of its own, with the call's id.
_PAIRED: Final = {
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
}
# What a response says to readers, or what an adapter could make nothing of.
_RESPONSE_ONLY: Final = frozenset({"audio", "content_part", "unnamed_tool_call"})


class _Draft(NamedTuple):
    """An item of the input. ``own``: it is the provider's, under its own id."""

    body: Json
    pointer: str
    own: bool = False


class ResponsesOutput:
    """Write the items of assistants' turns.

    ``is_stored``: the provider keeps responses, and so knows reasoning by its id alone.
    ``custom`` are the ids of calls of custom tools, ``callers`` says who made a call.
    """

    def __init__(self, notes: Notes, *, is_stored: bool) -> None:
        self._notes = notes
        self._is_stored = is_stored
        self.custom: set[str] = set()
        self.callers: dict[str, Any] = {}
        self._sent: set[str] = set()

    def items(self, turn: AssistantTurn) -> list[Json]:
        """Return the items of a turn."""
        drafts: list[_Draft] = []
        for piece in turn.pieces:
            if isinstance(piece, Text):
                drafts.append(self._text(piece))
            elif isinstance(piece, Call):
                drafts.append(self._call(piece))
            elif isinstance(piece, Thinking):
                drafts += self._thinking(piece)
            elif isinstance(piece, State):
                drafts += self._between(piece.item)
            else:
                self._notes.assistant_media(piece.pointer, piece.media.said())
        drafts = self._without_unpaired(drafts)
        drafts = self._without_dangling(drafts)
        return [draft.body for draft in self._without_repeats(drafts)]

    # --- text ------------------------------------------------------------------------------------

    def _text(self, piece: Text) -> _Draft:
        head = next((item for item in piece.state if item.kind == "message"), None)
        if head is None:
            for item in piece.state:
                self._notes.response_only(item.pointer, item.kind)
            return _Draft({"role": "assistant", "content": piece.text}, piece.pointer)
        parts = [item for item in piece.state if item is not head]
        return self._message(head, piece.text, parts)

    def _message(self, head: Item, text: str, parts: list[Item]) -> _Draft:
        """Return a message under its own id; one that has lost it is a plain one."""
        data = head.data
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            self._notes.malformed(head.pointer, "a message with its id", data)
            return _Draft({"role": "assistant", "content": text}, head.pointer)
        body: Json = {"type": "message", "role": "assistant", "status": "completed"}
        body |= _without_nulls(data)
        return _Draft({**body, "content": self._contents(head, text, parts)}, head.pointer, True)

    def _contents(self, head: Item, text: str, parts: list[Item]) -> list[Json]:
        """Return the content parts of a message, its text cut where they say."""
        start, at = head.start or 0, 0
        contents: list[Json] = []
        for item in parts:
            if item.kind != "content_part" or not isinstance(item.data, dict):
                self._notes.response_only(item.pointer, item.kind)
                continue
            begins = max((item.start or 0) - start, at)
            ends = max((item.end or 0) - start, begins)
            said = text[begins:ends]
            kind = item.data.get("type")
            if kind not in ("refusal", "output_text"):
                self._notes.response_only(item.pointer, "content_part")
                continue
            if begins > at:
                contents.append(_output_text(text[at:begins]))
            at = ends
            if kind == "refusal":
                contents.append({"type": "refusal", "refusal": said})
            else:
                state = _without_nulls(item.data)
                contents.append({"annotations": [], **state, "text": said})
        if at < len(text) or not contents:
            contents.append(_output_text(text[at:]))
        return contents

    # --- reasoning, and what stands between -----------------------------------------------------

    def _thinking(self, piece: Thinking) -> list[_Draft]:
        drafts = [draft for item in piece.state for draft in self._between(item)]
        if not any(draft.body.get("type") == "reasoning" for draft in drafts):
            self._notes.add(
                "encode/thinking-left-out",
                "Reasoning goes back only as the item that it came in; it is left out",
                piece.pointer,
            )
        return drafts

    def _between(self, item: Item) -> list[_Draft]:
        """Return what state gives that is no text and no call of ours."""
        if item.kind in _RESPONSE_ONLY:
            self._notes.response_only(item.pointer, item.kind)
            return []
        if item.kind == "message":
            return [self._message(item, "", [])]
        if not isinstance(item.data, dict) or item.data.get("type") != item.kind:
            self._notes.malformed(item.pointer, "an item with its type", item.data)
            return []
        return [_Draft(_without_nulls(item.data), item.pointer, True)]

    # --- calls -----------------------------------------------------------------------------------

    def _call(self, call: Call) -> _Draft:
        body: Json = {}
        for item in call.state:
            if item.kind in _CALLS and not isinstance(item.data, dict):
                self._notes.malformed(item.pointer, "the item of a call", item.data)
            elif item.kind in _CALLS:
                body = {**_without_nulls(item.data), "type": item.kind}
            else:
                self._notes.response_only(item.pointer, item.kind)
        kind = body.setdefault("type", "function_call")
        body |= {"call_id": call.call_id, "name": call.name}
        body[_CALLS[kind]] = _args_text(call, body.get(_CALLS[kind]))
        if kind == "custom_tool_call":
            self.custom.add(call.call_id)
            body.pop("status", None)
        if isinstance(body.get("caller"), dict):
            self.callers[call.call_id] = body["caller"]
        return _Draft(body, call.pointer, isinstance(body.get("id"), str))

    # --- what goes together ----------------------------------------------------------------------

    def _without_unpaired(self, drafts: list[_Draft]) -> list[_Draft]:
        """Leave out calls of built-in tools that wait for an output."""
        found = {(str(d.body.get("type")), str(d.body.get("call_id"))) for d in drafts}
        kept = []
        for draft in drafts:
            kind, call_id = str(draft.body.get("type")), str(draft.body.get("call_id"))
            waits = kind in _PAIRED
            if kind == "tool_search_call":
                waits = draft.body.get("execution") == "client"
            if waits and (_PAIRED[kind], call_id) not in found:
                self._note_dangling(draft, "The call of a built-in tool goes back with its output")
            else:
                kept.append(draft)
        return kept

    def _without_dangling(self, drafts: list[_Draft]) -> list[_Draft]:
        """Leave out reasoning without its next item, and what a provider does not keep.

        An item whose reasoning is missing goes without its id: by it the provider would ask.
        """
        leads = False
        dangling: set[int] = set()
        for number in range(len(drafts) - 1, -1, -1):
            if drafts[number].body.get("type") != "reasoning":
                leads = drafts[number].own
            elif not leads:
                dangling.add(number)
        kept: list[_Draft] = []
        is_lost = False
        for number, draft in enumerate(drafts):
            if draft.body.get("type") == "reasoning":
                is_lost = not (self._is_stored or _is_readable(draft.body))
                if is_lost:
                    message = "Reasoning that is neither stored nor encrypted cannot go back"
                    self._note_dangling(draft, message)
                elif number in dangling:
                    self._note_dangling(draft, "Reasoning goes back with the item that it led to")
                else:
                    kept.append(draft)
            else:
                kept.append(_without_id(draft) if is_lost else draft)
        return kept

    def _without_repeats(self, drafts: list[_Draft]) -> list[_Draft]:
        """Leave out ids that the input has already, as where an answer stands in it twice.

        What cannot go without its id is left out; what reasoning led to follows it.
        """
        kept: list[_Draft] = []
        is_lost = False
        for draft in drafts:
            kind, item_id = draft.body.get("type"), draft.body.get("id")
            repeats = isinstance(item_id, str) and item_id in self._sent
            if isinstance(item_id, str):
                self._sent.add(item_id)
            if kind == "reasoning":
                is_lost = repeats
            if repeats:
                message = "The provider takes an item once; it is sent without its id or left out"
                self._notes.add("encode/repeated-state", message, draft.pointer, actual=item_id)
            if kind in ("message", *_CALLS):
                kept.append(_without_id(draft) if repeats or is_lost else draft)
            elif not repeats:
                kept.append(draft)
        return kept

    def _note_dangling(self, draft: _Draft, message: str) -> None:
        kind = draft.body["type"]
        self._notes.add("encode/dangling-state", message, draft.pointer, actual=kind)


def _is_readable(reasoning: Json) -> bool:
    """Return whether reasoning says all by itself: encrypted, or as it was thought."""
    return bool(reasoning.get("encrypted_content") or reasoning.get("content"))


def _without_id(draft: _Draft) -> _Draft:
    body = {name: value for name, value in draft.body.items() if name != "id"}
    if body.get("type") != "message":
        return draft._replace(body=body)
    text = "".join(part.get("text", part.get("refusal", "")) for part in body["content"])
    phase = {name: body[name] for name in ("phase",) if name in body}
    return draft._replace(body={"role": "assistant", "content": text, **phase})


def _output_text(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": []}


def _without_nulls(data: Json) -> Json:
    """Return a copy without null members, which a request does not have."""
    return {name: fresh(value) for name, value in data.items() if value is not None}


def _args_text(call: Call, given: object) -> str:
    """Return the argument text that the model wrote, if that is what the call still says."""
    if call.raw_args is not None:
        return call.raw_args
    if isinstance(given, str):
        try:
            if json.loads(given or "{}") == call.arguments:
                return given
        except (ValueError, RecursionError):
            pass
    return json_text(call.arguments)
