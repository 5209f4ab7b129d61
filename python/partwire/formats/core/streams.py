"""What a reader and a writer of an event stream look like, whatever the format."""

from __future__ import annotations

from typing import Any, Protocol

from partwire.losses import Loss

from .reading import Json
from .runs import RunItem

__all__ = ["StreamReader", "StreamWriter"]


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


class StreamWriter(Protocol):
    """Writes a stream: deltas and whole messages in, events out."""

    @property
    def losses(self) -> list[Loss]:
        """What the events do not say of the items; pointers begin with an item's number."""
        ...

    def feed(self, item: RunItem) -> list[Json]:
        """Take an item: a delta, or a whole message."""
        ...

    def finish(self) -> list[Json]:
        """Say that no more comes."""
        ...
