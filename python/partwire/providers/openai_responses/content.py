"""What the output items of a response say: text, reasoning, tool calls, and what is only kept."""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import clip
from partwire.tables import provider_names

from ..core.findings import FindingLog
from ..core.opaque import OpaqueItem
from ..core.writer import DeltaWriter
from .citations import citation_of
from .items import RAW, REFUSAL, SUMMARY, TEXT, Channel, Item, ItemTable, Slot, channel_of, rest_of
from .media import IMAGE, ResponsesMedia
from .server_items import is_bookkeeping, is_server_item, is_server_output
from .tool_calls import ResponsesCalls

__all__ = ["ResponsesContent", "kept_items"]


# --- kept state -----------------------------------------------------------------------------------


def kept_items(item: Item) -> list[OpaqueItem]:
    """Return what is kept of an item that is whole.

    Reasoning and the items of server-side tools unchanged; a message without its texts, which
    the parts hold, and without log probabilities: what is left of each of its content parts
    follows, where there is more to say than that it is text.
    """
    part, start = item.place
    end = start
    if item.part >= 0:
        part, start, end = item.part, item.start, item.end
    if item.kind != "message":
        return [OpaqueItem(item.kind, item.body, part, start, end)]
    head = {name: value for name, value in item.body.items() if name != "content"}
    kept = [OpaqueItem("message", head, part, start, end)]
    given = item.body.get("content")
    contents = given if isinstance(given, list) else []
    at = start
    for content in contents:
        channel = channel_of(content, TEXT)
        text = None if channel is None else content.get(channel.whole)
        stop = min(end, at + len(text)) if isinstance(text, str) else at
        state = content if channel is None else _without_text(content)
        if isinstance(content, dict) and (len(contents) > 1 or _says_more(state)):
            kept.append(OpaqueItem("content_part", state, part, at, stop))
        at = stop
    return kept


def _without_text(part: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in part.items() if k not in ("text", "refusal", "logprobs")}


def _says_more(part: dict[str, Any]) -> bool:
    is_text = part.get("type") in ("output_text", "text")
    return not is_text or any(value for name, value in part.items() if name != "type")


# --- content --------------------------------------------------------------------------------------

_SEALED: Final = frozenset(provider_names.RESPONSES_SEALED)
_SEAL: Final = "encrypted_content"


