"""The JSON of one raw event, read as it is meant: vendors' own writers are not strict.

Wider than JSON where nothing is lost by it: halves of surrogate pairs (the adapter joins them),
raw control characters in strings, NaN and Infinity (read as null: a figure that is none).
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

__all__ = ["NOTHING", "as_json_text", "decode_event"]

NOTHING: Final = msgspec.UNSET
"""What :func:`decode_event` returns for text that is no JSON."""

_decode = msgspec.json.Decoder().decode
_lenient = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def decode_event(text: str) -> Any:
    """Return the JSON value of an event's text, or ``NOTHING``."""
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _lenient.decode(text)
    except (ValueError, RecursionError):
        return NOTHING


def as_json_text(value: object) -> str | None:
    """Return JSON text of an object that came in place of text, None if it has none."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text
