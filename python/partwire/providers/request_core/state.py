"""Provider state of a stored message: read, checked, and put in its place.

It stands in the parts that it belongs to, ``payload.opaque``; messages of v0.1 have it in
``meta.opaque``, which is read as well. It came from an adapter, through stores that know nothing
of it: nothing here trusts it, and nothing of it raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import UNSET

from partwire.contract.current.message import Opaque, ToolCallPart
from partwire.json.pointer import escape_pointer
from partwire.reading.plain import whole_number

from .notes import Notes

__all__ = ["Item", "MessageState", "note_stray", "read_state"]

Key = TypeVar("Key", int, str)

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
    ``call_ids`` are the provider's own ids of calls whose id was minted, by part index, None where
    it had none. ``foreign`` are the parts with state of another dialect. ``known`` says whether
    there is any of this one: its adapter wrote this message.
    """

    parts: dict[int, list[Item]]
    call_ids: dict[int, str | None]
    foreign: frozenset[int]
    known: bool


def read_state(message: Any, pointer: str, dialect: str, notes: Notes) -> MessageState:
    """Return the state of a message struct, as far as it is ``dialect``'s and in order.

    State of another dialect is left out (``encode/foreign-state``), and so is what does not have
    the form that adapters write (``encode/malformed-state``). ``meta.opaque`` counts for what the
    parts say nothing of (``encode/repeated-state``): whatever could not be moved stands there.
    """
    state = _of_parts(message.parts, f"{pointer}/parts", dialect, notes)
    meta = message.meta
    if not isinstance(meta, dict) or "opaque" not in meta:
        return state
    opaque, pointer = meta["opaque"], f"{pointer}/meta/opaque"
    if not isinstance(opaque, dict) or not isinstance(opaque.get("dialect"), str):
        notes.malformed(pointer, "an object with a dialect", opaque)
    elif opaque["dialect"] != dialect:
        _note_foreign(pointer, opaque["dialect"], dialect, notes)
    else:
        rest = _of_meta(opaque, pointer, message.parts, notes)
        for number in sorted(rest.parts.keys() & state.parts.keys()):
            said = "The part has its state with it; this one is left out"
            notes.add("encode/repeated-state", said, f"{pointer}/parts/{number}")
        return MessageState(
            {**rest.parts, **state.parts}, {**rest.call_ids, **state.call_ids}, state.foreign, True
        )
    return state


def note_stray(payload: Any, place: str, notes: Notes) -> None:
    """Note state in a part of anybody but the assistant: no provider gave it."""
    opaque = getattr(payload, "opaque", UNSET)
    if isinstance(opaque, Opaque):
        notes.malformed(f"{place}/payload/opaque", "a part of an assistant", opaque.provider)


def _note_foreign(pointer: str, found: str, dialect: str, notes: Notes) -> None:
    notes.add(
        "encode/foreign-state",
        "The provider's state is of another dialect; it is left out",
        pointer,
        expected=dialect,
        actual=found[:80],
    )


# --- where the state stands ----------------------------------------------------------------------


def _of_parts(parts: list[Any], pointer: str, dialect: str, notes: Notes) -> MessageState:
    items: dict[int, list[Item]] = {}
    lengths = [*map(_length, parts), 0]  # what follows the last part has no text
    ids: dict[int, str | None] = {}
    foreign: set[int] = set()
    is_known = False
    for number, part in enumerate(parts):
        opaque = getattr(getattr(part, "payload", None), "opaque", UNSET)
        if not isinstance(opaque, Opaque):
            continue
        place = f"{pointer}/{number}/payload/opaque"
        if opaque.provider != dialect:
            foreign.add(number)
            _note_foreign(place, opaque.provider, dialect, notes)
            continue
        is_known = True
        data, place = dict(opaque.data), f"{place}/data"
        if "items" not in data and "toolCallId" not in data:
            notes.malformed(place, "an object with items", data)
            continue
        given = data.pop("items", [])
        for target, item in _placed(given, f"{place}/items", number, lengths, notes):
            items.setdefault(target, []).append(item)
        if "toolCallId" in data and isinstance(part, ToolCallPart):
            ids |= _call_id(data.pop("toolCallId"), number, f"{place}/toolCallId", notes)
        for name, value in data.items():
            notes.malformed(f"{place}/{escape_pointer(name)}", "items, and a call's id", value)
    return MessageState(items, ids, frozenset(foreign), is_known)


