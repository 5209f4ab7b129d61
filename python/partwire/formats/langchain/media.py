"""Media in content: standard blocks, those of older versions, and those of the providers."""

from __future__ import annotations

from typing import Final

from ..core.parts import inline, media_part, text_document, url_part
from ..core.reading import Json, Members, Reading
from ..histories.openai_media import at_url, by_id, sound, stored_file

__all__ = ["MEDIA", "media_of"]

MEDIA: Final = frozenset(
    {
        "audio",
        "document",
        "file",
        "image",
        "image_url",
        "input_audio",
        "input_file",
        "input_image",
        "media",
        "text-plain",
        "video",
    }
)
_ANY: Final = {"image": "image/*", "audio": "audio/*", "video": "video/*"}
_BYTES: Final = "application/octet-stream"


def media_of(kind: str, block: Members, reading: Reading) -> Json | None:
    """Take the media of a block of one of these types; None where it does not say what it is."""
    if kind == "image_url":
        return _image_url(block, reading)
    if kind == "input_audio":
        return _inner(block, kind, reading)
    if kind in ("input_file", "input_image"):
        url = block.text("image_url")
        if url:
            return at_url(url, block.at("image_url"), reading, image=True)
        return stored_file(block, block.place, reading)
    if kind == "file" and type(block.peek("file")) is dict:
        return _inner(block, kind, reading)
    if type(block.peek("source")) is dict:
        return _sourced(kind, block, reading)
    return _standard(kind, block, reading)


def _image_url(block: Members, reading: Reading) -> Json | None:
    place, given = block.at("image_url"), block.value("image_url")
    if type(given) is str:
        return at_url(given, place, reading, image=True)
    if type(given) is not dict:
        return None
    inner = Members(given, place, reading)
    url = inner.text("url")
    inner.skip("detail", "auto")
    inner.close()
    return at_url(url, place, reading, image=True) if url else None


def _inner(block: Members, kind: str, reading: Reading) -> Json | None:
    given = block.object(kind)
    if given is None:
        return None
    inner = Members(given, block.at(kind), reading)
    part = sound(inner) if kind == "input_audio" else stored_file(inner, inner.place, reading)
    if part is not None:
        inner.close()
    return part


def _sourced(kind: str, block: Members, reading: Reading) -> Json | None:
    """Read Anthropic's form of media."""
    given = block.object("source") or {}
    source = Members(given, block.at("source"), reading)
    form, mime, name = source.text("type"), source.text("media_type"), block.text("title")
    part: Json | None = None
    is_image = kind == "image" and not name
    if form == "base64" and mime:
        part = inline(mime, source.text("data") or "", name)
    elif form == "text" and (text := source.text("data")) is not None:
        part = text_document(text, mime or "text/plain", name)
    elif form == "url" and (url := source.text("url")):
        part = url_part(url, mime, source.place, reading, image=is_image)
    elif form == "file" and (file_id := source.text("file_id")):
        part = by_id(file_id, mime)
    if part is not None:
        source.close()
    return part


def _standard(kind: str, block: Members, reading: Reading) -> Json | None:
    """Read a standard block, as versions 0 and 1 have it, or Google's ``media``."""
    form, mime, place = block.text("source_type"), block.text("mime_type"), block.place
    if form not in (None, "url", "base64", "id", "text"):
        reading.note("foreign-member", block.at("source_type"))
    name = _name(block, reading)
    if kind == "text-plain" or form == "text":
        text = block.text("text")
        return None if text is None else text_document(text, mime or "text/plain", name)
    data = block.text("base64") or block.text("data")
    if data:
        if not mime:
            reading.note("mime-invented", place)
        return inline(mime or _ANY.get(kind, _BYTES), data, name)
    if url := block.text("url") or block.text("file_uri"):
        if url[:5].lower() == "data:":
            return at_url(url, place, reading, image=kind == "image", name=name)
        part = url_part(url, mime, place, reading, image=kind == "image" and not name)
        if name:
            part["payload"]["name"] = name
        return part
    file_id = block.text("file_id") or (block.text("id") if form in (None, "id") else None)
    if not file_id:
        return None
    if name:
        reading.note("mime-invented", place)
        return media_part(mime or _ANY.get(kind, _BYTES), {"kind": "ref", "ref": file_id}, name)
    return by_id(file_id, mime)


def _name(block: Members, reading: Reading) -> str | None:
    """Take the name of a file, which stands in one of several places."""
    for name in ("filename", "name", "title"):
        if found := block.text(name):
            return found
    for holder in ("extras", "metadata"):
        if type(block.peek(holder)) is not dict:
            continue
        inner = Members(block.object(holder) or {}, block.at(holder), reading)
        found = next(filter(None, map(inner.text, ("filename", "name", "title"))), None)
        inner.close()
        if found:
            return found
    return None
