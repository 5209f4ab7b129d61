"""State that vendors of the chat dialect want back: reasoning, refusals, audio, extra content.

No vendor takes the members of another: what goes back is what the message itself came with, under
the names that it came with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from .inputs import fresh
from .notes import Notes
from .turns import AssistantTurn, Call, State, Thinking

__all__ = ["ChatState"]

Json: TypeAlias = dict[str, Any]

# Members of a message that hold reasoning as one text.
_TEXT_MEMBERS: Final = ("reasoning_content", "reasoning")


class ChatState:
    """The state of one assistant's message; noted is what goes back to nobody."""

    def __init__(self, turn: AssistantTurn, notes: Notes) -> None:
        self._notes = notes
        self._members: Json = {}
        self._reasoning: list[str] = []
        self._blocks: list[Json] = []
        self._pieces: list[str] = []  # of the last block's thinking, beyond its first
        items = [piece.item for piece in turn.pieces if isinstance(piece, State)]
        self._member = next((i.data for i in items if i.kind == "reasoning_member"), None)

    def members(self) -> Json:
        """Return the members of the message, once all of its pieces have been read."""
        if self._reasoning:
            self._members[str(self._member)] = "".join(self._reasoning)
        if self._blocks:
            self._end_block()
            self._members["thinking_blocks"] = self._blocks
        return self._members

    def thinking(self, piece: Thinking) -> Iterator[Json]:
        """Take reasoning; yield it where the vendor has it among the parts of the content."""
        signature = None
        for item in piece.state:
            if item.kind == "signature" and self._member == "content":
                signature = fresh(item.data)
            else:
                yield from self.between(State(item))
        if self._member in _TEXT_MEMBERS:
            self._reasoning.append(piece.text)
        elif self._member == "content":
            part: Json = {"type": "thinking", "thinking": [{"type": "text", "text": piece.text}]}
            if signature is not None:
                part["signature"] = signature
            yield part
        elif self._member != "reasoning_details":
            self._notes.add(
                "encode/thinking-left-out",
                "Reasoning goes back only to the vendor that it came from; it is left out",
                piece.pointer,
            )

    def between(self, piece: State) -> Iterator[Json]:
        """Take state that belongs to the message; yield what is a part of its content."""
        kind, data, pointer, *_ = piece.item
        if kind == "reasoning_member":
            if data not in (*_TEXT_MEMBERS, "content", "reasoning_details"):
                self._notes.malformed(pointer, "the name of a member", data)
        elif kind == "reasoning_details" and isinstance(data, list):
            self._members.setdefault(kind, []).extend(fresh(data))
        elif kind == "thinking_blocks" and isinstance(data, list):
            self._take_blocks(data, pointer)
        elif (
            kind == "content_part" and isinstance(data, dict) and isinstance(data.get("type"), str)
        ):
            yield fresh(data)
        elif kind == "audio" and isinstance(data, dict):
            if isinstance(data.get("id"), str):
                self._members["audio"] = {"id": data["id"]}
        elif kind in ("extra_content", "reasoning_signature"):
            self._members[kind] = fresh(data)
        elif kind in ("reasoning_details", "thinking_blocks", "content_part", "audio"):
            self._notes.malformed(pointer, f"{kind} as the vendor sends it", data)
        else:
            self._notes.response_only(pointer, kind)

    def _take_blocks(self, blocks: list[Any], pointer: str) -> None:
        """Join the pieces in which LiteLLM streams thinking blocks: a signature ends one."""
        for block in blocks:
            if not isinstance(block, dict):
                self._notes.malformed(pointer, "blocks as objects", block)
                continue
            last = self._blocks[-1] if self._blocks else {}
            is_piece = block.get("type") == "thinking" == last.get("type")
            if not is_piece or last.get("signature"):
                self._end_block()
                self._blocks.append(fresh(block))
                continue
            if isinstance(block.get("thinking"), str):
                self._pieces.append(block["thinking"])
            if isinstance(block.get("signature"), str):
                last["signature"] = block["signature"]

    def _end_block(self) -> None:
        if self._pieces:
            last = self._blocks[-1]
            last["thinking"] = f"{last.get('thinking') or ''}{''.join(self._pieces)}"
            self._pieces = []

    def of_call(self, call: Call) -> Iterator[tuple[str, Any]]:
        """Yield the members of a call beside those that the contract has."""
        for item in call.state:
            if item.kind == "extra_content":
                yield item.kind, item.data
            else:
                self._notes.response_only(item.pointer, item.kind)
