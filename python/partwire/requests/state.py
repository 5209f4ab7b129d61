"""Provider state of a stored message, ``meta.opaque``: read, checked, and put in its place.

It came from an adapter, through stores that know nothing of it: nothing here trusts it, and
nothing of it raises.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from partwire.documents import escape_pointer

from .notes import Notes

__all__ = ["NO_STATE", "Item", "MessageState", "Stretch", "read_state", "stretches"]

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")


class Item(NamedTuple):
    """One piece of provider state; see ``providers.OpaqueItem`` for its members."""

    kind: str
    data: Any
    pointer: str
    start: int | None = None
    end: int | None = None


class MessageState(NamedTuple):
    """The state of one message, for the dialect that it came from.

    ``parts`` is by part index; what stands at the number of parts stands behind the last one.
    ``call_ids`` maps minted tool call ids to the provider's own, None where it had none.
    ``known`` says whether there is any: an adapter of the dialect wrote this message.
    """

    parts: dict[int, list[Item]]
    call_ids: dict[str, str | None]
    known: bool = True


NO_STATE: Final = MessageState({}, {}, known=False)


def read_state(message: Any, pointer: str, dialect: str, notes: Notes) -> MessageState:
    """Return the state of a message struct, as far as it is ``dialect``'s and in order.

    State of another dialect is left out (``encode/foreign-state``), and so is what does not have
    the form that adapters write (``encode/malformed-state``).
    """
    meta = message.meta
    if not isinstance(meta, dict) or "opaque" not in meta:
        return NO_STATE
    opaque = meta["opaque"]
    pointer = f"{pointer}/meta/opaque"
    if not isinstance(opaque, dict) or not isinstance(opaque.get("dialect"), str):
        notes.malformed(pointer, "an object with a dialect", opaque)
        return NO_STATE
    if opaque["dialect"] != dialect:
        notes.add(
            "encode/foreign-state",
            "The provider's state is of another dialect; it is left out",
            pointer,
            expected=dialect,
            actual=opaque["dialect"][:80],
        )
        return NO_STATE
    return MessageState(
        _parts(opaque.get("parts", {}), f"{pointer}/parts", _lengths(message.parts), notes),
        _call_ids(opaque.get("toolCallIds", {}), f"{pointer}/toolCallIds", notes),
    )


def _lengths(parts: list[Any]) -> list[int | None]:
    """Return the characters of each part, None where it is no text; and 0 for what follows."""
    texts = [getattr(getattr(part, "payload", None), "text", None) for part in parts]
    return [*(None if text is None else len(text) for text in texts), 0]


def _parts(
    value: Any, pointer: str, lengths: list[int | None], notes: Notes
) -> dict[int, list[Item]]:
    if not isinstance(value, dict):
        notes.malformed(pointer, "an object", value)
        return {}
    parts: dict[int, list[Item]] = {}
    for key, items in value.items():
        place = f"{pointer}/{escape_pointer(key)}"
        index = int(key) if _INDEX.fullmatch(key) else len(lengths)
        if index >= len(lengths):
            notes.malformed(place, "the index of a part", key)
        elif not isinstance(items, list):
            notes.malformed(place, "an array", items)
        else:
            found = (_item(each, f"{place}/{n}", lengths[index]) for n, each in enumerate(items))
            parts[index] = [item for item in found if _is_item(item, notes)]
    return dict(sorted(parts.items()))


def _is_item(item: Item, notes: Notes) -> bool:
    if not item.kind:
        notes.malformed(item.pointer, "an item with kind, data, start and end", item.data)
    return bool(item.kind)


def _item(value: Any, pointer: str, length: int | None) -> Item:
    """Return one item, without a kind where it is none; ``length`` is that of the part's text."""
    wrong = Item("", value, pointer)
    if not isinstance(value, dict) or "data" not in value:
        return wrong
    kind = value.get("kind")
    if not isinstance(kind, str):
        return wrong
    start, end = value.get("start"), value.get("end")
    if start is None and end is None:
        return Item(kind, value["data"], pointer)
    if type(start) is not int or type(end) is not int:
        return wrong
    if not 0 <= start <= end <= (length or 0):
        return wrong
    return Item(kind, value["data"], pointer, start, end)


def _call_ids(value: Any, pointer: str, notes: Notes) -> dict[str, str | None]:
    if not isinstance(value, dict):
        notes.malformed(pointer, "an object", value)
        return {}
    ids: dict[str, str | None] = {}
    for minted, own in value.items():
        if own is None or isinstance(own, str):
            ids[minted] = own or None
        else:
            notes.malformed(f"{pointer}/{escape_pointer(minted)}", "a string or null", own)
    return ids


# --- text, cut where the state says --------------------------------------------------------------


class Stretch(NamedTuple):
    """A stretch of a part's text, and the items that cover it in order of arrival.

    An item that stands between characters is a stretch of its own, without text.
    """

    text: str
    items: tuple[Item, ...]


def stretches(text: str, items: list[Item]) -> Iterator[Stretch]:
    """Yield a part's text in order, cut where an item begins, ends or stands.

    Items that overlap cover one stretch together, and what stands inside of it comes behind it.
    An item without a place covers the whole.
    """
    at = 0
    for start, end, mine in _spans(len(text), items):
        if start > at:
            yield Stretch(text[at:start], ())
        yield Stretch(text[start:end], tuple(mine))
        at = end
    if at < len(text):
        yield Stretch(text[at:], ())


def _spans(length: int, items: list[Item]) -> list[tuple[int, int, list[Item]]]:
    """Return where items cover or stand, in order; no two spans overlap."""
    covering: list[tuple[int, int, list[Item]]] = []
    points: list[tuple[int, Item]] = []
    placed = [(*_range(item, length), item) for item in items]
    for start, end, item in sorted(placed, key=lambda each: each[0]):  # stable
        if start == end:
            points.append((start, item))
        elif covering and start < covering[-1][1]:
            first, last, mine = covering[-1]
            covering[-1] = (first, max(last, end), [*mine, item])
        else:
            covering.append((start, end, [item]))
    starts = [start for start, _, _ in covering]
    spans = list(covering)
    for point, item in points:
        before = bisect_left(starts, point) - 1
        at = point if before < 0 else max(point, covering[before][1])
        spans.append((at, at, [item]))
    return sorted(spans, key=lambda span: span[:2])  # what stands at a place, then what begins


def _range(item: Item, length: int) -> tuple[int, int]:
    return (0, length) if item.start is None or item.end is None else (item.start, item.end)
