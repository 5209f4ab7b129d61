"""The law of the bridges: there and back is the original, but for what was reported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from partwire.losses import Loss

__all__ = ["differences", "without"]


def _tokens(pointer: str) -> list[str]:
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]


def _holder(value: Any, tokens: list[str]) -> Any:
    for token in tokens[:-1]:
        if isinstance(value, list):
            value = value[int(token)] if token.isdigit() and int(token) < len(value) else None
        else:
            value = value.get(token) if isinstance(value, dict) else None
    return value


def _marked(value: Any, pointers: Iterable[str]) -> list[tuple[Any, str]]:
    """Return holder and last token of every pointer that leads somewhere."""
    found = []
    for pointer in pointers:
        tokens = _tokens(pointer)
        holder = _holder(value, tokens)
        if isinstance(holder, (dict, list)):
            found.append((holder, tokens[-1]))
    return found


def _items_out(marks: list[tuple[Any, str]]) -> None:
    arrays: dict[int, tuple[list[Any], set[int]]] = {}
    for holder, token in marks:
        if isinstance(holder, list):
            arrays.setdefault(id(holder), (holder, set()))[1].add(int(token))
    for holder, gone in arrays.values():
        holder[:] = [item for n, item in enumerate(holder) if n not in gone]


def without(value: Any, losses: Iterable[Loss], *, items: bool) -> Any:
    """Return ``value`` without the reported members, and with ``items`` without reported items.

    A report at an item of an array says that the result does not have it; a report at a member,
    that it may be absent, new or different.
    """
    marks = _marked(value, sorted({loss.pointer for loss in losses}))
    for holder, token in marks:
        if isinstance(holder, dict):
            holder.pop(token, None)
    if items:
        _items_out(marks)
    return value


def differences(original: Any, returned: Any, losses: list[Loss]) -> list[Any]:
    """Return both sides where the law does not hold, else nothing.

    A report of severity info at an item masks nothing: the item has to come back. Members are
    in the returned value where they are in the original once the reported items are out.
    """
    items = [loss for loss in losses if isinstance(_holder(original, _tokens(loss.pointer)), list)]
    gone = [loss for loss in items if loss.severity != "info"]
    out = tuple(f"{loss.pointer}/" for loss in gone)
    # What a report says of the inside of an item that is out has no place in the returned value.
    members = [each for each in losses if each not in items and not each.pointer.startswith(out)]
    moved = [loss._replace(pointer=_moved(loss.pointer, original, gone)) for loss in members]
    left = without(original, [*members, *gone], items=True)
    right = without(returned, moved, items=False)
    return [] if _numbers(left) == _numbers(right) else [left, right]


def _numbers(value: Any) -> Any:
    """Return ``value`` with integers beyond the exact ones as the numbers of JSON that they are."""
    if isinstance(value, dict):
        return {name: _numbers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return float(value) if type(value) is int and abs(value) > 2**53 else value


def _moved(pointer: str, original: Any, gone: list[Loss]) -> str:
    """Return where the place is once the items ``gone`` are out of ``original``."""
    out = {loss.pointer for loss in gone}
    at, moved = "", ""
    for raw in pointer.split("/")[1:]:
        holder = _holder(original, [*_tokens(at), raw]) if at else original
        step = raw
        if isinstance(holder, list) and raw.isdigit():
            step = str(int(raw) - sum(f"{at}/{n}" in out for n in range(int(raw))))
        at, moved = f"{at}/{raw}", f"{moved}/{step}"
    return moved
