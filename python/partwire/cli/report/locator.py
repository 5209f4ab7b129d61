"""Where in its file a finding is: files are read again for the findings that are shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from ...errors import Finding, PartwireError
from ...files.documents import Document
from ...files.inputs import Source, read_chunks
from ...files.names import form_named
from ...json.positions import Position, Positions
from ...reporting import Spot

__all__ = ["Locator"]

_MOST_BYTES: Final = 16 << 20
"""Larger documents are not read again for the sake of a place."""
_FAULTS: Final = frozenset({"document/invalid-json", "document/invalid-utf8"})
"""Rules of text that stops being JSON somewhere."""


class Locator:
    """Finds places in one file after the other; only the last document is kept."""

    def __init__(self) -> None:
        self._source: str | None = None
        self._line: int | None = 0  # no document yet; None is all of the file
        self._is_yaml = False
        self._lines = _Lines("")
        self._items = _Items("")
        self._positions: Positions | None = None

    def locate(self, finding: Finding) -> Spot:
        """Return the place of a finding; no more than its own line where nothing can be found."""
        known = Spot(finding.line)
        if finding.source is None:
            return known
        positions = self._of(finding.source, finding.line)
        if positions is None:
            return self._in_item(finding) if finding.line is None else known
        try:
            place = _place(positions, finding)
            text = None if place is None else positions.line_text(place.line)
        except (ValueError, IndexError, RecursionError):  # not JSON, or not that which was read
            return known
        if place is None:
            return known
        return Spot(finding.line or place.line, place.column, text)

    def _of(self, source: str, line: int | None) -> Positions | None:
        """Return the document of a finding: a line of a file, or all of it; None for YAML."""
        if source != self._source:
            self._source, self._line = source, 0
            self._is_yaml = form_named(source) == "yaml"
            self._lines = _Lines(source)
            self._items = _Items(source)
        if line != self._line:
            self._line = line
            data = None if self._is_yaml else self._lines.get(line) if line else _whole(source)
            self._positions = None if data is None else Positions(data)
        return self._positions

    def _in_item(self, finding: Finding) -> Spot:
        """Return a place in a large array, which is read item by item."""
        _, _, rest = finding.pointer.partition("/")
        number, slash, inner = rest.partition("/")
        item = self._items.get(int(number)) if number.isdecimal() and not self._is_yaml else None
        if item is None:
            return Spot(None)
        line, column = item.position(f"{slash}{inner}")
        text = item.line_text(line)
        # The first line of an item may begin with other items, which are not kept.
        missing = item.begin.column - 1 if line == item.begin.line else 0
        return Spot(line, column, text, missing)


def _place(positions: Positions, finding: Finding) -> Position | None:
    """Return where a finding is in its document; None for what is about all of it."""
    if finding.rule in _FAULTS:
        return positions.find_fault()
    if finding.line is None and not finding.pointer:
        return None
    if finding.line is not None and not positions.line_text(1).lstrip().startswith(("{", "[")):
        return None  # the line is one of many, such as of a configuration
    place = positions.find(finding.pointer)
    if finding.line is not None and place == positions.find(""):
        # In a history the pointer begins with the number of the message, of which this is the line.
        place = positions.find(finding.pointer[finding.pointer.find("/", 1) :])
    return place


def _whole(source: str) -> bytes | None:
    data = bytearray()
    for chunk in _chunks(source):
        data += chunk
        if len(data) > _MOST_BYTES:
            return None
    return bytes(data) or None


class _Items:
    """The items of an array, one at a time: what is asked for comes in order."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._number = -1
        self._documents: Iterator[Document] | None = None
        self._item: Document | None = None

    def get(self, number: int) -> Document | None:
        """Return an item, from 0; None where there is none."""
        if self._documents is None or number < self._number:
            self._documents, self._number = _items(self._source), -1
        while self._number < number:
            self._item = next(self._documents, None)
            self._number += 1
            if self._item is None:
                return None
        return self._item


def _items(source: str) -> Iterator[Document]:
    if not os.path.isfile(source):  # noqa: PTH113 - any text may be a label
        return
    try:
        with Source(source).entries() as entries:
            if entries.is_array:
                yield from entries.documents()
    except PartwireError:
        return


class _Lines:
    """The lines of a file, a chunk's at a time: what is asked for comes mostly in order."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._begin()

    def _begin(self) -> None:
        self._chunks = _chunks(self._source)
        self._first = 1  # the number of the first of the lines
        self._lines: list[bytes | None] = []  # without their ends; None in place of one too long
        self._head: bytearray | None = bytearray()  # of the line that goes on in the next chunk

    def get(self, number: int) -> bytes | None:
        """Return a line, from 1, without its end; None where there is none, or a longer one."""
        if number < self._first:
            self._begin()
        while number >= self._first + len(self._lines):
            if not self._advance():
                return None
        return self._lines[number - self._first]

    def _advance(self) -> bool:
        """Go on to the lines that end in the next chunk; tell whether there is anything left."""
        self._first += len(self._lines)
        chunk = next(self._chunks, b"")
        if not chunk:
            is_over = self._head is not None and not self._head
            self._lines = [] if is_over else [self._taken()]
            return not is_over
        begin, *others = chunk.split(b"\n")
        if self._head is not None:
            self._head += begin
            if len(self._head) > _MOST_BYTES:
                self._head = None
        self._lines = []
        if others:
            self._lines = [self._taken(), *others[:-1]]
            self._head = bytearray(others[-1])
        return True

    def _taken(self) -> bytes | None:
        head, self._head = self._head, bytearray()
        return None if head is None else bytes(head)


def _chunks(source: str) -> Iterator[bytes]:
    # A pipe would wait for a writer, and stdin is gone.
    if not os.path.isfile(source):  # noqa: PTH113 - any text may be a label
        return
    try:
        yield from read_chunks(source)
    except PartwireError:
        return
