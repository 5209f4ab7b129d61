"""Sound and images of an answer."""

from __future__ import annotations

import re
from typing import Any, Final

from partwire.errors import clip
from partwire.json.equality import same_json

from ..core.citations import web_address
from ..core.findings import FindingLog, note_unknown_type
from ..core.writer import DeltaWriter, OpenMedia

__all__ = ["ChatMedia"]

_DATA: Final = re.compile(r"(?i)data:([^;,]+)(?:;[^;,]*)*;base64,")
_PLACE: Final = "/choices/0/delta"


class ChatMedia:
    """Write the sound of an answer, which comes in pieces, and its images, which come whole."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._sound: OpenMedia | None = None
        self._said: dict[str, Any] = {}  # of the sound: its id, and how long the vendor has it

    def sound(self, audio: object) -> bool:
        """Read a piece of sound; return False where it is none."""
        if type(audio) is not dict:
            return False
        own = audio.get("id")
        known = self._said.get("id")
        if own and known is not None and not same_json(known, own):
            self.finish()
            self._sound = None
        if self._sound is None:
            self._said = {}
            self._sound = self._writer.open_media(own if isinstance(own, str) else None, None)
        media = self._sound
        self._said |= {name: audio[name] for name in ("id", "expires_at") if audio.get(name)}
        words = self._log.string(audio.get("transcript"), f"{_PLACE}/audio/transcript")
        data = audio.get("data") or None
        if not self._writer.media_data(media, data_delta=data, transcript=words):
            self._log.invalid(f"{_PLACE}/audio/data", "bytes as Base64", data)
        if media.part < 0:
            self._writer.keep_with(media, "audio", audio)
        else:
            media.kept.clear()  # all of it is with the bytes
            note_unknown_type(self._log, f"{_PLACE}/audio")
        return True

    def image(self, image: object) -> bool:
        """Read an image; return False where it is none that can be shown."""
        inner = image.get("image_url") if type(image) is dict else None
        url = inner.get("url") if type(inner) is dict else inner
        if not isinstance(url, str):
            return False
        head, address = _DATA.match(url), web_address(url)
        writer = self._writer
        media = writer.open_media(None, head[1].strip().lower() if head else None)
        if head is not None:
            writer.media_data(media, data=url[head.end() :])
        elif address is not None:
            note_unknown_type(self._log, f"{_PLACE}/images")
        return writer.end_media(media, url=address)

    def finish(self) -> None:
        """End the sound: what the vendor wants back is its id."""
        media = self._sound
        if media is None:
            return
        if media.part < 0:
            self._log.note(
                "adapter/unsupported-content",
                "The contract has no part for sound without bytes; it is kept beside the message",
                f"{_PLACE}/audio",
                actual=clip("audio"),
            )
        elif self._said.get("id"):
            self._writer.keep_with(media, "audio", self._said)
