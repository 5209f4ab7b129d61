"""anthropic: its raw stream events, typed by its own constructor, into accumulate_event."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

from bench.content import Content, Outcome
from bench.contestants import Contestant, to_lines

__all__ = ["load"]


def events(content: Content) -> Iterator[dict[str, Any]]:
    """Yield the content as Messages API stream events."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "model-1"}
    opened: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None}
    usage = {"input_tokens": 10, "output_tokens": 1}
    yield {"type": "message_start", "message": {**message, **opened, "usage": usage}}
    if not content.calls:
        block: dict[str, Any] = {"type": "text", "text": ""}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
    for index, call in enumerate(content.calls):
        block = {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
    for index, piece in content.pieces:
        delta = (
            {"type": "text_delta", "text": piece}
            if index < 0
            else {"type": "input_json_delta", "partial_json": piece}
        )
        yield {"type": "content_block_delta", "index": max(index, 0), "delta": delta}
    for index in range(max(len(content.calls), 1)):
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if content.calls else "end_turn"
    ended = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": content.size}}
    yield {"type": "message_stop"}


def load() -> Contestant:
    """Return the contestant."""
    construct = importlib.import_module("anthropic._models").construct_type
    event_type = importlib.import_module("anthropic.types").RawMessageStreamEvent
    streaming = importlib.import_module("anthropic.lib.streaming._messages")
    accumulate = streaming.accumulate_event
    loads = json.loads

    def run(lines: list[bytes]) -> Any:
        snapshot = None
        buffers: dict[int, bytes] = {}
        for line in lines:
            event = construct(type_=event_type, value=loads(line))
            snapshot = accumulate(event=event, current_snapshot=snapshot, json_bufs=buffers)
        return snapshot

    def outcome(_lines: list[bytes], message: Any) -> Outcome:
        text = "".join(block.text for block in message.content if block.type == "text")
        uses = [block for block in message.content if block.type == "tool_use"]
        return Outcome(text, tuple((use.id, use.name, use.input) for use in uses))

    return Contestant(
        key="anthropic",
        label="anthropic accumulate_event",
        kind="assembles",
        encode=lambda content: to_lines(events(content)),
        run=run,
        outcome=outcome,
    )
