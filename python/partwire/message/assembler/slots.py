"""The places of a message in the making: one per part, in arrival order."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from msgspec import UNSET, UnsetType, structs

from ...contract.current.message import (
    InlineSource,
    MediaPart,
    MediaPayload,
    MessagePart,
    Opaque,
    ServerToolCallPart,
    TextFormat,
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
from .payloads import Kept
from .text import TextBuffer, TextMark, room_in

__all__ = ["CallSlot", "MediaSlot", "Preview", "Slot", "TextSlot", "WholeSlot", "check_unicode"]


class TextSlot(TextBuffer):
    """A text or thinking part; ``form`` is the stream's, of a text."""

    __slots__ = ("citations", "form", "opaque", "part", "preview", "thinking")

    def __init__(self, *, thinking: bool, form: TextFormat | UnsetType) -> None:
        super().__init__()
        self.thinking = thinking
        self.form = form
        self.opaque = NOTHING
        self.citations: list[Kept] = []
        self.part: TextPart | ThinkingPart | None = None
        self.preview: Preview | None = None

    def complete_part(self, seq: int) -> TextPart | ThinkingPart:
        """Return the part of the whole text as it stood at ``seq``.

        Without opaque data and citations it is made once and shared, since it is immutable.
        """
        part = self.part
        if part is None:
            part = self.part = self._part_of(self.text())
        return self._with_state(part, seq)

    def part_before(self, text: str, seq: int) -> TextPart | ThinkingPart:
        """Return the part as it stood at ``seq``, when its text was ``text``."""
        return self._with_state(self._part_of(text), seq)

    def _part_of(self, text: str) -> TextPart | ThinkingPart:
        if not text.isascii():
            check_unicode(text)
        if self.thinking:
            return ThinkingPart(payload=ThinkingPayload(text=text))
        return TextPart(payload=TextPayload(text=text, format=self.form))

    def _with_state(self, part: TextPart | ThinkingPart, seq: int) -> TextPart | ThinkingPart:
        members: dict[str, Any] = {}
        if self.opaque is not NOTHING and self.opaque.seq <= seq:
            members["opaque"] = self.opaque.value()
        citations = [each.copy() for each in self.citations if each.seq <= seq]
        if citations:
            members["citations"] = citations
        if not members:
            return part
        payload: Any = structs.replace(part.payload, **members)
        return type(part)(payload=payload)


class CallSlot(TextBuffer):
    """A tool call, of the caller's tools or of the provider's; open until ``closed_seq`` is set."""

    # fmt: off
    __slots__ = (
        "arguments", "closed_seq", "error", "is_server", "keep_text", "left", "opaque", "preview",
        "tool_call_id", "tool_name",
    )
    # fmt: on

    def __init__(self, tool_call_id: str, tool_name: str, left: int, *, is_server: bool) -> None:
        super().__init__(room_in(left))
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self.is_server = is_server
        self.left = left  # bytes of argument text that may still come after what is settled
        self.closed_seq: int | None = None
        self.arguments: dict[str, Any] | None = None  # those that no reader has taken yet
        self.keep_text = False
        self.error: ParseError | None = None
        self.preview: Preview | None = None
        self.opaque = NOTHING

    def complete_part(self) -> ToolCallPart | ServerToolCallPart:
        """Return a new part with a copy of the arguments: they can be changed.

        The first reader gets what was parsed; for later ones the text is parsed again, which is
        as fast as copying, and the text is kept anyway while the arguments are not.
        """
        arguments, self.arguments = self.arguments, None
        if arguments is None:
            arguments = parse_again(self.text()) if self.error is None else {}
        payload = ToolCallPayload(
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
            arguments=arguments,
            raw_args_text=self.text() if self.keep_text else UNSET,
            opaque=_opaque_of(self.opaque),
        )
        return (
            ServerToolCallPart(payload=payload) if self.is_server else ToolCallPart(payload=payload)
        )


class WholeSlot:
    """A part that came whole."""

    __slots__ = ("kept",)

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def complete_part(self, _seq: int) -> MessagePart:
        """Return a new part."""
        part: MessagePart = self.kept.copy()
        return part


class MediaSlot(TextBuffer):
    """Media, with what is said in it as text; open until ``closed_seq`` is set."""

    __slots__ = (
        *("closed_seq", "data", "end_type", "letters", "media_id"),
        *("mime_type", "name", "opaque", "size_bytes", "source"),
    )

    def __init__(self, media_id: str, mime_type: str, name: str | UnsetType) -> None:
        super().__init__()
        self.media_id = media_id
        self.mime_type = mime_type
        self.end_type: str | UnsetType = UNSET
        self.name = name
        self.opaque = NOTHING
        self.data = bytearray()  # only ever grows, or is replaced: a length is a mark in it
        self.letters = 0  # of the Base64 that is held
        self.closed_seq: int | None = None
        self.source: Any = None
        self.size_bytes: int | UnsetType = UNSET

    def letters_with(self, data: str | UnsetType, piece: str | UnsetType) -> int:
        """Return how many letters of Base64 are held once :meth:`take` has taken these."""
        size = len(self.data) if data is UNSET else _decoded_size(data)
        return -(-(size + _decoded_size(piece)) // 3) * 4

    def take(self, data: str | UnsetType, piece: str | UnsetType) -> None:
        """Put ``data`` in place of the bytes that came, and append ``piece``."""
        if data is not UNSET:
            self.data = bytearray(b64decode(data))
        if piece is not UNSET:
            self.data += b64decode(piece)

    def end(self, source: Any) -> None:
        """Let the source be where the media is; without one it is the bytes that came."""
        if source is UNSET:
            source = InlineSource(data=b64encode(self.data).decode())
        self.source = source
        self.data = bytearray()

    def complete_part(self, seq: int) -> MediaPart | None:
        """Return a new part; None if the media had not ended at ``seq``."""
        if self.closed_seq is None or self.closed_seq > seq:
            return None
        return MediaPart(
            payload=MediaPayload(
                mime_type=self.end_type or self.mime_type,
                source=self.source,
                name=self.name,
                size_bytes=self.size_bytes,
                transcript=self.text() or UNSET,
                opaque=_opaque_of(self.opaque),
            )
        )


Slot = TextSlot | CallSlot | WholeSlot | MediaSlot


def _decoded_size(data: str | UnsetType) -> int:
    """Return how many bytes Base64 stands for."""
    return len(data) // 4 * 3 - data[-2:].count("=") if data else 0


def _opaque_of(opaque: Any) -> Opaque | UnsetType:
    return UNSET if opaque is NOTHING else opaque.value()


class Preview:
    """The incremental parser of one open call, or of a text that is to be JSON, and how far it was
    fed.
    """

    __slots__ = ("_chunk_count", "_chunks", "_parser", "_tail", "_tail_chars", "_tail_count")

    def __init__(self, max_depth: int, *, of_any: bool = False) -> None:
        from .partial_json import PartialJSON  # noqa: PLC0415  # for those who look alone

        self._parser = PartialJSON(max_depth, of_any=of_any)
        self._chunks: list[str] | None = None
        self._chunk_count = 0
        self._tail: list[str] | None = None
        self._tail_count = 0
        self._tail_chars = 0

    def advance(self, mark: TextMark) -> bool:
        """Feed what lies between the last mark and this one; False if this one is older, or the
        text was joined since.
        """
        chunks, chunk_count, tail, tail_count = mark
        if self._chunks is None:
            self._chunks = chunks
        if chunks is not self._chunks or chunk_count < self._chunk_count:
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

    def value(self) -> Any:
        """Return the best-effort value of what was fed; it never changes."""
        return self._parser.value()


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
