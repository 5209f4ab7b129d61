"""Reading a document of a format."""

from __future__ import annotations

from typing import Any

from ..json.text import decode_json
from ..reading.inputs import text_of
from .core.reading import FormatResult, Reading
from .registry import format_named

__all__ = ["read"]


def read(
    format: str,  # noqa: A002 - it is what the caller calls it
    data: Any,
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
) -> FormatResult:
    """Return the messages of a document of ``format``, and what they do not say.

    ``data`` is JSON text or a JSON value; it is never changed. ``run_id`` and ``timestamp`` (RFC
    3339) are for sources that do not say them; without them they are made up, and reported.
    Pointers of the losses lead into ``data``. Raises UsageError ``usage/unknown-format`` and
    ``usage/invalid-argument``, and ReadError for what is not JSON (``document/…``) or not of the
    format (``format/wrong-shape``).
    """
    chosen = format_named(format)
    reading = Reading(chosen.name, run_id=run_id, timestamp=timestamp)
    text = text_of(data)
    chosen.reader()(data if text is None else decode_json(text), reading)
    return reading.finish()