class ResponsesContent:
    """Write the items of one response. ``refused``: the model has refused.

    ``is_stored``: the provider keeps the response, so that the ids of its reasoning are enough.
    """

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._table = ItemTable()
        self.calls = ResponsesCalls(writer, log, self._leave, self._collect)
        self.media = ResponsesMedia(writer, log)
        self.refused = False
        self.is_stored = False
        self._whole: list[Item] = []  # of which nothing has been kept yet
        self._held: list[Item] = []  # of which more may come with the whole response
        writer.collect = self._collect
        self._slots: dict[tuple[str, int, int], Slot] = {}  # of items that are not done
        self._current: Slot | None = None

    @property
    def has_items(self) -> bool:
        """Whether an item has begun."""
        return bool(self._table.items)

    @property
    def is_whole(self) -> bool:
        """Whether all items that have begun are done."""
        return all(item.final for item in self._table.items)

    @property
    def has_open_call(self) -> bool:
        """Whether a call is in the middle of its arguments."""
        return any(self.calls.is_open(item) for item in self._table.items)

    # --- items -----------------------------------------------------------------------------------

    def added(self, event: dict[str, Any]) -> None:
        """Read an item that begins."""
        body, kind = self._body(event)
        if body is None:
            return
        index = event.get("output_index")
        known = self._table.find(kind, index, body.get("id"))
        if known is None or known.final or not known.id or not known.is_again(body):
            self._begin(kind, index, body)
            return
        self._note_order("An item begins twice, or after its first piece", "/item/id", known.id)
        known.body.update(body)
        if self.calls.takes(known):
            self.calls.begin(known)

    def done(self, event: dict[str, Any]) -> None:
        """Read an item that is whole."""
        body, kind = self._body(event)
        if body is None:
            return
        index = event.get("output_index")
        item = self._table.find(kind, index, body.get("id"))
        if item is not None and item.final:
            if item.is_again(body):
                return
            item = None
        self._settle_item(item or self._begin(kind, index, body), body, "/item")

    def output(self, items: object, place: str) -> None:
        """Read the items of a whole response: all that no event has said before."""
        if not isinstance(items, list):
            if items is not None:
                self._log.invalid(place, "an array", items)
            return
        bodies = [b for b in items if isinstance(b, dict) and isinstance(b.get("type"), str)]
        if len(bodies) < len(items):
            self._log.invalid(place, "items as objects", items)
        known = self._table.match(bodies)
        for number, body in enumerate(bodies):
            item = known[number] or self._begin(body["type"], number, body)
            self._settle_item(item, body, f"{place}/{number}")

    def piece_of_call(self, event: dict[str, Any], kind: str, whole: bool) -> None:
        """Read a delta of a call's arguments, or all of them."""
        item = self._item(kind, event)
        if whole:
            self.calls.whole(item, event)
        else:
            self.calls.piece(item, event.get("delta"))

    def piece_of_image(self, event: dict[str, Any]) -> None:
        """Read an image that is not whole yet."""
        if self._writer.says_new:
            self._leave()
            self.media.piece_of_image(self._item(IMAGE, event), event)

    def finish(self) -> None:
        """Read the end of the stream; keep what the provider wants back, item by item."""
        for item in self._table.items:
            if self.calls.takes(item):
                self.calls.finish(item)
        self.media.finish()
        self._collect()
        for item in self._held:
            self._keep(item)
        self._held.clear()

    def _collect(self) -> None:
        """Keep what the provider wants back of the items that are whole, before their part ends."""
        self._note_end()  # the slot that is current may be that of the part which begins
        whole, self._whole = self._whole, []
        for item in sorted(whole, key=lambda each: each.number):
            if item.kind in _SEALED and not (self.is_stored or item.body.get(_SEAL)):
                self._held.append(item)  # some vendors send it at the very end only
            else:
                self._keep(item)

    def _keep(self, item: Item) -> None:
        for kept in kept_items(item):
            self._writer.state.keep(kept)

    def _body(self, event: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
        body = event.get("item")
        kind = body.get("type") if type(body) is dict else None
        if isinstance(kind, str):
            return body, kind
        self._log.invalid("/item", "an item with its type", body)
        return None, ""

    def _begin(self, kind: str, index: object, body: dict[str, Any]) -> Item:
        item = self._table.add(kind, index, dict(body))
        writer = self._writer
        is_open = writer.kind is not None
        item.place = (writer.part, writer.chars) if is_open else (writer.part + 1, 0)
        self._slots.clear()  # its index may have been another item's
        if self.calls.takes(item):
            self.calls.begin(item)
        elif kind not in ("message", "reasoning") and not self._may_be_part(kind):
            self._note_foreign(kind, body)
        return item

    def _may_be_part(self, kind: str) -> bool:
        """Return whether an item becomes a part once it is whole, if it is as published."""
        return self._writer.says_new and (kind == IMAGE or is_server_output(kind))

    def _item(self, kind: str, event: dict[str, Any]) -> Item:
        """Return the item that an event belongs to; one that has not begun begins."""
        index = event.get("output_index")
        item = self._table.find(kind, index, event.get("item_id"))
        if item is None:
            self._note_order("A piece belongs to an item that has not begun", "/item_id", index)
            item = self._begin(kind, index, {"id": event.get("item_id")})
        elif item.final and not self.calls.takes(item):
            self._note_order("A piece belongs to an item that is done", "/item_id", index)
        return item

    def _settle_item(self, item: Item, body: dict[str, Any], place: str) -> None:
        """Read a whole item: what it says beyond its deltas, and what is to be kept of it."""
        is_new = not item.final
        if is_new:
            item.body, item.final = dict(body), True
            self._slots.clear()
        elif body.get(_SEAL) and not item.body.get(_SEAL):
            item.body = dict(body)  # some vendors send it at the very end only
        if self.calls.takes(item):
            self.calls.done(item, body, place)
        elif item.kind in ("message", "reasoning"):
            self._settle_text(item, body, place)
        elif is_new and self._may_be_part(item.kind):
            self._settle_part(item, place)
        is_kept = item.kind not in provider_names.RESPONSES_CALLS or item.server
        if is_new and is_kept and not item.made:
            self._whole.append(item)  # now that all of its text stands

    def _settle_part(self, item: Item, place: str) -> None:
        self._leave()
        is_made = self.media.image(item, place) if item.kind == IMAGE else self.calls.output(item)
        if not is_made:
            self._note_foreign(item.kind, item.body)

    def _settle_text(self, item: Item, body: dict[str, Any], place: str) -> None:
        parts = self._parts(item, body, place)
        rest = self._rest(item, item.text, "".join(text for _, _, text in parts), place)
        pieces: list[tuple[Channel, int, str]] = []
        while rest and parts:
            channel, number, text = parts.pop()
            cut = max(0, len(rest) - len(text))
            pieces.append((channel, number, rest[cut:]))
            rest = rest[:cut]
        for channel, number, piece in reversed(pieces):
            if piece:
                self._write(self._slot_of(item, channel, number), piece)
        if item.kind == "message" and self._writer.says_new:
            self._settle_citations(item, body.get("content"))

    def _parts(
        self, item: Item, body: dict[str, Any], place: str
    ) -> list[tuple[Channel, int, str]]:
        """Return the texts of a whole item."""
        if item.kind == "message":
            return self._texts(body.get("content"), TEXT, f"{place}/content")
        summary = self._texts(body.get("summary"), SUMMARY, f"{place}/summary")
        raw = self._texts(body.get("content"), RAW, f"{place}/content")
        has_summary = any(text for _, _, text in summary)
        return summary if item.channel is SUMMARY or (item.channel is None and has_summary) else raw

    def _texts(self, parts: object, plain: Channel, place: str) -> list[tuple[Channel, int, str]]:
        if isinstance(parts, str):
            return [(plain, 0, parts)]
        if not isinstance(parts, list):
            if parts is not None:
                self._log.invalid(place, "an array", parts)
            return []
        texts: list[tuple[Channel, int, str]] = []
        for number, part in enumerate(parts):
            channel = channel_of(part, plain)
            text = None if channel is None else part.get(channel.whole)
            if isinstance(text, str) and channel is not None and channel.item == plain.item:
                texts.append((channel, number, text))
            elif not isinstance(part, dict):
                self._log.invalid(f"{place}/{number}", "an object", part)
            elif text is not None or channel is None:
                self._note_no_part(f"{place}/{number}", part.get("type"))
        return texts

    # --- citations -------------------------------------------------------------------------------

    def annotation(self, event: dict[str, Any]) -> None:
        """Read an annotation that comes by itself; the whole item says it again."""
        item = self._table.find("message", event.get("output_index"), event.get("item_id"))
        part = event.get("content_index")
        if item is not None and self._writer.says_new:
            slot = self._text_slot(item, part)
            if slot is not None:
                self._cite(slot, event.get("annotation"))

    def _settle_citations(self, item: Item, contents: object) -> None:
        given: list[Any] = contents if isinstance(contents, list) else []
        for number, part in enumerate(given):
            annotations = part.get("annotations") if isinstance(part, dict) else None
            slot = self._text_slot(item, number)
            if slot is not None and isinstance(annotations, list):
                for annotation in annotations[slot.cited :]:
                    self._cite(slot, annotation)

    def _text_slot(self, item: Item, part: object) -> Slot | None:
        """Return the slot of a content part with text."""
        slot = item.slots.get((TEXT.name, part if type(part) is int else None))
        return None if slot is None or slot.part < 0 else slot

    def _cite(self, slot: Slot, annotation: object) -> None:
        slot.cited += 1
        citation = citation_of(annotation, slot.start)
        if citation is not None:
            self._writer.cite(citation, part=slot.part)

    # --- text ------------------------------------------------------------------------------------

    def text(self, event: dict[str, Any], channel: Channel) -> None:
        """Read one delta of text."""
        delta = event.get("delta")
        if type(delta) is dict:
            delta = delta.get("text")
        if type(delta) is not str:
            self._log.invalid("/delta", "a string", delta)
            return
        if not delta:
            return
        output, part = event.get("output_index"), event.get(channel.place)
        slot = None
        if type(output) is int and type(part) is int:
            slot = self._slots.get((channel.name, output, part))
        if slot is None:
            slot = self._slot(event, channel)
        if slot.initial:
            initial, slot.initial = slot.initial, ""
            if initial != delta:
                self._write(slot, initial)
        self._write(slot, delta)

    def part(self, event: dict[str, Any], plain: Channel, starts: bool) -> None:
        """Read a part that begins or is whole; ``plain`` is what a part of type text is."""
        part = event.get("part")
        channel = channel_of(part, plain)
        if channel is not None and isinstance(part, dict):
            self.text_of(event, channel, part.get(channel.whole), starts)
        elif isinstance(part, dict):
            self._note_no_part("/part/type", part.get("type"))
        else:
            self._log.invalid("/part", "an object", part)

    def text_of(
        self, event: dict[str, Any], channel: Channel, text: object, starts: bool = False
    ) -> None:
        """Read the text of a part that is whole, or that a part begins with."""
        if not isinstance(text, str):
            if text is not None:
                self._log.invalid(f"/{channel.whole}", "a string", text)
            return
        item = self._table.find(channel.item, event.get("output_index"), event.get("item_id"))
        if not text or (item is not None and item.final):
            return
        slot = self._slot(event, channel)
        if not starts:
            slot.initial = ""
            rest = self._rest(slot.item, "".join(slot.pieces), text, f"/{channel.whole}")
            if rest:
                self._write(slot, rest)
        elif not slot.pieces:
            slot.initial = text

    def _slot(self, event: dict[str, Any], channel: Channel) -> Slot:
        item = self._item(channel.item, event)
        output, part = event.get("output_index"), event.get(channel.place)
        slot = self._slot_of(item, channel, part if type(part) is int else None)
        if type(output) is int and type(part) is int and not item.final:
            self._slots[channel.name, output, part] = slot
        return slot

    def _slot_of(self, item: Item, channel: Channel, part: int | None) -> Slot:
        slot = item.slots.get((channel.name, part))
        if slot is None:
            if channel.item == "message":
                slot = Slot(item, channel, "text")
            else:
                # A summary and raw reasoning say the same: what came first is shown.
                item.channel = item.channel or channel
                slot = Slot(item, channel, "thinking" if item.channel is channel else None)
            item.slots[channel.name, part] = slot
        return slot

    def _rest(self, item: Item, seen: str, whole: str, place: str) -> str:
        """Return what a whole text has beyond its deltas; what has been written stands."""
        rest = rest_of(seen, whole) if whole else ""
        if rest is None and not item.mismatched:
            item.mismatched = True
            self._log.note(
                "adapter/text-mismatch",
                "The whole text is not what its deltas said; the deltas stand",
                place,
                expected=clip(seen),
                actual=clip(whole),
            )
        return rest or ""

    def _write(self, slot: Slot, text: str) -> None:
        slot.pieces.append(text)
        if slot.kind is not None:
            if slot is not self._current:
                self._enter(slot)
            self._writer.write(slot.kind, text)

    def _enter(self, slot: Slot) -> None:
        """Turn to another slot; note where the text of its item begins."""
        self._leave()
        self._current = slot
        if slot.channel is REFUSAL:
            self.refused = True
        item, writer = slot.item, self._writer
        if slot.part < 0:
            joins = writer.kind == ("text" if item.kind == "message" else "thinking")
            slot.part, slot.start = (writer.part, writer.chars) if joins else (writer.part + 1, 0)
        if item.part < 0:
            item.part, item.start, item.end = slot.part, slot.start, slot.start

    def _leave(self) -> None:
        """End the text that was written last."""
        self._note_end()
        self._current = None

    def _note_end(self) -> None:
        """Note where the text that was written last ends."""
        if self._current is not None:
            item = self._current.item
            if item.part == self._writer.part:
                item.end = self._writer.chars

    # --- findings --------------------------------------------------------------------------------

    def _note_foreign(self, kind: str, body: dict[str, Any]) -> None:
        """Note an item that is not a part of ours; it is kept whole."""
        if is_bookkeeping(kind):
            return
        if is_server_item(kind, body):
            self._log.note(
                "adapter/server-tool-call",
                "The provider executes this tool itself; it is not a tool call of the message",
                "/item/type",
                actual=clip(body.get("name") or kind),
            )
        else:
            self._note_no_part("/item/type", kind)

    def _note_no_part(self, place: str, kind: object) -> None:
        self._log.note(
            "adapter/unsupported-content",
            "The contract has no part for this content; it is kept beside the message",
            place,
            actual=clip(kind),
        )

    def _note_order(self, message: str, place: str, actual: object) -> None:
        self._log.note("adapter/block-order", message, place, actual=clip(actual))
