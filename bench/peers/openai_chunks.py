"""openai: its chat completion chunks, typed by its own constructor, into its stream state."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

from bench.content import Content, Outcome
from bench.contestants import Contestant, parse_arguments, to_lines

__all__ = ["load"]

_HEAD = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1793700000,
    "model": "model-1",
}


def events(content: Content) -> Iterator[dict[str, Any]]:
    """Yield the content as chat completion chunks."""
    yield _chunk({"role": "assistant", "content": None if content.calls else ""})
    for index, call in enumerate(content.calls):
        function = {"name": call.name, "arguments": ""}
        use = {"index": index, "id": call.call_id, "type": "function", "function": function}
        yield _chunk({"tool_calls": [use]})
    for index, piece in content.pieces:
        if index < 0:
            yield _chunk({"content": piece})
        else:
            yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk({}, "tool_calls" if content.calls else "stop")
    total = {"prompt_tokens": 10, "completion_tokens": content.size}
    yield {**_HEAD, "choices": [], "usage": {**total, "total_tokens": content.size + 10}}


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {**_HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def load() -> Contestant:
    """Return the contestant."""
    construct = importlib.import_module("openai._models").construct_type
    chunk_type = importlib.import_module("openai.types.chat").ChatCompletionChunk
    state_type = importlib.import_module("openai.lib.streaming.chat").ChatCompletionStreamState
    loads = json.loads

    def run(lines: list[bytes]) -> Any:
        state = state_type()
        for line in lines:
            state.handle_chunk(construct(type_=chunk_type, value=loads(line)))
        return state.get_final_completion()

    def outcome(_lines: list[bytes], completion: Any) -> Outcome:
        message = completion.choices[0].message
        uses = [(use.id, use.function) for use in message.tool_calls or []]
        calls = ((key, used.name, parse_arguments(used.arguments or "{}")) for key, used in uses)
        return Outcome(message.content or "", tuple(calls))

    return Contestant(
        key="openai",
        label="openai ChatCompletionStreamState",
        kind="assembles",
        encode=lambda content: to_lines(events(content)),
        run=run,
        outcome=outcome,
    )
