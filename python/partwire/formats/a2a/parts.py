"""Parts of A2A, of 1.x and of 0.3, as parts of messages, and back.

Data is JSON text for a model to read; that it is data stands in the part's state for A2A, as do a
text's file name, media type and metadata.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import PartwireError
from partwire.json.text import decode_json, json_text

from ..core.parts import inline, media_part, text_part, url_part
from ..core.reading import Json, Members, Reading

__all__ = ["FIRST", "OWN", "part_of", "written_part"]

OWN: Final = "a2a"
FIRST: Final = "0.3"
"""The version before 1.0, whose parts say their kind."""

_BESIDE: Final = ("mediaType", "filename", "metadata")
_UNKNOWN: Final = "application/octet-stream"


def part_of(part: Members, reading: Reading) -> Json | None:
    """Return the part that a part of A2A is; None where messages have none such."""
    said = (name for name in ("text", "file", "data") if part.peek(name) is not None)
    kind = next(said, "data" if "data" in part else None)
    for name in ("kind", "type"):
        part.skip(name, kind)
    if kind == "file":
        given = part.object("file")
        if given is None:
            return None
        file = Members(given, part.at("file"), reading)
        made = _file(
            file, ("bytes", "uri", "mimeType", "name"), part.object("metadata"), file.place, reading
        )
        file.close()
        return made
    text = part.text("text")
    if text is not None:
        return _with_state(text_part(text), _kept(part))
    if kind == "data":
        data = part.value("data")
        return _with_state(text_part(json_text(data)), {"kind": "data", **_kept(part)})
    names = ("raw", "url", "mediaType", "filename")
    return _file(part, names, part.object("metadata"), part.place, reading)


def _kept(part: Members) -> Json:
    return {name: part.value(name) for name in _BESIDE if part.peek(name) is not None}


def _with_state(part: Json, state: Json) -> Json:
    if state:
        part["payload"]["opaque"] = {"provider": OWN, "data": state}
    return part


def _file(
    file: Members, names: tuple[str, ...], metadata: Json | None, place: str, reading: Reading
) -> Json | None:
    """Return the part of a file: its bytes, else what is behind its URL."""
    data, url, mime, name = (file.text(each) or None for each in names)
    part: Json | None = None
    if data is not None:
        if not mime:
            reading.note("mime-invented", place)
        part = inline(mime or _UNKNOWN, _base64(data), name)
        if url is not None:
            reading.note("foreign-member", file.at(names[1]))
    elif url is not None:
        is_image = (mime or "").startswith("image/") and not name and metadata is None
        part = url_part(url, mime, place, reading, image=is_image)
    if part is None:
        return None
    if metadata is not None and part["kind"] == "image":
        source = {"kind": "inline", "data": part["payload"]["data"]}
        part = media_part(part["payload"]["mimeType"], source, None)
    if name:
        part["payload"]["name"] = name
    return _with_state(part, {} if metadata is None else {"metadata": metadata})


def _base64(data: str) -> str:
    """Return Base64 in its usual letters: protobuf's JSON takes those for URLs, without padding."""
    usual = data.translate({ord("-"): "+", ord("_"): "/"}).rstrip("=")
    return usual + "=" * (-len(usual) % 4)


# --- and back -------------------------------------------------------------------------------------


def written_part(kind: str, payload: Json, version: str) -> Json | None:
    """Return a part as A2A has it; None where it has none such."""
    opaque: Any = payload.get("opaque")
    state: Json = opaque["data"] if opaque and opaque["provider"] == OWN else {}
    beside = {name: state[name] for name in _BESIDE if state.get(name) is not None}
    if kind == "text":
        return _text(payload["text"], state, beside, version)
    if kind not in ("image", "media"):
        return None
    source, mime = payload.get("source", payload), payload["mimeType"]
    metadata = {"metadata": beside["metadata"]} if "metadata" in beside else {}
    name = payload.get("name")
    member = next((each for each in ("data", "url") if each in source), None)
    if member is None:
        return None  # a provider's name of a file
    if version == FIRST:
        named = {"name": name} if name else {}
        where = {"bytes" if member == "data" else "uri": source[member]}
        return {"kind": "file", "file": {**where, "mimeType": mime, **named}, **metadata}
    named = {"filename": name} if name else {}
    where = {"raw" if member == "data" else "url": source[member]}
    return {**where, "mediaType": mime, **named, **metadata}


def _text(text: str, state: Json, beside: Json, version: str) -> Json:
    value, is_data = _value_in(text) if state.get("kind") == "data" else (None, False)
    if version == FIRST:
        metadata = {"metadata": beside["metadata"]} if "metadata" in beside else {}
        said = {"kind": "data", "data": value} if is_data else {"kind": "text", "text": text}
        return {**said, **metadata}
    return {"data": value, **beside} if is_data else {"text": text, **beside}


def _value_in(text: str) -> tuple[Any, bool]:
    """Return the value that JSON text is, and whether it is one."""
    try:
        return decode_json(text.encode()), True
    except (PartwireError, UnicodeEncodeError):
        return None, False
