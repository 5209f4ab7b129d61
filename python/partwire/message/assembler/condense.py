"""What an assembler has taken, said again in fewer deltas."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from ...contract.current.message import (
    StartDelta,
    StartDeltaPayload,
    TextDelta,
    TextDeltaPayload,
    ThinkingDelta,
    ThinkingDeltaPayload,
    ToolCallArgsDelta,
    ToolCallArgsDeltaPayload,
    ToolCallEndDelta,
    ToolCallEndDeltaPayload,
    ToolCallStartDelta,
    ToolCallStartDeltaPayload,
    UsageDelta,
)
from .machine import MessageAssembler
from .opaque import NOTHING
from .slots import CallSlot, TextSlot

__all__ = ["condensed", "held_bytes"]


def condensed(assembler: MessageAssembler) -> list[Any]:
    """Return deltas that say the same as all that an assembler in ``started`` has taken.

    A part is one delta, or three of a call; the last ``seq`` is that of the last delta taken, and
    the others count up to it: there were at least as many.
    """
    start = assembler._start
    assert start is not None
    opening = StartDeltaPayload(model_id=start.model_id, request_id=start.request_id)
    made: list[tuple[Any, Any]] = [(StartDelta, opening)]
    for slot in assembler._slots:
        made += _of_text(slot) if isinstance(slot, TextSlot) else _of_call(slot)
    if assembler._usage is not None:
        made.append((UsageDelta, assembler._usage))
    first = assembler.last_seq - len(made) + 1
    return [
        kind(
            run_id=start.run_id,
            message_id=start.message_id,
            turn_id=start.turn_id,
            seq=first + index,
            payload=payload,
            timestamp=start.timestamp,
        )
        for index, (kind, payload) in enumerate(made)
    ]


def _of_text(slot: TextSlot) -> list[tuple[Any, Any]]:
    kind, payload = (
        (ThinkingDelta, ThinkingDeltaPayload) if slot.thinking else (TextDelta, TextDeltaPayload)
    )
    return [(kind, payload(text_delta=slot.text(), opaque=_opaque_of(slot)))]


def _of_call(slot: CallSlot) -> list[tuple[Any, Any]]:
    call_id, text = slot.tool_call_id, slot.text()
    made: list[tuple[Any, Any]] = [
        (
            ToolCallStartDelta,
            ToolCallStartDeltaPayload(
                tool_call_id=call_id, tool_name=slot.tool_name, opaque=_opaque_of(slot)
            ),
        )
    ]
    if text:
        payload = ToolCallArgsDeltaPayload(tool_call_id=call_id, args_text_delta=text)
        made.append((ToolCallArgsDelta, payload))
    if slot.closed_seq is not None:
        made.append((ToolCallEndDelta, ToolCallEndDeltaPayload(tool_call_id=call_id)))
    return made


def _opaque_of(slot: TextSlot | CallSlot) -> Any:
    return UNSET if slot.opaque is NOTHING else slot.opaque.value()


def held_bytes(assembler: MessageAssembler) -> int:
    """Return about how many bytes an assembler holds: its texts, and what they are held in."""
    slots = assembler._slots
    texts = sum(sum(map(len, slot.chunks)) + sum(map(len, slot.tail)) for slot in slots)
    opaque = sum(len(slot.opaque.text) for slot in slots)
    return texts + opaque + _SLOT_BYTES * len(slots) + _STREAM_BYTES


_SLOT_BYTES = 400
_STREAM_BYTES = 2000
