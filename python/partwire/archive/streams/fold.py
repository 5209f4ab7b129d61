"""The keyed fold: from the lines of many mixed streams to a message of each, in two passes.

The first pass takes the lines in the order of storing, as fast as they can be decoded, and keeps
what comes of runs whose lines all lie here and in the order in which they were written. The second
one gives out the lines of the other runs, which are taken elsewhere, or exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import BinaryIO, Final, NamedTuple

from ...message.streams import Assembled, OpenStream, StreamsAssembler
from ...reading.tolerant import Mode
from ..lines import Block, LongLine
from .odd import Odd, StreamSeen

__all__ = ["Folded", "Kept", "fold", "kept_messages"]


class Kept(NamedTuple):
    """A message that the first pass has made, as it is in the file."""

    run_id: str
    message_id: str
    size: int
    """Its length as JSON text, without the line end."""
    lines: int
    """Of how many lines it was made."""


class Folded(NamedTuple):
    """What the first pass has made of some lines that follow each other."""

    streams: list[StreamSeen]
    """In the order of their names; ``place`` is 0 of all."""
    messages: list[Kept]
    """In the order of the file."""
    lines: int
    """All lines, blank ones too."""
    blank: int
    nameless: int
    """Lines that say of no stream."""
    too_long: list[LongLine]


def fold(
    given: Iterable[Block | LongLine],
    spool: BinaryIO,
    mode: Mode,
    most_bytes: int,
    *,
    are_all: bool = False,
) -> Iterator[Folded]:
    """Write a message of each stream, as JSON Lines, and yield what was seen.

    ``are_all``: no line of these runs is anywhere else, so that a stream without an end was cut,
    and becomes a message that says so. Otherwise its run is not clean.

    What is held grows with the streams that are open. Where it is more than ``most_bytes``, what
    comes next is taken as if it was another input: streams that are open then are not clean.
    """
    segment = _Segment(spool, mode)
    for block in given:
        if isinstance(block, LongLine):
            segment.too_long.append(block)
            continue
        segment.take(block)
        if segment.due <= 0 and segment.is_full(most_bytes):
            yield segment.end(are_all=False)
            segment = _Segment(spool, mode)
            are_all = False
    yield segment.end(are_all=are_all)


_NAME_BYTES: Final = 400  # what is held of a stream when it has ended
_MESSAGE_BYTES: Final = 250  # what is held of a message: its place, and its name
_STREAM_BYTES: Final = 1000  # what an open stream takes beside its message
_LEAST_DUE: Final = 1 << 20


class _Seen:
    """What was seen of a stream, or of several of one name."""

    __slots__ = ("is_clean", "is_named", "lines")

    def __init__(self, lines: int, is_clean: bool, is_named: bool) -> None:
        self.lines = lines
        self.is_clean = is_clean
        self.is_named = is_named


class _Segment:
    """Lines that follow each other, and are taken together."""

    def __init__(self, spool: BinaryIO, mode: Mode) -> None:
        self._spool = spool
        self._streams = StreamsAssembler(mode=mode)
        self._seen: dict[tuple[str, str], _Seen] = {}
        self._messages: list[Kept] = []
        self._lines = self._in_results = self._nameless = 0
        self.too_long: list[LongLine] = []
        self.due = _LEAST_DUE
        """How many bytes may come before it has to be looked whether it is full."""

    def take(self, block: Block) -> None:
        """Take the lines of a block."""
        self._lines += block.lines
        self.due -= len(block.data)
        self._note(self._streams.feed(block.data))

    def is_full(self, most_bytes: int) -> bool:
        """Tell whether more is held than that, and see when to look next."""
        held = sum(each.held_bytes + _STREAM_BYTES for each in self._streams.open)
        held += _NAME_BYTES * len(self._seen) + _MESSAGE_BYTES * len(self._messages)
        room = most_bytes - held
        self.due = max(room // 8, _LEAST_DUE)
        return room < 0

    def end(self, *, are_all: bool) -> Folded:
        """Return what has become of it."""
        if are_all:
            self._note(self._streams.finish())
        else:
            for stream in self._streams.open:
                self._in_results += stream.lines
                self._see(stream, is_clean=False)
        streams = [
            StreamSeen(run_id, message_id, 0, seen.is_clean, seen.is_named, seen.lines)
            for (run_id, message_id), seen in sorted(self._seen.items(), key=itemgetter(0))
        ]
        return Folded(
            streams,
            self._messages,
            self._lines + len(self.too_long),
            self._lines - self._in_results,
            self._nameless,
            self.too_long,
        )

    def _see(self, stream: Assembled | OpenStream, *, is_clean: bool) -> bool:
        """Note lines of a stream; tell whether it is clean, and the only one of its name."""
        name = stream.run_id or "", stream.message_id or ""
        seen = self._seen.get(name)
        if seen is None:
            self._seen[name] = _Seen(stream.lines, is_clean, stream.is_named)
            return is_clean
        seen.lines += stream.lines
        seen.is_clean = False
        seen.is_named = seen.is_named and stream.is_named
        return False

    def _note(self, results: list[Assembled]) -> None:
        for result in results:
            self._in_results += result.lines
            if result.run_id is None:
                self._nameless += result.lines
                continue
            text = None
            if not result.is_late:
                text = result.message_json if result.error is None else result.partial_json
            if self._see(result, is_clean=text is not None) and text is not None:
                kept = Kept(result.run_id, result.message_id or "", len(text), result.lines)
                self._messages.append(kept)
                self._spool.write(text)
                self._spool.write(b"\n")


def kept_messages(
    spool: BinaryIO, messages: Iterable[Kept], odd: Odd
) -> Iterator[tuple[bytes, int]]:
    """Yield the messages of streams that are not odd: JSON text, and the number of lines."""
    for run_id, message_id, size, lines in messages:
        text = spool.read(size + 1)
        if not odd.has(run_id, message_id):
            yield text[:-1], lines
