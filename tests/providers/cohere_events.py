"""Events of Cohere Chat v2, written short, for tests."""

from __future__ import annotations

from typing import Any

from tests.providers.provider_streams import Ran, run_events

API = "cohere-v2"
THINKING = {"type": "thinking"}
START = {"id": "gen_1", "type": "message-start", "delta": {"message": {"role": "assistant"}}}
TOKENS = {"tokens": {"input_tokens": 3, "output_tokens": 2}}


def event(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    base = {"type": kind} if index is None else {"type": kind, "index": index}
    return {**base, "delta": {"message": message}}


def begin(index: int, kind: str = "text", text: str = "") -> dict[str, Any]:
    return event("content-start", index, content={"type": kind, kind: text})


def piece(index: int, text: Any, kind: str = "text") -> dict[str, Any]:
    return event("content-delta", index, content={kind: text})


def stop(index: int) -> dict[str, Any]:
    return {"type": "content-end", "index": index}


def block(index: int, text: str, kind: str = "text") -> list[dict[str, Any]]:
    return [begin(index, kind), piece(index, text, kind), stop(index)]


def plan(text: Any) -> dict[str, Any]:
    return event("tool-plan-delta", tool_plan=text)


def call_start(index: int, call_id: str = "t", name: Any = "f", args: Any = "") -> dict[str, Any]:
    function = {"name": name, "arguments": args}
    return event(
        "tool-call-start",
        index,
        tool_calls={"id": call_id, "type": "function", "function": function},
    )


def call_piece(index: int, args: Any) -> dict[str, Any]:
    return event("tool-call-delta", index, tool_calls={"function": {"arguments": args}})


def call_stop(index: int) -> dict[str, Any]:
    return {"type": "tool-call-end", "index": index}


def cite(**citation: Any) -> dict[str, Any]:
    return event("citation-start", 0, citations=citation)


def ends(reason: Any = "COMPLETE", **delta: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": reason, **delta}}


def run(*events: Any, **options: Any) -> Ran:
    return run_events(API, events, **options)
