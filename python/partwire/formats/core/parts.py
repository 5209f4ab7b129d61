"""Parts of messages, as JSON values: text, calls, results, media."""

from __future__ import annotations

import base64
import re
from typing import Any, Final

from partwire.json.text import decode_json, json_text

from ...errors import PartwireError
from ...tables.media_types import EXTENSIONS
from .reading import Json, Reading

__all__ = [
    "call_part",
    "guessed_type",
    "inline",
    "media_part",
    "result_part",
    "text_document",
    "text_part",
    "url_part",
    "value_result",
]

# binascii takes padding behind what needs none, and the contract does not.
_BASE64: Final = re.compile("[A-Za-z0-9+/]+={0,2}")
_ANY_IMAGE: Final = "image/*"


def text_part(text: str) -> Json:
    """Return a part of text."""
    return {"kind": "text", "payload": {"text": text}}


def call_part(call_id: str, name: str, arguments: Any) -> Json:
    """Return a call; arguments that are text are JSON, or stand as they are in ``rawArgsText``."""
    payload: Json = {"toolCallId": call_id, "toolName": name, "arguments": arguments}
    if isinstance(arguments, str):
        value = _object_in(arguments)
        payload |= (
            {"arguments": {}, "rawArgsText": arguments} if value is None else {"arguments": value}
        )
    return {"kind": "tool_call", "payload": payload}


def result_part(call_id: str, content: Any, *, is_error: bool = False, **members: Any) -> Json:
    """Return a result; content that a message has no form for stands as JSON text and data."""
    payload: Json = {"toolCallId": call_id, "isError": is_error, "content": content}
    if not isinstance(content, (str, list, dict)):
        payload |= {"content": json_text(content)} | (
            {} if content is None else {"structured": content}
        )
    return {"kind": "tool_result", "payload": {**payload, **members}}


def value_result(call_id: str, value: Any, *, is_error: bool = False) -> Json:
    """Return a result of any JSON value: text and objects as they are, others as text and data."""
    if isinstance(value, list):
        return result_part(call_id, json_text(value), is_error=is_error, structured=value)
    return result_part(call_id, value, is_error=is_error)


def inline(mime_type: str, data: str, name: str | None = None) -> Json | None:
    """Return the part of bytes in Base64: an image, else media. None where it is not Base64."""
    if len(data) % 4 != 0 or _BASE64.fullmatch(data) is None:
        return None
    if mime_type.startswith("image/") and not name:
        return {"kind": "image", "payload": {"mimeType": mime_type, "data": data}}
    return media_part(mime_type, {"kind": "inline", "data": data}, name)


def url_part(url: str, mime_type: str | None, place: str, reading: Reading, *, image: bool) -> Json:
    """Return the part of what is behind a URL; its type is guessed where nobody says it."""
    kind = mime_type
    if not kind:
        kind = guessed_type(url) or (_ANY_IMAGE if image else "application/octet-stream")
        reading.note("mime-invented", place)
    if image:
        return {"kind": "image", "payload": {"mimeType": kind, "url": url}}
    return media_part(kind, {"kind": "url", "url": url}, None)


def media_part(mime_type: str, source: Json, name: str | None) -> Json:
    """Return media of any type."""
    named = {"name": name} if name else {}
    return {"kind": "media", "payload": {"mimeType": mime_type, "source": source, **named}}


def text_document(text: str, mime_type: str, name: str | None) -> Json:
    """Return a document that is text: media, inline."""
    data = base64.b64encode(text.encode()).decode()
    return media_part(mime_type, {"kind": "inline", "data": data}, name)


def guessed_type(url: str) -> str | None:
    """Return the media type that the ending of a URL's path says.

    The standard library asks the machine that it runs on, so that each would say something else.
    """
    path = re.split("[?#]", url, maxsplit=1)[0]
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return EXTENSIONS.get(ending.lower()) if dot else None


def _object_in(text: str) -> Json | None:
    """Return the object that JSON text is; None for other text."""
    try:
        value = decode_json(text.encode())
    except (PartwireError, UnicodeEncodeError):
        return None
    return value if type(value) is dict else None
