"""A response as a stream: chunks go in at a sender and come out of an async iterator.

    sender, stream = StreamingResponse.channel(16)

    async def produce() -> None:
        async with sender:                    # its errors reach the reader
            async for chunk in provider:
                await sender.send(chunk)      # waits while the reader is 16 chunks behind

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(produce)
        async with stream:                    # leaving stops the sender
            async for chunk in stream:
                ...

Works under asyncio and trio; both ends belong to one event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import NoReturn, Protocol

from ..contract.current.blocks import Message, ModelResponse, StreamChunk
from ..errors import (
    Finding,
    PartwireError,
    StreamProtocolError,
    bad_argument,
    printable,
)
from ..reading.pipeline import Unknown
from .channel import Channel, open_channel
from .chunk_state import TERMINAL, chunk_finding
from .older_chunks import upgraded

__all__ = ["ChunkSender", "ModelAdapter", "ModelAdapterError", "ReaderGone", "StreamingResponse"]


# --- the adapter of a model -----------------------------------------------------------------------


class ModelAdapterError(PartwireError):
    """What an adapter raises where there is no response: the error half of a result.

    ``error_code`` is one of the contract's error codes (``rate_limited``, ``timeout``, …; an open
    string), ``retryable`` whether the same request may succeed later. What the adapter caught
    belongs into ``__cause__`` (``raise … from``).
    """

    def __init__(self, error_code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(
            Finding("blocks/adapter-failed", message, expected="a response", actual=error_code)
        )
        self.error_code = error_code
        self.message = message
        self.retryable = retryable

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.error_code, self.message), {"retryable": self.retryable}


class ModelAdapter(Protocol):
    """A model behind one interface; any class that has these methods is one.

    ``messages`` are the conversation in order, ``system_prompt`` is None where there is none,
    ``max_tokens`` bounds the answer. Both ways of sending raise ModelAdapterError where the model
    gives no response.
    """

    async def send_message(
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> ModelResponse:
        """Return the whole response."""
        ...

    async def stream_message(
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> StreamingResponse:
        """Return the response as a stream; errors after its beginning come through the stream."""
        ...

    def model_name(self) -> str:
        """Return the model's name."""
        ...

    def supports_streaming(self) -> bool:
        """Return whether ``stream_message`` may be called."""
        ...


# --- the response ---------------------------------------------------------------------------------


class ReaderGone(PartwireError):
    """Nobody reads the stream any more: whoever sends may stop."""


class ChunkSender:
    """The end of a channel where chunks go in; :meth:`StreamingResponse.channel` makes it.

    As a context manager it closes itself, and hands an exception of the block to the reader
    instead of raising it; where the reader cannot hear of it any more, it is raised, but for
    ReaderGone, which has done its work then. Cancellation is always raised. A sender that is
    dropped, in the thread of its event loop, closes itself too.
    """

    __slots__ = ("_channel",)

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @property
    def reader_gone(self) -> bool:
        """Whether the reader has closed the stream, or read the chunk that ends it."""
        return self._channel.reader_gone

    async def send(self, chunk: StreamChunk | Unknown) -> None:
        """Append a chunk; waits while the channel is full.

        Raises ReaderGone ``blocks/reader-gone`` once the reader has closed the stream, also while
        waiting; StreamProtocolError ``blocks/invalid-chunk`` for what is not a valid chunk,
        ``blocks/after-terminal`` after ``message_stop`` or ``error``, ``blocks/sender-closed``
        after :meth:`close`. A cancelled send has sent nothing. The rules of a chunk stream, such
        as which blocks are open, are for whoever collects it.
        """
        channel = self._channel
        chunk = upgraded(chunk)
        if (wrong := chunk_finding(chunk)) is not None:
            raise StreamProtocolError(wrong)
        self._check()
        await channel.checkpoint()
        self._check()
        while len(channel.chunks) >= channel.capacity:
            await channel.wait_for_room()
            self._check()
        channel.put(chunk)

    def close(self) -> None:
        """End the stream; without ``message_stop`` or ``error`` the reader finds it truncated."""
        self._channel.close_sender()

    def fail(self, error: Exception) -> bool:
        """End the stream with an error, once all that was sent has been read.

        The reader gets a ModelAdapterError whose ``__cause__`` is ``error``. Returns whether it
        will: not after the stream's end, and not if the reader is gone. Raises UsageError for what
        is not an Exception: a text, a class, or what ends the program, such as KeyboardInterrupt.
        """
        given: object = error
        if not isinstance(given, Exception):
            raise bad_argument("A sender fails with an exception", "an Exception", given)
        return self._channel.close_sender(error)

    def _check(self) -> None:
        channel = self._channel
        if channel.ended:
            _refuse(
                "blocks/after-terminal",
                "The stream has ended",
                "no more chunks",
                "another chunk",
            )
        if channel.sender_gone:
            _refuse("blocks/sender-closed", "The sender is closed", "an open sender", "send()")
        if channel.reader_gone:
            raise ReaderGone(
                Finding(
                    "blocks/reader-gone",
                    "Nobody reads the stream any more",
                    expected="a reader",
                    actual="a closed stream",
                )
            )

    async def __aenter__(self) -> ChunkSender:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        channel = self._channel
        if error is None:
            self.close()
            return False
        if not isinstance(error, Exception):
            channel.cancelled = not channel.sender_gone
            self.close()
            return False
        if channel.reader_gone and _says_reader_gone(error):
            self.close()
            return True
        return self.fail(error)

    def __del__(self) -> None:
        # Never opened; or its event loop is gone, and whoever waited with it.
        with suppress(AttributeError, RuntimeError):
            self._channel.close_sender()


