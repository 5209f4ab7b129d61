"""Output items of a response: which event belongs to which item, and what each has said so far.

The published rule: ``output_index`` tells the items apart, ``item_id`` says the same. Some relays
make up new ids at every event, some give every item the index 0, some leave out both; an item is
found by index first, by id where two items share an index, and as the last of its kind where an
event names neither.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final, NamedTuple

from ..core.writer import OpenCall, OpenMedia, TextKind

__all__ = [
    "RAW",
    "REFUSAL",
    "SUMMARY",
    "TEXT",
    "Channel",
    "Item",
    "ItemTable",
    "Slot",
    "channel_of",
    "rest_of",
]


class Channel(NamedTuple):
    """A kind of text: the items that have it, and how events name its place and its whole."""

    name: str
    item: str
    place: str
    whole: str


TEXT: Final = Channel("text", "message", "content_index", "text")
REFUSAL: Final = Channel("refusal", "message", "content_index", "refusal")
SUMMARY: Final = Channel("summary", "reasoning", "summary_index", "text")
RAW: Final = Channel("raw", "reasoning", "content_index", "text")

_CHANNELS: Final = {
    "output_text": TEXT,
    "refusal": REFUSAL,
    "summary_text": SUMMARY,
    "reasoning_text": RAW,
}


class Slot:
    """The text of one content part, as far as it has come."""

    __slots__ = ("channel", "cited", "initial", "item", "kind", "part", "pieces", "start")

    def __init__(self, item: Item, channel: Channel, kind: TextKind | None) -> None:
        self.item = item
        self.channel = channel
        self.kind: TextKind | None = kind  # None: the text is in another channel of the item
        self.pieces: list[str] = []
        self.initial = ""  # text that the part began with
        self.part = -1  # where its text begins, once there is any
        self.start = 0
        self.cited = 0  # how many of its annotations have been written


class Item:
    """One output item.

    ``part``, ``start`` and ``end`` say which characters of which part its text is; ``part`` is -1
    while it has none. ``place`` is where it began: a part, and how many characters stood in it.
    """

    __slots__ = (
        "body",
        "call",
        "call_id",
        "channel",
        "end",
        "ended",
        "final",
        "id",
        "index",
        "initial",
        "kind",
        "made",
        "media",
        "mismatched",
        "name",
        "number",
        "part",
        "pieces",
        "place",
        "sent",
        "server",
        "settled",
        "slots",
        "start",
    )

    def __init__(self, kind: str, index: object, body: dict[str, Any]) -> None:
        self.kind = kind
        self.index = index
        self.number = 0  # among the items, in order of arrival
        self.body = body
        self.id = _text(body, "id")
        self.call_id = _text(body, "call_id")
        self.final = False
        self.mismatched = False
        self.place: tuple[int, int] = (0, 0)
        self.made = False  # a part holds all of it
        # text and reasoning
        self.slots: dict[tuple[str, int | None], Slot] = {}
        self.channel: Channel | None = None
        self.part = -1
        self.start = self.end = 0
        # tool calls
        self.call: OpenCall | None = None
        self.name = ""
        self.server = False  # the provider executes it
        self.settled = False  # the provider has said all arguments, and no more since
        self.ended = False
        self.initial = ""  # arguments that it began with
        self.pieces: list[str] = []
        self.sent = False  # some of its arguments are written
        # images
        self.media: OpenMedia | None = None

    @property
    def text(self) -> str:
        """What has been written for it."""
        written = [piece for slot in self.slots.values() if slot.kind for piece in slot.pieces]
        return "".join(written)

    def is_again(self, body: dict[str, Any]) -> bool:
        """Return whether ``body`` is this item once more, going by its ids, or by nothing else."""
        call_id, item_id = _text(body, "call_id"), _text(body, "id")
        if call_id and self.call_id:
            return call_id == self.call_id
        return item_id == self.id


class ItemTable:
    """The items of one response, in order of arrival."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._by_index: dict[tuple[str, int], Item] = {}
        self._by_id: dict[tuple[str, str], Item] = {}
        self._last: dict[str, Item] = {}
        self._shared: set[tuple[str, int]] = set()  # indexes that several items claim

    def find(self, kind: str, index: object, item_id: object) -> Item | None:
        """Return the item of a kind that an event names, or the last one if it names none."""
        key = (kind, index) if type(index) is int else None
        at_index = None if key is None else self._by_index.get(key)
        named = self._by_id.get((kind, item_id)) if isinstance(item_id, str) else None
        if named is not None and (at_index is None or key in self._shared):
            return named
        if at_index is None and key is None:
            last = self._last.get(kind)
            return None if last is None or last.final else last
        return at_index

    def add(self, kind: str, index: object, body: dict[str, Any]) -> Item:
        """Add an item that begins; it takes the index over from another one of its kind."""
        item = Item(kind, index, body)
        item.number = len(self.items)
        self.items.append(item)
        self._last[kind] = item
        if type(index) is int:
            key = (kind, index)
            if key in self._by_index:
                self._shared.add(key)
            self._by_index[key] = item
        if item.id:
            self._by_id[kind, item.id] = item
        return item

    def match(self, output: list[dict[str, Any]]) -> list[Item | None]:
        """Return for each item of a whole response the one that the stream has brought.

        Each of ``output`` has a type. By id, else by its number, else the next of its kind: ids
        change, and numbers are skipped.
        """
        found: list[Item | None] = [None] * len(output)
        left = dict.fromkeys(self.items)
        by_call = {(i.kind, i.call_id): i for i in self.items if i.call_id}
        for by_name in (True, False):
            for number, body in enumerate(output):
                if found[number] is not None:
                    continue
                if by_name:
                    item = by_call.get((body["type"], _text(body, "call_id")))
                    item = item or self._by_id.get((body["type"], _text(body, "id")))
                else:
                    item = self._by_index.get((body["type"], number))
                if item in left:
                    found[number] = item
                    del left[item]
        waiting: dict[str, deque[Item]] = {}
        for item in left:
            waiting.setdefault(item.kind, deque()).append(item)
        for number, body in enumerate(output):
            if found[number] is None and (queue := waiting.get(body["type"])):
                found[number] = queue.popleft()
        return found


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""


def channel_of(part: object, plain: Channel) -> Channel | None:
    """Return the channel of a content part's text; ``plain`` is what a part of type text is."""
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        return plain
    return _CHANNELS.get(kind) if isinstance(kind, str) else None


def rest_of(seen: str, whole: str) -> str | None:
    """Return what ``whole`` has beyond ``seen``, None if it does not begin with it.

    Halves of a character that came one by one in ``seen`` are one character in ``whole``.
    """
    if whole.startswith(seen):
        return whole[len(seen) :]
    if seen.isascii():
        return None
    units = seen.encode("utf-16-le", "surrogatepass")
    due = whole.encode("utf-16-le", "surrogatepass")
    if due.startswith(units):
        return due[len(units) :].decode("utf-16-le", "surrogatepass")
    return None
