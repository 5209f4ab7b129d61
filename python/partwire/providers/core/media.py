"""Media that is open, and the Base64 of its pieces."""

from __future__ import annotations

import base64
import binascii

__all__ = ["OpenMedia", "whole_base64"]


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
