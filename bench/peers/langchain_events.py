"""langchain-core, content-block events (v3) into its message stream."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

from bench.content import Content, Outcome
from bench.contestants import Contestant, to_lines

__all__ = ["load", "message_outcome"]


def events(content: Content) -> Iterator[dict[str, Any]]:
    """Yield the content as the events that its own chat models emit, whole blocks at the end."""
    yield {"event": "message-start", "role": "ai", "id": "run-1"}
    if not content.calls:
        yield _block("start", 0, {"type": "text", "text": ""})
    for index, call in enumerate(content.calls):
        chunk = {"id": call.call_id, "name": call.name, "args": "", "index": index}
        yield _block("start", index, {"type": "tool_call_chunk", **chunk})
    for index, piece in content.pieces:
        delta = (
            {"type": "text-delta", "text": piece}
            if index < 0
            else {"type": "tool-call-delta", "args": piece}
        )
        yield {"event": "content-block-delta", "index": max(index, 0), "delta": delta}
    if not content.calls:
        yield _block("finish", 0, {"type": "text", "text": content.text})
    for index, (call_id, name, arguments) in enumerate(content.expected.calls):
        call_block = {"type": "tool_call", "id": call_id, "name": name, "args": arguments}
        yield _block("finish", index, call_block)
    yield {"event": "message-finish"}


def _block(moment: str, index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"event": f"content-block-{moment}", "index": index, "content": block}


def message_outcome(_lines: list[bytes], message: Any) -> Outcome:
    """Read an AIMessage."""
    calls = ((call["id"], call["name"], call["args"]) for call in message.tool_calls)
    return Outcome(str(message.text), tuple(calls))


def load() -> Contestant:
    """Return the contestant."""
    module = importlib.import_module("langchain_core.language_models.chat_model_stream")
    stream_type = module.ChatModelStream
    loads = json.loads

    def run(lines: list[bytes]) -> Any:
        stream = stream_type()
        dispatch = stream.dispatch
        for line in lines:
            dispatch(loads(line))
        return stream.output

    return Contestant(
        key="langchain_events",
        label="langchain-core v3 events",
        kind="assembles",
        encode=lambda content: to_lines(events(content)),
        run=run,
        outcome=message_outcome,
    )
