"""Text that grows piece by piece: linear to build, cheap to mark, read only when asked for."""

from __future__ import annotations

__all__ = ["TextBuffer", "TextMark", "marked_text", "room_in", "utf8_length"]

TextMark = tuple[list[str], int, list[str], int]
"""A place in a buffer: the chunks and how many of them, the tail and how many pieces of it."""

_MANY = 64  # pieces in the tail that are worth joining
_LONG = 128  # characters that are a separate chunk
_MOST_BYTES_OF_CHAR = 4
_MOST_UNCOUNTED = 16 * 1024  # characters


class TextBuffer:
    """Append-only text, in chunks and a tail of pieces that are not joined yet.

    Both lists only ever grow or are replaced, never cut: a mark stays true for good. Pieces are
    joined now and then, because a piece costs about 60 bytes beside its text. A piece that takes no
    more than ``room`` may also be appended to ``tail`` directly, as long as ``settle`` is called
    before anything else.
    """

    __slots__ = ("chunks", "room", "settled", "tail")

    def __init__(self, room: int = -1) -> None:
        self.chunks: list[str] = []
        self.tail: list[str] = []
        self.settled = 0  # pieces of the tail that are known to ``settle``
        self.room = room  # characters that may come before the rules have to look again

    def add(self, piece: str) -> None:
        """Append a piece."""
        tail = self.tail
        if len(piece) >= _LONG:
            self._join_tail()
            self.chunks.append(piece)
            return
        tail.append(piece)
        if len(tail) >= _MANY:
            self._join_tail()
        else:
            self.settled = len(tail)

    def settle(self) -> int:
        """Take in the pieces that were appended to the tail directly; return their bytes."""
        tail = self.tail
        if len(tail) == self.settled:
            return 0
        fresh = "".join(tail[self.settled :])
        if len(tail) < _MANY:
            self.settled = len(tail)
        elif self.settled:
            self._join_tail()
        else:
            self.chunks.append(fresh)
            self.tail = []
        return utf8_length(fresh)

    def _join_tail(self) -> None:
        if self.tail:
            self.chunks.append("".join(self.tail))
            self.tail = []
            self.settled = 0

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
            self.settled = 0
        return self.chunks[0]


def room_in(bytes_left: int) -> int:
    """Return how many characters may come uncounted: they fit, whatever they are, and are few
    enough to wait for being joined.
    """
    return min(bytes_left // _MOST_BYTES_OF_CHAR, _MOST_UNCOUNTED)


def marked_text(mark: TextMark) -> str:
    """Return the text before ``mark``."""
    chunks, chunk_count, tail, tail_count = mark
    return "".join([*chunks[:chunk_count], *tail[:tail_count]])


def utf8_length(text: str) -> int:
    """Return how many bytes ``text`` takes in UTF-8; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
