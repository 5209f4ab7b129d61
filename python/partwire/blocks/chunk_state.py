"""The rules of a chunk stream, and as much of its state as they need.

- A block starts, grows and stops. Several may be open at once; each start has a higher index
  than the one before it, so the order of the starts is the order of the content.
- A ``tool_use`` is one block, at the place where it comes; its id is used once.
- ``message_stop`` comes with no block open. Nothing follows ``message_stop`` or ``error``; a
  stream without either is cut.

Source: semantics, blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

import msgspec

from ..contract.current.blocks import (
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ContentBlockStopChunk,
    ErrorChunk,
    MessageStopChunk,
    StreamChunk,
    ToolUseChunk,
)
from ..contract.versions import struct_wanted
from ..errors import Finding, StreamProtocolError, WriteError, clip, counted
from ..message.assembler.arguments import parse_arguments
from ..message.assembler.limits import Limits
from ..message.assembler.text import utf8_length
from ..reading.pipeline import Unknown, to_wire

__all__ = ["TERMINAL", "ChunkState", "chunk_finding"]

TERMINAL: Final = (MessageStopChunk, ErrorChunk)
"""The chunks that end a stream."""

_MAX_INDEX: Final = 2**53 - 1


class ChunkState:
    """Checks the chunks of one stream; a refused chunk changes nothing.

    ``number`` counts the chunks from 0, refused ones included; it is the ``seq`` of refusals.
    ``last`` is the chunk that ended the stream. ``arguments`` are the text and a value of its
    own of the last ``tool_use``.
    """

    def __init__(self, limits: Limits) -> None:
        self.number = -1
        self.last: MessageStopChunk | ErrorChunk | None = None
        self.arguments: tuple[str, dict[str, Any]] = ("{}", {})
        self._limits = limits
        self._open: set[int] = set()
        self._index = -1  # of the last start
        self._blocks = 0
        self._ids: set[str] = set()
        self._text_left = limits.text_bytes

    def take(self, chunk: StreamChunk | Unknown) -> None:
        """Take the next chunk.

        Raises StreamProtocolError ``blocks/invalid-chunk``, ``blocks/after-terminal``,
        ``blocks/block-not-open``, ``blocks/index-not-increasing``, ``blocks/block-open``,
        ``blocks/duplicate-tool-use`` or ``stream/limit-exceeded``.
        """
        self.number += 1
        handler = _HANDLERS.get(type(chunk))
        if handler is None:
            self._invalid("", "a chunk of the contract", chunk)
        if self.last is not None:
            self._refuse(
                "blocks/after-terminal",
                f"The stream has ended with {self.last.type}",
                "/type",
                expected="no more chunks",
                actual=clip(chunk.tag if isinstance(chunk, Unknown) else chunk.type),
            )
        handler(self, chunk)

    def truncated(self) -> StreamProtocolError:
        """Return the error for a stream that stops here."""
        return StreamProtocolError(
            Finding(
                "blocks/truncated",
                "The stream stops without message_stop or error",
                expected="message_stop or error",
                actual=f"the end after {counted(self.number + 1, 'chunk')}",
            )
        )

    # --- one method per type: check all, then change ---------------------------------------------

    def _on_start(self, chunk: ContentBlockStartChunk) -> None:
        index = chunk.index
        if type(index) is not int or not 0 <= index <= _MAX_INDEX:
            self._invalid("/index", "an integer from 0 to 2^53 - 1", index)
        if index <= self._index:
            self._refuse(
                "blocks/index-not-increasing",
                "The index does not increase",
                "/index",
                expected=f"more than {self._index}",
                actual=str(index),
            )
        self._check_parts()
        self._open.add(index)
        self._index = index
        self._blocks += 1

    def _on_delta(self, chunk: ContentBlockDeltaChunk) -> None:
        self._check_open(chunk.index)
        text = chunk.delta
        if type(text) is not str:
            self._invalid("/delta", "a string", text)
        try:
            size = len(text) if text.isascii() else len(text.encode())
        except UnicodeEncodeError:
            self._invalid("/delta", "well-formed Unicode", text)
        if size > self._text_left:
            self._pass_limit("text_bytes", self._limits.text_bytes, "/delta")
        self._text_left -= size

    def _on_stop(self, chunk: ContentBlockStopChunk) -> None:
        self._check_open(chunk.index)
        self._open.remove(chunk.index)

    def _on_tool_use(self, chunk: ToolUseChunk) -> None:
        document = self._document(chunk)
        limits, call_id = self._limits, document["tool_use_id"]
        if call_id in self._ids:
            self._refuse(
                "blocks/duplicate-tool-use",
                "The tool use id has been used already",
                "/tool_use_id",
                expected="a different id",
                actual=clip(call_id),
            )
        if len(call_id) > limits.id_chars:
            self._pass_limit("id_chars", limits.id_chars, "/tool_use_id")
        if len(self._ids) >= limits.tool_calls:
            self._pass_limit("tool_calls", limits.tool_calls, "")
        self._check_parts()
        text = msgspec.json.encode(document["parameters"]).decode()
        if utf8_length(text) > limits.arguments_bytes:
            self._pass_limit("arguments_bytes", limits.arguments_bytes, "/parameters")
        parsed = parse_arguments(text, limits.arguments_depth)
        if parsed is None:
            self._pass_limit("arguments_depth", limits.arguments_depth, "/parameters")
        self.arguments = (text, parsed[0])
        self._ids.add(call_id)
        self._blocks += 1

    def _on_message_stop(self, chunk: MessageStopChunk) -> None:
        self._document(chunk)
        if self._open:
            self._refuse(
                "blocks/block-open",
                f"{counted(len(self._open), 'block')} still open",
                expected="content_block_stop for each",
                actual=f"open: {min(self._open)}",
            )
        self.last = chunk

    def _on_error(self, chunk: ErrorChunk) -> None:
        self._document(chunk)
        self.last = chunk

    def _on_unknown(self, chunk: Unknown) -> None:
        """Let pass what only tolerant reading lets in."""
        if (wrong := chunk_finding(chunk)) is not None:
            raise StreamProtocolError(wrong, seq=self.number)

    # --- steps -----------------------------------------------------------------------------------

    def _check_open(self, index: Any) -> None:
        if type(index) is not int or index not in self._open:
            self._refuse(
                "blocks/block-not-open",
                "The block is not open",
                "/index",
                expected=f"an open block: {min(self._open)}" if self._open else "an open block",
                actual=clip(index),
            )

    def _check_parts(self) -> None:
        if self._blocks >= self._limits.parts:
            self._pass_limit("parts", self._limits.parts, "")

    def _document(self, chunk: StreamChunk) -> Any:
        """Return a chunk as JSON value; refuse what no reader would have let pass."""
        document, wrong = _document_of(chunk)
        if wrong is not None:
            raise StreamProtocolError(wrong, seq=self.number)
        return document

    def _invalid(self, pointer: str, expected: str, value: object) -> NoReturn:
        raise StreamProtocolError(_wrong(pointer, expected, value), seq=self.number) from None

    def _pass_limit(self, name: str, most: int, pointer: str) -> NoReturn:
        self._refuse(
            "stream/limit-exceeded",
            f"The limit {name} is passed",
            pointer,
            expected=f"at most {most} ({name})",
            actual="more",
        )

    def _refuse(
        self,
        rule: str,
        message: str,
        pointer: str = "",
        *,
        expected: str | None = None,
        actual: str | None = None,
    ) -> NoReturn:
        finding = Finding(rule, message, pointer, expected=expected, actual=actual)
        raise StreamProtocolError(finding, seq=self.number) from None


_HANDLERS: Final[dict[type[Any], Callable[[ChunkState, Any], None]]] = {
    ContentBlockStartChunk: ChunkState._on_start,
    ContentBlockDeltaChunk: ChunkState._on_delta,
    ContentBlockStopChunk: ChunkState._on_stop,
    ToolUseChunk: ChunkState._on_tool_use,
    MessageStopChunk: ChunkState._on_message_stop,
    ErrorChunk: ChunkState._on_error,
    Unknown: ChunkState._on_unknown,
}
_TYPES: Final = frozenset(each.type for each in _HANDLERS if each is not Unknown)


def chunk_finding(value: object) -> Finding | None:
    """Return what is wrong with a chunk in itself, wherever it comes; None for a valid chunk."""
    if type(value) is ContentBlockDeltaChunk and _is_text(value.delta):
        wrong = _index_finding(value.index)
    elif type(value) in (ContentBlockStartChunk, ContentBlockStopChunk):
        wrong = _index_finding(value.index)  # type: ignore[attr-defined]
    elif type(value) not in _HANDLERS:
        wrong = _wrong("", "a chunk of the contract", value)
    elif isinstance(value, Unknown):
        wrong = _unknown_finding(value)
    else:
        wrong = _document_of(value)[1]
    return wrong


def _unknown_finding(chunk: Unknown) -> Finding | None:
    if type(chunk.document) is not dict:
        return _wrong("", "an object", chunk.document)
    if type(chunk.tag) is not str or chunk.tag in _TYPES:
        return _wrong("/type", "a type that this version does not know", chunk.tag)
    return None


def _document_of(chunk: Any) -> tuple[Any, Finding | None]:
    """Return a chunk as JSON value, or what no reader would have let pass of it."""
    try:
        return to_wire(chunk, "blocks.StreamChunk"), None
    except WriteError as error:
        first = error.findings[0]
        message = f"Not a chunk of the contract: {first.message}"
        return None, first._replace(rule="blocks/invalid-chunk", message=message)


def _index_finding(index: Any) -> Finding | None:
    if type(index) is int and 0 <= index <= _MAX_INDEX:
        return None
    return _wrong("/index", "an integer from 0 to 2^53 - 1", index)


def _is_text(value: Any) -> bool:
    try:
        return type(value) is str and (value.isascii() or value.encode() is not None)
    except UnicodeEncodeError:
        return False


def _wrong(pointer: str, expected: str, value: object) -> Finding:
    return Finding(
        "blocks/invalid-chunk",
        "Not a chunk of the contract",
        pointer,
        expected=struct_wanted(expected, value),
        actual=clip(value),
    )
