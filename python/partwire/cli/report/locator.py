"""Where in its file a finding is: files are read again for the findings that are shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from ...errors import Finding, PartwireError
from ...json.positions import Position, Positions
from ...reporting import Spot
from ..files.inputs import read_chunks
from ..files.names import form_named

__all__ = ["Locator"]

_MOST_BYTES: Final = 16 << 20
"""Larger documents are not read again for the sake of a place."""
_FAULTS: Final = frozenset({"document/invalid-json", "document/invalid-utf8"})
"""Rules of text that stops being JSON somewhere."""


class Locator:
    """Finds places in one file after the other; only the last document is kept."""

    def __init__(self) -> None:
        self._source: str | None = None
        self._line: int | None = None
        self._lines = _Lines("")
        self._positions: Positions | None = None

    def locate(self, finding: Finding) -> Spot:
        """Return the place of a finding; no more than its own line where nothing can be found."""
        known = Spot(finding.line)
        if finding.source is None or form_named(finding.source) == "yaml":
            return known
        positions = self._of(finding.source, finding.line)
        if positions is None:
            return known
        try:
            place = _place(positions, finding)
            text = None if place is None else positions.line_text(place.line)
        except (ValueError, IndexError, RecursionError):  # not JSON, or not that which was read
            return known
        if place is None:
            return known
        return Spot(finding.line or place.line, place.column, text)

    def _of(self, source: str, line: int | None) -> Positions | None:
        """Return the document of a finding: a line of a file, or all of it."""
        if (source, line) != (self._source, self._line):
            if source != self._source:
                self._lines = _Lines(source)
            self._source, self._line = source, line
            data = _whole(source) if line is None else self._lines.get(line)
            self._positions = None if data is None else Positions(data)
        return self._positions


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


class _Lines:
    """The lines of a file, read forward: what is asked for comes mostly in order."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._lines = _lines(source)
        self._number = 0

    def get(self, number: int) -> bytes | None:
        """Return a line, from 1, without its end; None where there is none, or a longer one."""
        if number <= self._number:
            self._lines, self._number = _lines(self._source), 0
        for line in self._lines:
            self._number += 1
            if self._number == number:
                return line
        return None


def _lines(source: str) -> Iterator[bytes | None]:
    """Yield the lines of a file; None in place of one that is too long."""
    head = bytearray()
    is_long = False
    for chunk in _chunks(source):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            head += line
            yield None if is_long else bytes(head)
            head.clear()
            is_long = False
        if len(head) + len(rest) > _MOST_BYTES:
            is_long = True
            head.clear()
        elif not is_long:
            head += rest
    if head or is_long:
        yield None if is_long else bytes(head)


def _chunks(source: str) -> Iterator[bytes]:
    # A pipe would wait for a writer, and stdin is gone.
    if not os.path.isfile(source):  # noqa: PTH113 - any text may be a label
        return
    try:
        yield from read_chunks(source)
    except PartwireError:
        return
