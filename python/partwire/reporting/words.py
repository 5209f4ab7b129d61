"""Text that comes from documents, made harmless for where it is shown."""

from __future__ import annotations

import re

__all__ = ["clipped", "one_line", "safe_text"]

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def safe_text(text: str) -> str:
    """Spell out control characters: what a document holds must not steer the terminal."""
    return _CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


def clipped(text: str, most: int) -> str:
    """Return at most so many characters of ``text``, the last of which says what is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_line(text: str) -> str:
    """Return ``text`` as :func:`safe_text` does, with line ends and tabs spelled out as well."""
    if text.isprintable():  # most texts, and much faster than a search
        return text
    return safe_text(text).replace("\n", "\\n").replace("\t", "\\t")
