"""Messages of an AWS event stream → raw events of an adapter.

``:event-type`` names the event, and the payload is its body: ``{"<event-type>": <payload>}``, as
AWS's own clients give it. A ``chunk`` carries an event of the model's own format, in Base64. An
exception and an error of the stream stand in the headers: whatever the dialect, they end it.
Failure catalogue SSE-06, SSE-07.
"""

from __future__ import annotations

from typing import Any

from partwire.errors import Finding, FramingError
from partwire.framing import EventStreamMessage
from partwire.v0_2.structs.message import MessageDelta

from .adapter import ProviderAdapter
from .raw_events import NOTHING, chunk_text, decode_event

__all__ = ["feed_frame"]


def feed_frame(adapter: ProviderAdapter, message: EventStreamMessage) -> list[MessageDelta]:
    """Feed one message to ``adapter``; return its deltas.

    Raises FramingError ``framing/invalid-utf8`` for a payload that is no UTF-8.
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
