"""What can be read from an assembler while its stream runs; nothing in here ever changes.

Taking a snapshot copies nothing: slots and texts only ever grow, so a count, a mark and a seq
say for good how far they were. Joining and copying happen when the result is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from ...contract.current.message import Message, MessagePart, UsageSummary
from .slots import CallSlot, Preview, Slot, text_part
from .text import TextMark, marked_text

__all__ = ["OpenCall", "Progress", "Snapshot", "StreamStart", "ToolCallBuffer", "read_slots"]


class StreamStart(NamedTuple):
    """What the start delta said."""

    run_id: str
    timestamp: str
    model_id: str
    request_id: str
    message_id: str | UnsetType = UNSET
    turn_id: str | UnsetType = UNSET

    def meta(self) -> dict[str, Any]:
        """Return a new ``meta`` with what is known from the start on."""
        return {"modelId": self.model_id, "requestId": self.request_id}

    def message(self, parts: list[MessagePart], meta: dict[str, Any]) -> Message:
        """Return a message of the stream that began so."""
        return Message(
            run_id=self.run_id,
            message_id=self.message_id,
            turn_id=self.turn_id,
            role="assistant",
            parts=parts,
            timestamp=self.timestamp,
            meta=meta,
        )


class Snapshot:
    """A message in the making, as it was when the snapshot was taken.

    Text, thinking and closed tool calls; no usage, no open calls. It has the attributes of a
    ``Message``; they are computed when first read, and belong to the caller from then on.
    Compares equal to a snapshot or ``Message`` of the same content.
    """

    __slots__ = ("_count", "_mark", "_message", "_seq", "_slots", "_start")

    def __init__(
        self, start: StreamStart, slots: list[Slot], seq: int, mark: TextMark | None
    ) -> None:
        self._start = start
        self._slots = slots
        self._count = len(slots)
        self._seq = seq
        self._mark = mark
        self._message: Message | None = None

    @property
    def run_id(self) -> str:
        """The run that the message belongs to."""
        return self._start.run_id

    @property
    def message_id(self) -> str | UnsetType:
        """The start delta's ``messageId``; UNSET if it has none."""
        return self._start.message_id

    @property
    def turn_id(self) -> str | UnsetType:
        """The start delta's ``turnId``; UNSET if it has none."""
        return self._start.turn_id

    @property
    def role(self) -> str:
        """Always ``assistant``."""
        return "assistant"

    @property
    def parts(self) -> list[MessagePart]:
        """The parts in arrival order."""
        return self.to_message().parts

    @property
    def timestamp(self) -> str:
        """The start delta's timestamp."""
        return self._start.timestamp

    @property
    def meta(self) -> dict[str, Any]:
        """``modelId``, ``requestId`` and, where there are any, ``toolCallParseErrors``."""
        meta = self.to_message().meta
        return {} if isinstance(meta, UnsetType) else meta

    def to_message(self) -> Message:
        """Return the snapshot as a ``Message``; the same object at every call.

        Raises StreamProtocolError ``document/lone-surrogate`` as ``build_final_message`` does.
        """
        if self._message is None:
            parts, errors = read_slots(
                islice(self._slots, self._count), self._seq, self._open_text()
            )
            meta = self._start.meta()
            if errors:
                meta["toolCallParseErrors"] = errors
            self._message = self._start.message(parts, meta)
        return self._message

    def _open_text(self) -> tuple[Slot, TextMark] | None:
        return None if self._mark is None else (self._slots[self._count - 1], self._mark)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Snapshot):
            return self.to_message() == other.to_message()
        if isinstance(other, Message):
            return self.to_message() == other
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to a Message, which holds dicts

    def __repr__(self) -> str:
        return f"Snapshot(run_id={self.run_id!r}, seq={self._seq})"


