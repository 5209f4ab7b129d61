"""Media that comes in pieces.

These deltas have been checked whole: they are what the schema says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from ...contract.current.message import (
    InlineSource,
    MediaDataDelta,
    MediaEndDelta,
    MediaStartDelta,
)
from .checks import check_id, limit_exceeded, media_refusal, refusal, used_id
from .opaque import NOTHING
from .payloads import payload_size
from .slots import MediaSlot
from .text import room_in, utf8_length

if TYPE_CHECKING:
    from .machine import MessageAssembler

__all__ = ["on_media_data", "on_media_end", "on_media_start"]


def on_media_start(stream: MessageAssembler, delta: MediaStartDelta, seq: int) -> None:
    """Begin a part, which is shown once it has ended."""
    payload = delta.payload
    media_id, opaque = payload.media_id, payload.opaque
    check_id("/payload/mediaId", media_id, seq, stream._limits.id_chars)
    if media_id in stream._media:
        raise used_id("stream/duplicate-media", "mediaId", media_id, seq)
    stream._check_parts(seq)
    size = payload_size(payload, stream._payload_left, stream._limits, seq, "opaque")
    packed = stream._packed(opaque, NOTHING, seq) if opaque else None
    stream._payload_left -= size
    media = MediaSlot(media_id, payload.mime_type, payload.name)
    stream._add_part(media)
    stream._media[media_id] = stream._open_media[media_id] = media
    if packed is not None:
        stream._keep_opaque(media, packed)


def on_media_data(stream: MessageAssembler, delta: MediaDataDelta, seq: int) -> None:
    """Take bytes and words: nothing is changed if there is no room for all."""
    payload = delta.payload
    media = _media_of(stream, payload.media_id, seq)
    text = payload.transcript_delta or ""
    stream._settle_text()
    size = utf8_length(text)
    if size > stream._text_left:
        raise limit_exceeded("text_bytes", stream._limits.text_bytes, seq)
    _keep_letters(stream, media, media.letters_with(payload.data, payload.data_delta), seq)
    media.take(payload.data, payload.data_delta)
    if text:
        media.add(text)
        stream._text_left -= size
        if stream._text is not None:
            stream._text.room = room_in(stream._text_left)


def on_media_end(stream: MessageAssembler, delta: MediaEndDelta, seq: int) -> None:
    """End a part; its source is what came, unless another is said."""
    payload = delta.payload
    media, source = _media_of(stream, payload.media_id, seq), payload.source
    if source is UNSET and not media.data:
        raise refusal(
            "stream/empty-media",
            "The media has neither bytes nor a source",
            seq,
            pointer="/payload",
            expected="bytes before, or a source",
            actual="neither",
        )
    apart = ("opaque", "source") if isinstance(source, InlineSource) else ("opaque",)
    size = payload_size(payload, stream._payload_left, stream._limits, seq, *apart)
    packed = stream._packed(payload.opaque, media.opaque, seq) if payload.opaque else None
    if isinstance(source, InlineSource):
        _keep_letters(stream, media, len(source.data), seq)
    elif source is not UNSET:
        _keep_letters(stream, media, 0, seq)
    stream._payload_left -= size
    media.end(source)
    media.end_type = payload.mime_type
    media.size_bytes = payload.size_bytes
    media.closed_seq = seq
    del stream._open_media[media.media_id]
    if packed is not None:
        stream._keep_opaque(media, packed)


def _media_of(stream: MessageAssembler, media_id: str, seq: int) -> MediaSlot:
    """Return open media."""
    media = stream._open_media.get(media_id)
    if media is None:
        known = stream._media.get(media_id)
        raise media_refusal(media_id, None if known is None else known.closed_seq, seq)
    return media


def _keep_letters(stream: MessageAssembler, media: MediaSlot, letters: int, seq: int) -> None:
    """Let so many letters of Base64 be held of the media."""
    left = stream._media_left + media.letters - letters
    if left < 0:
        raise limit_exceeded("media_bytes", stream._limits.media_bytes, seq)
    stream._media_left, media.letters = left, letters
