"""A JSON array, cut into its items as its text comes: memory stays flat, however long it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..errors import Finding, FramingError, ReadError, clip, counted

__all__ = ["ArrayText", "Cut"]

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
