"""The messages of a file that a RecordingModel has written: one of each of its streams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ...errors import Finding, ReadError, StreamProtocolError
from ...message import MessageAssembler
from ...message.assemble import line_too_long
from ...model.recording_format import Ending, RecordedStream, RecordingReader
from ...providers.framing import RawLine
from ...reading.pipeline import dump
from ..lines import BLANK, Block, LongLine
from ..outputs import quarantined, too_long

__all__ = ["RecordingSink", "RecordingTaken", "take_recording"]


class RecordingSink(Protocol):
    """Takes what comes of a recording."""

    def message(self, text: bytes) -> None:
        """Take a message as JSON text."""

    def unanswered(self) -> None:
        """Take note of a stream without a delta."""

    def quarantine(self, row: dict[str, Any], number: int, lines: int) -> None:
        """Take a line that cannot be used, and how many it counts for."""


class RecordingTaken:
    """How many lines there are."""

    def __init__(self) -> None:
        self.lines = 0
        self.blank = 0
        self.used = 0


def take_recording(given: Iterable[Block | LongLine], sink: RecordingSink) -> RecordingTaken:
    """Give the sink what becomes of a recording; return how many lines there are, and are used.

    Behind a line that cannot be read nobody knows what is missing: it is put aside with all that
    follow it, in one row, and streams that were open are cut there. What the assembler refuses of
    a stream is put aside with the deltas of this stream that follow.
    """
    taken, streams = RecordingTaken(), _Streams(sink)
    stop: tuple[dict[str, Any], int] | None = None
    rest = 0
    for block in given:
        taken.lines += block.lines
        if isinstance(block, LongLine):
            why = line_too_long(block.number).findings[0]
            stop, rest = stop or (too_long(block, why), block.number), rest + 1
            continue
        for number, text in enumerate(block.texts(), block.number):
            if not text.strip(BLANK):
                taken.blank += 1
            elif stop is not None:
                rest += 1
            else:
                try:
                    taken.used += streams.take(text, number)
                except ReadError as error:
                    stop, rest = (quarantined(text, error.findings[0]), number), 1
    streams.end()
    if stop is not None:
        sink.quarantine(*stop, rest)
    return taken


class _Open:
    """A stream that has not ended."""

    def __init__(self) -> None:
        self.assembler = MessageAssembler()
        self.refused: Finding | None = None


class _Streams:
    def __init__(self, sink: RecordingSink) -> None:
        self._sink = sink
        self._reader = RecordingReader()
        self._open: dict[RecordedStream, _Open] = {}

    def take(self, text: bytes, number: int) -> int:
        """Take a line; return 1 if it is used, and 0 if it was put aside. Raises ReadError."""
        stream = self._reader.take(RawLine(text, number))
        if stream is None:
            return 1
        stream.request = None  # histories are long, and nothing of them is in the message
        state = self._open.setdefault(stream, _Open())
        for timed in stream.deltas:
            try:
                if state.refused is None:
                    state.assembler.consume(timed.delta)
            except StreamProtocolError as error:
                state.refused = error.findings[0]
        if stream.deltas and state.refused is not None:
            stream.deltas.clear()
            self._sink.quarantine(quarantined(text, state.refused), number, 1)
            return 0
        stream.deltas.clear()
        if stream.how is not None:
            self._end(self._open.pop(stream), stream.how)
        return 1

    def end(self) -> None:
        """End the streams that were still running when the file ended."""
        for state in self._open.values():
            self._end(state, None)

    def _end(self, state: _Open, how: Ending | None) -> None:
        assembler = state.assembler
        if assembler.status == "idle":
            self._sink.unanswered()
        elif assembler.status == "done":
            self._sink.message(dump(assembler.build_final_message()))
        elif assembler.status == "error":
            self._sink.message(dump(assembler.build_partial()))
        else:
            is_left = how in ("closed", "cancelled")
            self._sink.message(
                dump(assembler.build_partial("cancelled" if is_left else "truncated"))
            )
