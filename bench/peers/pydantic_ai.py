"""pydantic-ai: its stream events, decoded by its own types, into its parts manager."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from bench.content import Content, Outcome
from bench.contestants import Contestant, parse_arguments, to_lines

__all__ = ["load"]


def events(content: Content) -> Iterator[dict[str, Any]]:
    """Yield the content as part_start and part_delta events."""
    if not content.calls:
        part = {"part_kind": "text", "content": ""}
        yield {"event_kind": "part_start", "index": 0, "part": part}
    for index, call in enumerate(content.calls):
        part = {"part_kind": "tool-call", "tool_name": call.name, "tool_call_id": call.call_id}
        yield {"event_kind": "part_start", "index": index, "part": {**part, "args": ""}}
    for index, piece in content.pieces:
        delta = (
            {"part_delta_kind": "text", "content_delta": piece}
            if index < 0
            else {"part_delta_kind": "tool_call", "args_delta": piece}
        )
        yield {"event_kind": "part_delta", "index": max(index, 0), "delta": delta}


def load() -> Contestant:
    """Return the contestant: the manager's handlers, which buffer the pieces."""
    messages = importlib.import_module("pydantic_ai.messages")
    models = importlib.import_module("pydantic_ai.models")
    manager_type = importlib.import_module("pydantic_ai._parts_manager").ModelResponsePartsManager
    pydantic = importlib.import_module("pydantic")
    validate = pydantic.TypeAdapter(messages.ModelResponseStreamEvent).validate_json
    part_delta, text_delta = messages.PartDeltaEvent, messages.TextPartDelta

    def run(lines: list[bytes]) -> Any:
        manager = manager_type(model_request_parameters=models.ModelRequestParameters())
        for line in lines:
            event = validate(line)
            if not isinstance(event, part_delta):
                manager.apply_event(event)
            elif isinstance(event.delta, text_delta):
                for _ in manager.handle_text_delta(
                    vendor_part_id=event.index, content=event.delta.content_delta
                ):
                    pass
            else:
                manager.handle_tool_call_delta(
                    vendor_part_id=event.index, args=event.delta.args_delta
                )
        return manager.get_parts()

    def outcome(_lines: list[bytes], parts: list[Any]) -> Outcome:
        text = "".join(part.content for part in parts if part.part_kind == "text")
        calls = [part for part in parts if part.part_kind == "tool-call"]
        return Outcome(
            text,
            tuple((c.tool_call_id, c.tool_name, parse_arguments(c.args or "{}")) for c in calls),
        )

    return Contestant(
        key="pydantic_ai",
        label="pydantic-ai parts manager",
        kind="assembles",
        encode=lambda content: to_lines(events(content)),
        run=run,
        outcome=outcome,
    )
