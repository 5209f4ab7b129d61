"""The keyed fold: from the lines of many mixed streams to a message of each, in two passes.

The first pass takes the lines in the order of storing, as fast as they can be decoded, and keeps
what comes of runs whose lines all lie here and in the order in which they were written. The second
one gives out the lines of the other runs, which are taken elsewhere, or exactly.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import BinaryIO, Final, NamedTuple

import msgspec

from ..errors import StreamFailed
from ..message.assembler.lines import unknown_document
from ..message.streams import Assembled, StreamsAssembler
from ..reading.tolerant import Mode
from .lines import Block, LongLine, names_in, run_named_in

__all__ = ["Folded", "Kept", "Picked", "RunSeen", "fold", "kept_messages", "pick"]

_encode: Final = msgspec.json.Encoder(enc_hook=unknown_document).encode


class RunSeen(NamedTuple):
    """What the first pass has seen of a run."""

    lines: int
    is_clean: bool
    """Whether each of its streams is whole and in order, as far as these lines go."""


class Kept(NamedTuple):
    """A message that the first pass has made, as it is in the file."""

    run_id: str
    size: int
    """Its length as JSON text, without the line end."""
    lines: int
    """Of how many lines it was made."""


class Folded(NamedTuple):
    """What the first pass has made of some lines that follow each other."""

    runs: dict[str, RunSeen]
    messages: list[Kept]
    """In the order of the file."""
    lines: int
    """All lines, blank ones too."""
    blank: int
    nameless: int
    """Lines that say of no stream."""
    too_long: list[LongLine]


def fold(
    given: Iterable[Block | LongLine], spool: BinaryIO, mode: Mode, most_bytes: int
) -> Iterator[Folded]:
    """Write a message of each stream, as JSON Lines, and yield what was seen.

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
            yield segment.end()
            segment = _Segment(spool, mode)
    yield segment.end()


_RUN_BYTES: Final = 400  # what is held of a run beside its streams
_MESSAGE_BYTES: Final = 250  # what is held of a message: its place, and its name
_STREAM_BYTES: Final = 1000  # what an open stream takes beside its message
_LEAST_DUE: Final = 1 << 20


class _Seen:
    __slots__ = ("is_clean", "lines", "message_ids")

    def __init__(self) -> None:
        self.lines = 0
        self.is_clean = True
        self.message_ids: set[str | None] | str | None = None


class _Segment:
    """Lines that follow each other, and are taken together."""

    def __init__(self, spool: BinaryIO, mode: Mode) -> None:
        self._spool = spool
        self._streams = StreamsAssembler(mode=mode)
        self._runs: dict[str, _Seen] = {}
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
        held += _RUN_BYTES * len(self._runs) + _MESSAGE_BYTES * len(self._messages)
        room = most_bytes - held
        self.due = max(room // 8, _LEAST_DUE)
        return room < 0

    def end(self) -> Folded:
        """Return what has become of it."""
        self._note(self._streams.finish())
        runs = {name: RunSeen(seen.lines, seen.is_clean) for name, seen in self._runs.items()}
        return Folded(
            runs,
            self._messages,
            self._lines + len(self.too_long),
            self._lines - self._in_results,
            self._nameless,
            self.too_long,
        )

    def _note(self, results: list[Assembled]) -> None:
        for result in results:
            self._in_results += result.lines
            run_id = result.run_id
            if run_id is None:
                self._nameless += result.lines
                continue
            seen = self._runs.get(run_id)
            if seen is None:
                seen = self._runs[run_id] = _Seen()
            seen.lines += result.lines
            if not seen.is_clean:
                continue
            error = result.error
            is_whole = error is None or isinstance(error, StreamFailed)
            if not is_whole or not _is_new(seen, result.message_id):
                seen.is_clean = False
            else:
                text = (
                    _encode(error.partial)
                    if isinstance(error, StreamFailed)
                    else result.message_json
                )
                self._messages.append(Kept(run_id, len(text), result.lines))
                self._spool.write(text)
                self._spool.write(b"\n")


def _is_new(seen: _Seen, message_id: str | None) -> bool:
    """Note the name of a stream that has ended; tell whether it is the first of that name."""
    name, known = message_id or "", seen.message_ids
    if known is None:
        seen.message_ids = name  # most runs have one
        return True
    if isinstance(known, str):
        known = seen.message_ids = {known}
    if name in known:
        return False
    known.add(name)
    return True


def kept_messages(
    spool: BinaryIO, messages: Iterable[Kept], odd: Container[str]
) -> Iterator[tuple[bytes, int]]:
    """Yield the messages of all other runs, each as JSON text and with its number of lines."""
    for run_id, size, lines in messages:
        text = spool.read(size + 1)
        if run_id not in odd:
            yield text[:-1], lines


class Picked(NamedTuple):
    """Some lines of a block, in the order of storing."""

    source: int
    runs: list[str | None]
    """The run of each line; None for a line that names no stream."""
    numbers: list[int]
    lines: list[bytes]


def pick(block: Block, runs: Container[str]) -> Picked:
    """Return the lines of some runs, and those that name no stream but are not blank."""
    source, number, _, data = block
    names = names_in(block)
    if names is not None:
        found = [at for at, name in enumerate(names) if name.run_id in runs]
        lines = data.split(b"\n") if found else []
        return Picked(
            source,
            [names[at].run_id for at in found],
            [number + at for at in found],
            [lines[at] for at in found],
        )
    picked = Picked(source, [], [], [])
    for at, line in enumerate(data.removesuffix(b"\n").split(b"\n"), number):
        run_id = run_named_in(line)
        if run_id in runs or (run_id is None and line.strip()):
            picked.runs.append(run_id)
            picked.numbers.append(at)
            picked.lines.append(line)
    return picked
