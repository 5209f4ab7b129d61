"""A file or stdin as an event stream of a format of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...contract.clock import now
from ...errors import Finding, ReadError
from ...files.inputs import Source
from ...formats import FORMATS, reader
from ...losses import Loss
from .foreign import read_events

__all__ = ["STREAM_FORMATS", "FormatStream"]

STREAM_FORMATS: Final = tuple(
    name for name, each in FORMATS.items() if each.can("reader") and not each.is_session
)


class FormatStream:
    """The items of an event stream of a format: deltas and whole messages, as they come.

    The events may be server-sent, JSON Lines or an array; ``losses`` has what the items do not say
    of them, all of it once the stream has been read.
    """

    def __init__(self, source: Source, format_name: str, run_id: str) -> None:
        self._source = source
        self._reader = reader(format_name, run_id=run_id, timestamp=now())

    @property
    def losses(self) -> list[Loss]:
        """What the items do not say of the events; pointers begin with an event's number."""
        return self._reader.losses

    def __iter__(self) -> Iterator[Any]:
        """Read the source, once.

        Raises ReadError for what is not an event of the format, and where there is none: nothing
        tells a stream that is empty from one that was cut.
        """
        is_empty = True
        with self._source.labelled():
            for data, is_whole in read_events(self._source.chunks()):
                is_empty = False
                try:
                    yield from self._reader.feed(data)
                except ReadError:
                    if is_whole:
                        raise
                    break  # the end of the input has cut it
            if is_empty:
                raise ReadError(
                    Finding("document/empty", "There is no event", expected="events of a stream")
                )
            yield from self._reader.finish()