class ToolCallBuffer:
    """One tool call of the stream, open or closed, as it was when this was read."""

    __slots__ = ("_mark", "_slot", "closed")

    def __init__(self, slot: CallSlot) -> None:
        self._slot = slot
        self._mark = slot.mark()
        self.closed = slot.closed_seq is not None
        """Whether its ``tool_call_end`` had come."""

    @property
    def tool_call_id(self) -> str:
        """The call's id."""
        return self._slot.tool_call_id

    @property
    def tool_name(self) -> str:
        """The tool's name."""
        return self._slot.tool_name

    @property
    def raw_args_text(self) -> str:
        """The argument text so far."""
        return marked_text(self._mark)

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"{type(self).__name__}({self.tool_call_id!r}, {self.tool_name!r}, {state})"


class OpenCall:
    """A tool call that is not closed yet: for display, never for execution.

    Source: semantics, ``progress``.
    """

    __slots__ = ("_arguments", "_mark", "_max_depth", "_slot", "_text")

    def __init__(self, slot: CallSlot, max_depth: int) -> None:
        self._slot = slot
        self._mark = slot.mark()
        self._max_depth = max_depth
        self._text: str | None = None
        self._arguments: dict[str, Any] | None = None

    @property
    def tool_call_id(self) -> str:
        """The call's id."""
        return self._slot.tool_call_id

    @property
    def tool_name(self) -> str:
        """The tool's name."""
        return self._slot.tool_name

    @property
    def raw_args_text(self) -> str:
        """The argument text so far; joined when first read."""
        if self._text is None:
            self._text = marked_text(self._mark)
        return self._text

    @property
    def partial_arguments(self) -> dict[str, Any]:
        """What is known of the arguments so far; see :class:`PartialJSON` for what shows when.

        It refuses changes, and so does all in it: complete parts are shared with later values
        (``copy.deepcopy`` gives a copy to change). Read in order, each costs what arrived since
        the last one that was read; an older one read later parses its text anew.
        """
        if self._arguments is None:
            preview = self._slot.preview
            if preview is None:
                preview = self._slot.preview = Preview(self._max_depth)
            if not preview.advance(self._mark):
                from .partial_json import PartialJSON  # noqa: PLC0415  # for those who look alone

                fresh = PartialJSON(self._max_depth)
                fresh.feed(self.raw_args_text)
                self._arguments = fresh.value()
            else:
                self._arguments = preview.value()
        return self._arguments

    def to_wire(self) -> dict[str, Any]:
        """Return the call as a JSON object."""
        return {
            "toolCallId": self.tool_call_id,
            "toolName": self.tool_name,
            "rawArgsText": self.raw_args_text,
            "partialArguments": self.partial_arguments,
        }

    def __repr__(self) -> str:
        return f"OpenCall({self.tool_call_id!r}, {self.tool_name!r})"


class Progress(NamedTuple):
    """A snapshot with what it leaves out, for user interfaces."""

    snapshot: Snapshot
    open_calls: tuple[OpenCall, ...]
    """Open calls in the order of their start."""
    usage: UsageSummary | None
    """Usage as far as it is known."""

    def to_wire(self) -> dict[str, Any]:
        """Return ``{"message", "openCalls", "usage"?}`` as a JSON object."""
        wire: dict[str, Any] = {
            "message": msgspec.to_builtins(self.snapshot.to_message()),
            "openCalls": [call.to_wire() for call in self.open_calls],
        }
        if self.usage is not None:
            wire["usage"] = msgspec.to_builtins(self.usage)
        return wire


def read_slots(
    slots: Iterable[Slot],
    seq: int,
    open_text: tuple[Slot, TextMark] | None = None,
) -> tuple[list[MessagePart], list[dict[str, str]]]:
    """Return the parts that stood at ``seq``, and the ``toolCallParseErrors`` among them."""
    parts: list[MessagePart] = []
    errors: list[dict[str, str]] = []
    for slot in slots:
        if isinstance(slot, CallSlot):
            if slot.closed_seq is not None and slot.closed_seq <= seq:
                parts.append(slot.complete_part())
                if slot.error is not None:
                    errors.append({"toolCallId": slot.tool_call_id, "error": slot.error})
        elif open_text is not None and slot is open_text[0]:
            parts.append(text_part(slot.thinking, marked_text(open_text[1])))
        else:
            parts.append(slot.complete_part(seq))
    return parts, errors
