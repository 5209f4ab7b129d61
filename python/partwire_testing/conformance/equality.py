"""Where two JSON values differ, as the fixtures compare them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from partwire.errors import clip
from partwire.json.pointer import escape_pointer

__all__ = ["ABSENT", "Difference", "difference"]


class _Absent:
    """What stands for a member or an item that is not there."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()


class Difference(NamedTuple):
    """The first place at which two values differ; a side that has nothing there is ABSENT."""

    pointer: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        sides = [
            "nothing" if side is ABSENT else clip(side, 200)
            for side in (self.expected, self.actual)
        ]
        return f"at {self.pointer or 'the root'}: expected {sides[0]}, got {sides[1]}"


def difference(expected: Any, actual: Any, *, exact: bool = False) -> Difference | None:
    """Return where two JSON values differ first; None if they are equal.

    Numbers are equal as binary64, or with ``exact`` only if they are the same number. Objects
    have no order; ``true`` is not a number; a member that is absent is not null.
    """
    todo = [("", expected, actual)]
    while todo:
        pointer, one, other = todo.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            # Every member of either side, backwards: the first is looked at first.
            for name in reversed([*one, *(name for name in other if name not in one)]):
                place = f"{pointer}/{escape_pointer(name)}"
                todo.append((place, one.get(name, ABSENT), other.get(name, ABSENT)))
        elif isinstance(one, list) and isinstance(other, list):
            for at in reversed(range(max(len(one), len(other)))):
                mine = one[at] if at < len(one) else ABSENT
                yours = other[at] if at < len(other) else ABSENT
                todo.append((f"{pointer}/{at}", mine, yours))
        elif not _equal_leaves(one, other, exact):
            return Difference(pointer, one, other)
    return None


def _equal_leaves(one: Any, other: Any, exact: bool) -> bool:
    if _is_number(one) and _is_number(other):
        if exact or one == other:
            return bool(one == other)
        try:
            return float(one) == float(other)
        except OverflowError:
            return False
    return type(one) is type(other) and not isinstance(one, (dict, list)) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
