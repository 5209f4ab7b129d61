"""Two answers in one stream, where nothing but the id of the pieces tells them apart."""

from __future__ import annotations

__all__ = ["AnswerIds"]


class AnswerIds:
    """The id that the pieces of one answer carry.

    Some servers make up an id for every piece: where ids changed before the answer was finished,
    they tell nothing.
    """

    __slots__ = ("_changes", "first")

    def __init__(self) -> None:
        self.first: str | None = None
        self._changes = False

    def is_other(self, said: object, finished: bool) -> bool:
        """Take the id of a piece; return whether it is of another answer than the first one."""
        if not isinstance(said, str) or not said or said == self.first:
            return False
        if self.first is None:
            self.first = said
            return False
        self._changes = self._changes or not finished
        return not self._changes
