"""JSON text that is one value, or one value on each line."""

from __future__ import annotations

from typing import Any

from partwire.errors import ReadError
from partwire.json.text import decode_json

__all__ = ["decode_lines"]


def decode_lines(text: bytes) -> Any:
    """Return the value of a text, or the list of those of its lines.

    Lines that are blank do not count. Raises ReadError for text that is neither; it has the line.
    """
    try:
        return decode_json(text)
    except ReadError:
        rows = [(at, row) for at, row in enumerate(text.split(b"\n"), 1) if row.strip()]
        if len(rows) < 2 or not rows[0][1].rstrip().endswith(b"}"):
            raise
    return [_decoded(row, at) for at, row in rows]


def _decoded(row: bytes, line: int) -> Any:
    try:
        return decode_json(row)
    except ReadError as error:
        raise ReadError(*(each._replace(line=line) for each in error.findings)) from None
