"""Sessions of agents as their programs write them: lines, and what a reader gives of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from partwire import formats, to_wire
from partwire.providers.framing.jsonlines import JSONLinesDecoder

__all__ = ["ClaudeCode", "items_of_session", "jsonl", "payloads", "roles", "streamed", "texts"]

Json = dict[str, Any]


class ClaudeCode:
    """Writes lines of a session of Claude Code; each follows the one before, unless told."""

    def __init__(self) -> None:
        self.lines: list[Json] = []
        self.last: str | None = None

    def line(self, kind: str, *, parent: Any = ..., **members: Any) -> str:
        """Write a line, and return its uuid."""
        uuid = f"u{len(self.lines)}"
        head = {
            "parentUuid": self.last if parent is ... else parent,
            "isSidechain": False,
            "sessionId": "ses_1",
            "cwd": "/w",
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2026-01-02T03:04:{len(self.lines) % 60:02}.000Z",
        }
        self.lines.append({**head, **members})
        self.last = uuid
        return uuid

    def user(self, text: Any, **members: Any) -> str:
        """Write what a user says."""
        return self.line("user", message={"role": "user", "content": text}, **members)

    def answer(self, own: str | None, *blocks: Json, usage: Any = None, **members: Any) -> str:
        """Write a line of an answer of the API."""
        message: Json = {"type": "message", "role": "assistant", "model": "m-1"}
        message |= {"id": own, "content": list(blocks), "stop_reason": None}
        if usage is not None:
            message["usage"] = usage
        return self.line("assistant", message=message, **members)

    def says(self, own: str, text: str, **members: Any) -> str:
        """Write a line of an answer that is text."""
        return self.answer(own, {"type": "text", "text": text}, **members)

    def calls(self, own: str, call_id: str, **members: Any) -> str:
        """Write a line of an answer that is a call."""
        block = {"type": "tool_use", "id": call_id, "name": "read", "input": {"path": call_id}}
        return self.answer(own, block, **members)

    def result(self, call_id: str, text: str = "done", **members: Any) -> str:
        """Write the result of a call."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        return self.user([block], **members)


def jsonl(lines: Iterable[Any]) -> bytes:
    """Return lines as JSON Lines; text stands as it is."""
    rows = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return "".join(f"{row}\n" for row in rows).encode()


def roles(result: formats.FormatResult) -> list[str]:
    """Return the roles of messages."""
    return [message.role for message in result.messages]


def payloads(result: formats.FormatResult) -> list[list[Json]]:
    """Return the payloads of each message."""
    return [[part["payload"] for part in to_wire(each)["parts"]] for each in result.messages]


def texts(messages: Sequence[Any]) -> list[str]:
    """Return all texts of messages, and the ids of calls and results."""
    return [
        part["payload"].get("text", part["payload"].get("toolCallId"))
        for message in messages
        for part in to_wire(message)["parts"]
    ]


def items_of_session(format: str, chunks: Iterable[bytes], **given: str) -> list[Any]:  # noqa: A002
    """Return the items of a session that comes in chunks, as JSON values; branches as they are."""
    return [
        item if isinstance(item, formats.Branch) else to_wire(item)
        for item in _run(format, chunks, given)[0]
    ]


def streamed(format: str, chunks: Iterable[bytes], **given: str) -> tuple[list[Any], Any]:  # noqa: A002
    """Return the messages that count of a session that comes in chunks, and the losses."""
    items, losses = _run(format, chunks, given)
    return formats.RunAssembler().feed_all(items).finish(), losses


def _run(format: str, chunks: Iterable[bytes], given: Any) -> tuple[list[Any], list[Any]]:  # noqa: A002
    reader: Any = formats.reader(format, **given)
    decoder = JSONLinesDecoder()
    items: list[Any] = []
    losses: list[Any] = []
    for chunk in chunks:
        for line in decoder.feed(chunk):
            items += reader.feed(line.data, number=line.number - 1)
            losses += reader.take_losses()
    for line in decoder.close():
        items += reader.feed(line.data, number=line.number - 1)
    items += reader.finish()
    return items, [*losses, *reader.take_losses()]
