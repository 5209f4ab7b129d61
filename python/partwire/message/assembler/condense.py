"""What an assembler has taken, said again in fewer deltas."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from msgspec import UNSET

from ...contract.current.message import (
    ApprovalRequestDelta,
    ApprovalRequestPart,
    MediaDataDelta,
    MediaDataDeltaPayload,
    MediaEndDelta,
    MediaEndDeltaPayload,
    MediaStartDelta,
    MediaStartDeltaPayload,
    ServerToolCallArgsDelta,
    ServerToolCallEndDelta,
    ServerToolCallStartDelta,
    ServerToolResultDelta,
    StartDelta,
    StartDeltaPayload,
    TextCitationDelta,
    TextCitationDeltaPayload,
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
    WarningDelta,
)
from .machine import MessageAssembler
from .opaque import NOTHING
from .slots import CallSlot, MediaSlot, Slot, TextSlot, WholeSlot
from .text import TextBuffer

__all__ = ["condensed", "held_bytes"]


def condensed(assembler: MessageAssembler) -> list[Any]:
    """Return deltas that say the same as all that an assembler in ``started`` has taken.

    A part is one delta, or three of a call or media; the last ``seq`` is that of the last delta
    taken, and the others count up to it: there were at least as many.
    """
    start = assembler._start
    assert start is not None
    opening = StartDeltaPayload(
        model_id=start.model_id,
        request_id=start.request_id,
        author=start.author,
        format=start.form,
    )
    made: list[tuple[Any, Any]] = [(StartDelta, opening)]
    for slot in assembler._slots:
        made += _of_slot(slot)
    for index, slot in enumerate(assembler._slots):
        for kept in slot.citations if isinstance(slot, TextSlot) else ():
            payload = TextCitationDeltaPayload(citation=kept.value, part_index=index)
            made.append((TextCitationDelta, payload))
    made += [(WarningDelta, kept.value) for kept in assembler._warnings]
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


def _of_slot(slot: Slot) -> list[tuple[Any, Any]]:
    if isinstance(slot, TextSlot):
        return _of_text(slot)
    if isinstance(slot, CallSlot):
        return _of_call(slot)
    return _of_media(slot) if isinstance(slot, MediaSlot) else _of_whole(slot)


def _of_text(slot: TextSlot) -> list[tuple[Any, Any]]:
    kind, payload = (
        (ThinkingDelta, ThinkingDeltaPayload) if slot.thinking else (TextDelta, TextDeltaPayload)
    )
    return [(kind, payload(text_delta=slot.text(), opaque=_opaque_of(slot)))]


def _of_call(slot: CallSlot) -> list[tuple[Any, Any]]:
    call_id, text = slot.tool_call_id, slot.text()
    kinds: tuple[Any, Any, Any] = (ToolCallStartDelta, ToolCallArgsDelta, ToolCallEndDelta)
    if slot.is_server:
        kinds = (ServerToolCallStartDelta, ServerToolCallArgsDelta, ServerToolCallEndDelta)
    opening = ToolCallStartDeltaPayload(
        tool_call_id=call_id, tool_name=slot.tool_name, opaque=_opaque_of(slot)
    )
    made: list[tuple[Any, Any]] = [(kinds[0], opening)]
    if text:
        payload = ToolCallArgsDeltaPayload(tool_call_id=call_id, args_text_delta=text)
        made.append((kinds[1], payload))
    if slot.closed_seq is not None:
        made.append((kinds[2], ToolCallEndDeltaPayload(tool_call_id=call_id)))
    return made


def _of_whole(slot: WholeSlot) -> list[tuple[Any, Any]]:
    part = slot.kept.value
    kind = ApprovalRequestDelta if isinstance(part, ApprovalRequestPart) else ServerToolResultDelta
    return [(kind, part.payload)]


def _of_media(slot: MediaSlot) -> list[tuple[Any, Any]]:
    media_id, text = slot.media_id, slot.text()
    opening = MediaStartDeltaPayload(
        media_id=media_id, mime_type=slot.mime_type, name=slot.name, opaque=_opaque_of(slot)
    )
    made: list[tuple[Any, Any]] = [(MediaStartDelta, opening)]
    if text or slot.data:
        data = b64encode(slot.data).decode() if slot.data else UNSET
        payload = MediaDataDeltaPayload(
            media_id=media_id, data=data, transcript_delta=text or UNSET
        )
        made.append((MediaDataDelta, payload))
    if slot.closed_seq is not None:
        ending = MediaEndDeltaPayload(
            media_id=media_id,
            mime_type=slot.end_type,
            source=slot.source,
            size_bytes=slot.size_bytes,
        )
        made.append((MediaEndDelta, ending))
    return made


def _opaque_of(slot: TextSlot | CallSlot | MediaSlot) -> Any:
    return UNSET if slot.opaque is NOTHING else slot.opaque.value()


def held_bytes(assembler: MessageAssembler) -> int:
    """Return about how many bytes an assembler holds: what came, and what it is held in."""
    slots, limits = assembler._slots, assembler._limits
    buffers = [slot for slot in slots if isinstance(slot, TextBuffer)]
    texts = sum(sum(map(len, slot.chunks)) + sum(map(len, slot.tail)) for slot in buffers)
    whole = sum(
        (
            limits.opaque_bytes - assembler._opaque_left,
            limits.payload_bytes - assembler._payload_left,
            limits.media_bytes - assembler._media_left,
        )
    )
    return texts + whole + _SLOT_BYTES * len(slots) + _STREAM_BYTES


_SLOT_BYTES = 400
_STREAM_BYTES = 2000