def _of_meta(opaque: dict[str, Any], pointer: str, parts: list[Any], notes: Notes) -> MessageState:
    """Return what a message of v0.1 has."""
    lengths = [*map(_length, parts), 0]  # what follows the last part has no text
    items = _items_by_part(opaque.get("parts", {}), f"{pointer}/parts", lengths, notes)
    own = _call_ids(opaque.get("toolCallIds", {}), f"{pointer}/toolCallIds", notes)
    calls = [(n, part.payload) for n, part in enumerate(parts) if isinstance(part, ToolCallPart)]
    ids = {n: own[call.tool_call_id] for n, call in calls if call.tool_call_id in own}
    return MessageState(items, ids, frozenset(), known=True)


def _items_by_part(
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
        else:
            for target, item in _placed(items, place, index, lengths, notes):
                parts.setdefault(target, []).append(item)
    return parts


# --- items ---------------------------------------------------------------------------------------


def _length(part: Any) -> int | None:
    """Return the characters of a part, None where it is not text."""
    text = getattr(getattr(part, "payload", None), "text", None)
    return None if text is None else len(text)


def _placed(
    value: Any, pointer: str, number: int, lengths: list[int | None], notes: Notes
) -> Iterator[tuple[int, Item]]:
    """Yield the items that stand in part ``number``, each with the part that it belongs to.

    One that came when its part was over says by ``partOffset`` how many parts further on that is.
    """
    if not isinstance(value, list):
        notes.malformed(pointer, "an array", value)
        return
    for at, each in enumerate(value):
        offset = whole_number(each.get("partOffset", 0)) if isinstance(each, dict) else 0
        target = -1 if offset is None else number + offset
        place = f"{pointer}/{at}"
        item = Item("", each, place)
        if 0 <= target < len(lengths):
            item = _item(each, place, lengths[target])
        if item.kind:
            yield target, item
        else:
            notes.malformed(place, "an item with kind, data, start and end", each)


def _item(value: Any, pointer: str, length: int | None) -> Item:
    """Return one item, without a kind where it is none; ``length`` is that of the part's text."""
    wrong = Item("", value, pointer)
    if not isinstance(value, dict) or "data" not in value:
        return wrong
    kind = value.get("kind")
    if not isinstance(kind, str):
        return wrong
    if value.get("start") is None and value.get("end") is None:
        return Item(kind, value["data"], pointer)
    start, end = whole_number(value.get("start")), whole_number(value.get("end"))
    if start is None or end is None:
        return wrong
    if not 0 <= start <= end <= (length or 0):
        return wrong
    return Item(kind, value["data"], pointer, start, end)


def _call_ids(value: Any, pointer: str, notes: Notes) -> dict[str, str | None]:
    """Return the provider's own ids by minted id."""
    if not isinstance(value, dict):
        notes.malformed(pointer, "an object", value)
        return {}
    ids: dict[str, str | None] = {}
    for minted, own in value.items():
        ids |= _call_id(own, minted, f"{pointer}/{escape_pointer(minted)}", notes)
    return ids


def _call_id(value: Any, key: Key, pointer: str, notes: Notes) -> dict[Key, str | None]:
    """Return the provider's own id of a call under ``key``; nothing where it is none."""
    if value is None or isinstance(value, str):
        return {key: value or None}
    notes.malformed(pointer, "a string or null", value)
    return {}
