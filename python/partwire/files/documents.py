"""What a source holds: lines, an array, YAML, or one document; piece by piece, in flat memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from io import BufferedIOBase
from itertools import chain
from typing import Final, NamedTuple

from ..errors import Finding, FramingError, ReadError
from ..json.positions import Position, Positions
from ..json.text import decode_json
from ..json.yaml_text import YamlDocument, yaml_documents
from ..providers.framing.whole import join_whole
from .arrays import ArrayText
from .limits import CHUNK_BYTES, document_bytes
from .names import Form
from .unreadable import unreadable

__all__ = ["Document", "Entries", "Piece", "is_json"]

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"
_MOST_BLANKS: Final = 1 << 20  # before what a source begins with
_START: Final = Position(1, 1)


class Piece(NamedTuple):
    """A part of a source, with at most one document; all pieces together are the source.

    ``text`` is the document, empty where there is none, and begins at ``at``. ``line`` is its line
    where pointers count from there, ``pointer`` where it is in an array. ``fault`` says why it
    cannot be read. ``begin`` is where the document begins in the source, ``offset`` the same in
    bytes without compression. Of YAML, the pieces are lines of JSON, and ``yaml`` is the document.
    """

    raw: bytes
    at: int
    text: bytes
    line: int | None = None
    pointer: str = ""
    fault: ReadError | None = None
    begin: Position = _START
    offset: int = 0
    yaml: YamlDocument | None = None


class Document:
    """One JSON text of a source.

    ``line`` is 1-based where pointers count from the document (JSON Lines, YAML), else None;
    ``pointer`` is that of an item of an array, which goes before pointers into it. ``offset`` is
    where it begins, in bytes without compression, and ``begin`` the same as line and column.
    """

    def __init__(self, piece: Piece) -> None:
        self.data = piece.text
        self.line = piece.line
        self.pointer = piece.pointer
        self.offset = piece.offset
        self.begin = piece.begin
        self._yaml = piece.yaml

    @property
    def is_yaml(self) -> bool:
        """Whether the text is JSON only here."""
        return self._yaml is not None

    def position(self, pointer: str) -> Position:
        """Return where in the source a pointer into the document leads, as deep as there is text.

        For a document that is not JSON, where it begins.
        """
        if self._yaml is not None:
            return self._yaml.position(pointer)
        try:
            line, column = self._positions.find(pointer)
        except (ValueError, IndexError, RecursionError):
            return self.begin
        if line > 1:
            return Position(self.begin.line + line - 1, column)
        return Position(self.begin.line, self.begin.column + column - 1)

    def line_text(self, line: int) -> str:
        """Return a line of the source, as far as it is the document's, without its end."""
        return self._positions.line_text(line - self.begin.line + 1)

    @cached_property
    def _positions(self) -> Positions:
        return Positions(self.data)


