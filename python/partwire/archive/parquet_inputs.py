"""Parquet files as inputs: each row of one is the line of its document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from ..cli.files.inputs import Source, own_files
from ..cli.files.names import form_named
from ..errors import UsageError

__all__ = ["document_lines", "is_parquet", "with_parquet"]

_SUFFIX: Final = ".parquet"
_CHUNK_ROWS: Final = 256
_encode: Final = msgspec.json.Encoder().encode


def is_parquet(name: str) -> bool:
    """Tell whether a file is named as one of Parquet."""
    return name.lower().endswith(_SUFFIX)


def with_parquet(name: str) -> list[Source]:
    """Return the inputs of a folder that has files of Parquet, these among them; else none."""
    folder = Path(name)
    if not folder.is_dir():
        return []
    found = [
        str(path) for path in own_files(folder) if form_named(path.name) or is_parquet(path.name)
    ]
    return [Source(path) for path in found] if any(map(is_parquet, found)) else []


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
