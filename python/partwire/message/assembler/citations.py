"""What a stream says of the sources of its text.

These deltas have been checked whole: they are what the schema says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from ...contract.current.message import TextCitationDelta
from ...errors import clip
from .checks import refusal
from .payloads import Kept, payload_size
from .slots import Slot, TextSlot

if TYPE_CHECKING:
    from .machine import MessageAssembler

__all__ = ["on_citation"]


def on_citation(stream: MessageAssembler, delta: TextCitationDelta, seq: int) -> None:
    """Take a citation: it is appended to those of its text."""
    payload = delta.payload
    slot = _text_slot(stream, payload.part_index, seq)
    stream._payload_left -= payload_size(
        payload, stream._payload_left, stream._limits, seq, "partIndex"
    )
    slot.citations.append(Kept(seq, payload.citation))


def _text_slot(stream: MessageAssembler, index: int | UnsetType, seq: int) -> TextSlot:
    """Return the text part of this index among all that have begun; UNSET is the last one."""
    slots = stream._slots
    slot: Slot | None = stream._text_part
    if not isinstance(index, UnsetType):
        slot = slots[index] if index < len(slots) else None
    if isinstance(slot, TextSlot) and not slot.thinking:
        return slot
    raise refusal(
        "stream/unknown-text-part",
        "There is no such text part",
        seq,
        pointer="/payload" if index is UNSET else "/payload/partIndex",
        expected="a text part that has begun",
        actual="none" if index is UNSET else clip(index),
    )
