"""Bytes of a response → deltas: the framing, the JSON of each event, and the adapter.

A response may come as server-sent events, as an AWS event stream, as one array of events, as JSON
Lines (a recording), or, where something went wrong or streaming is not to be had, as one JSON body,
on one line or on many. Google's servers, and some proxies, write such a body in the midst of
server-sent events: an error that the standard takes for a field without a meaning.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal

from partwire.contract.current.message import MessageDelta
from partwire.errors import Finding, FramingError, bad_argument
from partwire.providers.framing import (
    DEFAULT_LIMIT_BYTES,
    EventStreamDecoder,
    EventStreamMessage,
    JSONArrayDecoder,
    JSONLinesDecoder,
    RawLine,
    SSEDecoder,
    SSEEvent,
)

from ..tables.limits import MAX_HEAD_BYTES
from .core.adapter import ProviderAdapter
from .core.raw_events import NOTHING, chunk_text, decode_event

__all__ = ["ByteAdapter", "Framing", "feed_frame"]


# --- AWS event streams ----------------------------------------------------------------------------


def feed_frame(adapter: ProviderAdapter, message: EventStreamMessage) -> list[MessageDelta]:
    """Feed one message to ``adapter``; return its deltas.

    Raises FramingError ``framing/invalid-utf8`` for a payload that is not UTF-8.
    """
    if not message.terminated:
        return adapter.feed_torn()
    headers = message.headers
    if ":exception-type" in headers or headers.get(":message-type") == "exception":
        return adapter.feed_error(_exception(headers.get(":exception-type"), _text(message)))
    if ":error-code" in headers or headers.get(":message-type") == "error":
        code, words = headers.get(":error-code"), headers.get(":error-message")
        return adapter.feed_error({"code": code, "message": words})
    name = headers.get(":event-type", "")
    name = name if isinstance(name, str) else ""
    text = _text(message)
    value: Any = decode_event(text) if text else {}
    if value is NOTHING:
        return adapter.feed_text(text)
    if name == "chunk":
        inner = chunk_text(value)
        if inner is not None:
            return adapter.feed_text(inner)
    return adapter.feed({name: value})


def _exception(name: object, text: str) -> dict[str, Any]:
    """Return the error object of an exception: its name as the code, and what it says."""
    value = decode_event(text) if text else {}
    body = value if isinstance(value, dict) else {"message": text}
    error = {"code": name, "message": body.get("message", body.get("Message"))}
    if "originalStatusCode" in body:
        error["status"] = body["originalStatusCode"]
    return error


def _text(message: EventStreamMessage) -> str:
    try:
        return message.payload.decode()
    except UnicodeDecodeError as error:
        raise FramingError(
            Finding(
                "framing/invalid-utf8",
                f"The payload of the frame at byte {message.offset} is not UTF-8",
                expected="UTF-8",
                actual=f"0x{message.payload[error.start]:02x}",
            )
        ) from None


# --- the adapter ----------------------------------------------------------------------------------

Framing = Literal["auto", "sse", "jsonl", "jsonarray", "eventstream"]
"""``auto`` looks at the first byte: ``{`` begins JSON, ``[`` an array, a byte below 9 (which begins
no text) the length of an AWS frame, all else server-sent events."""

_FRAMINGS: Final = ("auto", "sse", "jsonl", "jsonarray", "eventstream")
_Decoder = SSEDecoder | JSONLinesDecoder | JSONArrayDecoder | EventStreamDecoder
_DECODERS: Final[dict[str, Callable[[int], _Decoder]]] = {
    "sse": partial(SSEDecoder, bare=True),
    "jsonl": JSONLinesDecoder,
    "jsonarray": JSONArrayDecoder,
    "eventstream": EventStreamDecoder,
}
_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"


class ByteAdapter:
    """Feed an adapter from bytes, in any cut; the deltas do not depend on it.

    Bytes that cannot be read on (no UTF-8, a damaged frame, an event beyond ``max_event_bytes``)
    end the stream as an ``error`` delta, the framing's finding in ``adapter.findings``.
    """

    def __init__(
        self,
        adapter: ProviderAdapter,
        framing: Framing = "auto",
        max_event_bytes: int = DEFAULT_LIMIT_BYTES,
    ) -> None:
        if framing not in _FRAMINGS:
            raise bad_argument("No such framing", ", ".join(_FRAMINGS), framing)
        self.adapter = adapter
        self._limit = max_event_bytes
        self._decoder: _Decoder | None = None
        self._head = b""  # white space, or a part of a byte order mark
        self._body: list[str] | None = None  # lines of what may be one body on many lines
        self._body_chars = 0
        self._lines = 0
        self._failed = False
        if framing != "auto":
            self._choose(framing)

    @property
    def failed(self) -> bool:
        """Whether the bytes cannot be read on: what follows adds nothing."""
        return self._failed

    def feed(self, chunk: bytes) -> list[MessageDelta]:
        """Return the deltas that ``chunk`` completes."""
        if self._decoder is None:
            self._head += chunk
            framing = _sniff(self._head)
            if framing is None:
                return []
            chunk, self._head = self._head, b""
            self._choose(framing)
        return self._read(chunk)

    def close(self) -> list[MessageDelta]:
        """Say that the input has ended; return the last deltas."""
        deltas = self._read(None)
        if self._body is not None:
            deltas += self._read_body(self._body)
            self._body = None
        return deltas + self.adapter.close()

    def _choose(self, framing: Framing) -> None:
        self._decoder = _DECODERS[framing](self._limit)

    def _read(self, chunk: bytes | None) -> list[MessageDelta]:
        """Read a chunk, or with None what the end of the input leaves."""
        decoder = self._decoder
        if decoder is None or self._failed:
            return []
        try:
            events = decoder.close() if chunk is None else decoder.feed(chunk)
        except FramingError as error:
            return self._fail(error)
        deltas = [delta for event in events for delta in self._read_event(event)]
        if decoder.error is not None:
            deltas += self._fail(decoder.error)
        return deltas

    def _read_event(self, event: SSEEvent | RawLine | EventStreamMessage) -> list[MessageDelta]:
        if isinstance(event, SSEEvent):
            name = event.event
            if not name:
                return self.adapter.feed_bare(event.data)
            return self.adapter.feed_text(event.data, "" if name == "message" else name)
        if isinstance(event, RawLine):
            return self._read_line(event)
        if self._failed:
            return []
        try:
            return feed_frame(self.adapter, event)
        except FramingError as error:
            return self._fail(error)

    def _fail(self, error: FramingError) -> list[MessageDelta]:
        if self._failed:
            return []
        self._failed = True
        self._body = None
        return self.adapter.fail(error.findings[0])

    # --- JSON without event framing --------------------------------------------------------------

    def _read_line(self, line: RawLine) -> list[MessageDelta]:
        if self._failed:
            return []
        try:
            # A character that the end of the input cuts off is a cut, not a wrong encoding.
            text, _ = codecs.utf_8_decode(line.data, "strict", line.terminated)
        except UnicodeDecodeError as error:
            byte = f"0x{line.data[error.start]:02x}"
            return self._fail(
                FramingError(
                    Finding(
                        "framing/invalid-utf8",
                        f"Byte {error.start} of the line is not UTF-8",
                        expected="UTF-8",
                        actual=byte,
                        line=line.number,
                    )
                )
            )
        self._lines += 1
        if self._lines == 1 and self._begins_body(text):
            self._body = []
        if self._body is None:
            return self.adapter.feed_text(text)
        self._body.append(text)
        self._body_chars += len(text) + 1
        if self._body_chars <= self._limit:
            return []
        return self._fail(
            FramingError(
                Finding(
                    "framing/event-too-large",
                    "The JSON body is larger than max_event_bytes",
                    expected=f"at most {self._limit} bytes",
                    actual=f"more than {self._limit} bytes",
                )
            )
        )

    def _begins_body(self, text: str) -> bool:
        """Return whether the first line may be the first of one JSON value on many lines."""
        if type(self._decoder) is JSONArrayDecoder or text.lstrip()[:1] not in ("{", "["):
            return False
        return decode_event(text) is NOTHING

    def _read_body(self, lines: list[str]) -> list[MessageDelta]:
        """Read one JSON value on many lines; if it is none, lines of which the first is broken."""
        whole = "\n".join(lines)
        if decode_event(whole) is not NOTHING:
            return self.adapter.feed_text(whole)
        return [delta for line in lines for delta in self.adapter.feed_text(line)]


def _sniff(head: bytes) -> Framing | None:
    """Return the framing of a response that begins with ``head``, None if that is too short."""
    if len(head) < len(_BOM) and _BOM.startswith(head):
        return None
    if head and head[0] < 0x09:
        return "eventstream"
    first = head[:MAX_HEAD_BYTES].removeprefix(_BOM).lstrip(_SPACE)[:1]
    if first:
        return "jsonl" if first == b"{" else "jsonarray" if first == b"[" else "sse"
    return "sse" if len(head) >= MAX_HEAD_BYTES else None
