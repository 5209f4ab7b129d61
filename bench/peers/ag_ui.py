"""ag-ui-protocol: decoding of its events only; its Python package assembles nothing."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from bench.content import Content, Outcome
from bench.contestants import Contestant, parse_arguments, to_lines

__all__ = ["load"]


def events(content: Content) -> Iterator[dict[str, Any]]:
    """Yield the content as AG-UI events."""
    run = {"threadId": "thread-1", "runId": "run-1"}
    yield {"type": "RUN_STARTED", **run}
    if not content.calls:
        yield {"type": "TEXT_MESSAGE_START", "messageId": "msg-1", "role": "assistant"}
    for call in content.calls:
        named = {"toolCallId": call.call_id, "toolCallName": call.name}
        yield {"type": "TOOL_CALL_START", **named, "parentMessageId": "msg-1"}
    for index, piece in content.pieces:
        if index < 0:
            yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": "msg-1", "delta": piece}
        else:
            call_id = content.calls[index].call_id
            yield {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": piece}
    if not content.calls:
        yield {"type": "TEXT_MESSAGE_END", "messageId": "msg-1"}
    for call in content.calls:
        yield {"type": "TOOL_CALL_END", "toolCallId": call.call_id}
    yield {"type": "RUN_FINISHED", **run}


def load() -> Contestant:
    """Return the contestant."""
    core = importlib.import_module("ag_ui.core")
    adapter = importlib.import_module("pydantic").TypeAdapter(core.Event)
    validate = adapter.validate_json

    def run(lines: list[bytes]) -> int:
        count = 0
        for line in lines:
            validate(line)
            count += 1
        return count

    def outcome(lines: list[bytes], count: int) -> Outcome:
        text: list[str] = []
        names: dict[str, str] = {}
        arguments: dict[str, list[str]] = {}
        for event in map(validate, lines[:count]):
            if isinstance(event, core.TextMessageContentEvent):
                text.append(event.delta)
            elif isinstance(event, core.ToolCallStartEvent):
                names[event.tool_call_id] = event.tool_call_name
            elif isinstance(event, core.ToolCallArgsEvent):
                arguments.setdefault(event.tool_call_id, []).append(event.delta)
        joined = {key: "".join(arguments.get(key, ["{}"])) for key in names}
        calls = ((key, name, parse_arguments(joined[key])) for key, name in names.items())
        return Outcome("".join(text), tuple(calls))

    return Contestant(
        key="ag_ui",
        label="AG-UI, decoding only",
        kind="decodes",
        encode=lambda content: to_lines(events(content)),
        run=run,
        outcome=outcome,
    )
