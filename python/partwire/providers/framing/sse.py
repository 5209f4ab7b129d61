"""Server-sent events: bytes in any cut → events, by the rules of the HTML standard.

Lines end with CR, LF or CRLF and with nothing else: U+2028, U+2029, U+0085, VT and FF are data.
One leading byte order mark is dropped. Where the standard repairs or drops silently, this decoder
reports:

- Bytes that are not UTF-8 are ``framing/invalid-utf8``, not U+FFFD: replaced characters inside
  tool arguments still parse, and would be executed. A character that the end of the stream cut
  off is a cut, not a wrong encoding: it is left out of an event that is marked unterminated.
- An event that no blank line ends is given by ``close`` with ``terminated=False``. Recordings
  and relays do drop the last line; whether the stream was complete is for the adapter to say,
  by the provider's own end marker.
- Text that begins like JSON where a field is due: the standard drops it line by line, and servers
  write their errors so. It is given to those who ask for it (``bare``).

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple, NoReturn

from ...errors import Finding, FramingError
from .feeder import DEFAULT_LIMIT_BYTES, LineFeeder

__all__ = ["SSEDecoder", "SSEEvent"]

_FIELDS = frozenset({"data", "event", "id", "retry", ""})  # the last is a comment's
_MAX_RETRY_MS = 2**53 - 1
_new = tuple.__new__  # a third of the time of the class's own __new__, which only names arguments


class SSEEvent(NamedTuple):
    """One event of a stream.

    ``event`` is its type, ``"message"`` where the stream names none; for most providers it only
    repeats what ``data`` says. ``data`` is the text of the data lines, joined by LF. ``id`` is the
    last event id at this place (``""`` before the first); ``retry`` the reconnection time in
    milliseconds if this event set one. ``line`` is the 1-based line on which its first field
    is. ``terminated`` is False if the stream ended inside the event: ``data`` may be cut anywhere,
    and may be empty. With ``""`` as ``event``, which no stream can say, it is not an event:
    ``data`` is text that no field name precedes (see :class:`SSEDecoder`).
    """

    event: str
    data: str
    id: str = ""
    retry: int | None = None
    line: int = 1
    terminated: bool = True


class SSEDecoder(LineFeeder[SSEEvent]):
    """Decode one event stream; laws and errors as in :mod:`partwire.providers.framing.feeder`.

    ``max_event_bytes`` bounds an event's data: its UTF-8 bytes, lines joined by one LF, as they
    are given out; field names and line ends do not count. Any other line may be as long.
    Beyond it: ``framing/event-too-large``, which names the limit.

    With ``bare``, the lines from one that begins with ``{`` or ``[`` up to the next field or
    comment are given in their place, as an event whose name is ``""``; blank ones are left out.
    """

    __slots__ = (
        "_after_cr",
        "_bare",
        "_bare_line",
        "_data",
        "_event",
        "_first",
        "_id",
        "_last_id",
        "_more",
        "_reconnection_ms",
        "_retry",
        "_size",
        "_takes_bare",
    )

    def __init__(self, max_event_bytes: int = DEFAULT_LIMIT_BYTES, *, bare: bool = False) -> None:
        super().__init__(max_event_bytes, "max_event_bytes")
        self._takes_bare = bare
        self._bare = bytearray()
        self._bare_line = 0
        self._after_cr = False
        self._last_id = ""
        self._reconnection_ms: int | None = None
        self._id = ""
        self._reset()

    @property
    def last_event_id(self) -> str:
        """The id to resume from: that of the last event or blank line, ``""`` if none came."""
        return self._last_id

    @property
    def reconnection_ms(self) -> int | None:
        """The last ``retry`` of the stream in milliseconds, also of a block without data."""
        return self._reconnection_ms

    def _reset(self) -> None:
        self._event = ""
        self._data: str | None = None  # of the first data line
        self._more = bytearray()  # of the others, each after a LF: a list of short ones is big
        self._size = 0  # bytes of both
        self._retry: int | None = None
        self._first = 0  # line of the first field, 0 between events

    def _take(self, chunk: bytes, events: list[SSEEvent]) -> None:
        if not chunk:
            return
        if self._after_cr and chunk[0] == 0x0A:  # the second half of a CRLF
            self._offset += 1
            chunk = chunk[1:]
        self._after_cr = chunk.endswith(b"\r")
        super()._take(chunk, events)

    def _block_end(self, chunk: bytes) -> int:
        return max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1

    def _read_block(self, block: bytes, events: list[SSEEvent]) -> None:
        text = _decode(block)
        if isinstance(text, int):
            self._read_bad_block(block, text, events)
        small = len(block) <= self._limit  # then nothing in it needs counting
        del block  # here and below: a copy of a large event less
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        parts = text.split("\n\n")
        del text
        rest = parts.pop()
        # The rest of an event begun earlier, and all of a large block, go line by line, counted.
        counted = len(parts) if not small else 1 if self._first else 0
        for part in parts[:counted]:
            self._read_part(part, events)
        self._read_parts(parts[counted:], events)
        if rest:
            for line in rest[:-1].split("\n"):
                self._read_line(line, events)

    def _read_bad_block(self, block: bytes, bad: int, events: list[SSEEvent]) -> NoReturn:
        """Read the lines before that with the byte at ``bad``, then raise."""
        start = self._block_end(block[:bad])
        if start:
            self._read_block(block[:start], events)
        line = block[start:].splitlines()[0]
        # A line beyond the limit is refused before its end, and so its bytes, is seen.
        self._check_size(line[:6], len(line))
        self._refuse_byte(block[bad], self._offset + bad)

    def _read_parts(self, parts: list[str], events: list[SSEEvent]) -> None:
        """Read what stands between blank lines; the usual shapes take the short way."""
        event_id, line, add = self._id, self._line, events.append
        for part in parts:
            head, lf, data = part.partition("\n")
            if not lf:
                name, data = "message", head
            elif head[:7] == "event: " and "\n" not in data:
                name = head[7:]
            else:
                name = ""
            if name and data[:5] == "data:" and not self._bare:
                data = data[6:] if data[5:6] == " " else data[5:]
                add(_new(SSEEvent, (name, data, event_id, None, line, True)))
                line += 3 if lf else 2
            else:
                self._line = line
                self._read_part(part, events)
                event_id, line = self._id, self._line
        self._line = line

    def _read_part(self, part: str, events: list[SSEEvent]) -> None:
        for line in part.split("\n"):
            self._read_line(line, events)
        self._read_line("", events)

    def _read_line(self, line: str, events: list[SSEEvent]) -> None:
        number = self._line
        if not line:
            self._dispatch(events)
            self._line = number + 1
            return
        colon = line.find(":")
        if colon < 0:
            name, value = line, ""
        else:
            name = line[:colon]
            value = line[colon + 2 :] if line[colon + 1 : colon + 2] == " " else line[colon + 1 :]
        if name in _FIELDS:
            self._end_bare(events)
        elif self._is_bare(line):
            self._add_bare(line)
        if name == "data":
            self._add_data(value)
        elif len(line) * 4 > self._limit:
            self._check_total(_utf8_size(line))
        if name:  # else a comment
            self._first = self._first or number
            self._set_field(name, value)
        self._line = number + 1

    def _set_field(self, name: str, value: str) -> None:
        if name == "event":
            self._event = value
        elif name == "id":
            if "\0" not in value:
                self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            # CPython refuses to convert thousands of digits; JSON peers count to 2^53 - 1.
            digits = value.lstrip("0") or "0"
            if len(digits) <= 16 and int(digits) <= _MAX_RETRY_MS:
                self._retry = self._reconnection_ms = int(digits)

    def _add_data(self, value: str) -> None:
        size = _utf8_size(value)
        if self._data is None:
            self._check_total(size)
            self._data = value
        else:
            size += self._size + 1
            self._check_total(size)
            self._more += b"\n"
            self._more += value.encode()
        self._size = size

    def _is_bare(self, line: str) -> bool:
        return self._takes_bare and (bool(self._bare) or line.lstrip(" \t")[:1] in ("{", "["))

    def _add_bare(self, line: str) -> None:
        data = line.encode()
        self._check_total(len(self._bare) + bool(self._bare) + len(data))
        if self._bare:
            self._bare += b"\n"
        else:
            self._bare_line = self._line
        self._bare += data

    def _end_bare(self, events: list[SSEEvent], terminated: bool = True) -> None:
        if self._bare:
            text = self._bare.decode()
            events.append(SSEEvent("", text, self._id, None, self._bare_line, terminated))
            self._bare.clear()

    def _dispatch(self, events: list[SSEEvent]) -> None:
        self._last_id = self._id
        if self._data is not None:
            events.append(self._pending(terminated=True))
        self._reset()

    def _pending(self, terminated: bool) -> SSEEvent:
        data = (self._data or "") + self._more.decode()
        name = self._event or "message"
        return SSEEvent(name, data, self._id, self._retry, self._first, terminated)

    def _fail(self, error: FramingError) -> None:
        super()._fail(error)
        self._reset()
        self._bare.clear()

    def _finish(self, events: list[SSEEvent]) -> None:
        line = _decode(self._buffer, final=False)
        if isinstance(line, int):
            self._refuse_byte(self._buffer[line], self._offset + line)
        # Else a field name that the end cut off: nobody knows which one.
        if ":" in line or (line and self._is_bare(line)):
            self._read_line(line, events)
        if self._data is not None:
            events.append(self._pending(terminated=False))
        self._end_bare(events, terminated=False)
        self._reset()

    def _check_unfinished(self, tail: bytes) -> None:
        size = len(self._buffer) + len(tail)
        if size + self._size >= self._limit:  # near it: look closely
            self._check_size(bytes(self._buffer[:6]) + tail[:6], size)

    def _check_size(self, head: bytes, size: int) -> None:
        """Refuse a line of ``size`` bytes that begins with ``head``, if it is beyond the limit."""
        if head.startswith(b"data:"):
            joined = 0 if self._data is None else self._size + 1
            self._check_total(joined + size - (6 if head[5:6] == b" " else 5))
        elif not (size <= 4 and b"data".startswith(head)):  # may become a data line
            self._check_total(size)

    def _check_total(self, size: int) -> None:
        if size > self._limit:
            raise FramingError(
                Finding(
                    "framing/event-too-large",
                    "The event, or a line of it, is larger than max_event_bytes",
                    expected=f"at most {self._limit} bytes",
                    actual=f"more than {self._limit} bytes",
                    line=self._line,
                )
            )

    def _refuse_byte(self, byte: int, offset: int) -> NoReturn:
        raise FramingError(
            Finding(
                "framing/invalid-utf8",
                f"Byte {offset} of the stream is not UTF-8",
                expected="UTF-8",
                actual=f"0x{byte:02x}",
                line=self._line,
            )
        )


def _decode(data: bytes | bytearray, final: bool = True) -> str | int:
    """Return the text, or the place of the first byte that is not UTF-8.

    Not ``final``: a character that the end cuts off is left out.
    """
    try:
        return codecs.utf_8_decode(data, "strict", final)[0]
    except UnicodeDecodeError as error:
        return error.start


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
