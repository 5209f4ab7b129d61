"""partwire's own ways to a final message, with the native core and without, and the floor."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from bench.content import Content, Outcome
from bench.contestants import Contestant, to_lines
from bench.ways import WAYS
from partwire.message import LineAssembler, MessageAssembler, assemble
from partwire.types import Message, MessageDelta

__all__ = [
    "AS_THEY_COME",
    "CHUNKS",
    "FORMS",
    "assemble_chunks",
    "assemble_lines",
    "consume_lines",
    "contestants",
    "cut",
    "decode",
    "deltas",
    "lines_of",
    "message_outcome",
    "to_buffer",
]

CHUNKS: Final = {"200 bytes": 200, "64 KiB": 64 * 1024}
"""How a stream is cut: about as a network brings it, and as a file is read."""

_EXTRAS: Final[dict[str, dict[str, Any]]] = {
    "ids": {"messageId": "msg_01HV6Z4Y3T", "turnId": "turn_01HV6Z4Y3T"},
    "raw": {
        "providerRaw": {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": 'some {text} "and" more'}}],
        }
    },
}
FORMS: Final = {"raw": "with providerRaw", "ids": "with ids", "spaces": "with json.dumps' spaces"}
"""What lines may look like beside the bare form."""


def deltas(content: Content, more: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the content as deltas, tag first, as our own writer puts them, and ``more`` last."""
    seq = 0

    def delta(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal seq
        seq += 1
        stamp = f"2026-11-03T10:{seq // 60_000 % 60:02}:{seq // 1000 % 60:02}.{seq % 1000:03}Z"
        made = {"kind": kind, "runId": "run-1", "seq": seq, "payload": payload, "timestamp": stamp}
        return {**made, **more} if more else made

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


def to_buffer(content: Content, form: str = "") -> bytes:
    """Return the deltas as one buffer of JSON lines, in one of the forms."""
    each = deltas(content, _EXTRAS.get(form))
    if form == "spaces":
        return b"".join(json.dumps(delta).encode() + b"\n" for delta in each)
    return b"\n".join([*to_lines(each), b""])


def cut(data: bytes, size: int) -> list[bytes]:
    """Cut bytes into chunks."""
    return [data[at : at + size] for at in range(0, len(data), size)]


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


# --- the floor ------------------------------------------------------------------------------------

_decoder: Final = msgspec.json.Decoder(MessageDelta)
decode: Final = _decoder.decode


def chunks_of(buffer: bytes) -> Iterator[memoryview]:
    """Cut a buffer into pieces of at most 64 KiB that end at line ends."""
    view, start = memoryview(buffer), 0
    while start < len(buffer):
        end = buffer.rfind(b"\n", start, start + CHUNKS["64 KiB"]) + 1
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


# --- ours -----------------------------------------------------------------------------------------


def assemble_lines(lines: list[bytes]) -> Message:
    """Assemble lines as they come from a generator."""
    return assemble(line for line in lines)


def assemble_chunks(chunks: list[bytes]) -> Message:
    """Assemble chunks as they come."""
    stream = LineAssembler()
    feed = stream.feed
    for chunk in chunks:
        feed(chunk)
    return stream.finish()


def consume_lines(lines: list[bytes]) -> Message:
    """Decode and take delta by delta."""
    assembler = MessageAssembler()
    consume = assembler.consume
    for line in lines:
        consume(decode(line))
    return assembler.build_final_message()


_Encode = Callable[[Content], Any]


def _to_chunks(size: int) -> _Encode:
    return lambda content: cut(to_buffer(content), size)


def _in_form(form: str) -> _Encode:
    return lambda content: to_buffer(content, form)


AS_THEY_COME: Final = ("assemble_lines", *(f"feed_{size}" for size in CHUNKS.values()))

_BOTH_WAYS: Final[tuple[tuple[str, str, _Encode, Callable[[Any], Message]], ...]] = (
    ("assemble_buffer", "assemble(buffer)", to_buffer, assemble),
    ("assemble_lines", "assemble(lines of a generator)", lines_of, assemble_lines),
    *(
        (f"feed_{size}", f"LineAssembler.feed, {label}", _to_chunks(size), assemble_chunks)
        for label, size in CHUNKS.items()
    ),
    *(
        (f"buffer_{form}", f"assemble(buffer) {label}", _in_form(form), assemble)
        for form, label in FORMS.items()
    ),
)


def contestants() -> list[Contestant]:
    """Return the floor, then our own contestants: native, then plain."""
    floor = Contestant(
        "floor", "floor: typed decoding", "floor", to_buffer, _run_floor, _floor_outcome
    )
    made = [
        Contestant(f"{key}, {way}", f"{label}, {way}", "ours", encode, run, message_outcome, way)
        for way in WAYS
        for key, label, encode, run in _BOTH_WAYS
    ]
    label = "MessageAssembler.consume, delta by delta, plain"
    consume = Contestant(
        "consume, plain", label, "ours", lines_of, consume_lines, message_outcome, "plain"
    )
    return [floor, *made, consume]
