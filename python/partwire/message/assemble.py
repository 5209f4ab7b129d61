"""From JSON Lines to the message: whole streams at once, or in the pieces in which they come.

Lines take the native core's straight way, where that is installed. The first line that is odd in
any way, and all that follow it, are read here and taken by the rules of the assembler, which gets
before that, in fewer deltas, what the native core has taken.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from functools import cache
from itertools import chain, islice
from operator import length_hint
from typing import Any, NoReturn

import msgspec

from ..contract.current.message import Message
from ..errors import (
    Finding,
    FramingError,
    PartwireError,
    ReadError,
    StreamProtocolError,
    UsageError,
    bad_argument,
)
from ..native_core import core
from ..reading.tolerant import Mode, Unknown
from ..tables.limits import DEFAULT_LIMIT_BYTES
from .assembler.limits import DEFAULT, Limits, native_limits
from .assembler.lines import (
    BATCH_BYTES,
    BATCH_LINES,
    BLANK,
    DeltaModel,
    bytes_of,
    decode_lines,
    joined,
    read_delta_lines,
    read_item,
    unknown_document,
)
from .assembler.machine import MessageAssembler

__all__ = [
    "DeltaItem",
    "DeltaSource",
    "LineAssembler",
    "assemble",
    "assemble_async",
    "line_too_long",
    "message_decoder",
]


DeltaItem = (
    bytes | bytearray | memoryview | str | msgspec.Struct | Unknown | Mapping[str, Any] | DeltaModel
)
"""One delta: a line of JSON Lines, a struct or model of any version, or a JSON object."""

DeltaSource = str | bytes | bytearray | memoryview | Iterable[DeltaItem]
"""JSON Lines in one text or buffer, or deltas one by one."""

_PIECE_BYTES = 256 * 1024
_encode = msgspec.json.Encoder(enc_hook=unknown_document).encode


def assemble(
    deltas: DeltaSource,
    *,
    run_id: str | None = None,
    limits: Limits | None = None,
    mode: Mode = "strict",
) -> Message:
    """Return the message of a whole stream of deltas.

    ``deltas`` is a text or buffer of JSON Lines (as ``framing.JSONLinesDecoder`` cuts them: blank
    lines count, but are passed over; one byte order mark may stand at the start), or an iterable of
    lines, structs, models or JSON objects. Findings carry the 1-based number of the line or item.

    Raises ReadError for a line that is not a delta, StreamProtocolError for one that breaks a rule
    and for a stream that ends without ``done`` or ``error`` (``stream/truncated``), StreamFailed
    for one that ends with ``error``, UsageError for any other source. In mode
    ``tolerant`` deltas of an unknown kind are passed over. Source: semantics, the assembler.
    """
    source: Any = deltas  # whoever has no type checker may bring anything
    text = _message_of(source, run_id, limits, mode)
    if text is not None:
        return message_decoder().decode(text)
    stream = LineAssembler(run_id, limits, mode)
    if isinstance(source, (str, bytes)):
        stream.feed(source)
    elif isinstance(source, (bytearray, memoryview)):
        view = memoryview(source)
        view = view.cast("B") if view.contiguous else memoryview(view.tobytes())
        for begin in range(0, len(view), _PIECE_BYTES):
            stream.feed(view[begin : begin + _PIECE_BYTES])
    elif isinstance(source, Iterable) and not isinstance(source, Mapping):
        stream._feed_items(source, getattr(source, "kept_back", 0))
    else:
        raise _bad_argument("JSON Lines (str or bytes), or an iterable of deltas", source)
    return stream.finish()


def _message_of(source: Any, run_id: str | None, limits: Any, mode: Mode) -> bytes | None:
    """Return the JSON text of the message that a response of a provider has.

    None for any other source, and for what :class:`LineAssembler` refuses.
    """
    take_message = getattr(source, "take_message", None)
    limits = DEFAULT if limits is None else limits
    is_plain = run_id is None and isinstance(limits, Limits) and mode in ("strict", "tolerant")
    return take_message(limits) if take_message is not None and is_plain else None


async def assemble_async(
    stream: AsyncIterable[DeltaItem],
    *,
    run_id: str | None = None,
    limits: Limits | None = None,
    mode: Mode = "strict",
) -> Message:
    """Return the message of an asynchronous stream; items and errors as :func:`assemble`."""
    assembler = LineAssembler(run_id, limits, mode)
    if not isinstance(stream, AsyncIterable):
        raise _bad_argument("an asynchronous iterable of deltas", stream)
    async for item in stream:
        assembler._feed_item(item)
    return assembler.finish()


class LineAssembler:
    """Assemble one stream from JSON Lines that come in any cut.

    ``feed`` takes the bytes, ``assembler`` is what can be read meanwhile, and ``finish`` returns
    the message. Findings carry the 1-based number of the line. Not thread-safe. Raises UsageError
    for a ``run_id`` that no delta can have, and for an unknown mode.
    """

    __slots__ = ("_assembler", "_held", "_lane", "_line", "_mode")

    def __init__(
        self, run_id: str | None = None, limits: Limits | None = None, mode: Mode = "strict"
    ) -> None:
        if mode not in ("strict", "tolerant"):
            raise _bad_argument("the mode strict or tolerant", mode)
        self._assembler = MessageAssembler(run_id, limits)
        self._mode: Mode = mode
        self._line = 0  # the number of the last line that was begun
        self._held = bytearray()  # a line whose end has not come
        self._lane = _new_lane(run_id, limits)

    @property
    def assembler(self) -> MessageAssembler:
        """The assembler, as far as whole lines have come; it is there to be read."""
        if self._lane is not None:
            self._tell(self._lane)
        return self._assembler

    def feed(self, data: bytes | bytearray | memoryview | str) -> None:
        """Take the next bytes of the stream, cut anywhere.

        Raises ReadError and StreamProtocolError for a line that is refused, which leaves all as it
        was before that line (what follows it in ``data`` is not taken), and FramingError
        ``framing/line-too-long`` for a line without end.
        """
        chunk = bytes_of(data)
        if self._lane is not None:
            rest = self._lane.feed(chunk)
            if rest is None:
                return
            self._leave_lane()
            chunk = rest
        end = chunk.rfind(b"\n") + 1
        if end:
            lines = bytes(self._held) + chunk[:end]
            self._held.clear()
            self._take(lines)
        self._held += chunk[end:]
        if len(self._held) > DEFAULT_LIMIT_BYTES:
            raise line_too_long(self._line + 1)

    def _feed_item(self, item: DeltaItem) -> None:
        """Take one line, whole, or one delta of any form."""
        if self._lane is not None:
            if self._lane.line(item):
                return
            self._leave_lane()
        self._take_item(item)

    def _feed_items(self, items: Iterable[DeltaItem], kept_back: int = 0) -> None:
        """Take lines or deltas one after the other.

        ``kept_back`` of them will never come: those have their numbers, too.
        """
        rest = iter(items)
        if self._lane is not None:
            odd = self._lane.lines(rest)
            if odd is None:
                return
            self._leave_lane()
            self._line += kept_back
            rest = chain(odd, rest)
        for first in rest:
            if not isinstance(first, (bytes, str)):
                self._take_item(first)
                continue
            batch = [first, *islice(rest, BATCH_LINES - 1)]
            deltas = read_delta_lines(joined(batch))
            if deltas is None or len(deltas) != len(batch):
                for item in batch:
                    self._take_item(item)
            else:
                self._take_deltas(deltas)

    def finish(self) -> Message:
        """Say that no more comes, and return the message.

        Raises as ``assemble``: a stream that was cut has no message. ``assembler`` has what came.
        """
        text = self._finish()
        if text is not None:
            return message_decoder().decode(text)
        return self._assembler.build_final_message()

    def finish_json(self) -> bytes:
        """Say that no more comes, and return the message as JSON text; raises as :meth:`finish`."""
        text = self._finish()
        return _encode(self._assembler.build_final_message()) if text is None else text

    def _finish(self) -> bytes | None:
        """Take the last line; return the message as the native core has made it, if it has."""
        last: bytes | None = bytes(self._held)
        self._held.clear()
        if self._lane is not None:
            last = self._lane.last()
            text: bytes | None = self._lane.message() if last is None else None
            if text is not None:
                return text
            self._leave_lane()
        if last:
            self._take(last)
        self._assembler.close()
        return None

    # --- the native core ------------------------------------------------------------------------

    def _tell(self, lane: Any) -> None:
        """Let the assembler take what the native core has taken since the last time."""
        for delta in decode_lines(lane.condensed()):
            self._assembler.consume(delta)

    def _leave_lane(self) -> None:
        lane, self._lane = self._lane, None
        if lane is not None:
            self._line = lane.count
            self._tell(lane)

    # --- by the rules -----------------------------------------------------------------------------

    def _take(self, lines: bytes) -> None:
        """Take whole lines; the last one may lack its end."""
        begin = 0
        while begin < len(lines):
            end = lines.find(b"\n", begin + BATCH_BYTES) + 1 or len(lines)
            text = lines[begin:end]
            deltas = read_delta_lines(text)
            if deltas is None:
                for line in text.removesuffix(b"\n").split(b"\n"):
                    self._take_item(line)
            else:
                self._take_deltas(deltas)
            begin = end

    def _take_deltas(self, deltas: list[Any]) -> None:
        """Take deltas of a line each, all or those before a refused one."""
        consume = self._assembler.consume
        rest = iter(deltas)
        try:
            for delta in rest:
                consume(delta)
        except StreamProtocolError as error:
            self._fail(error, self._line + len(deltas) - length_hint(rest))
        self._line += len(deltas)

    def _take_item(self, item: Any) -> None:
        """Take one line or delta of any form."""
        self._line += 1
        try:
            delta = read_item(item, self._mode, self._line == 1)
            if delta is not BLANK:
                self._assembler.consume(delta)
        except (ReadError, StreamProtocolError) as error:
            self._fail(error, self._line)

    def _fail(self, error: PartwireError, line: int) -> NoReturn:
        """Raise ``error`` with its line."""
        self._line = line
        found = [finding._replace(line=line) for finding in error.findings]
        if isinstance(error, StreamProtocolError):
            raise StreamProtocolError(found[0], seq=error.seq) from None
        raise ReadError(*found) from None


@cache
def message_decoder() -> msgspec.json.Decoder[Message]:
    """Return what decodes the native core's messages."""
    return msgspec.json.Decoder(Message)


def _new_lane(run_id: str | None, limits: Limits | None) -> Any:
    """Return the straight way of a stream through the native core; None without one."""
    native = core()
    if native is None:
        return None
    try:
        return native.Lane(run_id, native_limits(limits or DEFAULT))
    except UnicodeEncodeError:  # a run id that no delta has
        return None


def line_too_long(line: int) -> FramingError:
    """Return the error for a line without end."""
    return FramingError(
        Finding(
            "framing/line-too-long",
            "The line has no end",
            expected=f"at most {DEFAULT_LIMIT_BYTES} bytes",
            actual="more",
            line=line,
        )
    )


def _bad_argument(expected: str, value: object) -> UsageError:
    return bad_argument("Not what assembling takes", expected, value)
