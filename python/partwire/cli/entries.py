"""What a source of ``partwire migrate`` holds: lines, an array, or one document; piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, Final, NamedTuple

from ..documents import decode_json
from ..errors import Finding, PartwireError, ReadError
from ..framing.whole import join_whole
from .array_text import ArrayText
from .inputs import CHUNK_BYTES, unreadable
from .limits import document_bytes

__all__ = ["Entries", "Piece"]

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"
_LINE_SUFFIXES: Final = (".jsonl", ".ndjson")


class Piece(NamedTuple):
    """A part of a source, with at most one document; all pieces together are the source.

    ``text`` is the document, empty where there is none, and begins at ``at``. ``line`` is its line,
    ``pointer`` where it stands in an array. ``fault`` says why it cannot be read.
    """

    raw: bytes
    at: int
    text: bytes
    line: int | None = None
    pointer: str = ""
    fault: ReadError | None = None


class Entries:
    """The pieces of a source, from where it stands.

    Files named ``.jsonl`` or ``.ndjson`` are lines, ``.json`` is one document or an array of them,
    anything else is lines if its first line alone is a JSON value. Raises UsageError
    ``usage/unreadable-input``.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._head: list[bytes] = []
        self._taken = 0
        lower = name.lower()
        self.lines = lower.endswith(_LINE_SUFFIXES)
        if not self.lines and not lower.endswith(".json"):
            self.lines = self._are_lines()
        self._is_array = not self.lines and self._begins_array()

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces; raises ReadError and FramingError for what cannot be cut."""
        if self.lines:
            return self._lines()
        return self._items() if self._is_array else self._whole()

    def go_on(self, position: int, taken: int) -> None:
        """Stand behind the first ``taken`` pieces, which end at ``position``."""
        self._head.clear()
        self._taken = taken
        self._file.seek(position)

    def _lines(self) -> Iterator[Piece]:
        # A line beyond the limit is cut off: its first piece, which is refused, stands for all.
        while line := self._head.pop(0) if self._head else self._readline():
            self._taken += 1
            yield _line(line, self._taken)
            while _is_cut(line):
                line = self._readline()

    def _items(self) -> Iterator[Piece]:
        chunks = self._chunks()
        first = next(chunks, b"")
        if not first:  # an earlier run has come to the end
            return
        for cut in ArrayText(chain((first,), chunks), document_bytes(), self._taken):
            yield Piece(cut.raw, cut.at, cut.raw[cut.at :], pointer=f"/{self._taken}")
            self._taken += 1

    def _whole(self) -> Iterator[Piece]:
        raw = join_whole(self._chunks(), document_bytes())
        if self._taken:  # an earlier run has come to the end
            return
        text = raw.removeprefix(_BOM).strip(_BLANK)
        yield Piece(raw, raw.index(text), text, fault=None if text else _fault_of(text))

    # --- reading ---------------------------------------------------------------------------------

    def _are_lines(self) -> bool:
        text = line = b""
        while not text and (line := self._readline()):
            self._head.append(line)
            text = _line(line, len(self._head)).text
            if _is_cut(line):
                break
        try:
            decode_json(text)
        except PartwireError:
            return not line
        return True

    def _begins_array(self) -> bool:
        for number, chunk in enumerate(self._peeked()):
            text = (chunk if number else chunk.removeprefix(_BOM)).lstrip(_BLANK)
            if text:
                return text.startswith(b"[")
        return False

    def _peeked(self) -> Iterator[bytes]:
        """Yield what the source begins with, which is still to come."""
        yield from tuple(self._head)
        seen = 0
        while seen <= document_bytes() and (chunk := self._read()):
            self._head.append(chunk)
            seen += len(chunk)
            yield chunk

    def _chunks(self) -> Iterator[bytes]:
        while chunk := self._head.pop(0) if self._head else self._read():
            yield chunk

    def _read(self) -> bytes:
        try:
            return self._file.read(CHUNK_BYTES)
        except OSError as error:
            raise unreadable(self._name, error.strerror or str(error)) from None

    def _readline(self) -> bytes:
        try:
            return self._file.readline(_piece_bytes())
        except OSError as error:
            raise unreadable(self._name, error.strerror or str(error)) from None


def _fault_of(text: bytes) -> ReadError | None:
    try:
        decode_json(text)
    except ReadError as error:
        return error
    return None


def _piece_bytes() -> int:
    """Return how much of a line is read at once: a document within the limit, and some blanks."""
    return document_bytes() + 1024


def _is_cut(line: bytes) -> bool:
    """Return whether a line, as it was read, goes on."""
    return len(line) >= _piece_bytes() and not line.endswith(b"\n")


def _line(raw: bytes, number: int) -> Piece:
    """Return a line as piece; line 1 may begin with a byte order mark."""
    text = (raw.removeprefix(_BOM) if number == 1 else raw).strip(_BLANK)
    if len(text) <= document_bytes() and not _is_cut(raw):
        return Piece(raw, raw.index(text), text, number)
    limit = f"at most {document_bytes()} bytes"
    fault = Finding("framing/line-too-long", "The line is too long", expected=limit)
    return Piece(raw, 0, raw, number, fault=ReadError(fault))
