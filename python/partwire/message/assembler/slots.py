"""The places of a message in the making: one per part, in arrival order."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from ...contract.current.message import (
    Opaque,
    TextPart,
    TextPayload,
    ThinkingPart,
    ThinkingPayload,
    ToolCallPart,
    ToolCallPayload,
)
from ...errors import Finding, StreamProtocolError
from .arguments import ParseError, parse_again
from .opaque import NOTHING
from .text import TextBuffer, TextMark, room_in

__all__ = ["CallSlot", "Preview", "Slot", "TextSlot", "check_unicode", "text_part"]


class TextSlot(TextBuffer):
    """A text or thinking part."""

    __slots__ = ("opaque", "part", "thinking")

    def __init__(self, *, thinking: bool) -> None:
        super().__init__()
        self.thinking = thinking
        self.opaque = NOTHING
        self.part: TextPart | ThinkingPart | None = None

    def complete_part(self, seq: int) -> TextPart | ThinkingPart:
        """Return the part of the whole text as it stood at ``seq``.

        Without opaque data it is made once and shared, since it is immutable.
        """
        part = self.part
        if part is None:
            part = self.part = text_part(self.thinking, self.text())
        if self.opaque is NOTHING or self.opaque.seq > seq:
            return part
        return _with_opaque(part, self.opaque.value())


class CallSlot(TextBuffer):
    """A tool call; open until ``closed_seq`` is set."""

    # fmt: off
    __slots__ = (
        "arguments", "closed_seq", "error", "keep_text", "left", "opaque", "preview",
        "tool_call_id", "tool_name",
    )
    # fmt: on

    def __init__(self, tool_call_id: str, tool_name: str, left: int) -> None:
        super().__init__(room_in(left))
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self.left = left  # bytes of argument text that may still come after what is settled
        self.closed_seq: int | None = None
        self.arguments: dict[str, Any] | None = None  # those that no reader has taken yet
        self.keep_text = False
        self.error: ParseError | None = None
        self.preview: Preview | None = None
        self.opaque = NOTHING

    def complete_part(self) -> ToolCallPart:
        """Return a new part with arguments of its own: they can be changed.

        The first reader gets what was parsed; for later ones the text is parsed again, which is
        as fast as copying, and the text is kept anyway while the arguments are not.
        """
        arguments, self.arguments = self.arguments, None
        if arguments is None:
            arguments = parse_again(self.text()) if self.error is None else {}
        return ToolCallPart(
            payload=ToolCallPayload(
                tool_call_id=self.tool_call_id,
                tool_name=self.tool_name,
                arguments=arguments,
                raw_args_text=self.text() if self.keep_text else UNSET,
                opaque=UNSET if self.opaque is NOTHING else self.opaque.value(),
            )
        )


Slot = TextSlot | CallSlot


class Preview:
    """The incremental parser of one open call, and how far it was fed."""

    __slots__ = ("_chunk_count", "_parser", "_tail", "_tail_chars", "_tail_count")

    def __init__(self, max_depth: int) -> None:
        from .partial_json import PartialJSON  # noqa: PLC0415  # for those who look alone

        self._parser = PartialJSON(max_depth)
        self._chunk_count = 0
        self._tail: list[str] | None = None
        self._tail_count = 0
        self._tail_chars = 0

    def advance(self, mark: TextMark) -> bool:
        """Feed what lies between the last mark and this one; False if this one is older."""
        chunks, chunk_count, tail, tail_count = mark
        if chunk_count < self._chunk_count:
            return False
        if chunk_count > self._chunk_count:
            # What was fed of the old tail is now the beginning of the next chunk.
            fresh = "".join(chunks[self._chunk_count : chunk_count])
            self._parser.feed(fresh[self._tail_chars :])
            self._chunk_count = chunk_count
            self._tail = None
        if self._tail is not tail:
            self._tail, self._tail_count, self._tail_chars = tail, 0, 0
        if tail_count < self._tail_count:
            return False
        if tail_count > self._tail_count:
            fresh = "".join(tail[self._tail_count : tail_count])
            self._parser.feed(fresh)
            self._tail_count = tail_count
            self._tail_chars += len(fresh)
        return True

    def value(self) -> dict[str, Any]:
        """Return the best-effort value of what was fed; it never changes."""
        return self._parser.value()


def text_part(thinking: bool, text: str) -> TextPart | ThinkingPart:
    """Return a part of ``text``; raises StreamProtocolError ``document/lone-surrogate``."""
    if not text.isascii():
        check_unicode(text)
    if thinking:
        return ThinkingPart(payload=ThinkingPayload(text=text))
    return TextPart(payload=TextPayload(text=text))


def _with_opaque(part: TextPart | ThinkingPart, opaque: Opaque) -> TextPart | ThinkingPart:
    if isinstance(part, ThinkingPart):
        return ThinkingPart(payload=ThinkingPayload(text=part.payload.text, opaque=opaque))
    return TextPart(payload=TextPayload(text=part.payload.text, opaque=opaque))


def check_unicode(text: str) -> None:
    """Raise StreamProtocolError ``document/lone-surrogate`` if no document could hold ``text``.

    Decoded deltas never can: only a delta made in Python brings a lone surrogate.
    """
    try:
        text.encode()
    except UnicodeEncodeError as cause:
        raise StreamProtocolError(
            Finding(
                "document/lone-surrogate",
                "The text is not well-formed Unicode",
                expected="surrogates in pairs",
                actual=f"U+{ord(text[cause.start]):04X} alone",
            )
        ) from None