class StreamingResponse(AsyncIterator[StreamChunk | Unknown]):
    """The chunks of one response, as they come; :meth:`channel` makes it together with its sender.

    Iteration ends after ``message_stop`` or ``error``. A stream that ends without either was cut
    and raises StreamProtocolError ``blocks/truncated``; what the sender failed with arrives as
    ModelAdapterError, with the original as ``__cause__`` and, if that was a ModelAdapterError,
    its code. Both come after the chunks that were sent before, and once: then the stream is
    closed, and a closed stream has no more chunks. Leaving ``async with``, ``aclose()`` or
    dropping the stream, in the thread of its event loop, stops the sender; ``break`` alone does
    not, as long as the stream is referred to.
    """

    __slots__ = ("_channel",)

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @classmethod
    def channel(cls, capacity: int = 16) -> tuple[ChunkSender, StreamingResponse]:
        """Return a sender and the stream of what it sends; at most ``capacity`` chunks wait.

        Needs no running event loop. Raises UsageError ``usage/invalid-argument`` for a capacity
        below 1, ``usage/missing-extra`` where anyio is not installed.
        """
        channel = open_channel(capacity)
        return ChunkSender(channel), cls(channel)

    def __aiter__(self) -> StreamingResponse:
        return self

    async def __anext__(self) -> StreamChunk | Unknown:
        channel = self._channel
        if channel.reader_gone:
            raise StopAsyncIteration
        await channel.checkpoint()
        while not channel.chunks:
            if channel.reader_gone:
                raise StopAsyncIteration
            if channel.sender_gone:
                self._raise_end()
            await channel.wait_for_chunk()
        chunk = channel.pop()
        if isinstance(chunk, TERMINAL):
            channel.close_reader()
        return chunk

    async def aclose(self) -> None:
        """Close the stream: what waits is dropped, and the sender's next send raises."""
        self._channel.close_reader()

    async def __aenter__(self) -> StreamingResponse:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._channel.close_reader()

    def __del__(self) -> None:
        # Never opened; or its event loop is gone, and whoever waited with it.
        with suppress(AttributeError, RuntimeError):
            self._channel.close_reader()

    def _raise_end(self) -> NoReturn:
        channel = self._channel
        cause, cancelled = channel.failure, channel.cancelled
        channel.close_reader()
        if cause is None:
            _refuse(
                "blocks/truncated",
                "The stream stops without message_stop or error",
                "message_stop or error",
                "the sender was cancelled" if cancelled else "the end of the sender",
            )
        if isinstance(cause, ModelAdapterError) and hasattr(cause, "retryable"):
            code, message, retryable = cause.error_code, cause.message, cause.retryable
        else:
            code, message, retryable = "unknown", f"The sender failed: {_words(cause)}", False
        raise ModelAdapterError(code, message, retryable=retryable) from cause


def _words(error: Exception) -> str:
    kind = type(error).__name__
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - what has no words must not hide what happened
        return kind
    return f"{kind}: {printable(said)}" if said else kind


def _says_reader_gone(error: Exception) -> bool:
    """Return whether ``error`` says nothing but that; a task group wraps what is raised in it."""
    if isinstance(error, ExceptionGroup):
        return error.split(ReaderGone)[1] is None
    return isinstance(error, ReaderGone)


def _refuse(rule: str, message: str, expected: str, actual: str) -> NoReturn:
    raise StreamProtocolError(Finding(rule, message, expected=expected, actual=actual))
