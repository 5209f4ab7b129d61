"""AWS event streams (``application/vnd.amazon.eventstream``): bytes in any cut → messages.

A message is one frame: its length, the length of its headers, a checksum of these eight bytes,
headers, payload, and a checksum of all before. Both checksums are CRC-32.

- A frame is given out once both of its checksums fit, and never before: nothing of a damaged or
  unfinished frame is used. After damage no later frame can be told from noise, so it is an error,
  ``framing/checksum-mismatch`` or ``framing/invalid-frame``, which names the byte of the stream.
- A frame that the end of the stream cuts off is given by ``close`` with ``terminated=False`` and
  nothing in it; whether the stream was complete is for the adapter to say.

Source: https://smithy.io/2.0/aws/amazon-eventstream.html.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, NoReturn
from zlib import crc32

from ...errors import Finding, FramingError, clip
from ...tables.limits import MAX_HEADER_BYTES
from .feeder import DEFAULT_LIMIT_BYTES, Feeder

__all__ = ["MAX_HEADER_BYTES", "EventStreamDecoder", "EventStreamMessage", "HeaderValue"]

HeaderValue = bool | int | bytes | str
"""By type: true and false; byte, short, integer, long and timestamp (milliseconds since the
epoch) as int; byte array and uuid (16 bytes) as bytes; string."""

_PRELUDE: Final = struct.Struct(">III")
_CRC: Final = struct.Struct(">I")
_OVERHEAD: Final = _PRELUDE.size + _CRC.size
# Type → how its value stands; types 0 and 1 are true and false, 6 and 7 tell their length.
_FIXED: Final = {
    2: struct.Struct(">b"),
    3: struct.Struct(">h"),
    4: struct.Struct(">i"),
    5: struct.Struct(">q"),
    8: struct.Struct(">q"),
    9: struct.Struct(">16s"),
}
_BYTES: Final = 6
_STRING: Final = 7
_new = tuple.__new__  # see sse.py


class EventStreamMessage(NamedTuple):
    """One message: its headers in order, and its payload, not decoded.

    ``offset`` is the byte of the stream, from 0, at which its frame begins. ``terminated`` is
    False if the stream ended inside the frame: then nothing of it is known.
    """

    headers: Mapping[str, HeaderValue]
    payload: bytes
    offset: int = 0
    terminated: bool = True


class EventStreamDecoder(Feeder[EventStreamMessage]):
    """Decode one event stream; laws and errors as in :mod:`partwire.providers.framing.feeder`.

    ``max_event_bytes`` bounds a whole frame, and is checked before any of it is kept. Beyond it:
    ``framing/event-too-large``, which names the limit.
    """

    __slots__ = ("_known", "_need")

    def __init__(self, max_event_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        super().__init__(max_event_bytes, "max_event_bytes")
        self._need = _PRELUDE.size  # bytes that the buffer has to hold before it can be read on
        # Headers as they stood → what they say: a stream has a handful of different ones.
        self._known: dict[bytes, Mapping[str, HeaderValue]] = {}

    def _take(self, chunk: bytes, events: list[EventStreamMessage]) -> None:
        at = 0
        buffer = self._buffer
        while buffer:  # finish what has begun
            missing = self._need - len(buffer)
            buffer += chunk[at : at + missing]
            at += missing
            if len(buffer) < self._need:
                return
            if self._need == _PRELUDE.size:
                self._need = self._frame_size(buffer, 0)
                continue
            frame = bytes(buffer)
            buffer.clear()
            self._need = _PRELUDE.size
            events.append(self._message(frame, 0, len(frame)))
        end = len(chunk)
        while end - at >= _PRELUDE.size:
            size = self._frame_size(chunk, at)
            if end - at < size:
                self._need = size
                break
            events.append(self._message(chunk, at, size))
            at += size
        buffer += chunk[at:]

    def _end(self, events: list[EventStreamMessage]) -> None:
        if self._buffer:
            events.append(EventStreamMessage({}, b"", self._offset, terminated=False))

    def _frame_size(self, data: bytes | bytearray, at: int) -> int:
        """Return the size of the frame whose prelude stands at ``at``."""
        size, headers, checksum = _PRELUDE.unpack_from(data, at)
        found = crc32(data[at : at + 8])
        if found != checksum:
            self._refuse_checksum("prelude", checksum, found)
        if headers > MAX_HEADER_BYTES:
            self._refuse("has too many headers", f"at most {MAX_HEADER_BYTES} bytes", headers)
        if size < headers + _OVERHEAD:
            self._refuse("is shorter than its parts", f"{headers + _OVERHEAD} bytes or more", size)
        if size > self._limit:
            raise FramingError(
                Finding(
                    "framing/event-too-large",
                    f"The frame at byte {self._offset} is larger than max_event_bytes",
                    expected=f"at most {self._limit} bytes",
                    actual=f"{size} bytes",
                )
            )
        return int(size)

    def _message(self, data: bytes, at: int, size: int) -> EventStreamMessage:
        """Return the message of a frame that is whole and whose prelude is sound."""
        end = at + size - _CRC.size
        (checksum,) = _CRC.unpack_from(data, end)
        found = crc32(memoryview(data)[at:end])
        if found != checksum:
            self._refuse_checksum("message", checksum, found)
        start = at + _PRELUDE.size
        body = start + _CRC.unpack_from(data, at + 4)[0]
        raw = data[start:body]
        headers = self._known.get(raw)
        if headers is None:
            headers = self._headers(raw)
            if len(self._known) < 64 and len(raw) < 1024:
                self._known[raw] = headers
        offset = self._offset
        self._offset = offset + size
        return _new(EventStreamMessage, (headers, data[body:end], offset, True))

    # --- headers ---------------------------------------------------------------------------------

    def _headers(self, raw: bytes) -> Mapping[str, HeaderValue]:
        headers: dict[str, HeaderValue] = {}
        at = 0
        while at < len(raw):
            name, at = self._text(raw, at + 1, raw[at])
            if name in headers:
                self._refuse("has a header twice", "each name once", name)
            headers[name], at = self._value(raw, at)
        return MappingProxyType(headers)

    def _value(self, raw: bytes, at: int) -> tuple[HeaderValue, int]:
        """Return the value whose type stands at ``at``, and where it ends."""
        kind = self._slice(raw, at, 1)[0]
        at += 1
        if kind < 2:
            return kind == 0, at
        if kind in (_BYTES, _STRING):
            length = int.from_bytes(self._slice(raw, at, 2))
            if kind == _STRING:
                return self._text(raw, at + 2, length)
            return self._slice(raw, at + 2, length), at + 2 + length
        if kind not in _FIXED:
            self._refuse("has a header of no known type", "a type from 0 to 9", kind)
        form = _FIXED[kind]
        value: HeaderValue = form.unpack(self._slice(raw, at, form.size))[0]
        return value, at + form.size

    def _text(self, raw: bytes, at: int, length: int) -> tuple[str, int]:
        data = self._slice(raw, at, length)
        try:
            return data.decode(), at + length
        except UnicodeDecodeError as error:
            raise FramingError(
                Finding(
                    "framing/invalid-utf8",
                    f"A header of the frame at byte {self._offset} is not UTF-8",
                    expected="UTF-8",
                    actual=f"0x{data[error.start]:02x}",
                )
            ) from None

    def _slice(self, raw: bytes, at: int, length: int) -> bytes:
        data = raw[at : at + length]
        if len(data) < length:
            self._refuse("has a header that its end cuts off", f"{length} bytes", len(data))
        return data

    # --- refusals --------------------------------------------------------------------------------

    def _refuse(self, what: str, expected: str, actual: object) -> NoReturn:
        raise FramingError(
            Finding(
                "framing/invalid-frame",
                f"The frame at byte {self._offset} {what}",
                expected=expected,
                actual=clip(actual),
            )
        )

    def _refuse_checksum(self, of: str, expected: int, actual: int) -> NoReturn:
        raise FramingError(
            Finding(
                "framing/checksum-mismatch",
                f"The frame at byte {self._offset} is damaged: the checksum of its {of} differs",
                expected=f"CRC-32 {expected:08x}",
                actual=f"CRC-32 {actual:08x}",
            )
        )
