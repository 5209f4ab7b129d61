"""Deltas for tests, and the assembler written down again, as plainly as it goes.

The reference follows semantics §3 rule by rule on JSON objects: no buffers, no batches, every
byte counted when it comes. What it says is what the assembler has to say.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import Limits, PartwireError, StreamProtocolError, read, to_wire, validate
from partwire.message import MessageAssembler
from partwire_testing.conformance.drawn.streams import RUN, START_AT, THEN, delta

# Beside what is defined here.
__all__ = ["RUN", "START_AT", "THEN", "delta"]

PAYLOADS: dict[str, dict[str, Any]] = {
    "start": {"modelId": "m", "requestId": "r"},
    "text": {"textDelta": "x"},
    "thinking": {"textDelta": "x"},
    "tool_call_start": {"toolCallId": "b", "toolName": "tool"},
    "tool_call_args": {"toolCallId": "a", "argsTextDelta": "{}"},
    "tool_call_end": {"toolCallId": "a"},
    "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
    "done": {"finishReason": "stop"},
    "error": {"errorCode": "timeout"},
}


_PAYLOADS: dict[str, tuple[str, ...]] = {
    "start": ("modelId", "requestId"),
    "text": ("textDelta", "opaque"),
    "thinking": ("textDelta", "opaque"),
    "tool_call_start": ("toolCallId", "toolName"),
    "tool_call_args": ("toolCallId", "argsTextDelta"),
    "tool_call_end": ("toolCallId",),
    "usage": ("inputTokens", "outputTokens", "totalTokens", "cost"),
    "done": ("finishReason", "providerFinishReason"),
    "error": ("errorCode", "message"),
}
KINDS = tuple(_PAYLOADS)
IDS = {"messageId": "stream/message-id-mismatch", "turnId": "stream/turn-id-mismatch"}


def stream(*rows: str | tuple[Any, ...], first: int = 0) -> list[dict[str, Any]]:
    """Return deltas from rows ``(kind, value, …)``; ``"start"`` and ``"done"`` have defaults."""
    deltas = []
    for seq, row in enumerate(rows, first):
        kind, *values = (row,) if isinstance(row, str) else row
        if kind == "start" and not values:
            values = ["model-1", "req_1"]
        if kind == "done" and not values:
            values = ["stop"]
        deltas.append(delta(kind, seq, dict(zip(_PAYLOADS[kind], values, strict=False))))
    return deltas


def struct(document: dict[str, Any]) -> Any:
    """Return a delta as struct."""
    return read(document, "message.MessageDelta", "tolerant")


def lines(deltas: list[dict[str, Any]]) -> list[bytes]:
    """Return deltas as JSON lines, without line ends."""
    return [json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode() for each in deltas]


def outcome(deltas: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    """Return what an assembler makes of a stream, as data."""
    assembler = MessageAssembler(**options)
    try:
        for each in deltas:
            assembler.consume(struct(each))
        assembler.close()
        return {"message": to_wire(assembler.build_final_message())}
    except PartwireError as error:
        return {"error": {"rule": error.rule, "seq": getattr(error, "seq", None)}}


CALL = ("tool_call_start", "a", "tool")


def fed(*rows: Any, **options: Any) -> MessageAssembler:
    """Return an assembler that has consumed the rows."""
    assembler = MessageAssembler(**options)
    for each in stream(*rows):
        assembler.consume(struct(each))
    return assembler


def refused(assembler: MessageAssembler, each: dict[str, Any]) -> StreamProtocolError:
    """Return the refusal of a delta."""
    with pytest.raises(StreamProtocolError) as caught:
        assembler.consume(struct(each))
    assert caught.value.seq == each["seq"]
    return caught.value


def parts_of(*rows: Any) -> list[Any]:
    """Return the parts of the message that the rows make between start and done."""
    message = outcome(stream("start", *rows, "done"))["message"]
    assert validate(message, "message.Message") == []
    parts: list[Any] = message["parts"]
    return parts


def text(value: str) -> dict[str, Any]:
    return {"kind": "text", "payload": {"text": value}}


def thinking(value: str) -> dict[str, Any]:
    return {"kind": "thinking", "payload": {"text": value}}


def call(call_id: str, arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    payload = {"toolCallId": call_id, "toolName": "tool", "arguments": arguments, **more}
    return {"kind": "tool_call", "payload": payload}


def one_call(*pieces: str) -> dict[str, Any]:
    """Return the message of one call whose arguments come in ``pieces``."""
    rows = [CALL, *(("tool_call_args", "a", piece) for piece in pieces), ("tool_call_end", "a")]
    message: dict[str, Any] = outcome(stream("start", *rows, "done"))["message"]
    return message


def parse_reference(text: str, max_depth: int) -> tuple[dict[str, Any], bool, str | None] | None:
    """Parse arguments with the standard library; None if they are nested too deep."""
    if _depth(text) > max_depth:
        return None
    if not text.strip(" \t\n\r"):
        return {}, False, None
    huge: list[int] = []

    def integer(digits: str) -> int:
        value = int(digits)
        float(value)  # OverflowError: infinite as a double
        if abs(value) > 2**53 - 1:
            huge.append(value)
        return value

    def decimal(digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            raise ValueError("infinite")
        return value

    def constant(name: str) -> Any:
        raise ValueError(name)

    try:
        value = json.loads(text, parse_int=integer, parse_float=decimal, parse_constant=constant)
        json.dumps(value, ensure_ascii=False).encode()  # no lone surrogates
        text.encode()
    except (ValueError, OverflowError):
        return {}, True, "invalid_json"
    if not isinstance(value, dict):
        return {}, True, "not_an_object"
    return value, _holds_huge(value), None


def _holds_huge(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_huge, value.values()))
    if isinstance(value, list):
        return any(map(_holds_huge, value))
    return type(value) is int and abs(value) > 2**53 - 1


def size_of_opaque(opaque: Any) -> int:
    """Return what opaque data counts against the limit; nothing for None."""
    if opaque is None:
        return 0

    def size(value: Any) -> int:
        if isinstance(value, str):
            return 8 + len(value.encode())
        if isinstance(value, dict):
            return 8 + sum(len(name.encode()) + size(member) for name, member in value.items())
        return 8 + (sum(map(size, value)) if isinstance(value, list) else 0)

    return size(opaque["provider"]) + size(opaque["data"])


def _depth(text: str) -> int:
    deepest = depth = 0
    in_string = escaped = False
    for char in text:
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


class Reference:
    """The assembler, plainly."""

    def __init__(self, run_id: str | None = None, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.status = "idle"
        self.run_id = run_id
        self.last_seq = -1
        self.slots: list[dict[str, Any]] = []
        self.calls: dict[str, dict[str, Any]] = {}
        self.text_bytes = 0
        self.ids: dict[str, Any] = {}
        self.meta: dict[str, Any] = {}
        self.usage: dict[str, Any] | None = None

    def consume(self, each: dict[str, Any]) -> str | None:
        """Take a delta; return the rule that refuses it."""
        kind, seq, payload = each["kind"], each["seq"], each["payload"]
        if self.status in ("done", "error"):
            return "stream/after-terminal"
        if self.status == "idle" and kind != "start":
            return "stream/start-expected"
        if self.status == "started" and kind == "start":
            return "stream/duplicate-start"
        if self.run_id not in (None, each["runId"]):
            return "stream/run-id-mismatch"
        for name, mismatch in IDS.items():
            own = self.ids.get(name)
            if self.status == "started" and each.get(name, own) != own:
                return mismatch
        if seq <= self.last_seq:
            return "stream/seq-not-increasing"
        take = getattr(self, f"_{kind}")
        rule: str | None = take(each, payload, kind)
        if rule is None:
            self.last_seq = seq
        return rule

    def _is_too_much(self, opaque: Any, replaced: Any = None) -> bool:
        """Return whether the message may not hold ``opaque`` too, or instead of another."""
        if opaque is None:
            return False
        kept = [each["payload"].get("opaque") for each in self.slots if "payload" in each]
        kept += [call["opaque"] for call in self.calls.values()]
        size = sum(map(size_of_opaque, filter(None, kept))) - size_of_opaque(replaced)
        # Read off the JSON text: no string of these tests has a bracket.
        depth = _depth(json.dumps(opaque["data"]))
        most = self.limits
        return size + size_of_opaque(opaque) > most.opaque_bytes or depth > most.opaque_depth

    def _start(self, each: dict[str, Any], payload: dict[str, Any], _kind: str) -> str | None:
        if any(len(each.get(name, "")) > self.limits.id_chars for name in ("runId", *IDS)):
            return "stream/limit-exceeded"
        self.status, self.run_id = "started", each["runId"]
        self.timestamp = each["timestamp"]
        self.ids = {name: each[name] for name in IDS if name in each}
        self.meta = {"modelId": payload["modelId"], "requestId": payload["requestId"]}
        return None

    def _text(self, _each: dict[str, Any], payload: dict[str, Any], kind: str) -> str | None:
        text, opaque = payload["textDelta"], payload.get("opaque")
        last = self.slots[-1] if self.slots else {}
        joins = last.get("kind") == kind and "opaque" not in last["payload"]
        begins = not joins and bool(text or opaque)
        if begins and len(self.slots) >= self.limits.parts:
            return "stream/limit-exceeded"
        if self._is_too_much(opaque):
            return "stream/limit-exceeded"
        if self.text_bytes + len(text.encode()) > self.limits.text_bytes:
            return "stream/limit-exceeded"
        self.text_bytes += len(text.encode())
        if begins:
            self.slots.append({"kind": kind, "payload": {"text": text}})
        elif text:
            last["payload"]["text"] += text
        if opaque:
            self.slots[-1]["payload"]["opaque"] = opaque
        return None

    _thinking = _text

    def _tool_call_start(self, _e: dict[str, Any], payload: dict[str, Any], _k: str) -> str | None:
        call_id = payload["toolCallId"]
        if len(call_id) > self.limits.id_chars:
            return "stream/limit-exceeded"
        if call_id in self.calls:
            return "stream/duplicate-tool-call"
        if len(self.calls) >= self.limits.tool_calls or len(self.slots) >= self.limits.parts:
            return "stream/limit-exceeded"
        opaque = payload.get("opaque")
        if self._is_too_much(opaque):
            return "stream/limit-exceeded"
        call = {"id": call_id, "name": payload["toolName"], "text": "", "part": None, "error": None}
        call["opaque"] = opaque
        self.calls[call_id] = call
        self.slots.append({"call": call})
        return None

    def _open(self, payload: dict[str, Any]) -> dict[str, Any] | str:
        call = self.calls.get(payload["toolCallId"])
        if call is None:
            return "stream/unknown-tool-call"
        return "stream/tool-call-closed" if call["part"] else call

    def _tool_call_args(self, _e: dict[str, Any], payload: dict[str, Any], _k: str) -> str | None:
        call = self._open(payload)
        if isinstance(call, str):
            return call
        text = call["text"] + payload["argsTextDelta"]
        opaque = payload.get("opaque")
        if len(text.encode()) > self.limits.arguments_bytes:
            return "stream/limit-exceeded"
        if self._is_too_much(opaque, call["opaque"]):
            return "stream/limit-exceeded"
        call["text"], call["opaque"] = text, opaque or call["opaque"]
        return None

    def _tool_call_end(self, _e: dict[str, Any], payload: dict[str, Any], _k: str) -> str | None:
        call = self._open(payload)
        if isinstance(call, str):
            return call
        parsed = parse_reference(call["text"], self.limits.arguments_depth)
        if parsed is None or self._is_too_much(payload.get("opaque"), call["opaque"]):
            return "stream/limit-exceeded"
        call["opaque"] = payload.get("opaque") or call["opaque"]
        arguments, keep, call["error"] = parsed
        body = {"toolCallId": call["id"], "toolName": call["name"], "arguments": arguments}
        if keep:
            body["rawArgsText"] = call["text"]
        if call["opaque"]:
            body["opaque"] = call["opaque"]
        call["part"] = {"kind": "tool_call", "payload": body}
        return None

    def _usage(self, _each: dict[str, Any], payload: dict[str, Any], _kind: str) -> None:
        self.usage = (self.usage or {}) | payload

    def _done(self, each: dict[str, Any], payload: dict[str, Any], _kind: str) -> str | None:
        if any(call["part"] is None for call in self.calls.values()):
            return "stream/tool-call-open"
        self.status = "done"
        self.meta |= payload | {"completedAt": each["timestamp"]}
        return None

    def _error(self, each: dict[str, Any], _payload: dict[str, Any], _kind: str) -> None:
        self.status = "error"
        self.meta["completedAt"] = each["timestamp"]

    def message(self) -> dict[str, Any]:
        """Return what a snapshot holds, and usage."""
        parts, errors = [], []
        for slot in self.slots:
            call = slot.get("call")
            if call is None:
                parts.append({"kind": slot["kind"], "payload": dict(slot["payload"])})
            elif call["part"] is not None:
                parts.append(call["part"])
                if call["error"]:
                    errors.append({"toolCallId": call["id"], "error": call["error"]})
        meta = dict(self.meta)
        if self.usage is not None:
            meta["usage"] = self.usage
        if errors:
            meta["toolCallParseErrors"] = errors
        return {
            "runId": self.run_id,
            **self.ids,
            "role": "assistant",
            "parts": parts,
            "timestamp": self.timestamp,
            "meta": meta,
        }
