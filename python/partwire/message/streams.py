"""From JSON Lines in which many streams are mixed to a message of each.

The native core, where it is installed, reads the lines, tells to which stream each belongs, and
takes those that are not odd. A stream with an odd line is taken here from then on, by the rules of
the assembler, and no other stream is the slower for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import msgspec

from ..contract.current.message import DoneDelta, ErrorDelta, Message, StartDelta
from ..errors import (
    PartwireError,
    ReadError,
    StreamFailed,
    StreamProtocolError,
    UsageError,
    bad_argument,
)
from ..native_core import core
from ..reading.tolerant import Mode, Unknown
from ..tables.limits import DEFAULT_LIMIT_BYTES
from .assemble import DeltaItem, line_too_long, message_decoder
from .assembler.checks import misplaced, refusal
from .assembler.condense import condensed
from .assembler.limits import DEFAULT, Limits, native_limits
from .assembler.lines import (
    BATCH_BYTES,
    BLANK,
    BOM,
    bytes_of,
    read_delta_lines,
    read_item,
    unknown_document,
)
from .assembler.machine import MessageAssembler
from .routes import Astray, Head, NativeRoutes, OpenStream, Routes, Stream, head_of

__all__ = ["Assembled", "OpenStream", "StreamsAssembler", "assemble_many"]

_PIECE_BYTES = 64 * 1024  # of which the results are given together
_MOST_BYTES = 1024 * 1024  # that are taken together: less than a line may have
_FEW_BYTES = 2 * 1024  # of which each line is read alone, if one of them has to be
_BEGIN_OR_END = frozenset({StartDelta, DoneDelta, ErrorDelta})
_encoder = msgspec.json.Encoder(enc_hook=unknown_document)


class Assembled:
    """What became of one stream, or of one line that belongs to none.

    Each line that is not blank is counted in one of these, once.
    """

    # fmt: off
    __slots__ = (
        "_cut", "_error", "_late", "_message", "_message_json", "first_line", "is_named",
        "last_line", "lines", "message_id", "run_id",
    )
    # fmt: on

    def __init__(  # noqa: PLR0917 - made of the native core's rows
        self,
        run_id: str | None,
        message_id: str | None,
        first_line: int,
        last_line: int,
        lines: int,
        made: Message | bytes | PartwireError | None,
        is_named: bool = True,
    ) -> None:
        self.run_id = run_id
        """The run; None for a line that does not say of which stream it is."""
        self.message_id = message_id
        """The message, if the stream names one."""
        self.first_line = first_line
        """Its first line, counted from 1."""
        self.last_line = last_line
        """Its last line."""
        self.lines = lines
        """How many lines it had: those of other streams may stand between them."""
        self.is_named = is_named
        """Whether each of its lines has the id of the message."""
        self._error = made if isinstance(made, PartwireError) else None
        self._late: _Late | None = None
        self._message = made if isinstance(made, Message) else None
        self._message_json = made if isinstance(made, bytes) else None
        self._cut: MessageAssembler | None = None

    @property
    def is_late(self) -> bool:
        """Whether it is a line of a stream that had ended."""
        return self._late is not None

    @property
    def error(self) -> PartwireError | None:
        """Why there is no message: what :func:`partwire.assemble` raises; None if there is one."""
        if self._error is None and self._late is not None:
            self._error = self._late.error()
        return self._error

    @property
    def message(self) -> Message:
        """The message, made when it is first asked for; raises ``error`` if there is none."""
        if self._message is None:
            self._message = message_decoder().decode(self.message_json)
        return self._message

    @property
    def message_json(self) -> bytes:
        """The message as JSON text; raises ``error`` if there is none."""
        if self.error is not None:
            raise self.error
        if self._message_json is None:
            self._message_json = _encoder.encode(self._message)
        return self._message_json

    @property
    def partial_json(self) -> bytes | None:
        """What came of a stream that failed or was cut, marked in ``meta.incomplete``, as JSON
        text; None for any other.
        """
        if isinstance(self.error, StreamFailed):
            return _encoder.encode(self.error.partial)
        return None if self._cut is None else _encoder.encode(self._cut.build_partial("truncated"))

    def __repr__(self) -> str:
        what = "message" if self.error is None else self.error.rule
        return (
            f"Assembled(run_id={self.run_id!r}, message_id={self.message_id!r}, "
            f"lines {self.first_line} to {self.last_line}: {what})"
        )


class _Late(NamedTuple):
    """A line of a stream that had ended. There may be as many as lines, of which few are asked."""

    item: Any
    """The line, the delta that it is, or why it is not one."""
    line: int
    status: str
    """How the stream has ended."""
    mode: Mode

    def error(self) -> PartwireError:
        """Return why it is in no message."""
        item = self.item
        try:
            if isinstance(item, bytes):
                item = read_item(item, self.mode, self.line == 1)
        except ReadError as refused:
            item = refused
        if not isinstance(item, PartwireError):
            kind = item.tag if type(item) is Unknown else item.kind
            item = misplaced("stream/after-terminal", self.status, kind, _seq_of(item))
        return _placed(item, self.line)


def assemble_many(
    source: str | bytes | bytearray | memoryview | Iterable[DeltaItem],
    *,
    limits: Limits | None = None,
    mode: Mode = "strict",
) -> Iterator[Assembled]:
    """Yield what becomes of each of many mixed streams, as soon as its last line has come.

    ``source`` is as :func:`partwire.assemble` takes it, and is read as results are asked for.
    Streams that are cut come last, in the order of their first lines.

    Raises UsageError for any other source. What is wrong with a line raises nothing:
    it is in ``error`` of its stream, or of a result for the line alone.
    Source: semantics, many streams in one.
    """
    streams = StreamsAssembler(limits, mode)
    given: Any = source  # whoever has no type checker may bring anything
    if isinstance(given, (str, bytes, bytearray, memoryview)):
        return _of_text(streams, memoryview(bytes_of(given)))
    if isinstance(given, Iterable) and not isinstance(given, Mapping):
        return _of_items(streams, given)
    raise _bad_argument("JSON Lines (str or bytes), or an iterable of deltas", given)


def _of_text(streams: StreamsAssembler, text: memoryview) -> Iterator[Assembled]:
    for begin in range(0, len(text), _PIECE_BYTES):
        yield from streams.feed(text[begin : begin + _PIECE_BYTES])
    yield from streams.finish()


def _of_items(streams: StreamsAssembler, items: Iterable[DeltaItem]) -> Iterator[Assembled]:
    yield from streams._feed_items(items)
    yield from streams.finish()


class StreamsAssembler:
    """Assemble many streams from JSON Lines in which their lines are mixed, in any cut.

    ``feed`` takes the bytes and returns what has become of the streams that ended in them, and
    ``finish`` what becomes of those that never ended. A stream is named by its run and message ids.
    What is held is the open streams, each as long as its message, and the names of the last 10,000
    that have ended. Not thread-safe. Raises UsageError for an unknown mode.
    Source: semantics, many streams in one.
    """

    __slots__ = ("_held", "_line", "_mode", "_native", "_results", "_routes", "_skips")

    def __init__(self, limits: Limits | None = None, mode: Mode = "strict") -> None:
        if mode not in ("strict", "tolerant"):
            raise _bad_argument("the mode strict or tolerant", mode)
        new_assembler = partial(MessageAssembler, None, limits)
        new_assembler()  # refuses limits that are none
        self._mode: Mode = mode
        self._line = 0  # the number of the line that is taken
        self._held = bytearray()  # a line whose end has not come
        self._skips = False  # whether that line is too long, and passed over
        self._results: list[Assembled] = []
        self._native: NativeRoutes | None = None
        native = core()
        if native is not None:
            new_fold = partial(native.Fold, native_limits(limits or DEFAULT))
            self._native = NativeRoutes(new_fold, new_assembler)
        self._routes = self._native or Routes(new_assembler)

    def feed(self, data: bytes | bytearray | memoryview | str) -> list[Assembled]:
        """Take the next bytes, cut anywhere; return the results of what ended in them, in order."""
        chunk = bytes_of(data)
        if len(chunk) <= _MOST_BYTES:
            self._feed(chunk)
        else:
            for begin in range(0, len(chunk), _MOST_BYTES):
                self._feed(chunk[begin : begin + _MOST_BYTES])
        return self._taken()

    def finish(self) -> list[Assembled]:
        """Say that no more comes; return the results of what is left.

        Streams that never ended (``stream/truncated``) come in the order of their first lines.
        """
        last = bytes(self._held)
        self._held.clear()
        if last:
            self._take_lines(last)
        for name in self.open:
            stream = self._routes.remove(name.run_id, name.message_id)
            if stream is not None:
                self._results.append(_result(stream))
        return self._taken()

    @property
    def open(self) -> list[OpenStream]:
        """The streams that are open, in the order of their first lines."""
        return self._routes.open_streams()

    def take_out(self, run_id: str, message_id: str | None = None) -> bytes:
        """Take an open stream out; return deltas that say the same as its lines, as JSON Lines.

        They are fewer: one for each text, at most three for each call. Whoever takes a stream out
        sees to its further lines: here they would be those of a stream without a beginning.
        Raises UsageError if no such stream is open, and the error of one that is broken, which is
        taken out as well.
        """
        stream = self._routes.remove(run_id, message_id)
        if stream is None:
            raise bad_argument("No such stream is open", "an open stream", run_id)
        if stream.error is not None:
            raise stream.error
        return _encoder.encode_lines(condensed(stream.assembler))

    def _taken(self) -> list[Assembled]:
        results, self._results = self._results, []
        return results

    # --- lines ------------------------------------------------------------------------------------

    def _feed(self, chunk: bytes) -> None:
        """Take a piece, which is shorter than a line may be."""
        if self._held or self._skips:
            end = chunk.find(b"\n") + 1
            if not self._skips:
                self._held += chunk[: end or None]
                if len(self._held) - bool(end) > DEFAULT_LIMIT_BYTES:
                    self._held.clear()
                    self._line += 1
                    self._skips = True
                    self._stray(None, line_too_long(self._line))
                elif end:
                    line = bytes(self._held)
                    self._held.clear()
                    self._take_lines(line)
            if not end:
                return
            self._skips = False
            chunk = chunk[end:]
        end = chunk.rfind(b"\n") + 1
        if end:
            self._take_lines(chunk if end == len(chunk) else chunk[:end])
        if end < len(chunk):
            self._held += chunk[end:]

    def _feed_items(self, items: Iterable[DeltaItem]) -> Iterator[Assembled]:
        """Take lines or deltas one after the other."""
        rest, native = iter(items), self._native
        is_more = native is not None
        while is_more and native is not None:
            events, odd, self._line, is_more = native.fold.take_items(rest, self._line)
            self._take_events(native, events)
            if odd is not None:
                self._take_item(odd)
            yield from self._taken()
        for item in rest:
            self._line += 1
            self._take_item(item)
            yield from self._taken()

    def _take_lines(self, text: bytes) -> None:
        """Take whole lines; the last one may lack its end."""
        begin, native = 0, self._native
        while native is not None and begin < len(text):
            events, odd, self._line, begin = native.fold.take(text, begin, self._line)
            self._take_events(native, events)
            if odd is not None:
                self._take_item(odd)
        while begin < len(text):
            end = text.find(b"\n", begin + BATCH_BYTES) + 1 or len(text)
            self._take_batch(text[begin:end])
            begin = end

    def _take_batch(self, text: bytes) -> None:
        deltas = read_delta_lines(text)
        if deltas is None:
            middle = text.find(b"\n", len(text) // 2) + 1
            if len(text) > _FEW_BYTES and 0 < middle < len(text):  # most lines are not the reason
                self._take_batch(text[:middle])
                self._take_batch(text[middle:])
                return
            for line in text.removesuffix(b"\n").split(b"\n"):
                self._line += 1
                self._take_item(line)
            return
        routes = self._routes
        assert isinstance(routes, Routes)  # the native core takes all lines itself
        route, named = routes.route, routes.named
        first = self._line + 1
        run_id = message_id = known = None
        for number, delta in enumerate(deltas, first):
            if delta.run_id != run_id or delta.message_id != message_id:
                run_id, message_id = delta.run_id, delta.message_id
                known = named.get((run_id, message_id))
            if known is not None and type(delta) not in _BEGIN_OR_END:  # nearly all
                known.lines += 1
                known.last_line = number
                try:
                    known.assembler.consume(delta)
                except StreamProtocolError as refused:
                    self._give(known, delta, refused, number)
                    run_id = None
                continue
            run_id = None
            self._line = number
            stream = route(delta.run_id, delta.message_id or None, delta.kind, number)
            if isinstance(stream, Stream):
                self._give(stream, delta, None, number)
            else:
                head = Head(delta.run_id, delta.message_id or None, delta.kind)
                self._lead_astray(stream, head, delta, None)
        self._line = first + len(deltas) - 1

    def _take_events(self, native: NativeRoutes, events: list[Any]) -> None:
        """Take what the native core has to say of the lines before."""
        for token, *event in events:
            if token is None:
                self._come_late(*event)
                continue
            if not token:
                self._results.append(Assembled(*event))
                continue
            line, number, end = event
            stream = native.at(token) if end is None else native.end(token, end)
            delta, error = None, None
            try:
                delta = None if stream.error else read_item(line, self._mode, number == 1)
            except ReadError as refused:
                error = refused
            self._give(stream, delta, error, number)

    def _take_item(self, item: Any) -> None:
        """Take one line or delta of any form."""
        head, delta, error = None, None, None
        try:
            delta = read_item(item, self._mode, self._line == 1)
            if delta is BLANK:
                return
            head = head_of(delta.document if type(delta) is Unknown else delta)
        except ReadError as refused:
            head, error = _head_of_unread(item, self._line == 1), refused
        if head is None:
            self._stray(None, error or _refused_by_all(delta))
            return
        stream = self._routes.route(*head, self._line)
        if isinstance(stream, Stream):
            self._give(stream, delta, error, self._line)
        else:
            self._lead_astray(stream, head, delta, error)

    def _give(self, stream: Stream, delta: Any, error: PartwireError | None, line: int) -> None:
        """Give a stream its next delta, or a line that is not one."""
        if stream.error is None:
            if error is None:
                try:
                    stream.assembler.consume(delta)
                except StreamProtocolError as refused:
                    error = refused
            if error is not None:
                stream.error = _placed(error, line)
                stream.assembler.reset()
                self._routes.let_go(stream)
        if stream.is_over:
            self._results.append(_result(stream))

    def _lead_astray(
        self, astray: Astray, head: Head, delta: Any, error: PartwireError | None
    ) -> None:
        """Take a line, or what is wrong with it, that belongs to no stream."""
        if astray.status is None:
            self._stray(head, error or _unclear(_seq_of(delta)))
        else:
            item = delta if error is None else error
            self._come_late(head.run_id, head.message_id, item, self._line, astray.status)

    def _come_late(
        self, run_id: str, message_id: str | None, item: Any, line: int, status: str
    ) -> None:
        result = Assembled(run_id, message_id, line, line, 1, None, message_id is not None)
        result._late = _Late(item, line, status, self._mode)
        self._results.append(result)

    def _stray(self, head: Head | None, error: PartwireError) -> None:
        run_id, message_id = (None, None) if head is None else (head.run_id, head.message_id)
        line = self._line
        placed, is_named = _placed(error, line), message_id is not None
        self._results.append(Assembled(run_id, message_id, line, line, 1, placed, is_named))


def _result(stream: Stream) -> Assembled:
    """Return what has become of a stream whose last line has come, or will not come."""
    made: Any = stream.error
    cut = None
    if made is None:
        try:
            stream.assembler.close()
            made = stream.assembler.build_final_message()
            if stream.unclear_line:
                made = _placed(_unclear(None), stream.unclear_line)
        except StreamFailed as error:
            made = _placed(error, stream.last_line)
        except StreamProtocolError as error:  # it has no end
            made = _placed(error, stream.last_line)
            cut = None if stream.unclear_line else stream.assembler
    result = Assembled(
        stream.run_id,
        stream.message_id,
        stream.first_line,
        stream.last_line,
        stream.lines,
        made,
        stream.is_named,
    )
    result._cut = cut
    return result


def _placed(error: PartwireError, line: int) -> PartwireError:
    """Return the error with its line, without what Python remembers of where it was raised."""
    found = [finding._replace(line=line) for finding in error.findings]
    if isinstance(error, StreamProtocolError):
        return StreamProtocolError(found[0], seq=error.seq)
    if isinstance(error, StreamFailed):
        return StreamFailed(found[0], error=error.error, partial=error.partial)
    return type(error)(*found)


def _head_of_unread(item: Any, is_first: bool) -> Head | None:
    """Return what a line that is not a delta says of its stream."""
    if not isinstance(item, (bytes, bytearray, memoryview, str)):
        return head_of(item)
    text = bytes_of(item)
    try:
        return head_of(_decode_names(text.removeprefix(BOM) if is_first else text))
    except (ValueError, RecursionError):
        return None


class _Names(msgspec.Struct, rename="camel"):
    """What is read of a line that is refused for something else."""

    run_id: Any = None
    message_id: Any = None
    kind: Any = None


_decode_names = msgspec.json.Decoder(_Names).decode


def _refused_by_all(delta: Any) -> PartwireError:
    """Return why no stream begins with what names none."""
    try:
        MessageAssembler().consume(delta)
    except StreamProtocolError as error:
        return error
    raise AssertionError("a start without a name was taken")


def _seq_of(delta: Any) -> int | None:
    seq = delta.document.get("seq") if type(delta) is Unknown else delta.seq
    return seq if type(seq) is int else None


def _unclear(seq: int | None) -> StreamProtocolError:
    return refusal(
        "stream/message-id-mismatch",
        "A delta names none of the messages of its run, of which several are open",
        seq,
        pointer="/messageId",
        expected="the id of one of them",
        actual="none",
    )


def _bad_argument(expected: str, value: object) -> UsageError:
    return bad_argument("Not what assembling takes", expected, value)
