"""Runs whose lines are not in the order in which their streams were written: taken exactly.

A stream is named by ``runId`` and ``messageId``. Its lines count in the order of their ``seq``, in
whatever order they are stored; of several with one ``seq`` the first counts, and the others are
repeats if they say the same. So one stream is one message, however often its producer, a queue or a
copy of a file has written it. Source: semantics, archives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import msgspec

from ...errors import Finding, PartwireError, ReadError, StreamFailed, StreamProtocolError, clip
from ...message.assemble import LineAssembler
from ...message.assembler.lines import BLANK, read_item, unknown_document
from ...message.assembler.machine import MessageAssembler
from ...message.gate import conflicting_repeat
from ...reading.tolerant import Mode, Unknown
from ..lines import Row, head_of_line
from .sorting import Sortable, sorted_rows

__all__ = [
    "OnUnknown",
    "Sink",
    "StreamNames",
    "fold_exactly",
    "fold_stream",
    "stream_of",
    "why_nameless",
]

OnUnknown = Literal["refuse", "tolerate", "drop"]
"""What becomes of a delta of a kind that this version does not know."""

_START: Final = "start"
_ENDS: Final = frozenset({"done", "error"})
_NO_SEQ: Final = -1
_MOST_HELD: Final = 100_000
_MOST_HELD_BYTES: Final = 8 << 20
_encode: Final = msgspec.json.Encoder(enc_hook=unknown_document).encode


class Sink(Protocol):
    """Where the results of streams go. Each line is given once, in one of three ways."""

    def message(self, text: bytes, lines: int) -> None:
        """Take a message as JSON text, and of how many lines it was made."""

    def quarantine(self, row: Row, finding: Finding) -> None:
        """Take a line that is in no message, and why."""

    def repeats(self, lines: int) -> None:
        """Count lines that say again what another line has said."""


def fold_exactly(
    given: Iterable[Row], sink: Sink, on_unknown: OnUnknown, most_bytes: int, folder: Path
) -> None:
    """Give the sink what becomes of all lines of some runs, which come in the order of storing.

    About ``most_bytes`` are held, and what is beyond goes through files in ``folder``.
    """
    routes = StreamNames()
    ordered = sorted_rows(routes.named(given, sink), most_bytes, folder)
    for stream, rows in groupby(ordered, key=stream_of):
        fold_stream(rows, routes.unclear.get(stream), sink, on_unknown)


def stream_of(row: Sortable) -> tuple[str, str]:
    """Return the run and the message of a row."""
    return row[0], row[1]


# --- to which stream a line belongs ---------------------------------------------------------------


class _Run:
    """What is known of a run: the streams that are open, the one that began last, and lines that
    name no message and came before any stream.
    """

    __slots__ = ("ended", "last", "open", "seqs", "waiting")

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.ended: set[str] = set()
        self.last: str | None = None
        self.waiting: list[tuple[int, Row, str | None]] = []
        self.seqs: dict[str, int] = {}


class StreamNames:
    """Name the stream of each line, in the order of storing."""

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}
        self.unclear: dict[tuple[str, str], Finding] = {}
        """Streams that may lack a line: one that names no message, while several were open."""

    def named(self, given: Iterable[Row], sink: Sink) -> Iterator[Sortable]:
        """Yield the rows with their streams."""
        for row in given:
            head = head_of_line(row.data)
            if head is None:
                if row.data.strip():
                    sink.quarantine(row, why_nameless(row.data))
                continue
            run_id, message_id, kind = head.run_id, head.message_id or None, head.kind
            run = self._runs.get(run_id)
            if run is None:
                run = self._runs[run_id] = _Run()
            seq = head.seq if type(head.seq) is int and head.seq >= 0 else _NO_SEQ
            if message_id is None and kind != _START:
                found = self._unnamed(run, run_id, row, sink)
                if found is None:
                    if not run.open:
                        run.waiting.append((seq, row, kind))
                    continue
            else:
                found = message_id or ""
            yield _sortable(run, run_id, found, seq, row)
            if kind == _START and run.waiting:
                yield from self._waited(run, run_id, found)
            _note(run, found, kind)
        for run_id, run in self._runs.items():
            if run.waiting:
                yield from self._waited(run, run_id, "")

    def _unnamed(self, run: _Run, run_id: str, row: Row, sink: Sink) -> str | None:
        """Return the stream of a line that names no message; None if it has none, or not yet."""
        if len(run.open) == 1:
            (found,) = run.open
            return found
        if not run.open:
            return run.last
        finding = Finding(
            "stream/message-id-mismatch",
            "A delta names none of the messages of its run, of which several are open",
            "/messageId",
            expected="the id of one of them",
            actual="none",
        )
        sink.quarantine(row, finding)
        for each in run.open:
            self.unclear.setdefault((run_id, each), finding)
        return None

    def _waited(self, run: _Run, run_id: str, found: str) -> Iterator[Sortable]:
        waiting, run.waiting = run.waiting, []
        for seq, row, kind in waiting:
            yield _sortable(run, run_id, found, seq, row)
            _note(run, found, kind)


def _sortable(run: _Run, run_id: str, found: str, seq: int, row: Row) -> Sortable:
    if seq == _NO_SEQ:  # where it was stored
        seq = run.seqs.get(found, 0)
    else:
        run.seqs[found] = seq
    return run_id, found, seq, row.source, row.number, row.data


def _note(run: _Run, found: str, kind: str | None) -> None:
    if kind in _ENDS:
        run.open.discard(found)
        run.ended.add(found)
    elif found not in run.ended:
        run.open.add(found)
    if kind == _START or run.last is None:
        run.last = found


def why_nameless(line: bytes) -> Finding:
    """Return why a line says of no stream: what refuses it anywhere else."""
    try:
        delta = read_item(line, "strict", False)
        MessageAssembler().consume(delta)
    except PartwireError as error:
        return error.findings[0]
    raise AssertionError("a line without a name was taken")


# --- one stream -----------------------------------------------------------------------------------


def fold_stream(
    rows: Iterator[Sortable], unclear: Finding | None, sink: Sink, on_unknown: OnUnknown
) -> None:
    """Give the sink what becomes of one stream, whose lines come in the order of ``seq``.

    Most are in order now, but for repeats to the byte: these go the fast way.
    """
    held = list(_some(rows))
    behind = next(rows, None)
    if unclear is None and behind is None:
        lines = _without_repeats(held)
        text = _message(b"\n".join(lines), on_unknown) if lines else None
        if text is not None and lines:
            sink.repeats(len(held) - len(lines))
            sink.message(text, len(lines))
            return
    fold = _StreamFold(sink, on_unknown)
    if unclear is not None:
        fold.refuse(unclear)
    for _, _, seq, source, number, line in chain(held, filter(None, [behind]), rows):
        fold.take(seq, Row(source, number, line))
    fold.close()


def _some(rows: Iterator[Sortable]) -> Iterator[Sortable]:
    """Yield the first rows, as many as may be held."""
    size = 0
    for row in islice(rows, _MOST_HELD):
        yield row
        size += len(row[5])
        if size > _MOST_HELD_BYTES:
            return


def _without_repeats(rows: list[Sortable]) -> list[bytes] | None:
    """Return the lines but those which repeat the one before; None if a ``seq`` has two others."""
    lines: list[bytes] = []
    last_seq = last_line = None
    for _, _, seq, _, _, line in rows:
        if seq != last_seq:
            lines.append(line)
        elif line != last_line:
            return None
        last_seq, last_line = seq, line
    return lines


def _message(text: bytes, on_unknown: OnUnknown) -> bytes | None:
    """Return the message of a stream of which no line is refused; None for any other."""
    stream = LineAssembler(mode="tolerant" if on_unknown == "tolerate" else "strict")
    try:
        stream.feed(text)
        return stream.finish_json()
    except StreamFailed as error:
        return _encode(error.partial)
    except (ReadError, StreamProtocolError) as error:
        if error.findings[0].rule != "stream/truncated":
            return None
    return _encode(stream.assembler.build_partial("truncated"))


class _StreamFold:
    """One stream, whose lines come in the order of ``seq``."""

    def __init__(self, sink: Sink, on_unknown: OnUnknown) -> None:
        self._sink = sink
        self._drops = on_unknown == "drop"
        self._mode: Mode = "strict" if on_unknown == "refuse" else "tolerant"
        self._assembler = MessageAssembler()
        self._refused: Finding | None = None
        self._lines = 0
        self._seq: int | None = None
        self._taken: Any = None

    def refuse(self, finding: Finding) -> None:
        """Say that the stream may lack a line: there is no message of it."""
        self._refused = finding

    def take(self, seq: int, row: Row) -> None:
        """Take the next line."""
        if self._refused is not None:
            self._sink.quarantine(row, _after(self._refused))
            return
        try:
            delta = read_item(row.data, self._mode, False)
            assert delta is not BLANK
        except ReadError as error:
            self._refuse_line(row, error.findings[0])
            return
        if type(delta) is Unknown and self._drops:
            self._sink.quarantine(row, _dropped(delta))
            return
        if seq == self._seq:
            conflict = conflicting_repeat(seq, self._taken, delta)
            if conflict is None:
                self._sink.repeats(1)
            else:
                self._sink.quarantine(row, conflict)
            return
        try:
            self._assembler.consume(delta)
        except StreamProtocolError as error:
            if error.findings[0].rule == "stream/after-terminal":
                self._sink.quarantine(row, error.findings[0])
            else:
                self._refuse_line(row, error.findings[0])
            return
        self._seq, self._taken = seq, delta
        self._lines += 1

    def _refuse_line(self, row: Row, finding: Finding) -> None:
        self._sink.quarantine(row, finding)
        if self._assembler.status not in ("done", "error"):
            self._refused = finding

    def close(self) -> None:
        """Give the message, if there is one: finished, or what came of it, marked incomplete."""
        if not self._lines:
            return
        text = _encode(self._message())
        self._sink.message(text, self._lines)

    def _message(self) -> Any:
        assembler = self._assembler
        if assembler.status == "done":
            return assembler.build_final_message()
        if assembler.status == "error":
            return assembler.build_partial()
        return assembler.build_partial("truncated")


def _after(refused: Finding) -> Finding:
    """Return why a line is not looked at: a line of its stream before it is missing or wrong."""
    return refused._replace(message=f"An earlier line of its stream was refused: {refused.message}")


def _dropped(delta: Unknown) -> Finding:
    return Finding(
        "read/unknown-variant",
        "A delta of a kind that is not known is dropped, as was asked for",
        "/kind",
        expected="a kind that this version knows",
        actual=clip(delta.tag),
    )
