"""Events of Gemini, written short, for tests."""

from __future__ import annotations

from typing import Any

from partwire import to_wire
from tests.providers.provider_streams import Ran, run_events

API = "gemini"
NAMES = {"modelVersion": "gemini-1", "responseId": "r1"}
STOP = {"candidates": [{"finishReason": "STOP"}]}
SIG = {"thoughtSignature": "c2ln"}


def event(*parts: Any, **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, **candidate}], **NAMES}


def call(**function_call: Any) -> dict[str, Any]:
    return {"functionCall": function_call}


def piece(path: str, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value}


def run(*events: Any, **options: Any) -> Ran:
    return run_events(API, events, **options)


def raw_args(ran: Ran) -> list[str]:
    text: dict[str, str] = {}
    for delta in ran.deltas:
        payload = to_wire(delta)["payload"]
        if delta.kind == "tool_call_start":
            text[payload["toolCallId"]] = ""
        elif delta.kind == "tool_call_args":
            text[payload["toolCallId"]] += payload["argsTextDelta"]
    return list(text.values())
