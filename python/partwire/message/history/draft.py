"""Messages of a history while it is repaired: parts that can go, move and be renamed.

A draft keeps the form in which its message was given; one that nothing changed gives back the very
message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType, structs

from ...contract.current.message import (
    Message,
    TextPart,
    TextPayload,
    ToolResult,
    ToolResultPart,
)
from ...json.canonical import canonical
from ...reading.plain import plain_value
from .messages import APPROVALS, CALLS, RESULTS, plain_message

__all__ = ["Draft", "Item"]

_WITH_CALL: Final = CALLS | RESULTS | APPROVALS
_SILENT: Final = APPROVALS | {"server_tool_result"}


class Item:
    """One part; ``place`` is index of message and part in the given history, None if made.

    ``partner`` of a call is its result, and of a result its call; of a request for approval the
    call, and of the answer the request.
    """

    __slots__ = ("approval_id", "call_id", "draft", "gone", "kind", "partner", "place", "value")

    def __init__(self, value: Any, part: Any, place: tuple[int, int] | None) -> None:
        self.value = value
        self.place = place
        self.kind: str | None = getattr(part, "kind", None)
        payload: Any = None if self.kind is None else part.payload
        self.call_id: str = payload.tool_call_id if self.kind in _WITH_CALL else ""
        self.approval_id: str = payload.approval_id if self.kind in APPROVALS else ""
        self.draft: Draft
        self.gone = False
        self.partner: Item | None = None

    @property
    def is_server(self) -> bool:
        """Whether it is a call that the provider runs, or the result of one."""
        return self.kind in ("server_tool_call", "server_tool_result")

    def rename(self, call_id: str) -> None:
        """Give the call, or what belongs to one, another id."""
        self.call_id = call_id
        self.draft.changed = True
        if isinstance(self.value, dict):
            payload = {**self.value["payload"], "toolCallId": call_id}
            self.value = {**self.value, "payload": payload}
        else:
            payload = structs.replace(self.value.payload, tool_call_id=call_id)
            self.value = structs.replace(self.value, payload=payload)

    def wire(self) -> Any:
        """Return the part as JSON value."""
        return plain_value(self.value)[0]

    @property
    def pointer(self) -> str:
        """Where the part is in the given history."""
        message, part = self.place or (-1, -1)
        return f"/{message}/parts/{part}"


class Draft:
    """One message: its items, who speaks, and what it is made from."""

    __slots__ = (
        "_base",
        "_given",
        "_items",
        "changed",
        "count",
        "emptied_by",
        "index",
        "leaves",
        "role",
        "run_id",
        "turn",
    )

    def __init__(self, given: Any, base: Any, message: Message, index: int | None) -> None:
        self._given = given
        self._base = base
        self.index = index
        self.run_id = message.run_id
        self.role: str = message.role
        self._items: list[Item] = []
        self.count = 0
        self.changed = False
        self.turn = 0
        self.leaves = False  # its place, as a whole, for another one
        self.emptied_by = ""  # the rule by which its last part went

    @classmethod
    def open(cls, given: Any, message: Message, index: int) -> Draft:
        """Return the draft of a message; ``message`` is ``given`` as it was read."""
        base: Any = message
        if isinstance(given, (Mapping, str, bytes, bytearray, memoryview)):
            base = plain_message(given)
        draft = cls(given, base, message, index)
        values = base["parts"] if isinstance(base, dict) else message.parts
        for number, (value, part) in enumerate(zip(values, message.parts, strict=True)):
            draft.put(Item(value, part, (index, number)))
        return draft

    def beside(self, role: str, *, invented: bool = False) -> Draft:
        """Return a new message of the same run, time and form, without parts.

        It has the author of this one, if it says in the same role what this one said.
        """
        base = self._base
        has_author = role == self.role and not invented
        if isinstance(base, dict):
            author = {"author": base["author"]} if has_author and "author" in base else {}
            made: Any = {
                "runId": self.run_id,
                "role": role,
                **author,
                "parts": [],
                "timestamp": base["timestamp"],
            }
        else:
            made = Message(
                run_id=self.run_id,
                role=role,  # type: ignore[arg-type]
                parts=[],
                timestamp=base.timestamp,
                author=base.author if has_author else UNSET,
            )
        given: str | bytes | None = None
        if isinstance(self._given, (str, bytes, bytearray, memoryview)):
            given = "" if isinstance(self._given, str) else b""
        message = Message(run_id=self.run_id, role=role, parts=[], timestamp="")  # type: ignore[arg-type]
        draft = Draft(given, made, message, None)
        draft.changed = True
        return draft

    @property
    def items(self) -> list[Item]:
        """The parts that are in the message now, in order."""
        return [item for item in self._items if item.draft is self and not item.gone]

    @property
    def is_silent(self) -> bool:
        """Whether nobody speaks here: there are approvals and results of the provider alone."""
        is_empty = not self.count and not self.changed  # as it was given: somebody said nothing
        return not is_empty and all(item.kind in _SILENT for item in self.items)

    def put(self, item: Item) -> None:
        """Append a part."""
        item.draft = self
        item.gone = False
        self._items.append(item)
        self.count += 1

    def remove(self, item: Item, rule: str) -> None:
        """Take a part out, by a rule."""
        # Not out of the list: one by one, that would cost the square of them.
        item.gone = True
        self.count -= 1
        self.changed = True
        self.emptied_by = rule

    def take_all(self) -> list[Item]:
        """Take all parts out and return them."""
        items = self.items
        self._items = []
        self.count = 0
        self.changed = True
        return items

    def put_result(self, call_id: str, content: str, outcome: str | UnsetType) -> Item:
        """Append an error result for a call, and return it."""
        payload = ToolResult(tool_call_id=call_id, is_error=True, content=content, outcome=outcome)
        return self._put_made(ToolResultPart(payload=payload))

    def put_quote(self, result: Item) -> Item:
        """Append a tool result as what it holds: text, and parts as they are."""
        payload = result.wire()["payload"]
        what = "Error" if payload["isError"] else "Result"
        content = payload["content"]
        text = f"{what} of the tool call {result.call_id}, whose call is not in this history:"
        if isinstance(content, list):
            first = self._put_made(TextPart(payload=TextPayload(text=text)))
            nested = (
                result.value["payload"]["content"]
                if isinstance(result.value, dict)
                else result.value.payload.content
            )
            for value in nested:
                self.put(Item(value, None, None))
            return first
        if not isinstance(content, str):
            content = canonical(content).decode()
        return self._put_made(TextPart(payload=TextPayload(text=f"{text}\n{content}")))

    def _put_made(self, part: Any) -> Item:
        value = plain_value(part)[0] if isinstance(self._base, dict) else part
        item = Item(value, part, None)
        self.put(item)
        self.changed = True
        return item

    def given_wire(self) -> Any:
        """Return the message as it was given, as JSON value."""
        return plain_message(self._given)

    def result(self) -> Any:
        """Return the message: the given one if nothing changed, else one of its form."""
        if not self.changed:
            return self._given
        values = [item.value for item in self.items]
        if not isinstance(self._base, dict):
            return structs.replace(self._base, role=self.role, parts=values)
        made = {**self._base, "role": self.role, "parts": values}
        if isinstance(self._given, str):
            return msgspec.json.encode(made).decode()
        if isinstance(self._given, (bytes, bytearray, memoryview)):
            return msgspec.json.encode(made)
        return made
