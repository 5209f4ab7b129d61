"""A whole chunk stream in, its response out."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable

from ..contract.current.blocks import (
    ContentBlock,
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ErrorChunk,
    Message,
    MessageStopChunk,
    ModelResponse,
    StreamChunk,
    TextBlock,
    ToolUseBlock,
    ToolUseChunk,
)
from ..errors import Finding, StreamFailed, clip
from ..message.assembler.limits import DEFAULT, Limits
from ..message.assembler.text import TextBuffer
from ..reading.pipeline import Unknown
from ..severities import SEVERITIES
from ..tables.limits import MAX_UNKNOWN
from .chunk_state import TERMINAL, ChunkState
from .older_chunks import upgraded

__all__ = ["ChunkCollector", "collect", "collect_chunks"]


class ChunkCollector:
    """Collect one stream of chunks into a response; sans-IO, and a refused chunk changes nothing.

    Blocks are in the order of their start, ``tool_use`` where it came; a block without text
    is left out. ``findings`` are warnings: one ``blocks/unknown-chunk`` for each unknown type.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._state = ChunkState(DEFAULT if limits is None else limits)
        self._content: list[TextBuffer | ToolUseBlock] = []
        self._blocks: dict[int, TextBuffer] = {}
        self._findings: dict[str, Finding] = {}

    @property
    def findings(self) -> list[Finding]:
        """What was passed over."""
        return list(self._findings.values())

    def feed(self, chunk: StreamChunk | Unknown) -> None:
        """Take the next chunk; raises StreamProtocolError as :meth:`ChunkState.take`."""
        chunk = upgraded(chunk)
        self._state.take(chunk)
        if isinstance(chunk, ContentBlockDeltaChunk):
            block = self._blocks[chunk.index]
            if chunk.delta:
                block.add(chunk.delta)
        elif isinstance(chunk, ContentBlockStartChunk):
            block = self._blocks[chunk.index] = TextBuffer()
            self._content.append(block)
        elif isinstance(chunk, ToolUseChunk):
            self._content.append(
                ToolUseBlock(
                    tool_use_id=chunk.tool_use_id,
                    tool_name=chunk.tool_name,
                    parameters=self._state.arguments[1],
                )
            )
        elif isinstance(chunk, Unknown) and len(self._findings) < MAX_UNKNOWN:
            self._findings[chunk.tag] = Finding(
                "blocks/unknown-chunk",
                "A chunk of an unknown type: its content is ignored",
                "/type",
                SEVERITIES["blocks/unknown-chunk"],
                expected="a type of this version",
                actual=clip(chunk.tag),
            )

    def content(self) -> list[ContentBlock]:
        """Return the content so far: of a stream that is cut or has failed, what arrived."""
        found: list[ContentBlock] = []
        for each in self._content:
            if isinstance(each, ToolUseBlock):
                found.append(each)
            elif each.chunks or each.tail:
                found.append(TextBlock(text=each.text()))
        return found

    def close(self) -> ModelResponse:
        """Say that no more chunks come; return the response.

        Raises StreamFailed ``blocks/failed`` after an ``error`` chunk, which is its ``error``;
        ``partial`` is a ``blocks.Message`` of what arrived. Raises StreamProtocolError
        ``blocks/truncated`` where neither ``message_stop`` nor ``error`` came.
        """
        last = self._state.last
        if isinstance(last, MessageStopChunk):
            return ModelResponse(content=self.content(), usage=last.usage)
        if isinstance(last, ErrorChunk):
            raise StreamFailed(
                Finding(
                    "blocks/failed",
                    f"The response failed: {clip(last.message)}",
                    "/message",
                    expected="message_stop",
                    actual="error",
                ),
                error=last,
                partial=Message(role="assistant", content=self.content()),
            )
        raise self._state.truncated()


def collect_chunks(
    chunks: Iterable[StreamChunk | Unknown], *, limits: Limits | None = None
) -> ModelResponse:
    """Return the response that ``chunks`` are; raises as :class:`ChunkCollector`."""
    collector = ChunkCollector(limits)
    for chunk in chunks:
        collector.feed(chunk)
    return collector.close()


async def collect(
    stream: AsyncIterable[StreamChunk | Unknown], *, limits: Limits | None = None
) -> ModelResponse:
    """Return the response of a stream, such as a StreamingResponse; raises as ChunkCollector.

    Reads no further than the chunk that ends the stream, and closes the stream whatever happens.
    What the stream raises comes through.
    """
    collector = ChunkCollector(limits)
    chunks = aiter(stream)
    try:
        async for chunk in chunks:
            collector.feed(chunk)
            if isinstance(upgraded(chunk), TERMINAL):
                break
        return collector.close()
    finally:
        if close := getattr(chunks, "aclose", None):
            await close()
