"""The short forms: a whole stream in, its message out.

Lines are decoded many at a time, straight into the generated structs, and consumed as a batch.
A batch that cannot be taken so, for whatever reason, is taken line by line, which finds the
line, and accepts what only the slow path of reading can decode.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from operator import length_hint
from typing import Any, NoReturn

import msgspec

from ..contract.current.message import Message, MessageDelta
from ..errors import (
    PartwireError,
    ReadError,
    StreamProtocolError,
    UsageError,
    bad_argument,
)
from ..reading.pipeline import Mode, Unknown
from .assembler.fast.bare import Batch, decode_batch
from .assembler.fast.shortcut import take_batch
from .assembler.limits import Limits
from .assembler.lines import DeltaModel, read_delta, read_delta_line
from .assembler.machine import MessageAssembler

__all__ = ["DeltaItem", "DeltaSource", "assemble", "assemble_async"]


DeltaItem = (
    bytes | bytearray | memoryview | str | msgspec.Struct | Unknown | Mapping[str, Any] | DeltaModel
)
"""One delta: a line of JSON Lines, a struct or model of any version, or a JSON object."""

DeltaSource = str | bytes | bytearray | memoryview | Iterable[DeltaItem]
"""JSON Lines in one text or buffer, or deltas one by one."""

_CHUNK_BYTES = 64 * 1024  # decodes faster than smaller and than larger ones
_LOOK_BYTES = 1024
_FEW_LINES = 64
_MANY_LINES = 1024
_BOM = b"\xef\xbb\xbf"
_JSON_SPACE = b" \t\r"

_decode = msgspec.json.Decoder(MessageDelta).decode


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
    lines, structs, models or JSON objects. Findings carry the 1-based number of the line or item. A
    buffer is decoded in chunks: two deltas that share a line are not told from two lines. What
    stands in members that nobody knows is not looked at where lines are taken by the batch.

    Raises ReadError for a line that is not a delta, StreamProtocolError for one that breaks a rule
    and for a stream that ends without ``done`` or ``error`` (``stream/truncated``), StreamFailed
    for one that ends with ``error``, UsageError for a source that is none of the above. In mode
    ``tolerant`` deltas of an unknown kind are passed over. Source: semantics, the assembler.
    """
    feeder = _Feeder(run_id, limits, mode)
    source: Any = deltas  # whoever has no type checker may bring anything
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")  # reading refuses those
    if isinstance(source, (bytes, bytearray, memoryview)):
        feeder.feed_buffer(source)
    elif isinstance(source, Iterable) and not isinstance(source, Mapping):
        feeder.feed_items(source)
    else:
        raise _bad_argument("JSON Lines (str or bytes), or an iterable of deltas", source)
    return feeder.finish()


async def assemble_async(
    stream: AsyncIterable[DeltaItem],
    *,
    run_id: str | None = None,
    limits: Limits | None = None,
    mode: Mode = "strict",
) -> Message:
    """Return the message of an asynchronous stream; items and errors as :func:`assemble`."""
    feeder = _Feeder(run_id, limits, mode)
    if not isinstance(stream, AsyncIterable):
        raise _bad_argument("an asynchronous iterable of deltas", stream)
    async for item in stream:
        feeder.feed_item(item)
    return feeder.finish()


