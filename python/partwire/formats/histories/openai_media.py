"""Media as OpenAI's dialects have it: behind a URL, in a ``data:`` URL, as Base64, or by its id."""

from __future__ import annotations

import base64
import re
from typing import Final
from urllib.parse import unquote, unquote_to_bytes

from ..core.parts import inline, url_part
from ..core.reading import Json, Members, Reading

__all__ = ["at_url", "by_id", "sound", "stored_file"]

_DATA: Final = re.compile(r"(?i)data:([^,;]*)((?:;[^,;]*)*),")
_DEFAULT: Final = "text/plain"  # of a data: URL that says no type
_UNKNOWN: Final = "application/octet-stream"
_SOUNDS: Final = {"wav": "audio/wav", "mp3": "audio/mpeg", "pcm16": "audio/pcm"}


def at_url(
    url: str, place: str, reading: Reading, *, image: bool, name: str | None = None
) -> Json | None:
    """Return the part of what a URL leads to, or holds. None for an empty or a broken one."""
    if url[:5].lower() != "data:":
        if not url:
            return None
        part = url_part(url, None, place, reading, image=image and not name)
        if name:
            part["payload"]["name"] = name
        return part
    return _held(url, name)


def _held(url: str, name: str | None) -> Json | None:
    head = _DATA.match(url)
    if head is None:
        return None
    parameters = head[2].split(";")
    is_base64 = parameters[-1].strip().lower() == "base64"
    if is_base64:
        data = _base64_of(unquote(url[head.end() :]))
    else:
        data = base64.b64encode(unquote_to_bytes(url[head.end() :])).decode()
    kept = [head[1].strip() or _DEFAULT, *parameters[1 : -1 if is_base64 else None]]
    return inline(";".join(kept), data, name)


def _base64_of(text: str) -> str:
    return "".join(text.split())


def sound(source: Members) -> Json | None:
    """Return the part of ``{"data": …, "format": …}``."""
    data, name = source.text("data"), source.text("format")
    if not data or not name:
        return None
    return inline(_SOUNDS.get(name, f"audio/{name}"), _base64_of(data))


def stored_file(source: Members, place: str, reading: Reading) -> Json | None:
    """Return the part of a file: ``file_data``, ``file_url`` or ``file_id``, and ``filename``."""
    part: Json | None = None
    data, url, file_id = source.text("file_data"), source.text("file_url"), source.text("file_id")
    name = source.text("filename") or None
    if data:
        if data[:5].lower() == "data:":
            part = _held(data, name)
        else:
            reading.note("mime-invented", place)
            part = inline(_UNKNOWN, _base64_of(data), name)
    elif url:
        part = at_url(url, place, reading, image=False, name=name)
    elif file_id:
        part = by_id(file_id)
        if name:
            reading.note("foreign-member", source.at("filename"))
    for other, value in (("file_url", url if data else None), ("file_id", file_id)):
        if value and part is not None and (data or url):
            reading.note("foreign-member", source.at(other))
    return part


def by_id(file_id: str, mime_type: str | None = None) -> Json:
    """Return the part of a file that the provider keeps under an id; nobody knows its type."""
    known = {"mimeType": mime_type} if mime_type else {}
    return {"kind": "file_ref", "payload": {"path": file_id, **known}}
