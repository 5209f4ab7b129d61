"""A stream's lines → its message, as fast as Python can: what all scripts with msgspec share."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec

__all__ = ["message_of"]


class _Payload(msgspec.Struct, rename="camel", gc=False):
    text_delta: str = ""
    tool_call_id: str = ""
    tool_name: str = ""
    args_text_delta: str = ""
    model_id: str = ""
    request_id: str = ""
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0


class _Delta(msgspec.Struct, rename="camel", gc=False):
    kind: str
    run_id: str
    seq: int
    timestamp: str
    payload: _Payload
    message_id: str | None = None
    turn_id: str | None = None


_decode_deltas = msgspec.json.Decoder(list[_Delta]).decode
_decode = msgspec.json.decode
_encode = msgspec.json.Encoder().encode
_seq_of = attrgetter("seq")


def message_of(lines: Sequence[Any]) -> bytes:
    """Return the message of a stream as JSON text; its lines may come in any order, and again.

    They are all str, or all bytes, or one str in which commas are between them.
    """
    deltas = _decode_deltas(_array(lines))
    deltas.sort(key=_seq_of)
    start = deltas[0]
    message: dict[str, Any] = {
        "runId": start.run_id,
        "role": "assistant",
        "timestamp": start.timestamp,
    }
    if start.message_id is not None:
        message["messageId"] = start.message_id
    if start.turn_id is not None:
        message["turnId"] = start.turn_id
    meta: dict[str, Any] = {
        "modelId": start.payload.model_id,
        "requestId": start.payload.request_id,
    }
    parts: list[Any] = []
    calls: dict[str, tuple[int, str, list[str]]] = {}
    seq, last, ending, pieces = -1, "", "truncated", [""]
    for delta in deltas:
        if delta.seq == seq:
            continue
        seq, kind, payload = delta.seq, delta.kind, delta.payload
        if kind in ("text", "thinking"):
            if kind != last:
                pieces = []
                parts.append((kind, pieces))
            pieces.append(payload.text_delta)
        elif kind == "tool_call_args":
            calls[payload.tool_call_id][2].append(payload.args_text_delta)
        elif kind == "tool_call_start":
            calls[payload.tool_call_id] = len(parts), payload.tool_name, []
            parts.append(None)
        elif kind == "tool_call_end":
            place, name, said = calls.pop(payload.tool_call_id)
            arguments = _decode("".join(said))
            call = {"toolCallId": payload.tool_call_id, "toolName": name, "arguments": arguments}
            parts[place] = {"kind": "tool_call", "payload": call}
        elif kind == "usage":
            meta["usage"] = {
                "inputTokens": payload.input_tokens,
                "outputTokens": payload.output_tokens,
                "totalTokens": payload.total_tokens,
            }
        elif kind in ("done", "error"):
            ending = kind
            meta["completedAt"] = delta.timestamp
            if kind == "done":
                meta["finishReason"] = payload.finish_reason
        last = kind
    if ending != "done":
        meta["incomplete"] = {"ending": ending, "openToolCallIds": list(calls)}
    message["parts"] = [
        {"kind": part[0], "payload": {"text": "".join(part[1])}} if type(part) is tuple else part
        for part in parts
        if part is not None
    ]
    message["meta"] = meta
    return _encode(message)


def _array(lines: Sequence[Any]) -> Any:
    """Return lines as the text of an array."""
    if isinstance(lines, str):
        return f"[{lines}]"
    return f"[{','.join(lines)}]" if isinstance(lines[0], str) else b"[" + b",".join(lines) + b"]"
