"""Parquet files as inputs: each row of one is the line of its document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from ...errors import UsageError

__all__ = ["document_lines", "is_parquet"]

_SUFFIX: Final = ".parquet"
_CHUNK_ROWS: Final = 256
_encode: Final = msgspec.json.Encoder().encode


def is_parquet(name: str) -> bool:
    """Tell whether a file is named as one of Parquet."""
    return name.lower().endswith(_SUFFIX)


def document_lines(name: str) -> Iterator[bytes]:
    """Yield the documents of a file as lines, some at a time.

    Raises UsageError ``usage/unreadable-input`` for what is not Parquet, ``usage/invalid-argument``
    for a table that was not made of documents, ``usage/missing-extra`` without pyarrow.
    """
    from .parquet import read_parquet  # noqa: PLC0415 - few inputs are Parquet

    lines: list[bytes] = []
    try:
        for document in read_parquet(name):
            lines.append(_encode(document))
            if len(lines) == _CHUNK_ROWS:
                yield b"\n".join(lines) + b"\n"
                lines.clear()
    except UsageError as error:
        raise UsageError(*(each._replace(source=name) for each in error.findings)) from None
    if lines:
        yield b"\n".join(lines) + b"\n"
