"""Media: pieces of bytes as Base64, and the words that are said in it."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

from msgspec import UNSET

from partwire.contract.current.message import (
    MediaDataDelta,
    MediaDataDeltaPayload,
    MediaEndDelta,
    MediaEndDeltaPayload,
    MediaStartDelta,
    MediaStartDeltaPayload,
    UrlSource,
)

from ..call_ids import CallIds, OpenCall
from ..opaque import OpaqueItem, well_formed
from .stream import Items, StreamInit
from .whole_parts import WholePartWriter

__all__ = ["MediaWriter", "OpenMedia", "whole_base64"]


class OpenMedia:
    """Media that has been announced; it begins, as a part, with its first bytes.

    ``part`` is the index of its part, -1 until then. ``words`` have come and are not written yet,
    ``kept`` is what the provider wants back with it.
    """

    __slots__ = ("half", "kept", "media_id", "mime_type", "name", "part", "words")

    def __init__(self, media_id: str | None, mime_type: str, name: str | None) -> None:
        self.media_id = media_id
        self.mime_type = mime_type
        self.name = name
        self.part = -1
        self.words = ""
        self.half = ""
        self.kept: list[tuple[str, object]] = []


_BYTES: Final = "application/octet-stream"  # of media whose type nobody says


class MediaWriter(WholePartWriter):
    """Write media, piece by piece."""

    def __init__(self, stream: StreamInit) -> None:
        super().__init__(stream)
        self._media_ids = CallIds(stream.run_id, frozenset())
        self._media: dict[OpenMedia, None] = {}  # in the order of their announcement

    def open_media(
        self, media_id: str | None, mime_type: str | None, name: str | None = None
    ) -> OpenMedia:
        """Announce media; its part begins with its first bytes.

        Its id is the provider's, else ``media_<request>_<ordinal>``.
        """
        mime_type = well_formed(mime_type) if mime_type else _BYTES
        media = OpenMedia(media_id, mime_type, well_formed(name) if name else None)
        self._media[media] = None
        return media

    def media_data(
        self,
        media: OpenMedia,
        *,
        data_delta: object = None,
        data: object = None,
        transcript: str = "",
    ) -> bool:
        """Append ``data_delta``, Base64 by itself, or put ``data`` in place of all bytes before.

        Returns False where one of them is not Base64: the words are taken then all the same. What
        comes when the media has ended is not written.
        """
        delta, whole = whole_base64(data_delta), whole_base64(data)
        is_sound = (data_delta is None or delta is not None) and (data is None or whole is not None)
        if media not in self._media:
            return False
        words = media.words
        if transcript:
            more, media.half = self._whole(media.half + transcript)
            words += more
        if not (delta or whole) and (media.part < 0 or not words):
            media.words = words
            return is_sound
        if media.part < 0:
            self._begin_media(media)
        media.words = ""
        payload = MediaDataDeltaPayload(
            media_id=media.media_id or "",
            data=whole or UNSET,
            data_delta=delta or UNSET,
            transcript_delta=words or UNSET,
        )
        self._add(MediaDataDelta, payload)
        return is_sound

    def _begin_media(self, media: OpenMedia) -> None:
        self.start()
        self._break_part()
        media.media_id = self._media_ids.take(media.media_id, self.request_id, "media")
        self._new_part("media")
        media.part = self.part
        payload = MediaStartDeltaPayload(
            media_id=media.media_id, mime_type=media.mime_type, name=media.name or UNSET
        )
        self._add(MediaStartDelta, payload)

    def end_media(
        self,
        media: OpenMedia,
        *,
        mime_type: str | None = None,
        url: str | None = None,
        opaque: Items = (),
    ) -> bool:
        """End media; ``url`` is where it is to be had, in place of bytes. Returns False where
        neither has come: nothing has been written of it then, and ``opaque`` is not kept.
        """
        if media not in self._media:
            return media.part >= 0
        if url and media.part < 0:
            self._begin_media(media)
        if media.half:
            media.half = ""
            self._lone()
            media.words += "\ufffd"
        if media.part >= 0 and media.words:
            self.media_data(media)
        del self._media[media]
        if media.part < 0:
            return False
        items = [OpaqueItem(kind, data, media.part) for kind, data in (*media.kept, *opaque)]
        for item in items:
            self.state.keep(item)
        changed = well_formed(mime_type) if mime_type else media.mime_type
        payload = MediaEndDeltaPayload(
            media_id=media.media_id or "",
            mime_type=UNSET if changed == media.mime_type else changed,
            source=UrlSource(url=well_formed(url)) if url else UNSET,
            opaque=self.state.of_part(media.part) if self.state else UNSET,
        )
        self._add(MediaEndDelta, payload)
        return True

    def keep_with(self, place: OpenCall | OpenMedia, kind: str, data: Any) -> None:
        """Keep provider state that belongs to a tool call, open or ended, or to open media."""
        if isinstance(place, OpenMedia) and place in self._media:
            place.kept.append((kind, data))
        else:
            self.state.keep(OpaqueItem(kind, data, place.part))


def whole_base64(value: object) -> str | None:
    """Return Base64 as the contract writes it: the same bytes, bits beyond them zero.

    None for what is not Base64 of the standard alphabet, padded, without line breaks.
    """
    if not isinstance(value, str):
        return None
    try:
        text = base64.b64encode(base64.b64decode(value, validate=True)).decode()
    except (ValueError, binascii.Error):
        return None
    return text if len(text) == len(value) else None
