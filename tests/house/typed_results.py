"""What the entrances return, as type checkers see it; read by test_blocks_and_results_typed.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import partwire
from partwire import models
from partwire.convert import BridgeResult, convert, load, store
from partwire.envelope import parse
from partwire.reading import ReadResult
from partwire.types import (
    Message,
    MessagePart,
    TaskEvent,
    TextPart,
    ToolCallPart,
    ToolResult,
    blocks,
    envelope,
    session,
)
from partwire.v0_1.structs import message as older

__all__ = ["convert_all", "narrow", "read_all", "store_all"]


class Ticket(models.Message):
    company: str


def read_all(data: bytes, name: str) -> None:
    assert_type(partwire.read(data, Message), Message)
    assert_type(partwire.read("{}", "message.Message"), Message)
    assert_type(partwire.read({}, "message.Message", mode="tolerant"), Message)
    assert_type(partwire.read([], list[Message]), list[Message])
    assert_type(partwire.read(data, models.Message), models.Message)
    assert_type(partwire.read(memoryview(data), Ticket), Ticket)
    assert_type(partwire.read(data, "message.MessagePart"), MessagePart)
    assert_type(partwire.read(data, "session.WithParts"), session.WithParts)
    assert_type(partwire.read(data, older.Message), older.Message)
    assert_type(partwire.read(data, name), Any)
    assert_type(partwire.read(data, "message.Message", version="v0.1"), Any)
    assert_type(partwire.read_with_findings(data, Message), ReadResult[Message])
    assert_type(partwire.read_with_findings(data, "message.Message").value, Message)
    assert_type(parse(TaskEvent, data), TaskEvent)
    partwire.read(Path("a.json"), Message)  # type: ignore[call-overload]  # pyright: ignore
    partwire.validate(data, older.Message)
    partwire.validate([data, {}], list[Message])


def store_all(message: Message) -> None:
    assert_type(load(store(message), Message), Message)
    assert_type(load(store(message), "message.Message"), Message)
    assert_type(load(store(message)), Any)
    assert_type(partwire.dump([message], list[Message]), bytes)
    partwire.check_history([message, "{}", b"{}", {}])
    partwire.assemble("")


def convert_all(
    message: Message, record: session.WithParts, result: ToolResult, done: envelope.ToolResult
) -> None:
    assert_type(convert(message, "session"), BridgeResult[list[session.WithParts]])
    assert_type(convert([message], "blocks").value, list[blocks.Message])
    assert_type(convert("[]", blocks.Message, type=Message).value, list[blocks.Message])
    assert_type(convert(record, "message").value, list[Message])
    assert_type(convert([record], Message).value, list[Message])
    assert_type(convert(result, "envelope").value, envelope.ToolResult)
    assert_type(convert(result, envelope.ToolCallResponse).value, envelope.ToolCallResponse)
    assert_type(convert(done, "message").value, ToolResult)
    assert_type(convert([done], "message").value, list[ToolResult])


def narrow(message: Message, model: models.Message) -> None:
    for part in message.parts:
        if part.kind == "text":
            assert_type(part, TextPart)
        elif isinstance(part, ToolCallPart):
            assert_type(part.payload.tool_name, str)
    for made in model.parts:
        if made.kind == "text":
            assert_type(made, models.TextPart)
