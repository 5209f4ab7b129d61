"""Text that grows piece by piece: linear to build, cheap to mark, read only when asked for."""

from __future__ import annotations

import msgspec

__all__ = ["TextBuffer", "TextMark", "marked_text", "utf8_length"]

TextMark = tuple[list[str], int, list[str], int]
"""A place in a buffer: the chunks and how many of them, the tail and how many pieces of it."""


class TextBuffer(msgspec.Struct, eq=False):
    """Append-only text, in chunks and a tail of pieces that are not joined yet.

    Both lists only ever grow or are replaced, never cut: a mark stays true for good. Pieces are
    appended to ``tail`` directly; ``coalesce`` makes a chunk of them now and then, because a
    piece costs about 60 bytes beside its text.
    """

    chunks: list[str] = []  # a Struct: each gets its own
    tail: list[str] = []

    def add(self, piece: str, is_long: bool) -> None:
        """Append a piece; a long one becomes a chunk of its own."""
        if is_long:
            self.coalesce()
            self.chunks.append(piece)
        else:
            self.tail.append(piece)

    def coalesce(self) -> str:
        """Make the tail one chunk and return it."""
        if not self.tail:
            return ""
        chunk = "".join(self.tail)
        self.tail = []
        self.chunks.append(chunk)
        return chunk

    def mark(self) -> TextMark:
        """Return the present end of the text."""
        return self.chunks, len(self.chunks), self.tail, len(self.tail)

    def text(self) -> str:
        """Return the whole text; it is joined once and kept."""
        if self.tail or len(self.chunks) != 1:
            # New lists: marks may still point into the old ones.
            pieces = [*self.chunks, *self.tail] if self.chunks else self.tail
            self.chunks = ["".join(pieces)]
            self.tail = []
        return self.chunks[0]


def marked_text(mark: TextMark) -> str:
    """Return the text before ``mark``."""
    chunks, chunk_count, tail, tail_count = mark
    return "".join([*chunks[:chunk_count], *tail[:tail_count]])


def utf8_length(text: str) -> int:
    """Return how many bytes ``text`` takes in UTF-8; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
