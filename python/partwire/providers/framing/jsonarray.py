"""One JSON array, or several: bytes in any cut → its elements, as soon as each is whole.

For responses that come as one array whose elements arrive one by one. An object or array among
the elements ends with its last bracket, anything else before the next comma, bracket or line
end. Commas and white space between elements say nothing; what stands outside an array is given
as an element is. Whether an element is JSON is for the reader to say: brackets are counted here,
not paired. One byte order mark is passed over at the start.

Source: RFC 8259.
"""

from __future__ import annotations

import re
from typing import Final

from ...errors import Finding, FramingError
from .feeder import DEFAULT_LIMIT_BYTES, TextFeeder
from .jsonlines import RawLine

__all__ = ["JSONArrayDecoder"]

_GAP: Final = re.compile(rb"[ \t\r\n,]*")
_IN_STRING: Final = re.compile(rb'["\\]')
_BRACKET: Final = re.compile(rb'["{}\[\]]')
_BRACKET_OR_END: Final = re.compile(rb'["{}\[\],\n]')


class JSONArrayDecoder(TextFeeder[RawLine]):
    """Cut bytes into elements; laws and errors as in :mod:`partwire.providers.framing.feeder`.

    An element is given as a :class:`RawLine`: its bytes, the number of the line on which it
    begins, and ``terminated=False`` where the end of the stream cuts it off. ``max_event_bytes``
    bounds one element; beyond it: ``framing/event-too-large``.
    """

    __slots__ = ("_depth", "_escaped", "_in_array", "_in_element", "_in_string")

    def __init__(self, max_event_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        super().__init__(max_event_bytes, "max_event_bytes")
        self._in_array = False
        self._in_element = False
        self._in_string = False
        self._escaped = False
        self._depth = 0  # of brackets inside the element

    def _take(self, chunk: bytes, events: list[RawLine]) -> None:
        if not self._begun:
            chunk = self._without_bom(chunk)
        at = 0
        while at < len(chunk):
            if not self._in_element:
                at = self._to_element(chunk, at)
                continue
            end = self._element_end(chunk, at)
            stop = len(chunk) if end < 0 else end
            self._check_size(len(self._buffer) + stop - at)
            self._buffer.extend(memoryview(chunk)[at:stop])
            at = stop
            if end >= 0:
                self._give(True, events)

    def _end(self, events: list[RawLine]) -> None:
        if not self._begun and self._buffer:  # half a byte order mark
            self._check_size(len(self._buffer))
            self._in_element = True
        if self._in_element:
            self._give(False, events)

    def _to_element(self, chunk: bytes, at: int) -> int:
        """Return where the next element begins, or another bracket of the array has ended."""
        gap = _GAP.match(chunk, at)
        end = at if gap is None else gap.end()
        self._line += chunk.count(b"\n", at, end)
        if end == len(chunk):
            return end
        bracket = b"]" if self._in_array else b"["
        if chunk.startswith(bracket, end):
            self._in_array = not self._in_array
            return end + 1
        self._in_element = True
        return end

    def _element_end(self, chunk: bytes, at: int) -> int:
        """Return where the element ends that ``chunk`` goes on with at ``at``, -1 if not in it."""
        while True:
            if self._in_string:
                at = self._string_end(chunk, at)
            if self._in_string:
                return -1
            found = (_BRACKET if self._depth else _BRACKET_OR_END).search(chunk, at)
            if found is None:
                return -1
            at = found.end()
            mark = found[0]
            if mark == b'"':
                self._in_string = True
            elif mark in b"{[":
                self._depth += 1
            elif self._depth:
                self._depth -= 1
                if not self._depth:
                    return at
            elif mark in b",\n" or (mark == b"]" and self._in_array):
                return found.start()

    def _string_end(self, chunk: bytes, at: int) -> int:
        """Return where the string ends, or ``chunk`` does."""
        while at < len(chunk):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            found = _IN_STRING.search(chunk, at)
            if found is None:
                break
            at = found.end()
            if found[0] == b'"':
                self._in_string = False
                return at
            self._escaped = True
        return len(chunk)

    def _give(self, terminated: bool, events: list[RawLine]) -> None:
        data = bytes(self._buffer)
        self._buffer.clear()
        self._in_element = self._in_string = self._escaped = False
        self._depth = 0
        events.append(RawLine(data, self._line, terminated))
        self._line += data.count(b"\n")

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            raise FramingError(
                Finding(
                    "framing/event-too-large",
                    "The element is larger than max_event_bytes",
                    expected=f"at most {self._limit} bytes",
                    actual=f"more than {self._limit} bytes",
                    line=self._line,
                )
            )
