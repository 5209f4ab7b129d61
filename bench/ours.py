"""partwire's own three ways to a final message, and the floor under them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from bench.content import Content, Outcome
from bench.contestants import Contestant, to_lines
from partwire.message import MessageAssembler, assemble
from partwire.types import Message, MessageDelta

__all__ = ["CHUNK_BYTES", "contestants", "deltas", "lines_of", "message_outcome", "to_buffer"]

CHUNK_BYTES: Final = 64 * 1024


def deltas(content: Content) -> Iterator[dict[str, Any]]:
    """Yield the content as deltas, tag first, as our own writer puts them."""
    seq = 0

    def delta(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal seq
        seq += 1
        stamp = f"2026-11-03T10:{seq // 60_000 % 60:02}:{seq // 1000 % 60:02}.{seq % 1000:03}Z"
        return {"kind": kind, "runId": "run-1", "seq": seq, "payload": payload, "timestamp": stamp}

    yield delta("start", {"modelId": "model-1", "requestId": "request-1"})
    for call in content.calls:
        yield delta("tool_call_start", {"toolCallId": call.call_id, "toolName": call.name})
    for index, piece in content.pieces:
        if index < 0:
            yield delta("text", {"textDelta": piece})
        else:
            call_id = content.calls[index].call_id
            yield delta("tool_call_args", {"toolCallId": call_id, "argsTextDelta": piece})
    for call in content.calls:
        yield delta("tool_call_end", {"toolCallId": call.call_id})
    total = {"inputTokens": 10, "outputTokens": content.size, "totalTokens": content.size + 10}
    yield delta("usage", total)
    yield delta("done", {"finishReason": "tool_calls" if content.calls else "stop"})


def lines_of(content: Content) -> list[bytes]:
    """Return the deltas as JSON lines, without line ends."""
    return to_lines(deltas(content))


def to_buffer(content: Content) -> bytes:
    """Return the deltas as one buffer of JSON lines."""
    return b"\n".join([*lines_of(content), b""])


def message_outcome(_given: object, message: Message) -> Outcome:
    """Read a Message of ours."""
    text: list[str] = []
    calls: list[tuple[str, str, Any]] = []
    for part in message.parts:
        match part.kind:
            case "text":
                text.append(part.payload.text)
            case "tool_call":
                call = part.payload
                calls.append((call.tool_call_id, call.tool_name, call.arguments))
            case kind:
                raise ValueError(f"a part of kind {kind} that the content does not have")
    return Outcome("".join(text), tuple(calls))


_decoder: Final = msgspec.json.Decoder(MessageDelta)


def chunks_of(buffer: bytes) -> Iterator[memoryview]:
    """Cut a buffer into pieces of at most 64 KiB that end at line ends."""
    view, start = memoryview(buffer), 0
    while start < len(buffer):
        end = buffer.rfind(b"\n", start, start + CHUNK_BYTES) + 1
        if not end:
            end = (buffer.find(b"\n", start) + 1) or len(buffer)
        yield view[start:end]
        start = end


def _run_floor(buffer: bytes) -> int:
    decode_lines, count = _decoder.decode_lines, 0
    for chunk in chunks_of(buffer):
        count += len(decode_lines(chunk))
    return count


def _floor_outcome(buffer: bytes, count: int) -> Outcome:
    text: list[str] = []
    names: dict[str, str] = {}
    arguments: dict[str, list[str]] = {}
    decoded: list[Any] = [d for chunk in chunks_of(buffer) for d in _decoder.decode_lines(chunk)]
    for delta in decoded[:count]:
        match delta.kind:
            case "text":
                text.append(delta.payload.text_delta)
            case "tool_call_start":
                names[delta.payload.tool_call_id] = delta.payload.tool_name
                arguments[delta.payload.tool_call_id] = []
            case "tool_call_args":
                arguments[delta.payload.tool_call_id].append(delta.payload.args_text_delta)
    parse = msgspec.json.decode
    calls = ((key, name, parse("".join(arguments[key]) or "{}")) for key, name in names.items())
    return Outcome("".join(text), tuple(calls))


def _run_consume(lines: list[bytes]) -> Message:
    decode = _decoder.decode
    assembler = MessageAssembler()
    consume = assembler.consume
    for line in lines:
        consume(decode(line))
    return assembler.build_final_message()


def contestants() -> list[Contestant]:
    """Return the floor, then our own contestants."""
    floor = Contestant(
        "floor", "floor: typed decoding", "floor", to_buffer, _run_floor, _floor_outcome
    )
    ways: list[tuple[str, str, Any, Any]] = [
        ("assemble_buffer", "partwire assemble(buffer)", to_buffer, assemble),
        ("assemble_lines", "partwire assemble(lines)", lines_of, assemble),
        ("consume", "partwire consume, delta by delta", lines_of, _run_consume),
    ]
    return [
        floor,
        *(
            Contestant(key, label, "ours", encode, run, message_outcome)
            for key, label, encode, run in ways
        ),
    ]
