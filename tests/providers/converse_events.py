"""Events of Bedrock Converse, written short, for tests."""

from __future__ import annotations

from typing import Any

from tests.providers.provider_streams import Ran, run_events

API = "bedrock-converse"
START = {"messageStart": {"role": "assistant"}}
USAGE = {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}


def begin(index: int, **start: Any) -> dict[str, Any]:
    return {"contentBlockStart": {"contentBlockIndex": index, "start": start}}


def piece(index: int, **delta: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}


def text(index: int, value: Any) -> dict[str, Any]:
    return piece(index, text=value)


def reasoning(index: int, **content: Any) -> dict[str, Any]:
    return piece(index, reasoningContent=content)


def stop(index: int) -> dict[str, Any]:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def ends(reason: Any = "end_turn", **more: Any) -> dict[str, Any]:
    return {"messageStop": {"stopReason": reason, **more}}


def metadata(usage: Any = None, **more: Any) -> dict[str, Any]:
    return {"metadata": {"usage": USAGE if usage is None else usage, **more}}


def call(index: int, call_id: str = "t1", name: str = "f", **more: Any) -> dict[str, Any]:
    return begin(index, toolUse={"toolUseId": call_id, "name": name, **more})


def run(*events: Any, **options: Any) -> Ran:
    """Feed the events to the adapter and close."""
    return run_events(API, events, **options)
