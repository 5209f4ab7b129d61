"""What a source of ``partwire migrate`` holds: lines, an array, or one document; piece by piece."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, Final, NamedTuple

from ...errors import Finding, FramingError, PartwireError, ReadError, clip, counted
from ...json.text import decode_json
from ...providers.framing.whole import join_whole
from .inputs import CHUNK_BYTES, document_bytes, unreadable

__all__ = ["ArrayText", "Cut", "Entries", "Piece"]


# --- items of an array ----------------------------------------------------------------------------

_BOM: Final = b"\xef\xbb\xbf"
_BLANKS: Final = re.compile(rb"[ \t\r\n]*+").match
_SCALAR: Final = re.compile(rb'(?:"(?:[^"\\]++|\\.)*+"|[^",\]} \t\r\n]++)', re.DOTALL).match
_TO_BRACKET: Final = re.compile(
    rb'[^"\[\]{}]*+(?:"(?:[^"\\]++|\\.)*+"[^"\[\]{}]*+)*+', re.DOTALL
).match
_QUOTE: Final = ord('"')
_OPENS: Final = frozenset(b"{[")
_SHOWN_BYTES: Final = 80


class Cut(NamedTuple):
    """A piece of the text: what lies before an item, and the item; the last piece has none."""

    raw: bytes
    at: int
    """Where the item begins."""


class ArrayText:
    """Cuts ``chunks`` behind each item; the pieces together are the text.

    ``taken`` is how many items the text has had already, which now goes on behind the last one of
    them. Iterating raises ReadError ``document/invalid-json`` where the text is not an array, and
    FramingError ``framing/event-too-large`` for an item beyond ``max_bytes``.
    """

    def __init__(self, chunks: Iterator[bytes], max_bytes: int, taken: int = 0) -> None:
        self._chunks = chunks
        self._most = max_bytes
        self._taken = taken
        self._text = bytearray()

    def __iter__(self) -> Iterator[Cut]:
        while (at := self._item()) is not None:
            end = self._item_end(at)
            yield Cut(self._cut(end), at)
            self._taken += 1
        end = self._blanks(self._next + 1)
        if end < len(self._text):
            raise self._wrong(end, "the end of the text")
        yield Cut(self._cut(end), end)

    def _item(self) -> int | None:
        """Return where the next item begins; None at the end of the array, which is `_next`."""
        at = self._blanks(0)
        if not self._taken:
            if self._text.startswith(_BOM):
                at = self._blanks(len(_BOM))
            if not self._text.startswith(b"[", at):
                raise self._wrong(at, "[")
            at = self._blanks(at + 1)
        elif self._text.startswith(b",", at):
            return self._blanks(at + 1)
        self._next = at
        if self._text.startswith(b"]", at):
            return None
        if self._taken:
            raise self._wrong(at, "a comma or ]")
        return at

    def _blanks(self, at: int) -> int:
        """Return where something is behind blanks; the end of the text if nothing does."""
        while True:
            found = _BLANKS(self._text, at)
            at = at if found is None else found.end()
            if at < len(self._text) or not self._more():
                return at

    def _item_end(self, at: int) -> int:
        if self._text.startswith((b"{", b"["), at):
            return self._nested_end(at)
        while True:
            found = _SCALAR(self._text, at)
            end = at if found is None else found.end()
            del found  # it keeps the text from growing
            if (end == at or end == len(self._text)) and self._more():
                continue
            if end == at:
                raise self._wrong(at, "a JSON value")
            return end

    def _nested_end(self, at: int) -> int:
        text, depth = self._text, 0
        while True:
            at = _TO_BRACKET(text, at).end()  # type: ignore[union-attr]  # it matches nothing, too
            # A quote that the search did not get past begins a string that goes on.
            if at == len(text) or text[at] == _QUOTE:
                if not self._more():
                    raise self._wrong(len(text), "the rest of the item")
                continue
            depth += 1 if text[at] in _OPENS else -1
            at += 1
            if not depth:
                return at

    def _more(self) -> bool:
        """Read as much again as there is, so that looking again costs no more than reading."""
        if len(self._text) > self._most:
            limit = f"at most {self._most} bytes"
            message = "An item of the array is larger than the limit"
            raise FramingError(
                Finding("framing/event-too-large", message, self._pointer, expected=limit)
            )
        wanted = 2 * len(self._text)
        before = len(self._text)
        for chunk in self._chunks:
            self._text += chunk
            if len(self._text) > wanted:
                break
        return len(self._text) > before

    def _cut(self, end: int) -> bytes:
        raw = bytes(memoryview(self._text)[:end])
        del self._text[:end]
        return raw

    @property
    def _pointer(self) -> str:
        return f"/{self._taken}"

    def _wrong(self, at: int, expected: str) -> ReadError:
        there = bytes(self._text[at : at + _SHOWN_BYTES])
        shown = clip(there.decode("utf-8", "replace")) if there else "the end of the text"
        message = f"Not a JSON array behind {counted(self._taken, 'item')}"
        return ReadError(Finding("document/invalid-json", message, expected=expected, actual=shown))


# --- documents ------------------------------------------------------------------------------------

_BLANK: Final = b" \t\r\n"
_LINE_SUFFIXES: Final = (".jsonl", ".ndjson")


class Piece(NamedTuple):
    """A part of a source, with at most one document; all pieces together are the source.

    ``text`` is the document, empty where there is none, and begins at ``at``. ``line`` is its line,
    ``pointer`` where it is in an array. ``fault`` says why it cannot be read.
    """

    raw: bytes
    at: int
    text: bytes
    line: int | None = None
    pointer: str = ""
    fault: ReadError | None = None


class Entries:
    """The pieces of a source, from where it is.

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
        """Go behind the first ``taken`` pieces, which end at ``position``."""
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
