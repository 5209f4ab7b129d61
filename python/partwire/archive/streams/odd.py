"""Which streams cannot be finished where they were read: the odd ones.

A stream is odd if its lines are in several places, or are not in order in the one where they are.
Where a line of a run does not name its message, it may belong to any of the run's streams: they are
odd together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from ...native_core import core

__all__ = ["EVERY", "Odd", "StreamSeen", "joined_streams", "odd_streams"]

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


def joined_streams(seen: Iterable[StreamSeen]) -> Iterator[StreamSeen]:
    """Yield each stream once, as it is where all places are one; it is not clean if it is odd.

    ``seen`` comes in the order of runs and messages.
    """
    for _, of_run in groupby(seen, key=itemgetter(0)):
        streams = list(of_run)
        odd = Odd((run_id, message_id) for run_id, message_id, _, _ in odd_streams(streams))
        for (run_id, message_id), same in groupby(streams, key=itemgetter(0, 1)):
            each = list(same)
            is_named, lines = all(one.is_named for one in each), sum(one.lines for one in each)
            is_clean = not odd.has(run_id, message_id)
            yield StreamSeen(run_id, message_id, 0, is_clean, is_named, lines)


_NAME_BYTES: Final = 150  # what a name takes beside the id of its run


class Odd:
    """The odd streams of a place, by name.

    Where the names are more than ``most_bytes``, all streams are taken as odd: these are then read
    where all of their lines are, which is always right, and longer.
    """

    def __init__(
        self, names: Iterable[tuple[str, str | None]], most_bytes: int | None = None
    ) -> None:
        self.are_all = False
        self.runs: dict[str, set[str] | None] = {}
        """The runs that have any, each with its odd messages, or with EVERY."""
        held = 0
        for run_id, message_id in names:
            held += len(run_id) + _NAME_BYTES
            if most_bytes is not None and held > most_bytes:
                self.are_all = True
                self.runs.clear()
                return
            if message_id is None:  # EVERY
                self.runs[run_id] = EVERY
            else:
                known = self.runs.setdefault(run_id, set())
                if known is not None:
                    known.add(message_id)

    @cached_property
    def native(self) -> Any:
        """What picks their lines in the native core; None without one."""
        native = core()
        if native is None:
            return None
        names = [
            (run_id, message_id)
            for run_id, messages in self.runs.items()
            for message_id in ([None] if messages is None else messages)
        ]
        return native.Pick(names, self.are_all)

    def __bool__(self) -> bool:
        return self.are_all or bool(self.runs)

    def has(self, run_id: str, message_id: str) -> bool:
        """Tell whether a stream is odd."""
        if run_id not in self.runs:
            return self.are_all
        messages = self.runs[run_id]
        return messages is None or message_id in messages
