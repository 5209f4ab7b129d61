"""Images that a response makes, and its sound."""

from __future__ import annotations

from typing import Any, Final

from ..core.findings import FindingLog, note_unknown_type
from ..core.writer import DeltaWriter, OpenMedia
from .items import Item

__all__ = ["IMAGE", "ResponsesMedia"]

IMAGE: Final = "image_generation_call"
"""The item of an image."""

_TYPES: Final = {"svg": "image/svg+xml"}  # where the format's name is not that of the type
_PNG: Final = "png"  # what is made where nothing is said
_SOUND: Final = "response.audio.delta"
_WORDS: Final = "response.audio.transcript.delta"


class ResponsesMedia:
    """Write the media of one response: an image for each item, and one sound."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._sound: OpenMedia | None = None

    def piece_of_image(self, item: Item, event: dict[str, Any]) -> None:
        """Read an image as far as it is sharp: it takes the place of the one before."""
        self._show(item, event, "partial_image_b64", "/partial_image_b64")

    def image(self, item: Item, place: str) -> bool:
        """Read an image that is whole; return False where it has no bytes."""
        body = item.body
        media = self._show(item, body, "result", f"{place}/result")
        kept = {name: value for name, value in body.items() if name != "result"}
        item.made = self._writer.end_media(
            media, mime_type=_type_of(body), opaque=[(item.kind, kept)]
        )
        return item.made

    def _show(self, item: Item, said: dict[str, Any], member: str, place: str) -> OpenMedia:
        if item.media is None:
            item.media = self._writer.open_media(item.id or None, _type_of(said))
        data = said.get(member)
        if data is not None and not self._writer.media_data(item.media, data=data):
            self._log.invalid(place, "bytes as Base64", data)
        return item.media

    def sound(self, event: dict[str, Any], kind: str) -> None:
        """Read a piece of sound, or of what is said in it."""
        writer = self._writer
        if kind not in (_SOUND, _WORDS):
            return  # its end, or that of its words
        if self._sound is None:
            self._sound = writer.open_media(None, None)
        media, delta = self._sound, event.get("delta")
        if kind == _WORDS:
            writer.media_data(media, transcript=self._log.string(delta, "/delta"))
        elif not writer.media_data(media, data_delta=delta):
            self._log.invalid("/delta", "bytes as Base64", delta)
        if media.part < 0:
            writer.keep_with(media, "audio", event)
        else:
            media.kept.clear()  # its words are with the bytes
            note_unknown_type(self._log, "/type")

    def finish(self) -> None:
        """Say what is kept as it came: words of a sound whose bytes never came."""
        if self._sound is not None and self._sound.part < 0:
            self._log.note(
                "adapter/unsupported-content",
                "The contract has no part for sound without bytes; it is kept beside the message",
                "/type",
            )


def _type_of(said: dict[str, Any]) -> str:
    name = said.get("output_format")
    name = name if isinstance(name, str) and name else _PNG
    return _TYPES.get(name, f"image/{name}")