class Entries:
    """The pieces of a source, from where it is; ``form`` is what its name says it is.

    Where the name says nothing, what begins with ``[`` is an array, and anything else lines if its
    first line alone is a JSON value.
    """

    def __init__(self, file: BufferedIOBase, form: Form | None, name: str) -> None:
        self._file = file
        self._name = name
        self._head = b""  # what was looked at, and is still to come
        self._taken = self._offset = 0
        self._here = _START
        self.is_yaml = form == "yaml"
        self.is_array = form in (None, "json") and self._begins_array()
        self.lines = form in ("lines", "yaml") or (
            form is None and not self.is_array and self._are_lines()
        )
        """Whether the pieces are lines, each with a document of its own."""

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces; raises ReadError and FramingError for what cannot be cut, UsageError
        ``usage/unreadable-input`` where the system fails.
        """
        if self.is_yaml:
            return self._yaml()
        if self.lines:
            return self._lines()
        return self._items() if self.is_array else self._whole()

    def documents(self) -> Iterator[Document]:
        """Yield the documents; raises as :meth:`pieces`, and FramingError for a line beyond the
        limit.
        """
        for piece in self.pieces():
            if piece.fault is not None and self.lines:
                raise FramingError(*piece.fault.findings)
            if piece.text or not (self.lines or self.is_array):
                yield Document(_with_blanks(piece) if self.lines and piece.yaml is None else piece)

    def go_on(self, position: int, taken: int) -> None:
        """Go behind the first ``taken`` pieces, which end at ``position``; not for YAML."""
        self._head = b""
        self._taken, self._offset = taken, position
        self._file.seek(position)

    def _lines(self) -> Iterator[Piece]:
        # A line beyond the limit is cut off: its first piece, which is refused, stands for all.
        try:
            while line := self._readline():
                self._taken += 1
                piece = _line(line, self._taken)
                yield piece._replace(offset=self._offset + piece.at)
                self._offset += len(line)
                while _is_cut(line):
                    line = self._readline()
                    self._offset += len(line)
        except ReadError as error:
            raise ReadError(*(f._replace(line=self._taken + 1) for f in error.findings)) from None

    def _items(self) -> Iterator[Piece]:
        chunks = self.chunks()
        first = next(chunks, b"")
        if not first:  # an earlier run has come to the end
            return
        for cut in ArrayText(chain((first,), chunks), document_bytes(), self._taken):
            self._go(cut.raw[: cut.at])
            text = cut.raw[cut.at :]
            place = f"/{self._taken}"
            yield Piece(cut.raw, cut.at, text, pointer=place, begin=self._here, offset=self._offset)
            self._go(text)
            self._taken += 1

    def _go(self, text: bytes) -> None:
        """Go behind a text, and know where that is."""
        self._offset += len(text)
        lines = text.count(b"\n")
        line, column = self._here
        rest = text[text.rfind(b"\n") + 1 :] if lines else text
        if self._offset == len(text):
            rest = rest.removeprefix(_BOM)
        chars = len(rest) if rest.isascii() else len(rest.decode("utf-8", "replace"))
        self._here = Position(line + lines, (1 if lines else column) + chars)

    def _whole(self) -> Iterator[Piece]:
        raw = join_whole(self.chunks(), document_bytes())
        if self._taken:  # an earlier run has come to the end
            return
        text = raw.removeprefix(_BOM).strip(_BLANK)
        at = raw.index(text)
        self._go(raw[:at])
        fault = None if text else _fault_of(text)
        yield Piece(raw, at, text, fault=fault, begin=self._here, offset=at)

    def _yaml(self) -> Iterator[Piece]:
        for found in yaml_documents(self, document_bytes()):
            self._taken += 1
            raw = found.data + b"\n"
            line, begin = found.begin.line, found.begin
            yield Piece(raw, 0, found.data, line, begin=begin, yaml=found)

    # --- reading ---------------------------------------------------------------------------------

    def read(self, size: int = CHUNK_BYTES) -> bytes:
        """Return what is there of the next ``size`` bytes; none at the end."""
        try:
            return self._file.read1(size)
        except OSError as error:
            raise unreadable(self._name, error.strerror or str(error)) from None

    def _rest_of_line(self, most: int) -> bytes:
        try:
            return self._file.readline(most)
        except OSError as error:
            raise unreadable(self._name, error.strerror or str(error)) from None

    def _begins_array(self) -> bool:
        while not self._begun() and self._look_for(lambda chunk: bool(chunk.strip(_BLANK))):
            pass
        return self._begun().startswith(b"[")

    def _are_lines(self) -> bool:
        if b"\n" not in self._begun():
            self._look_for(lambda chunk: b"\n" in chunk)
        first, line_end, _ = self._begun().partition(b"\n")
        if not first:
            return True
        return (bool(line_end) or len(first) <= document_bytes()) and is_json(first)

    def _begun(self) -> bytes:
        return self._head.removeprefix(_BOM).lstrip(_BLANK)

    def _look_for(self, found: Callable[[bytes], bool]) -> bool:
        """Read on, of what is still to come, to a chunk that has what is looked for.

        Returns whether there was more to read, within the bytes that a document may have.
        """
        chunks, size = [self._head], len(self._head)
        while size <= document_bytes() + _MOST_BLANKS and (chunk := self.read()):
            chunks.append(chunk)
            size += len(chunk)
            if found(chunk):
                break
        self._head = b"".join(chunks)  # once: the first line may be as long as a document may be
        return len(chunks) > 1

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes from here on."""
        while chunk := self._head or self.read():
            self._head = b""
            yield chunk

    def _readline(self) -> bytes:
        most = _piece_bytes()
        if not self._head:
            return self._rest_of_line(most)
        end = self._head.find(b"\n", 0, most) + 1 or min(most, len(self._head))
        line, self._head = self._head[:end], self._head[end:]
        if self._head or line.endswith(b"\n"):
            return line
        return line + self._rest_of_line(most - len(line))


def is_json(line: bytes) -> bool:
    """Return whether a line alone is a JSON value."""
    return _fault_of(line) is None


def _fault_of(text: bytes) -> ReadError | None:
    try:
        decode_json(text)
    except ReadError as error:
        return error
    return None


def _piece_bytes() -> int:
    """Return how much of a line is read at once: a document within the limit, and its ends."""
    return document_bytes() + len(_BOM) + len(b"\r\n")


def _is_cut(line: bytes) -> bool:
    """Return whether a line, as it was read, goes on."""
    return len(line) >= _piece_bytes() and not line.endswith(b"\n")


def _with_blanks(piece: Piece) -> Piece:
    """Return a line with the blanks around its document, from which its bytes are counted."""
    begin = piece.offset - piece.at
    lead = len(_BOM) * (not begin and piece.raw.startswith(_BOM))
    text = piece.raw[lead:].removesuffix(b"\n").removesuffix(b"\r")
    return piece._replace(text=text, begin=Position(piece.begin.line, 1), offset=begin + lead)


def _line(raw: bytes, number: int) -> Piece:
    """Return a line as piece; line 1 may begin with a byte order mark."""
    lead = raw.removeprefix(_BOM) if number == 1 else raw
    text = lead.strip(_BLANK)
    most = document_bytes()
    if len(lead.removesuffix(b"\n").removesuffix(b"\r")) <= most:
        at = raw.index(text)
        begin = Position(number, 1 + at - (len(raw) - len(lead)) * bool(text))
        return Piece(raw, at, text, number, begin=begin)
    message = "The line is longer than max_line_bytes"
    limit, size = f"at most {most} bytes", f"more than {most} bytes"
    fault = Finding("framing/line-too-long", message, expected=limit, actual=size, line=number)
    return Piece(raw, 0, raw, number, fault=ReadError(fault))
