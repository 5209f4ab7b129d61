"""The bounded channel between a sender and a reader of one event loop.

It holds no task and starts none. Whoever has to wait does so at an event, and is woken by the
other side: by a chunk, by room, by the end. A chunk is taken out only by a reader that returns
it: cancellation loses none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from ..contract.current.blocks import StreamChunk
from ..errors import Finding, UsageError, bad_argument
from ..reading.pipeline import Unknown
from .chunk_state import TERMINAL

if TYPE_CHECKING:
    import anyio

__all__ = ["Channel", "open_channel"]

Item = StreamChunk | Unknown

_INSTALL: Final = "pip install 'partwire[async]'"


class _Signal:
    """Wakes those who wait; its event is made by who waits, so none is needed before."""

    __slots__ = ("_event", "_make")

    def __init__(self, make: Callable[[], anyio.Event]) -> None:
        self._make = make
        self._event: anyio.Event | None = None

    async def wait(self) -> None:
        if self._event is None:
            self._event = self._make()
        await self._event.wait()

    def wake(self) -> None:
        event, self._event = self._event, None
        if event is not None:
            event.set()


class Channel:
    """What sender and reader share."""

    __slots__ = (
        "__weakref__",
        "_filled",
        "_room",
        "cancelled",
        "capacity",
        "checkpoint",
        "chunks",
        "ended",
        "failure",
        "reader_gone",
        "sender_gone",
    )

    def __init__(
        self,
        capacity: int,
        make_event: Callable[[], anyio.Event],
        checkpoint: Callable[[], Awaitable[None]],
    ) -> None:
        self.capacity = capacity
        self.checkpoint = checkpoint
        self.chunks: deque[Item] = deque()
        self.ended = False  # the chunk that ends the stream was sent
        self.sender_gone = False
        self.reader_gone = False
        self.cancelled = False  # the sender was
        self.failure: Exception | None = None  # of the sender, not delivered yet
        self._filled = _Signal(make_event)
        self._room = _Signal(make_event)

    async def wait_for_room(self) -> None:
        """Return when the reader took a chunk, or either side is gone; maybe for nothing."""
        await self._room.wait()

    async def wait_for_chunk(self) -> None:
        """Return when a chunk was sent, or either side is gone; maybe for nothing."""
        await self._filled.wait()

    def put(self, chunk: Item) -> None:
        """Append a chunk; there is room."""
        self.chunks.append(chunk)
        self.ended = isinstance(chunk, TERMINAL)
        self._filled.wake()

    def pop(self) -> Item:
        """Take the first chunk; there is one."""
        chunk = self.chunks.popleft()
        self._room.wake()
        return chunk

    def close_sender(self, failure: Exception | None = None) -> bool:
        """Let the sender go; return whether the reader will get ``failure``."""
        if self.sender_gone:
            return False
        self.sender_gone = True
        heard = failure is not None and not (self.ended or self.reader_gone)
        if heard:
            self.failure = failure
        self._wake_all()
        return heard

    def close_reader(self) -> None:
        """Let the reader go, with all that it has not read."""
        if self.reader_gone:
            return
        self.reader_gone = True
        self.failure = None
        self.chunks.clear()
        self._wake_all()

    def _wake_all(self) -> None:
        self._filled.wake()
        self._room.wake()


def open_channel(capacity: object) -> Channel:
    """Return a channel; raises UsageError as ``StreamingResponse.channel``."""
    if type(capacity) is not int or capacity < 1:
        raise bad_argument(
            "capacity is not a count of chunks", "an integer of at least 1", capacity
        )
    try:
        import anyio  # noqa: PLC0415 - an extra, and no other part of the room needs it
        from anyio.lowlevel import checkpoint  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            Finding(
                "usage/missing-extra",
                f"Channels need the package anyio: {_INSTALL}",
                expected="the extra async",
                actual="no anyio",
            )
        ) from None
    return Channel(capacity, anyio.Event, checkpoint)
