"""Files of content: URLs, bytes, and names that a provider has for files."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any, Final

from ..core.parts import inline, media_part, url_part
from ..core.reading import Json, Members, Reading
from .names import KEPT, take_kept

__all__ = ["digest", "file_of", "is_file", "item_of"]

_URLS: Final = {
    "image-url": "image/",
    "audio-url": "audio/",
    "video-url": "video/",
    "document-url": "",
}
"""The kinds of URLs, and how the media types of each begin."""
_FILES: Final = frozenset({*_URLS, "binary", "uploaded-file"})
_TO_STANDARD: Final = str.maketrans("-_", "+/")
_TO_URL_SAFE: Final = str.maketrans("+/", "-_")


def is_file(item: Any) -> bool:
    """Return whether a value has the kind of a file."""
    kind = item.get("kind") if type(item) is dict else None
    return isinstance(kind, str) and kind in _FILES


def digest(item: Json) -> str:
    """Return what a result that was stored says of a file in it, to tell it from mere data."""
    canonical = json.dumps(item, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _identifier(said: bytes) -> str:
    """Return the identifier that the library makes where the application gives none."""
    return hashlib.sha1(said, usedforsecurity=False).hexdigest()[:6]


# --- read -----------------------------------------------------------------------------------------


def file_of(item: Members, reading: Reading) -> tuple[Json, Json] | None:
    """Return the part of a file, and the members that it has no place for; None where it has not
    the form of one.
    """
    kind = item.text("kind") or ""
    part: Json | None = None
    kept: Json = {}
    said = ""
    if kind in _URLS and item.has_text("url"):
        said = item.text("url") or ""
        mime = item.text("media_type") or None
        is_image = mime.startswith("image/") if mime else kind == "image-url"
        part = url_part(said, mime, item.place, reading, image=is_image)
        kept = {} if mime else {"media_type": None}
        if _kind_of(part["payload"]["mimeType"]) != kind:
            kept["kind"] = kind
    elif kind == "binary" and item.has_text("data") and item.has_text("media_type"):
        given = item.text("data") or ""
        part = inline(item.text("media_type") or "", given.translate(_TO_STANDARD))
        said = given
    elif kind == "uploaded-file" and item.has_text("file_id") and item.has_text("provider_name"):
        said = item.text("file_id") or ""
        mime = item.text("media_type")
        if not mime:
            reading.note("mime-invented", item.place)
            kept["media_type"] = None
        part = media_part(mime or "application/octet-stream", {"kind": "ref", "ref": said}, None)
        kept["provider_name"] = item.text("provider_name")
    if part is None:
        return None
    _skip_identifier(item, kind, said)
    return part, kept | take_kept(item, (*KEPT["file"], "identifier"))


def _skip_identifier(item: Members, kind: str, said: str) -> None:
    try:
        raw = base64.urlsafe_b64decode(said) if kind == "binary" else said.encode()
    except (binascii.Error, ValueError):
        return
    item.skip("identifier", _identifier(raw))


# --- write ----------------------------------------------------------------------------------------


def item_of(kind: str, payload: Json, kept: Json) -> Json | None:
    """Return the item of a file; None where it would not say whose file it is."""
    mime = payload.get("mimeType")
    source = payload.get("source", payload)
    beside = {name: kept[name] for name in (*KEPT["file"], "identifier") if name in kept}
    if "data" in source:
        data = source["data"].translate(_TO_URL_SAFE)
        return {"data": data, "media_type": mime, "kind": "binary", **beside}
    if "media_type" in kept:
        mime = kept["media_type"]
    if "url" in source:
        their = kept.get("kind")
        is_known = isinstance(their, str) and their in _URLS
        return {
            "url": source["url"],
            "force_download": False,
            "vendor_metadata": None,
            "kind": their if is_known else _kind_of(payload["mimeType"]),
            "media_type": mime,
            "identifier": _identifier(source["url"].encode()),
            **beside,
        }
    owner: Any = kept.get("provider_name")
    if kind == "file_ref" or not isinstance(owner, str):
        return None
    return {
        "file_id": source["ref"],
        "provider_name": owner,
        "kind": "uploaded-file",
        "media_type": mime,
        **beside,
    }


def _kind_of(mime: str) -> str:
    return next(kind for kind, prefix in _URLS.items() if mime.startswith(prefix))
