"""Which stream a line belongs to, where the lines of many streams are mixed.

A stream is named by ``runId`` and ``messageId``; what a line says of these two and its kind decides
where it goes, and nothing else does: neither what else is in it, nor whether its stream takes it.
The native core goes by the same rules. Source: semantics, many streams in one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from ..errors import PartwireError
from .assembler.condense import held_bytes
from .assembler.lines import decode_lines
from .assembler.machine import MessageAssembler

__all__ = ["Astray", "Head", "NativeRoutes", "OpenStream", "Routes", "Stream", "head_of"]

_START: Final = "start"
_ENDS: Final = frozenset({"done", "error"})
_MOST_ENDED: Final = 10_000  # names of streams that are remembered after their end


class Head(NamedTuple):
    """What a line says of its stream."""

    run_id: str
    message_id: str | None
    kind: str | None


def head_of(item: Any) -> Head | None:
    """Return the head of a delta, a JSON object or a model; None for what names no stream."""
    if isinstance(item, Mapping):
        names: list[Any] = [item.get(name) for name in ("runId", "messageId", "kind")]
    else:
        names = [getattr(item, name, None) for name in ("run_id", "message_id", "kind")]
    run_id, message_id, kind = names
    if message_id in (None, UNSET, ""):
        message_id = None
    elif not _is_id(message_id):
        return None
    if not _is_id(run_id):
        return None
    return Head(run_id, message_id, kind if isinstance(kind, str) else None)


def _is_id(value: Any) -> bool:
    if not isinstance(value, str) or not value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


class Stream:
    """One stream: its name, the lines that it has had, and what became of them."""

    # fmt: off
    __slots__ = (
        "assembler", "error", "first_line", "is_named", "is_over", "last_line", "lines",
        "message_id", "run_id", "token", "unclear_line",
    )
    # fmt: on

    def __init__(self, run_id: str, message_id: str | None, assembler: MessageAssembler) -> None:
        self.run_id = run_id
        self.message_id = message_id
        self.assembler = assembler
        self.error: PartwireError | None = None
        """Why there will be no message: from then on, its lines are counted and not looked at."""
        self.first_line = self.last_line = self.lines = 0
        self.unclear_line = 0
        """A line that may have been one of this stream's; 0 if there is none."""
        self.is_named = True
        """Whether each of its lines has the id of the message."""
        self.is_over = False
        self.token = 0
        """Its number in the native core, if that is where its lines are read."""

    def end(
        self, first_line: int, last_line: int, lines: int, unclear_line: int, is_named: bool
    ) -> None:
        """Say that its last line has come."""
        self.first_line, self.last_line = first_line, last_line
        self.lines, self.unclear_line, self.is_named = lines, unclear_line, is_named
        self.is_over = True


class OpenStream(NamedTuple):
    """One stream that has begun and has not ended."""

    run_id: str
    message_id: str | None
    first_line: int
    last_line: int
    lines: int
    held_bytes: int
    """About how many bytes are held of it."""
    is_broken: bool
    """Whether a line of it was refused: nothing is held of such a stream."""
    is_named: bool
    """Whether each of its lines has the id of the message."""


class Astray(NamedTuple):
    """Why a line belongs to no stream: its stream has ended, or several may be meant."""

    status: str | None
    """How its stream has ended; None where several may be meant."""


class _Run:
    """The open streams of one run, by message id."""

    __slots__ = ("streams", "unclear_line")

    def __init__(self) -> None:
        self.streams: dict[str | None, Stream] = {}
        self.unclear_line = 0


