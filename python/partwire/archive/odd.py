"""Which streams cannot be finished where they were read: the odd ones.

A stream is odd if its lines are in several places, or are not in order in the one where they are.
Where a line of a run does not name its message, it may belong to any of the run's streams: they are
odd together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

__all__ = ["EVERY", "Odd", "StreamSeen", "odd_streams"]

EVERY = None
"""In place of a message id: all streams of the run."""


class StreamSeen(NamedTuple):
    """What was seen of a stream in one place."""

    run_id: str
    message_id: str
    """Empty where its lines name none."""
    place: int
    is_clean: bool
    """Whether the stream is whole and in order, as far as the lines of this place go."""
    is_named: bool
    """Whether each of its lines has the id of the message."""
    lines: int


def odd_streams(seen: Iterable[StreamSeen]) -> Iterator[tuple[str, str | None, set[int], int]]:
    """Yield run and message of what is odd, the places where its lines are, and how many there are.

    ``seen`` comes in the order of runs and messages.
    """
    for run_id, of_run in groupby(seen, key=itemgetter(0)):
        streams = list(of_run)
        if len(streams) == 1:
            if not streams[0].is_clean:
                yield run_id, EVERY, {streams[0].place}, streams[0].lines
        elif not all(each.is_named for each in streams):
            yield from _if_odd(run_id, EVERY, streams)
        else:
            for message_id, of_message in groupby(streams, key=itemgetter(1)):
                yield from _if_odd(run_id, message_id, list(of_message))


def _if_odd(
    run_id: str, message_id: str | None, streams: Sequence[StreamSeen]
) -> Iterator[tuple[str, str | None, set[int], int]]:
    places = {each.place for each in streams}
    if len(places) > 1 or not all(each.is_clean for each in streams):
        yield run_id, message_id, places, sum(each.lines for each in streams)


class Odd:
    """The odd streams of a place, by name."""

    def __init__(self, names: Iterable[tuple[str, str | None]]) -> None:
        self._runs: dict[str, set[str] | None] = {}
        for run_id, message_id in names:
            if message_id is EVERY:
                self._runs[run_id] = EVERY
            else:
                known = self._runs.setdefault(run_id, set())
                if known is not None:
                    known.add(message_id)

    def __bool__(self) -> bool:
        return bool(self._runs)

    @property
    def runs(self) -> dict[str, set[str] | None]:
        """The runs that have any, each with its odd messages, or with EVERY."""
        return self._runs

    def has(self, run_id: str, message_id: str) -> bool:
        """Tell whether a stream is odd."""
        if run_id not in self._runs:
            return False
        messages = self._runs[run_id]
        return messages is None or message_id in messages
