"""The keyed fold: from the lines of many mixed streams to a message of each, in two passes.

The first pass takes the lines in the order of storing, as fast as they can be decoded, and keeps
what comes of runs whose lines all lie here and in the order in which they were written. The second
one gives out the lines of the other runs, which are taken elsewhere, or exactly.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from ..errors import StreamFailed
from ..message.assembler.lines import unknown_document
from ..message.streams import Assembled, StreamsAssembler
from ..reading.tolerant import Mode
from .lines import Block, LongLine, Row, names_in, run_named_in

__all__ = ["Folded", "RunSeen", "fold", "kept_messages", "lines_of_runs"]

_encode: Final = msgspec.json.Encoder(enc_hook=unknown_document).encode


class RunSeen(NamedTuple):
    """What the first pass has seen of a run."""

    lines: int
    is_clean: bool
    """Whether each of its streams is whole and in order, as far as these lines go."""


class Folded(NamedTuple):
    """What the first pass has made."""

    runs: dict[str, RunSeen]
    lines: int
    """All lines, blank ones too."""
    blank: int
    too_long: list[LongLine]
    messages: list[tuple[str, int, int]]
    """Run, length as JSON text, and lines of each message, in the order of the file."""


class _Seen:
    __slots__ = ("is_clean", "lines", "message_ids")

    def __init__(self) -> None:
        self.lines = 0
        self.is_clean = True
        self.message_ids: set[str | None] | str | None = None


def fold(given: Iterable[Block | LongLine], spool: BinaryIO, mode: Mode) -> Folded:
    """Write a message of each stream, as JSON Lines, and return what was seen."""
    streams = StreamsAssembler(mode=mode)
    pass_ = _Pass(spool)
    for block in given:
        if isinstance(block, LongLine):
            pass_.too_long.append(block)
            continue
        pass_.lines += block.data.count(b"\n")
        pass_.take(streams.feed(block.data))
    pass_.take(streams.finish())
    return pass_.folded()


class _Pass:
    def __init__(self, spool: BinaryIO) -> None:
        self._spool = spool
        self._runs: dict[str, _Seen] = {}
        self._messages: list[tuple[str, int, int]] = []
        self._in_results = 0
        self.lines = 0
        self.too_long: list[LongLine] = []

    def take(self, results: list[Assembled]) -> None:
        for result in results:
            self._in_results += result.lines
            run_id = result.run_id
            if run_id is None:
                continue
            seen = self._runs.get(run_id)
            if seen is None:
                seen = self._runs[run_id] = _Seen()
            seen.lines += result.lines
            error = result.error
            if not seen.is_clean:
                continue
            if error is None:
                text = result.message_json
            elif isinstance(error, StreamFailed):
                text = _encode(error.partial)
            else:
                seen.is_clean = False
                continue
            if not _is_new(seen, result.message_id):
                seen.is_clean = False
                continue
            self._messages.append((run_id, len(text), result.lines))
            self._spool.write(text)
            self._spool.write(b"\n")

    def folded(self) -> Folded:
        runs = {name: RunSeen(seen.lines, seen.is_clean) for name, seen in self._runs.items()}
        blank = self.lines - self._in_results
        return Folded(runs, self.lines + len(self.too_long), blank, self.too_long, self._messages)


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
    spool: BinaryIO, messages: list[tuple[str, int, int]], odd: Container[str]
) -> Iterator[tuple[bytes, int]]:
    """Yield the messages of all other runs, each as JSON text and with its number of lines."""
    for run_id, size, lines in messages:
        text = spool.read(size)
        spool.read(1)
        if run_id not in odd:
            yield text, lines


def lines_of_runs(
    given: Iterable[Block | LongLine], runs: Container[str]
) -> Iterator[tuple[str | None, Row]]:
    """Yield the lines of some runs, each with its run, and those that name no stream, with None.

    In the order of storing; a line that is blank or too long is not among them.
    """
    for block in given:
        if isinstance(block, LongLine):
            continue
        source, number, data = block
        names = names_in(data)
        if names is None:
            for at, line in enumerate(data.removesuffix(b"\n").split(b"\n"), number):
                run_id = run_named_in(line)
                if run_id in runs or (run_id is None and line.strip()):
                    yield run_id, Row(source, at, line)
            continue
        picked = [at for at, name in enumerate(names) if name.run_id in runs]
        if picked:
            lines = data.split(b"\n")
            for at in picked:
                yield names[at].run_id, Row(source, number + at, lines[at])
