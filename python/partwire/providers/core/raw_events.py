"""The JSON of one raw event, read as it is meant: vendors' own writers are not strict.

Wider than JSON where nothing is lost by it: halves of surrogate pairs (the adapter joins them),
raw control characters in strings, NaN and Infinity (read as null: a figure that is none).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from partwire.json.text import json_text

__all__ = [
    "NOTHING",
    "as_json_text",
    "chunk_event",
    "chunk_text",
    "decode_event",
    "decode_strict",
    "values_on_lines",
]

NOTHING: Final = msgspec.UNSET
"""What :func:`decode_event` returns for text that is not JSON."""

decode_strict: Final = msgspec.json.Decoder().decode
"""JSON text of the standard → its value; what almost every event is. Raises ValueError."""
_BEGINS: Final = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_lenient = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def decode_event(text: str) -> Any:
    """Return the JSON value of an event's text, or ``NOTHING``."""
    try:
        return decode_strict(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _lenient.decode(text)
    except (ValueError, RecursionError):
        return NOTHING


def values_on_lines(text: str) -> Iterator[Any]:
    """Yield the objects and arrays that begin on a line of their own, whatever follows them.

    ``NOTHING`` for each line that begins like one, inside of none, and is not JSON.
    """
    at = 0
    while (found := _BEGINS.search(text, at)) is not None:
        at = found.end()
        try:
            value, at = _lenient.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, at = NOTHING, at + 1
        yield value


def chunk_text(payload: object) -> str | None:
    """Return the text of the event in ``{"bytes": …}``, None if there is none.

    The bytes are Base64 on the wire, and bytes as AWS's Python client gives them.
    """
    data = payload.get("bytes") if isinstance(payload, dict) else None
    try:
        if isinstance(data, str):
            data = base64.b64decode(data, validate=True)
        return data.decode() if isinstance(data, bytes) else None
    except ValueError:
        return None


def chunk_event(event: dict[str, Any]) -> Any:
    """Return the JSON value that ``{"chunk": {"bytes": …}}`` carries, or ``NOTHING``."""
    text = chunk_text(event.get("chunk"))
    return NOTHING if text is None else decode_event(text)


def as_json_text(value: object) -> str | None:
    """Return JSON text of an object that came in place of text, None if it has none."""
    try:
        text = json_text(value)
    except (TypeError, ValueError, RecursionError):
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text
