"""What a stream that is written says, read as any other while it is written."""

from __future__ import annotations

from collections.abc import Mapping

from .reading import Json
from .runs import RunAssembler
from .streams import StreamReader
from .writing import plain

__all__ = ["ReadBack"]


class ReadBack:
    """Reads the events of a writer with the format's own reader.

    ``pieces`` are the types of events that say the next piece of something, with the members that
    hold its id and the piece; the writer puts nothing else into them but a time. Pieces in a row
    say what their whole says: they are read as one event, so that a piece costs little.
    """

    def __init__(self, reader: StreamReader, pieces: Mapping[str, tuple[str, str]]) -> None:
        self._reader = reader
        self._pieces = pieces
        self._run = RunAssembler()
        self._held: Json = {}
        self._texts: list[str] = []  # of the event that is held

    def put(self, event: Json) -> None:
        """Read an event."""
        kind = event["type"]
        names = self._pieces.get(kind)
        if names is None:
            self._flush()
            self._run.feed_all(self._reader.feed(event))
            return
        own, piece = names
        held = self._held
        if not held or held["type"] != kind or held[own] != event[own]:
            self._flush()
            self._held = event
        self._texts.append(event[piece])

    def finish(self) -> list[Json]:
        """Say that no more comes, and return the messages."""
        self._flush()
        self._run.feed_all(self._reader.finish())
        messages: list[Json] = plain(self._run.finish())
        return messages

    def _flush(self) -> None:
        held, self._held = self._held, {}
        if held:
            _, piece = self._pieces[held["type"]]
            self._run.feed_all(self._reader.feed({**held, piece: "".join(self._texts)}))
            self._texts.clear()
