"""Which messages of a session count: a session may go back, and go on from an earlier message."""

from __future__ import annotations

from array import array
from typing import Final, NamedTuple

__all__ = ["Branch", "Path"]

_ROOT: Final = -1


class Branch(NamedTuple):
    """An item between messages: the next message follows message ``after``, by number from 0.

    What came between is no longer of the conversation, unless a later branch goes back to it.
    None: the next message is the first one.
    """

    after: int | None


class Path:
    """The order of messages, of which each follows the one before, but for branches.

    It holds a number for each message, never what it says.
    """

    def __init__(self) -> None:
        self._before = array("q")
        self._next = _ROOT  # what the next message follows
        self._is_plain = True

    def __len__(self) -> int:
        return len(self._before)

    def add(self) -> None:
        """Take the next message."""
        self._before.append(self._next)
        self._next = len(self._before) - 1

    def branch(self, branch: Branch) -> None:
        """Take a branch; a number that no message has means the last one."""
        after = _ROOT if branch.after is None else min(branch.after, len(self._before) - 1)
        self._is_plain = self._is_plain and after == self._next
        self._next = after

    @property
    def is_plain(self) -> bool:
        """Whether all messages count."""
        return self._is_plain

    def numbers(self) -> list[int]:
        """Return the numbers of the messages that count, in their order."""
        if self._is_plain:
            return list(range(len(self._before)))
        found = []
        at = self._next
        while at != _ROOT:
            found.append(at)
            at = self._before[at]
        found.reverse()
        return found
