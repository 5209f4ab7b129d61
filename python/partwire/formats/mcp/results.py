"""One result of a tool: what a server of MCP gives back, and what stands in a history.

said = session.call_tool("weather", {"city": "Oslo"})          # of an MCP client
result, losses = tool_result(said, tool_call_id="call_1")
"""

from __future__ import annotations

from typing import Any

from partwire.contract.current.message import ToolResult
from partwire.errors import bad_argument
from partwire.json.text import decode_json
from partwire.losses import Loss, in_order
from partwire.reading.inputs import text_of
from partwire.reading.pipeline import read, to_wire

from ..core.reading import Reading
from ..core.source import source_of
from ..core.writing import Written
from .blocks import result_of
from .state import OWN
from .write import write

__all__ = ["call_tool_result", "tool_result"]

_TIME = "1970-01-01T00:00:00Z"


def tool_result(result: Any, *, tool_call_id: str) -> tuple[ToolResult, list[Loss]]:
    """Return a CallToolResult (JSON text, an object, or a model of the SDK) as a result of a call.

    Pointers of the losses lead into ``result``; ``_meta`` of it is one. Raises UsageError
    ``usage/invalid-argument`` for an id that is not one, ReadError for what is not a result.
    """
    given: Any = tool_call_id
    if not isinstance(given, str) or not given:
        raise bad_argument("tool_call_id is wrong", "text that is not empty", tool_call_id)
    reading = Reading(OWN)
    text = text_of(result)
    document = reading.members(source_of(result) if text is None else decode_json(text), "")
    document.skip("resultType", "complete")
    part, kept = result_of(document, tool_call_id, reading)
    for name in kept:
        reading.note("foreign-member", document.at(name))
    document.close()
    made: ToolResult = read(part["payload"], ToolResult)
    return made, in_order(reading.losses)


def call_tool_result(result: Any, *, version: str = "2025-11-25") -> Written:
    """Return a result of a call as a CallToolResult, and what it does not say.

    Pointers of the losses lead into ``result``; that the call's id is not in it is not one.
    """
    payload = to_wire(result if isinstance(result, ToolResult) else read(result, ToolResult))
    message = {
        "runId": "run",
        "role": "tool",
        "parts": [{"kind": "tool_result", "payload": payload}],
        "timestamp": _TIME,
    }
    written = write([message], version)
    prefix = "/0/parts/0/payload"
    losses = [
        loss._replace(pointer=loss.pointer.removeprefix(prefix))
        for loss in written.losses
        if loss.pointer.startswith(prefix) and loss.pointer != f"{prefix}/toolCallId"
    ]
    return Written(written.document, losses)