class _Feeder:
    """Feeds one assembler and knows at which line it is."""

    def __init__(self, run_id: str | None, limits: Limits | None, mode: Mode) -> None:
        if mode not in ("strict", "tolerant"):
            raise _bad_argument("the mode strict or tolerant", mode)
        self._assembler = MessageAssembler(run_id, limits)
        self._mode: Mode = mode
        self._line = 0  # the number of the last line that was begun

    def finish(self) -> Message:
        self._assembler.close()
        return self._assembler.build_final_message()

    def feed_buffer(self, buffer: bytes | bytearray | memoryview) -> None:
        view = memoryview(buffer)
        view = view.cast("B") if view.contiguous else memoryview(view.tobytes())
        begin, counted, size = 0, 0, len(view)
        while begin < size:
            end = _line_end(buffer, view, begin + _CHUNK_BYTES)
            batch = self._decoded_chunk(view[begin:end])
            # Lines are counted only where they are asked for: it costs a third of the decoding.
            if batch is None:
                self._line += _count_lines(view[counted:begin])
                for line in bytes(view[begin:end]).removesuffix(b"\n").split(b"\n"):
                    self.feed_item(line)
                counted = end
            else:
                deltas = iter(batch.deltas)
                try:
                    take_batch(self._assembler, deltas, end - begin, bare=batch.bare)
                except StreamProtocolError as error:
                    self._line += _count_lines(view[counted:begin])
                    text = bytes(view[begin:end])
                    self._fail(error, _line_of(text, len(batch.deltas) - length_hint(deltas)))
            begin = end

    def feed_items(self, items: Iterable[Any]) -> None:
        if not isinstance(items, (list, tuple)):
            rest = iter(items)
            first = next(rest, None)
            items = chain((first,), rest) if first is not None else ()
        else:
            first = items[0] if items else None
        if not isinstance(first, (bytes, bytearray, memoryview, str)):
            for item in items:
                self.feed_item(item)
            return
        take, most = _taker(items), _FEW_LINES
        while lines := take(most):
            text = _joined(lines)
            batch = None if text is None else decode_batch(text)
            if text is None or batch is None or len(batch.deltas) != len(lines):
                for line in lines:
                    self.feed_item(line)
                continue
            deltas = iter(batch.deltas)
            try:
                take_batch(self._assembler, deltas, len(text), bare=batch.bare)
            except StreamProtocolError as error:
                self._fail(error, len(lines) - length_hint(deltas))
            self._line += len(lines)
            # As many lines as make a chunk, if they go on like these.
            wanted = len(lines) * _CHUNK_BYTES // len(text)
            most = max(1, min(wanted, 4 * most, _MANY_LINES))

    def _decoded_chunk(self, chunk: memoryview) -> Batch | None:
        """Return the deltas of whole lines, or None.

        Decoding does not tell lines from other white space. A chunk whose first line is not a delta
        has another form, pretty-printed for one, and is left to the way that looks at every line.
        """
        try:
            _decode(bytes(chunk[: _line_end(chunk, chunk, 0)]))
        except (ValueError, RecursionError):
            return None
        return decode_batch(chunk)

    def feed_item(self, item: Any) -> None:
        """Feed one line or delta of any form."""
        self._line += 1
        try:
            delta = self._read(item)
            if delta is not None:
                self._assembler.consume(delta)
        except (ReadError, StreamProtocolError) as error:
            self._fail(error, 0)

    def _read(self, item: Any) -> Any:
        """Return the delta, or None for a blank line."""
        if isinstance(item, str):
            item = item.encode("utf-8", "surrogatepass")  # reading refuses those
        if isinstance(item, (bytes, bytearray, memoryview)):
            item = bytes(item).removesuffix(b"\n")
            if self._line == 1:
                item = item.removeprefix(_BOM)
            if not item.strip(_JSON_SPACE):
                return None
            return read_delta_line(item, self._mode)
        if isinstance(item, Mapping):
            item = dict(item)
        elif not hasattr(item, "model_dump"):
            return item
        return read_delta(item, self._mode)

    def _fail(self, error: PartwireError, lines: int) -> NoReturn:
        """Raise ``error`` with the line that is ``lines`` after the last one begun."""
        line = self._line + lines
        found = [finding._replace(line=line) for finding in error.findings]
        if isinstance(error, StreamProtocolError):
            raise StreamProtocolError(found[0], seq=error.seq) from None
        raise ReadError(*found) from None


def _line_end(buffer: bytes | bytearray | memoryview, view: memoryview, at: int) -> int:
    """Return the end of the line that ``at`` is in, its line end included."""
    if at < len(view) and not isinstance(buffer, memoryview):
        return buffer.find(b"\n", at) + 1 or len(view)
    while at < len(view):
        found = bytes(view[at : at + _LOOK_BYTES]).find(b"\n")
        if found >= 0:
            return at + found + 1
        at += _LOOK_BYTES
    return len(view)


def _count_lines(view: memoryview) -> int:
    return sum(
        bytes(view[at : at + _CHUNK_BYTES]).count(b"\n") for at in range(0, len(view), _CHUNK_BYTES)
    )


def _line_of(text: bytes, ordinal: int) -> int:
    """Return the 1-based line of the 1-based ``ordinal``-th delta; blank lines hold none."""
    lines = text.split(b"\n")
    for number, line in enumerate(lines, 1):
        ordinal -= _count_deltas(line)
        if ordinal <= 0:
            return number
    return len(lines)  # objects that reach over lines: somewhere before the end


def _count_deltas(line: bytes) -> int:
    batch = decode_batch(line)
    return 0 if batch is None else len(batch.deltas)


def _taker(items: Iterable[Any]) -> Callable[[int], Sequence[Any]]:
    """Return a function that takes the next so many items; a list is cut, not read through."""
    if not isinstance(items, (list, tuple)):
        rest = iter(items)
        return lambda count: list(islice(rest, count))
    sequence, begin = items, 0

    def take(count: int) -> Sequence[Any]:
        nonlocal begin
        begin += count
        return sequence[begin - count : begin]

    return take


def _joined(lines: Sequence[Any]) -> bytes | None:
    """Return the lines as one text, one line end between two; None if they are not all alike."""
    first = lines[0]
    try:
        if isinstance(first, str):
            return ("" if first.endswith("\n") else "\n").join(lines).encode()
        return (b"" if bytes(first[-1:]) == b"\n" else b"\n").join(lines)
    except (TypeError, UnicodeEncodeError):
        return None


def _bad_argument(expected: str, value: object) -> UsageError:
    return bad_argument("Not what assembling takes", expected, value)
