"""What a reader and a writer of an event stream look like, whatever the format."""

from __future__ import annotations

from typing import Any, Protocol

from partwire.errors import Finding, StreamProtocolError
from partwire.losses import Loss

from .reading import Json
from .runs import RunItem

__all__ = ["StreamReader", "StreamWriter", "already_done"]


class StreamReader(Protocol):
    """Reads a stream: events in, deltas and whole messages out."""

    @property
    def losses(self) -> list[Loss]:
        """What the items do not say of the events; pointers begin with an event's number."""
        ...

    def take_losses(self) -> list[Loss]:
        """Return the losses since the last time, and forget them: for who reads without end."""
        ...

    def feed(self, event: Any) -> list[RunItem]:
        """Take an event: JSON text or a JSON value."""
        ...

    def finish(self) -> list[RunItem]:
        """Say that no more comes."""
        ...


def already_done() -> StreamProtocolError:
    """Return the error for an item that comes behind the end of a writer's stream."""
    words, wanted = "The stream is finished", "a new writer for each stream"
    return StreamProtocolError(Finding("stream/already-done", words, expected=wanted))


class StreamWriter(Protocol):
    """Writes a stream: deltas and whole messages in, events out."""

    @property
    def losses(self) -> list[Loss]:
        """What the events do not say of the items; pointers begin with an item's number."""
        ...

    def feed(self, item: RunItem) -> list[Json]:
        """Take an item: a delta, or a whole message.

        Raises as :meth:`RunAssembler.feed`, and StreamProtocolError ``stream/already-done`` behind
        the end: a writer is for one stream.
        """
        ...

    def finish(self) -> list[Json]:
        """Say that no more comes."""
        ...
