"""Sessions of agents on disk, converted to messages: in constant memory, or while they grow."""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from io import FileIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, cast

import click

from ...errors import PartwireError, UsageError
from ...files.inputs import STDIN, Source, read_chunks
from ...files.limits import CHUNK_BYTES, document_bytes
from ...files.unreadable import unreadable
from ...formats import FORMATS, Branch, reader, sniff
from ...json.text import decode_json, json_text
from ...losses import Loss
from ...providers.framing.jsonlines import JSONLinesDecoder, RawLine
from ...reading.pipeline import dump
from ..terminal.results import Results
from .progress import progress

__all__ = ["follow_session", "growing", "print_session", "session_lines", "session_of"]

_LOOKED_AT: Final = 20  # lines: the first ones say little of what a session is
_LOOKED_AT_BYTES: Final = 1 << 20
_IN_MEMORY: Final = 4 << 20
_PAUSE_SECONDS: Final = 0.1


def session_of(source: Source) -> str | None:
    """Return the format of lines that a file shows by its first ones; None where none is sure."""
    if source.form != "lines":
        return None
    decoder, found, seen = JSONLinesDecoder(document_bytes()), list[Any](), 0
    for chunk in source.chunks():
        seen += len(chunk)
        for line in decoder.feed(chunk):
            try:
                found.append(decode_json(line.data))
            except PartwireError:
                continue
        if len(found) >= _LOOKED_AT or seen >= _LOOKED_AT_BYTES:
            break
    shown = sniff(found[:_LOOKED_AT])
    sure = len(shown) == 1 and bool(shown[0].place) and FORMATS[shown[0].format].is_session
    return shown[0].format if sure else None


class _Session:
    """A session that is read line by line."""

    def __init__(self, source: Source, name: str, context: dict[str, Any]) -> None:
        self._source = source
        self._decoder = JSONLinesDecoder(document_bytes())
        self.reader: Any = reader(name, **context)

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Take bytes, and yield messages and branches."""
        for line in self._decoder.feed(chunk):
            yield from self._line(line)

    def close(self) -> Iterator[Any]:
        """Yield what is left at the end: of a last line without a line end, too."""
        for line in self._decoder.close():
            yield from self._line(line)
        yield from self.reader.finish()

    def _line(self, line: RawLine) -> list[Any]:
        items: list[Any] = self.reader.feed(line.data, number=line.number - 1)
        return items

    def told(self, losses: list[Loss], *, several: bool) -> Iterator[bytes]:
        """Yield losses as lines of JSON."""
        for loss in losses:
            told = loss.to_wire()
            first = loss.pointer[1:].partition("/")[0]
            if first.isdigit():
                told["line"] = int(first) + 1
            if several:
                told["source"] = self._source.label
            yield json_text(told).encode() + b"\n"


def print_session(
    source: Source, name: str, context: dict[str, Any], results: Results, *, several: bool
) -> None:
    """Print the messages of a session that count, then the losses on stderr.

    Which messages count is known at the end: until then they are in a temporary file.
    """
    session = _Session(source, name, context)
    with ExitStack() as stack:
        messages, losses = (
            cast(IO[bytes], stack.enter_context(SpooledTemporaryFile(max_size=_IN_MEMORY)))
            for _ in range(2)
        )
        ends = array("q", [0])

        def take(items: Iterator[Any]) -> None:
            for item in items:
                if not isinstance(item, Branch):
                    messages.write(dump(item) + b"\n")
                    ends.append(messages.tell())
            losses.writelines(session.told(session.reader.take_losses(), several=several))

        with source.labelled(), progress(source) as advance:
            for chunk in source.chunks():
                take(session.feed(chunk))
                advance(len(chunk))
            take(session.close())
        for number in session.reader.path.numbers():
            messages.seek(ends[number])
            results.message(messages.read(ends[number + 1] - ends[number]).removesuffix(b"\n"))
        losses.seek(0)
        if results.finds_for_people:
            results.losses([decode_json(told) for told in losses])
        else:
            for told in losses:
                click.echo(told, nl=False, err=True)


def follow_session(source: Source, name: str, context: dict[str, Any], results: Results) -> None:
    """Print messages as they become whole, until somebody ends it, or stdin ends.

    A branch is a line on stderr: ``{"branch": {"after": n}}``. What is not whole is printed at the
    end. Raises UsageError ``usage/unreadable-input`` for a file that is cut or replaced meanwhile.
    """
    session = _Session(source, name, context)

    def show(items: Iterator[Any]) -> None:
        for item in items:
            if isinstance(item, Branch):
                click.echo(json.dumps({"branch": item._asdict()}), err=True)
            else:
                results.message(dump(item))
        for told in session.told(session.reader.take_losses(), several=False):
            click.echo(told, nl=False, err=True)

    chunks = read_chunks(STDIN) if source.path is None else growing(source)
    try:
        with source.labelled():
            for chunk in chunks:
                show(session.feed(chunk))
    except (KeyboardInterrupt, UsageError):
        show(session.close())
        raise
    show(session.close())


def session_lines(source: Source, name: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the messages of a session that grows, as lines of JSON, each when it is whole.

    ``chunks`` are its bytes; for b"", where nothing has come, b"" is yielded. Of a session that
    goes back, the messages before it stay.
    """
    session = _Session(source, name, {})

    def lines(items: Iterator[Any]) -> bytes:
        return b"".join(dump(each) + b"\n" for each in items if not isinstance(each, Branch))

    with source.labelled():
        for chunk in chunks:
            yield lines(session.feed(chunk))
            session.reader.take_losses()
        yield lines(session.close())


def growing(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a file as they come, without end; b"" now and then while none come.

    Raises UsageError ``usage/unreadable-input``, for a file that is cut or replaced as well.
    """
    if source.compression() is not None:
        raise unreadable(source.name, "what is compressed cannot be followed")
    return _growing(source)


def _growing(source: Source) -> Iterator[bytes]:
    assert source.path is not None
    try:
        with source.path.open("rb", buffering=0) as file:
            opened = os.fstat(file.fileno())
            head = b""
            while True:
                chunk = file.read(CHUNK_BYTES)
                # Of a file that is written anew in its place, the rest is not the rest of the old.
                if (begin := _begin_of(file, len(head))) != head:
                    raise _changed(source, "cut" if head.startswith(begin) else "written anew")
                if chunk:
                    head = head or chunk[:_HEAD_BYTES]
                    yield chunk
                    continue
                now = os.stat(source.name)  # noqa: PTH116 - names need not be paths
                if (now.st_dev, now.st_ino) != (opened.st_dev, opened.st_ino):
                    raise _changed(source, "replaced")
                if now.st_size < file.tell():
                    raise _changed(source, "cut")
                time.sleep(_PAUSE_SECONDS)
                yield b""
    except OSError as error:
        raise unreadable(source.name, error.strerror or str(error)) from None


_HEAD_BYTES: Final = 4096


def _begin_of(file: FileIO, size: int) -> bytes:
    """Return what a file begins with; it is read on where it was."""
    at = file.tell()
    file.seek(0)
    begin = file.read(size)
    file.seek(at)
    return begin


def _changed(source: Source, how: str) -> UsageError:
    why, advice = f"the file was {how} while it was followed", "the file as it was, with more lines"
    return unreadable(source.name, why, f"{advice}; start again to read the new one")
