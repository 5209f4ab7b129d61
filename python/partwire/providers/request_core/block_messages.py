"""Messages of content blocks: what the formats of Anthropic and Bedrock have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from .encoder import RequestEncoder
from .inputs import fresh
from .notes import Notes
from .state import Item
from .turns import (
    USER_MEDIA,
    AssistantPiece,
    AssistantTurn,
    Call,
    Result,
    State,
    SystemTurn,
    Text,
    Thinking,
    ToolTurn,
    UserPiece,
    UserTurn,
    words_of,
)

__all__ = ["Block", "BlockContent", "BlockEncoder", "Draft", "Json"]

Json: TypeAlias = dict[str, Any]


class Block(NamedTuple):
    """A block of the body, and where in the request it comes from."""

    body: Json
    pointer: str


class Draft:
    """A message that is being written: a user's results stand before all else."""

    def __init__(self, role: str, pointer: str = "") -> None:
        self.role = role
        self.pointer = pointer
        self.results: list[Block] = []
        self.blocks: list[Block] = []

    @property
    def content(self) -> list[Block]:
        """The blocks of the message, in order."""
        return self.results + self.blocks


class BlockContent(ABC):
    """Write blocks; what cannot be said goes into ``notes``."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    @abstractmethod
    def text(self, piece: Text) -> Iterator[Block]:
        """Yield a text block; the provider refuses white space alone, so it is left out."""

    @abstractmethod
    def user(self, pieces: list[UserPiece]) -> Iterator[Block]:
        """Yield the blocks of text, images, files and media."""

    @abstractmethod
    def result(self, result: Result) -> Block:
        """Return the block of a tool result."""

    def assistant(self, pieces: list[AssistantPiece]) -> Iterator[Block]:
        """Yield the blocks of an assistant's message, the provider's own in their places."""
        for piece in pieces:
            if isinstance(piece, Text):
                yield from self._cited(piece)
            elif isinstance(piece, Thinking):
                yield from self._signed(piece)
            elif isinstance(piece, Call):
                yield Block(self._call(piece), piece.pointer)
            elif isinstance(piece, State):
                yield from self._state(piece)
            elif (words := words_of(piece, USER_MEDIA, self._notes)) is not None:
                yield from self.text(words)

    def leave_out_thinking(self, pointer: str, why: str = "without its signature") -> None:
        """Note reasoning that the provider would refuse."""
        self._notes.add(
            "encode/thinking-left-out",
            f"The provider takes no reasoning {why}; it is left out",
            pointer,
        )

    def _citations(self, piece: Text) -> list[Json]:
        """Return the citations that were kept for a text."""
        citations = []
        for item in piece.state:
            if item.kind == "citation" and isinstance(item.data, dict):
                citations.append(fresh(item.data))
            elif item.kind == "citation":
                self._notes.malformed(item.pointer, "a citation as an object", item.data)
            else:
                self._notes.response_only(item.pointer, item.kind)
        return citations

    def _signed(self, piece: Thinking) -> Iterator[Block]:
        signatures = [item for item in piece.state if item.kind == "signature"]
        for item in piece.state:
            if item.kind != "signature":
                self._notes.response_only(item.pointer, item.kind)
        for item in signatures[1:]:
            self._notes.malformed(item.pointer, "one signature", f"{len(signatures)} signatures")
        body = self._reasoning(piece.text, signatures[0]) if len(signatures) == 1 else None
        if body is None:
            self.leave_out_thinking(piece.pointer)
        else:
            yield Block(body, piece.pointer)

    def _reasoning(self, text: str, item: Item) -> Json | None:
        if isinstance(item.data, str) and item.data:
            return self._thinking(text, item.data)
        self._notes.malformed(item.pointer, "a signature as text", item.data)
        return None

    @abstractmethod
    def _cited(self, piece: Text) -> Iterator[Block]: ...

    @abstractmethod
    def _thinking(self, text: str, signature: str) -> Json: ...

    @abstractmethod
    def _call(self, call: Call) -> Json: ...

    @abstractmethod
    def _state(self, piece: State) -> Iterator[Block]:
        """Yield what stands between parts: blocks of the provider's own, and bare signatures."""


class BlockEncoder(RequestEncoder):
    """Encoder of one request of content blocks; see :class:`~.encoder.RequestEncoder`."""

    _content: BlockContent

    def _messages(self) -> tuple[list[Json], list[Draft]]:
        """Return the blocks of the system prompt, and the messages."""
        system = [
            block.body
            for text, pointer in self.request.system
            for block in self._content.text(Text(text, pointer))
        ]
        drafts: list[Draft] = []
        for turn in self.turns:
            if isinstance(turn, SystemTurn):
                system += self._system(turn, is_first=not drafts)
            else:
                drafts.append(self._draft(turn))
        drafts = self._merged(drafts)
        self._leave_out_dangling(drafts)
        self._leave_out_last_thinking(drafts)
        return system, self._merged(drafts)

    def _system(self, turn: SystemTurn, *, is_first: bool) -> list[Json]:
        blocks = [block.body for piece in turn.pieces for block in self._content.text(piece)]
        if not blocks:
            self.notes.empty_message(turn.pointer)
        elif not is_first:
            self.notes.moved_system(turn.pointer)
        return blocks

    def _draft(self, turn: UserTurn | AssistantTurn | ToolTurn) -> Draft:
        if isinstance(turn, ToolTurn):
            draft = Draft("user")
            draft.results += (self._content.result(result) for result in turn.results)
        elif isinstance(turn, AssistantTurn):
            draft = Draft("assistant", turn.pointer)
            draft.blocks += self._content.assistant(turn.pieces)
        else:
            draft = Draft("user", turn.pointer)
            draft.blocks += self._content.user(turn.pieces)
        return draft

    def _merged(self, drafts: list[Draft]) -> list[Draft]:
        """Return the messages without empty ones, those of one side in a row as one."""
        merged: list[Draft] = []
        for draft in drafts:
            if not draft.content:
                self.notes.empty_message(draft.pointer)
            elif merged and merged[-1].role == draft.role:
                merged[-1].results += draft.results
                merged[-1].blocks += draft.blocks
            else:
                merged.append(draft)
        return merged

    def _note_dangling(self, pointer: str, kind: str) -> None:
        self.notes.add(
            "encode/dangling-state",
            "A server tool's call goes back with its result, and not alone",
            pointer,
            actual=kind,
        )

    def _waiting(self, drafts: list[Draft]) -> int:
        """Return the number of the message whose server calls may wait, -1 if there is none.

        That is the last answer, which was paused, or waits for tools of ours.
        """
        last = max((n for n, d in enumerate(drafts) if d.role == "assistant"), default=-1)
        is_open = last + 1 == len(drafts) or bool(drafts[last + 1].results)
        return last if is_open else -1

    def _leave_out_last_thinking(self, drafts: list[Draft]) -> None:
        """Leave out reasoning at the very end of an answer: the answer was cut behind it."""
        for draft in drafts:
            if draft.role != "assistant":
                continue
            while draft.blocks and self._is_thinking(draft.blocks[-1].body):
                pointer = draft.blocks.pop().pointer
                self._content.leave_out_thinking(pointer, "at the end of an answer")

    @abstractmethod
    def _leave_out_dangling(self, drafts: list[Draft]) -> None:
        """Leave out server tools' calls without a result, and results without a call."""

    @abstractmethod
    def _is_thinking(self, body: Json) -> bool: ...
