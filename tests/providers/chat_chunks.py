"""Chunks of the chat dialect for tests, and short ways to run them."""

from __future__ import annotations

from typing import Any

from tests.providers.provider_streams import Ran, run_events

API = "openai-chat"


def chunk(delta: Any = None, finish: Any = None, **event: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return {"id": "c1", "model": "gpt-1", "choices": [choice], **event}


def call(index: Any = None, call_id: Any = None, name: Any = None, args: Any = None) -> Any:
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": args}}


def calls(*entries: Any) -> dict[str, Any]:
    return chunk({"tool_calls": list(entries)})


def usage(**figures: Any) -> dict[str, Any]:
    return {"id": "c1", "model": "gpt-1", "choices": [], "usage": figures}


def run(*events: Any, **options: Any) -> Ran:
    return run_events(API, events, **options)


def finished(*events: Any, **options: Any) -> Ran:
    return run(*events, chunk(None, "stop"), "[DONE]", **options)


def made(ran: Ran) -> list[tuple[str, str, Any]]:
    payloads = [part["payload"] for part in ran.parts]
    return [
        (p["toolCallId"], p["toolName"], p.get("rawArgsText", p["arguments"])) for p in payloads
    ]
