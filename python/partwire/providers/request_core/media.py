"""Where the bytes of images, files and media are: inline, behind a URL, or with the provider.

A ``file_ref`` holds a path "as producer and consumer agreed". An encoder opens nothing, so it
knows three kinds of paths: ``data:`` URLs, ``http(s):`` URLs, and ids of files that were uploaded
to the provider. The ``ref`` of a ``media`` part is a name in a store: of those three it can be such
an id only, and whoever has the store resolves the others before.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, NamedTuple
from urllib.parse import unquote, unquote_to_bytes

from msgspec import UNSET

from partwire.contract.current.message import (
    FileRefPayload,
    ImagePayload,
    InlineSource,
    MediaPayload,
    UrlSource,
)
from partwire.tables.media_types import IMAGES

__all__ = ["Media", "file_media", "image_media", "part_media"]

_DATA: Final = re.compile(r"(?i)data:([^,;]*)((?:;[^,;]*)*),")
_WEB: Final = re.compile(r"(?i)https?://[^\s/]")
_DEFAULT_MIME: Final = "text/plain"


class Media(NamedTuple):
    """Bytes of an image or a file: exactly one of ``data``, ``url`` and ``path``.

    ``mime_type`` is lower case and without parameters, "" where it is not known. ``data`` is
    base64, standard alphabet, padded, and not empty. ``url`` is http or https. ``path`` is anything
    else: the provider's own file id, or what no provider can read, "" where there is nothing.
    ``name`` is the file's, "" where nobody says it. ``full_type`` is that of a media part as it
    was given.
    """

    mime_type: str
    data: str | None = None
    url: str | None = None
    path: str | None = None
    name: str = ""
    full_type: str = ""

    @property
    def is_odd_image(self) -> bool:
        """Whether this is an image of a type that few providers read."""
        return self.mime_type.startswith("image/") and self.mime_type not in IMAGES

    @property
    def file_name(self) -> str:
        """The name of the file; one that says its type where nobody named it."""
        return self.name or ("file.pdf" if self.mime_type == "application/pdf" else "file")

    def said(self) -> str:
        """Return what a finding says that this is: the type, else where it is."""
        if self.path == "":
            return f"{self.mime_type or 'media'} without bytes"
        return self.mime_type or self.path or self.url or ""

    def text(self) -> str | None:
        """Return inline data as text, None if it is not UTF-8."""
        try:
            return base64.b64decode(self.data or "").decode()
        except ValueError:
            return None


def image_media(payload: ImagePayload) -> Media:
    """Return where an image's bytes are."""
    mime_type = _plain_mime(payload.mime_type)
    if payload.data is not UNSET:
        return _held(mime_type, payload.data)
    return _located("" if payload.url is UNSET else payload.url, mime_type)


def file_media(payload: FileRefPayload) -> Media:
    """Return where a file's bytes are."""
    mime_type = "" if payload.mime_type is UNSET else _plain_mime(payload.mime_type)
    return _located(payload.path, mime_type)


def part_media(payload: MediaPayload) -> Media:
    """Return where the bytes of a media part are; a name that it has counts."""
    mime_type, source = _plain_mime(payload.mime_type), payload.source
    name = "" if payload.name is UNSET else payload.name
    if isinstance(source, InlineSource):
        media = _held(mime_type, source.data)
    elif isinstance(source, UrlSource):
        media = _located(source.url, mime_type)
    else:
        # A source of a later version is an Unknown, and leads nowhere.
        media = Media(mime_type, path=getattr(source, "ref", ""))
    return media._replace(name=name or media.name, full_type=payload.mime_type)


def _held(mime_type: str, data: str) -> Media:
    """Return inline media; without a byte it leads nowhere, and no provider takes it."""
    return Media(mime_type, data=data) if data else Media(mime_type, path="")


def _located(where: str, mime_type: str) -> Media:
    """Return what a URL or path leads to; the media type that was given counts."""
    if _WEB.match(where):
        return Media(mime_type, url=where)
    head = _DATA.match(where)
    if head is None:
        return Media(mime_type, path=where)
    parameters = [each.strip() for each in head[2].split(";")]
    data = _inline(where[head.end() :], parameters[-1].lower() == "base64")
    if data is None:
        return Media(mime_type, path=where)
    names = [unquote(each[5:]) for each in parameters if each.lower().startswith("name=")]
    found = mime_type or _plain_mime(head[1]) or _DEFAULT_MIME
    return _held(found, data)._replace(name=names[0] if names else "")


def _inline(text: str, is_base64: bool) -> str | None:
    """Return the data of a ``data:`` URL as base64, None where it is broken."""
    if not is_base64:
        return base64.b64encode(unquote_to_bytes(text)).decode()
    data = "".join(unquote(text).split()) if "%" in text or not text.isalnum() else text
    try:
        binascii.a2b_base64(data, strict_mode=True)
    except ValueError:
        return None
    return data


def _plain_mime(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()
