"""What the commands read: files, globs and stdin, whole or line by line."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple, cast

from ...errors import Finding, FramingError, PartwireError, UsageError
from ...json.text import decode_json
from ...providers.framing.jsonlines import JSONLinesDecoder, LineBlock, LineBlockDecoder
from ...providers.framing.whole import join_whole

__all__ = [
    "DEFAULT_DOCUMENT_BYTES",
    "STDIN",
    "Document",
    "Source",
    "Span",
    "as_file",
    "document_bytes",
    "expand",
    "is_json",
    "read_chunks",
    "set_document_bytes",
]


# --- limits ---------------------------------------------------------------------------------------

# That of framing, which every start of the program would have to load for it.
DEFAULT_DOCUMENT_BYTES: Final = 64 * 1024 * 1024

_most = DEFAULT_DOCUMENT_BYTES


def document_bytes() -> int:
    """Return the limit of this run."""
    return _most


def set_document_bytes(most: int) -> None:
    """Set the limit; every run of the program does."""
    global _most  # noqa: PLW0603 - a process is one run
    _most = most


# --- sources --------------------------------------------------------------------------------------

STDIN = "-"
CHUNK_BYTES = 1 << 17
_LINE_BYTES = 1 << 12  # most lines are shorter
_LINE_SUFFIXES = (".jsonl", ".ndjson")


class Document:
    """One JSON text of a source; ``line`` is 1-based, and None where the source is one document."""

    __slots__ = ("data", "line")

    def __init__(self, data: bytes, line: int | None) -> None:
        self.data = data
        self.line = line


class Span(NamedTuple):
    """A part of a file: the lines that begin at or behind ``begin`` and before ``end``.

    Both are offsets in bytes; ``end`` None is the end of the file.
    """

    begin: int
    end: int | None


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

    def is_named_as_lines(self) -> bool:
        """Return whether the name alone says that this is JSON Lines."""
        return self.path is not None and self.path.suffix.lower() in _LINE_SUFFIXES

    def documents(self) -> Iterator[Document]:
        """Yield the documents.

        Files named ``.jsonl`` or ``.ndjson`` are JSON Lines, ``.json`` is one document; anything
        else is JSON Lines if its first line alone is a JSON value, and one document if not.
        Raises UsageError ``usage/unreadable-input``, and FramingError for a line beyond the limit.
        """
        with self._labelled():
            are_lines, chunks = self._contents()
            if not are_lines:
                yield Document(join_whole(chunks, document_bytes()), None)
                return
            decoder = JSONLinesDecoder(document_bytes())
            for chunk in chunks:
                yield from (Document(line.data, line.number) for line in decoder.feed(chunk))
            yield from (Document(line.data, line.number) for line in decoder.close())

    def blocks(self, span: Span | None = None) -> Iterator[Document | LineBlock]:
        """Yield the lines in blocks, with their line ends, as they come, or the one document.

        ``span`` is a part of a file of JSON Lines, whose first line is number 1 then. Raises as
        :meth:`documents`.
        """
        with self._labelled():
            if span is None:
                are_lines, chunks = self._contents()
                if not are_lines:
                    yield Document(join_whole(chunks, document_bytes()), None)
                    return
            else:
                chunks = _read_span(self.name, span)
            midway = span is not None and span.begin > 0
            decoder = LineBlockDecoder(document_bytes(), midway=midway, keep_ends=True)
            for chunk in chunks:
                yield from decoder.feed(chunk)
            yield from decoder.close()

    @contextmanager
    def _labelled(self) -> Iterator[None]:
        try:
            yield
        except FramingError as error:
            error.findings = tuple(each._replace(source=self.label) for each in error.findings)
            raise

    def _contents(self) -> tuple[bool, Iterator[bytes]]:
        """Return whether this is JSON Lines, and the bytes."""
        chunks = read_chunks(self.name)
        if self.is_named_as_lines():
            return True, chunks
        if self.path is not None and self.path.suffix.lower() == ".json":
            return False, chunks
        head = bytearray()
        for chunk in chunks:
            head += chunk
            if (b"\n" in chunk and head.strip()) or len(head) > document_bytes():
                break
        first = bytes(head).lstrip().split(b"\n", 1)[0]
        return is_json(first), chain((bytes(head),), chunks)


def is_json(line: bytes) -> bool:
    """Return whether a line alone is a JSON value."""
    try:
        decode_json(line)
    except PartwireError:
        return False
    return True


def read_chunks(name: str) -> Iterator[bytes]:
    """Yield the bytes of a file or of stdin as they come, at most 128 KiB at a time.

    Raises UsageError ``usage/unreadable-input``.
    """
    if name == STDIN and sys.stdin is None:
        raise unreadable(name, "stdin is closed")
    if not name:
        raise unreadable('""', "a file has a name")
    with _readable(name):
        if name == STDIN:
            yield from _chunks(cast(BufferedReader, sys.stdin.buffer))
        else:
            with Path(name).open("rb") as file:
                yield from _chunks(file)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        expected = None
        if isinstance(error, FileNotFoundError):
            expected = _near(name)
        elif isinstance(error, IsADirectoryError):
            expected = f"a file, or a glob such as '{name.rstrip('/')}/**/*.jsonl'"
        raise unreadable(name, why, expected) from None


def _near(name: str) -> str | None:
    """Return the file that was probably meant, from the same folder."""
    import difflib  # noqa: PLC0415 - only a mistake needs it

    folder, base = os.path.split(name)
    try:
        names = os.listdir(folder or os.curdir)  # noqa: PTH208 - a name is a text
    except OSError:
        return f"a folder {folder}" if folder else None
    near = difflib.get_close_matches(base, names, n=1)
    return os.path.join(folder, near[0]) if near else None  # noqa: PTH118


def _chunks(file: BufferedReader) -> Iterator[bytes]:
    # read1 returns what is there: a live stream is shown as it comes.
    while chunk := file.read1(CHUNK_BYTES):
        yield chunk


def _read_span(name: str, span: Span) -> Iterator[bytes]:
    """Yield the lines of a span, whole; raises as :func:`read_chunks`."""
    with _readable(name), Path(name).open("rb") as file:
        at = _line_start(file, span) if span.begin else 0
        if span.end is not None and at >= span.end:
            return
        file.seek(at)
        size = CHUNK_BYTES
        while chunk := file.read1(size):
            if span.end is not None and at + len(chunk) >= span.end:
                # The first line end at or behind the last byte ends the last line.
                end = chunk.find(b"\n", max(0, span.end - 1 - at)) + 1
                if end:
                    yield chunk[:end]
                    return
            yield chunk
            at += len(chunk)
            if span.end is not None and at < span.end:
                # What lies behind the end is another's to read, but for the rest of a line.
                size = min(CHUNK_BYTES, max(_LINE_BYTES, span.end - at))
            else:
                size = CHUNK_BYTES


def _line_start(file: BufferedReader, span: Span) -> int:
    """Return where the first line of the span begins; beyond the span if none does."""
    # The line that a span begins in the midst of belongs to the span before.
    at = span.begin - 1
    file.seek(at)
    size = min(CHUNK_BYTES, _LINE_BYTES)
    while (span.end is None or at < span.end) and (chunk := file.read1(size)):
        place = chunk.find(b"\n")
        if place >= 0:
            return at + place + 1
        at += len(chunk)
        size = CHUNK_BYTES
    return at


def unreadable(name: str, why: str, expected: str | None = None) -> UsageError:
    """Return the error that says that an input cannot be read."""
    rule, message = "usage/unreadable-input", f"Cannot be read: {why}"
    return UsageError(Finding(rule, message, expected=expected, source=name, actual=name))


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
        sources += [Source(as_file(path)) for path in found]
    return sources


def as_file(name: str) -> str:
    """Return the name of a file that was found, such that it is not stdin."""
    return f"{os.curdir}{os.sep}{name}" if name == STDIN else name
