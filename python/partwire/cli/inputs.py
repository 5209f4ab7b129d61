"""What the commands read: files, globs and stdin, whole or line by line."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import cast

from ..documents import decode_json
from ..errors import Finding, FramingError, PartwireError, UsageError
from ..framing.jsonlines import JSONLinesDecoder

__all__ = ["STDIN", "Document", "Source", "expand", "read_chunks"]

STDIN = "-"
CHUNK_BYTES = 1 << 16

_LINE_SUFFIXES = (".jsonl", ".ndjson")


class Document:
    """One JSON text of a source; ``line`` is 1-based, and None where the source is one document."""

    __slots__ = ("data", "line")

    def __init__(self, data: bytes, line: int | None) -> None:
        self.data = data
        self.line = line


class Source:
    """A file or stdin. Iterating it gives its documents in order, in constant memory for lines."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = None if name == STDIN else Path(name)
        self.label = "<stdin>" if name == STDIN else name

    def size_bytes(self) -> int | None:
        """Return the size, or None where it is not known (stdin, pipes)."""
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:  # whoever reads it says why
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def documents(self) -> Iterator[Document]:
        """Yield the documents.

        Files named ``.jsonl`` or ``.ndjson`` are JSON Lines, ``.json`` is one document; anything
        else is JSON Lines if its first line alone is a JSON value, and one document if not.
        Raises UsageError ``usage/unreadable-input``, and FramingError for a line beyond the limit.
        """
        try:
            yield from self._documents()
        except FramingError as error:
            error.findings = tuple(each._replace(source=self.label) for each in error.findings)
            raise

    def _documents(self) -> Iterator[Document]:
        chunks = read_chunks(self.name)
        suffix = "" if self.path is None else self.path.suffix.lower()
        if suffix == ".json":
            yield Document(b"".join(chunks), None)
        elif suffix in _LINE_SUFFIXES:
            yield from _lines(chunks, b"")
        else:
            yield from _sniffed(chunks)


def _sniffed(chunks: Iterator[bytes]) -> Iterator[Document]:
    head = bytearray()
    for chunk in chunks:
        head += chunk
        if b"\n" in chunk and head.strip():
            break
    first = bytes(head).lstrip().split(b"\n", 1)[0]
    if _is_json(first):
        yield from _lines(chunks, bytes(head))
    else:
        yield Document(b"".join((bytes(head), *chunks)), None)


def _is_json(line: bytes) -> bool:
    try:
        decode_json(line)
    except PartwireError:
        return False
    return True


def _lines(chunks: Iterator[bytes], head: bytes) -> Iterator[Document]:
    decoder = JSONLinesDecoder()
    if head:
        yield from (Document(line.data, line.number) for line in decoder.feed(head))
    for chunk in chunks:
        yield from (Document(line.data, line.number) for line in decoder.feed(chunk))
    yield from (Document(line.data, line.number) for line in decoder.close())


def read_chunks(name: str) -> Iterator[bytes]:
    """Yield the bytes of a file or of stdin as they come, at most 64 KiB at a time.

    Raises UsageError ``usage/unreadable-input``.
    """
    if name == STDIN and sys.stdin is None:
        raise unreadable(name, "stdin is closed")
    if not name:
        raise unreadable('""', "a file has a name")
    try:
        if name == STDIN:
            yield from _chunks(cast(BufferedReader, sys.stdin.buffer))
        else:
            with Path(name).open("rb") as file:
                yield from _chunks(file)
    except OSError as error:
        raise unreadable(name, error.strerror or str(error)) from None


def _chunks(file: BufferedReader) -> Iterator[bytes]:
    # read1 returns what is there: a live stream is shown as it comes.
    while chunk := file.read1(CHUNK_BYTES):
        yield chunk


def unreadable(name: str, why: str) -> UsageError:
    """Return the error that says that an input cannot be read."""
    return UsageError(
        Finding("usage/unreadable-input", f"Cannot be read: {why}", source=name, actual=name)
    )


def expand(names: tuple[str, ...]) -> list[Source]:
    """Return the sources that ``names`` stand for: files, ``-``, and globs that the shell left.

    Raises UsageError ``usage/unreadable-input`` for a glob that fits no file.
    """
    sources = []
    for name in names:
        # os.path answers False where pathlib raises: no right to look, a name that is too long.
        if name == STDIN or os.path.exists(name) or not glob.has_magic(name):  # noqa: PTH110
            sources.append(Source(name))
            continue
        # Path.glob takes no absolute pattern.
        found = sorted(filter(os.path.isfile, glob.glob(name, recursive=True)))  # noqa: PTH207
        if not found:
            raise unreadable(name, "no file fits the glob")
        sources += [Source(path) for path in found]
    return sources
