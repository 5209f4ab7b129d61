"""langchain-core, message chunks added up one by one, as its guides show it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from bench.content import Content
from bench.contestants import Contestant, to_lines
from bench.peers.langchain_events import message_outcome

__all__ = ["load"]


def events(content: Content) -> Iterator[dict[str, Any]]:
    """Yield the content as message chunks."""
    head = {"type": "AIMessageChunk", "content": ""}
    for index, call in enumerate(content.calls):
        yield {**head, "tool_call_chunks": [_chunk(index, "", call.call_id, call.name)]}
    for index, piece in content.pieces:
        if index < 0:
            yield {"type": "AIMessageChunk", "content": piece}
        else:
            yield {**head, "tool_call_chunks": [_chunk(index, piece, None, None)]}
    yield {**head, "chunk_position": "last"}


def _chunk(index: int, arguments: str, call_id: str | None, name: str | None) -> dict[str, Any]:
    chunk = {"type": "tool_call_chunk", "index": index, "args": arguments}
    return {**chunk, "id": call_id, "name": name}


def load() -> Contestant:
    """Return the contestant."""
    chunk_type = importlib.import_module("langchain_core.messages").AIMessageChunk
    validate = chunk_type.model_validate_json

    def run(lines: list[bytes]) -> Any:
        each = iter(lines)
        total = validate(next(each))
        for line in each:
            total = total + validate(line)
        return total

    return Contestant(
        key="langchain_chunks",
        label="langchain-core chunk addition",
        kind="assembles",
        encode=lambda content: to_lines(events(content)),
        run=run,
        outcome=message_outcome,
    )
