"""Writing message by message, for formats in which each of ours is one of theirs.

What a document says is not guessed: each is read back, and what differs is reported, or kept in it.
A message that the format has no place for is left out; with extensions it is kept in the one before
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from .compared import Losses, compare
from .extension import changes
from .reading import Json

__all__ = ["Each", "Piece"]


class Piece(NamedTuple):
    """What a message became; None where there is no place for it. ``left_out``: parts by place."""

    document: Json | None
    left_out: frozenset[int] = frozenset()


class Each:
    """How messages of one format are written and read back.

    ``own`` is the member of ``meta`` that its reader keeps things in, ``make`` writes a message,
    ``back`` reads one of theirs, ``extend`` puts our extension into it, and ``stand_in`` is one
    that says nothing, for what no message is before.
    """

    def __init__(
        self,
        own: str,
        make: Callable[[Json], Piece],
        back: Callable[[Json], list[Json]],
        extend: Callable[[Json, Json], None],
        stand_in: Callable[[], Json],
    ) -> None:
        self._own: Final = own
        self._make: Final = make
        self._back: Final = back
        self._extend: Final = extend
        self._stand_in: Final = stand_in

    def has_place(self, message: Json) -> bool:
        """Return whether the format has a place for a message."""
        return self._make(message).document is not None

    def write(
        self, messages: Mapping[int, Json], losses: Losses, *, extensions: bool
    ) -> list[Json]:
        """Return what messages, by their number, become."""
        if extensions:
            return self._whole(messages)
        made: list[Json] = []
        for number, message in messages.items():
            document, left_out = self._make(message)
            if document is None:
                losses.note("message-form", f"/{number}")
                continue
            made.append(document)
            gone = {(0, at) for at in left_out}
            back = self._back(document)
            compare({number: message}, back, losses, own=self._own, left_out=gone)
        return made

    def _whole(self, messages: Mapping[int, Json]) -> list[Json]:
        made: list[tuple[Json, list[Json]]] = []
        for message in messages.values():
            document = self._make(message).document
            if document is None and made:
                made[-1][1].append(message)
            else:
                made.append((self._stand_in() if document is None else document, [message]))
        for document, ours in made:
            self._extend(document, changes(ours, self._back(document)))
        return [document for document, _ in made]
