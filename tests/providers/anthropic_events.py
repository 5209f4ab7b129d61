"""Events of Anthropic Messages, made in tests."""

from __future__ import annotations

from typing import Any

from tests.providers.provider_streams import Ran, run_events

API = "anthropic-messages"


def start(**message: Any) -> dict[str, Any]:
    base = {"id": "msg_1", "model": "claude-1", "content": [], "usage": {"input_tokens": 3}}
    return {"type": "message_start", "message": {**base, **message}}


def begin(index: int, kind: str, **block: Any) -> dict[str, Any]:
    return {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": kind, **block},
    }


def piece(index: int, kind: str, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


def text(index: int, value: Any) -> dict[str, Any]:
    return piece(index, "text_delta", text=value)


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def ends(reason: str | None = "end_turn") -> list[dict[str, Any]]:
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": None}
    return [delta, {"type": "message_stop"}]


def run(*events: Any, **options: Any) -> Ran:
    return run_events(API, events, **options)