class Routes:
    """The streams that are open, and the names of those that ended last."""

    def __init__(self, new_assembler: Callable[[], MessageAssembler]) -> None:
        self._new_assembler = new_assembler
        self._runs: dict[str, _Run] = {}
        self._ended: dict[tuple[str, str | None], str] = {}
        self.named: dict[tuple[str, Any], Stream] = {}
        """The streams that are open, by run and message, unless they are broken."""

    def route(
        self, run_id: str, message_id: str | None, kind: str | None, line: int
    ) -> Stream | Astray:
        """Return the stream of a line, which is one line longer now, or why it has none.

        - A start opens the stream of its name, unless that is open.
        - Any other line without a message id belongs to the one open stream of its run. Where
          several are open, it may be a line of each of them.
        - A line whose stream is not open comes late, if that has ended lately; else it opens the
          stream, which misses its beginning.
        - ``done`` and ``error`` end the stream, whatever it says to them.
        """
        run, stream = self._runs.get(run_id), None
        if run is not None:
            if message_id is not None or kind == _START:
                stream = run.streams.get(message_id)
            elif len(run.streams) == 1:
                (stream,) = run.streams.values()
            else:
                run.unclear_line = line
                return Astray(None)
        if stream is None:
            status = self._ended.get((run_id, message_id))
            if status is not None and kind != _START:
                return Astray(status)
            stream = Stream(run_id, message_id, self._new_assembler())
            stream.first_line = line
            if run is None:
                run = self._runs[run_id] = _Run()
            run.streams[message_id] = stream
            if message_id is not None:
                self.named[run_id, message_id] = stream
        stream.lines += 1
        stream.last_line = line
        if message_id is None:
            stream.is_named = False
        if kind in _ENDS:
            self._close(stream)
            self._remember(stream, kind)
        return stream

    def _close(self, stream: Stream) -> None:
        run = self._runs[stream.run_id]
        del run.streams[stream.message_id]
        self.let_go(stream)
        if not run.streams:
            del self._runs[stream.run_id]
        unclear_line = run.unclear_line if run.unclear_line > stream.first_line else 0
        stream.unclear_line, stream.is_over = unclear_line, True

    def _remember(self, stream: Stream, status: Any) -> None:
        ended = self._ended
        ended[stream.run_id, stream.message_id] = status
        ended[stream.run_id, None] = status  # of lines that name no message
        while len(ended) > _MOST_ENDED:
            del ended[next(iter(ended))]

    def let_go(self, stream: Stream) -> None:
        """Say that a stream is broken, or open no longer."""
        self.named.pop((stream.run_id, stream.message_id), None)

    def open_streams(self) -> list[OpenStream]:
        """Return the open streams in the order of their first lines."""
        streams = [stream for run in self._runs.values() for stream in run.streams.values()]
        return sorted(map(_seen, streams), key=_first_line)

    def remove(self, run_id: str, message_id: str | None) -> Stream | None:
        """Let the stream of exactly this name be open no longer; None if it is not open."""
        run = self._runs.get(run_id)
        stream = None if run is None else run.streams.get(message_id)
        if stream is not None:
            self._close(stream)
        return stream


def _seen(stream: Stream) -> OpenStream:
    is_broken = stream.error is not None
    return OpenStream(
        stream.run_id,
        stream.message_id,
        stream.first_line,
        stream.last_line,
        stream.lines,
        0 if is_broken else held_bytes(stream.assembler),
        is_broken,
        stream.is_named,
    )


def _first_line(stream: OpenStream) -> int:
    return stream.first_line


class NativeRoutes:
    """The same, as the native core knows it: it has the streams, but for those with odd lines."""

    def __init__(self, fold: Callable[[int], Any], new_assembler: Callable[[], Any]) -> None:
        self.fold = fold(_MOST_ENDED)
        self._new_assembler = new_assembler
        self._streams: dict[int, Stream] = {}  # those that are taken here, by token

    def route(
        self, run_id: str, message_id: str | None, kind: str | None, line: int
    ) -> Stream | Astray:
        """Return as :meth:`Routes.route`; all further lines of the stream are taken here."""
        found, astray = self.fold.route(run_id, message_id, kind, line)
        return Astray(astray) if found is None else self._stream(found)

    def _stream(self, found: Any) -> Stream:
        token, run_id, message_id, told, end = found
        stream = self._streams.get(token)
        if stream is None:
            stream = self._streams[token] = Stream(run_id, message_id, self._new_assembler())
            stream.token = token
            for delta in decode_lines(told):
                stream.assembler.consume(delta)
        if end is not None:
            self.end(token, end)
        return stream

    def at(self, token: int) -> Stream:
        """Return a stream that is taken here."""
        return self._streams[token]

    def end(self, token: int, end: tuple[int, int, int, int, bool]) -> Stream:
        """Return a stream whose last line has come."""
        stream = self._streams.pop(token)
        stream.end(*end)
        return stream

    def let_go(self, stream: Stream) -> None:
        """Say that a stream is broken: its lines are of no use to anybody."""
        if not stream.is_over:
            self.fold.absorb(stream.token)

    def open_streams(self) -> list[OpenStream]:
        """Return the open streams in the order of their first lines."""
        return sorted(map(self._seen, self.fold.open_streams()), key=_first_line)

    def _seen(self, row: Any) -> OpenStream:
        token, run_id, message_id, first_line, last_line, lines, is_named, held = row
        stream, is_broken = self._streams.get(token), False
        if stream is not None:
            is_broken = stream.error is not None
            held = 0 if is_broken else held_bytes(stream.assembler)
        return OpenStream(
            run_id, message_id, first_line, last_line, lines, held, is_broken, is_named
        )

    def remove(self, run_id: str, message_id: str | None) -> Stream | None:
        """Let the stream of exactly this name be open no longer; None if it is not open."""
        found = self.fold.remove(run_id, message_id)
        return None if found is None else self._stream(found)
