"""What can be read from an assembler while its stream runs; nothing in here ever changes.

Taking a snapshot copies nothing: slots and texts only ever grow, so a count, a mark and a seq
say for good how far they were. Joining and copying happen when the result is read.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from copy import deepcopy
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from ...contract.current.message import Author, Message, MessagePart, TextFormat, UsageSummary
from .lines import unknown_document
from .payloads import Kept
from .slots import CallSlot, MediaSlot, Preview, Slot, TextSlot
from .text import TextMark, marked_text

__all__ = [
    "OpenCall",
    "OpenMedia",
    "PartialValue",
    "Progress",
    "Snapshot",
    "StreamStart",
    "ToolCallBuffer",
    "read_slots",
]


class StreamStart(NamedTuple):
    """What the start delta said."""

    run_id: str
    timestamp: str
    model_id: str
    request_id: str
    message_id: str | UnsetType = UNSET
    turn_id: str | UnsetType = UNSET
    author: Author | UnsetType = UNSET
    form: TextFormat | UnsetType = UNSET

    def meta(self, warnings: list[Kept], seq: int) -> dict[str, Any]:
        """Return a new ``meta`` with what the start said, and the warnings until ``seq``."""
        meta: dict[str, Any] = {"modelId": self.model_id, "requestId": self.request_id}
        said = [msgspec.to_builtins(each.value) for each in warnings if each.seq <= seq]
        return meta | {"warnings": said} if said else meta

    def message(self, parts: list[MessagePart], meta: dict[str, Any]) -> Message:
        """Return a message of the stream that began so."""
        return Message(
            run_id=self.run_id,
            message_id=self.message_id,
            turn_id=self.turn_id,
            role="assistant",
            author=UNSET if self.author is UNSET else deepcopy(self.author),
            parts=parts,
            timestamp=self.timestamp,
            meta=meta,
        )


class Snapshot:
    """A message in the making, as it was when the snapshot was taken.

    All parts that have come or ended; no usage, no open calls and media. It has the attributes of a
    ``Message``; they are computed when first read, and belong to the caller from then on.
    Compares equal to a snapshot or ``Message`` of the same content.
    """

    __slots__ = ("_count", "_mark", "_message", "_seq", "_slots", "_start", "_warnings")

    def __init__(
        self,
        start: StreamStart,
        slots: list[Slot],
        warnings: list[Kept],
        seq: int,
        mark: TextMark | None,
    ) -> None:
        self._start = start
        self._warnings = warnings
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
    def author(self) -> Author | UnsetType:
        """The start delta's ``author``; UNSET if it has none."""
        return self.to_message().author

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
        """``modelId``, ``requestId`` and, where there are any, ``warnings`` and
        ``toolCallParseErrors``.
        """
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
            meta = self._start.meta(self._warnings, self._seq)
            if errors:
                meta["toolCallParseErrors"] = errors
            self._message = self._start.message(parts, meta)
        return self._message

    def _open_text(self) -> tuple[Slot, TextMark] | None:
        # Text can join the last part alone.
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
    """A tool call that is not closed yet, also one of a tool that the provider runs: for display,
    never for execution.

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
    def is_server(self) -> bool:
        """Whether the provider runs the tool itself."""
        return self._slot.is_server

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
                made: dict[str, Any] = fresh.value()
            else:
                made = preview.value()
            self._arguments = made
            return made
        return self._arguments

    def to_wire(self) -> dict[str, Any]:
        """Return the call as a JSON object."""
        wire: dict[str, Any] = {
            "toolCallId": self.tool_call_id,
            "toolName": self.tool_name,
            "rawArgsText": self.raw_args_text,
            "partialArguments": self.partial_arguments,
        }
        return wire | {"isServer": True} if self.is_server else wire

    def __repr__(self) -> str:
        return f"OpenCall({self.tool_call_id!r}, {self.tool_name!r})"


class OpenMedia:
    """Media that has not ended yet, as far as it has come."""

    __slots__ = ("_buffer", "_length", "_mark", "_slot")

    def __init__(self, slot: MediaSlot) -> None:
        self._slot = slot
        self._mark = slot.mark()
        self._buffer = slot.data
        self._length = len(slot.data)

    @property
    def media_id(self) -> str:
        """The media's id."""
        return self._slot.media_id

    @property
    def mime_type(self) -> str:
        """The media type that its start said."""
        return self._slot.mime_type

    @property
    def transcript(self) -> str:
        """What is said in it so far."""
        return marked_text(self._mark)

    @property
    def data(self) -> bytes:
        """The bytes so far; copied at every call."""
        return bytes(self._buffer[: self._length])

    def to_wire(self) -> dict[str, Any]:
        """Return the media as a JSON object, its bytes in Base64."""
        return {
            "mediaId": self.media_id,
            "mimeType": self.mime_type,
            "transcript": self.transcript,
            "data": b64encode(self.data).decode(),
        }

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.media_id!r}, {self.mime_type!r})"


