"""What a message keeps for one format in its ``meta``, by the name of the format."""

from __future__ import annotations

from typing import Any

from .reading import Json

__all__ = ["kept_by", "kept_of_part"]


def kept_by(message: Json, format: str) -> Json:  # noqa: A002 - as in read
    """Return what a message keeps for a format; an empty object where it keeps nothing."""
    own: Any = message.get("meta", {}).get(format)
    return own if isinstance(own, dict) else {}


def kept_of_part(message: Json, format: str, number: int) -> Json:  # noqa: A002 - as in read
    """Return what a message keeps of the part of a number, in its ``parts`` for the format."""
    parts = kept_by(message, format).get("parts")
    kept = parts.get(str(number)) if isinstance(parts, dict) else None
    return kept if isinstance(kept, dict) else {}