class PartialValue:
    """What is known of the JSON value that a text part is to be: for display alone."""

    __slots__ = ("_mark", "_max_depth", "_slot", "_value", "part_index")

    def __init__(self, part_index: int, slot: TextSlot, max_depth: int) -> None:
        self.part_index = part_index
        """The part's index among the parts that have begun, open calls and media counted."""
        self._slot = slot
        self._mark = slot.mark()
        self._max_depth = max_depth
        self._value: tuple[Any] | None = None

    @property
    def partial_value(self) -> Any:
        """What is certain of the value so far, by the rules of :class:`PartialJSON`.

        UNSET while nothing is, and for good once the text is not the beginning of a JSON value.
        It refuses changes, and so does all in it.
        """
        if self._value is None:
            self._value = (self._read(),)
        return self._value[0]

    def _read(self) -> Any:
        preview = self._slot.preview
        if preview is None or not preview.advance(self._mark):
            preview = Preview(self._max_depth, of_any=True)
            preview.advance(self._mark)
            if self._mark[0] is self._slot.chunks:
                self._slot.preview = preview
        return preview.value()

    def to_wire(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        wire: dict[str, Any] = {"partIndex": self.part_index}
        value = self.partial_value
        return wire if value is UNSET else wire | {"partialValue": value}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.part_index})"


class Progress(NamedTuple):
    """A snapshot with what it leaves out, for user interfaces."""

    snapshot: Snapshot
    open_calls: tuple[OpenCall, ...]
    """Open calls in the order of their start."""
    usage: UsageSummary | None
    """Usage as far as it is known."""
    open_media: tuple[OpenMedia, ...] = ()
    """Open media in the order of its start."""
    partial_values: tuple[PartialValue, ...] = ()
    """For each text part of a stream whose ``start`` has a ``format``, in their order."""

    def to_wire(self) -> dict[str, Any]:
        """Return ``{"message", "openCalls", "usage"?, "openMedia"?, "partialValues"?}`` as a JSON
        object; the last two are absent where there are none.
        """
        message = self.snapshot.to_message()
        wire: dict[str, Any] = {
            "message": msgspec.to_builtins(message, enc_hook=unknown_document),
            "openCalls": [call.to_wire() for call in self.open_calls],
        }
        if self.usage is not None:
            wire["usage"] = msgspec.to_builtins(self.usage)
        if self.open_media:
            wire["openMedia"] = [media.to_wire() for media in self.open_media]
        if self.partial_values:
            wire["partialValues"] = [each.to_wire() for each in self.partial_values]
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
            continue
        part: MessagePart | None
        if open_text is not None and slot is open_text[0] and isinstance(slot, TextSlot):
            part = slot.part_before(marked_text(open_text[1]), seq)
        else:
            part = slot.complete_part(seq)
        if part is not None:
            parts.append(part)
    return parts, errors
