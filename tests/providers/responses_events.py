"""Events of the Responses dialect for tests, and short ways to run them."""

from __future__ import annotations

from typing import Any

from tests.providers.provider_streams import Ran, run_events

API = "openai-responses"


def response(status: str = "completed", **members: Any) -> dict[str, Any]:
    return {"object": "response", "id": "r1", "model": "gpt-5", "status": status, **members}


def created(**members: Any) -> dict[str, Any]:
    return {"type": "response.created", "response": response("in_progress", **members)}


def ended(*output: Any, status: str = "completed", **members: Any) -> dict[str, Any]:
    body = response(status, output=list(output), **members)
    return {"type": f"response.{status}", "response": body}


def added(index: Any, kind: str, **item: Any) -> dict[str, Any]:
    return {
        "type": "response.output_item.added",
        "output_index": index,
        "item": {"type": kind, **item},
    }


def begins(index: Any, call_id: Any = "c", name: Any = "n", **members: Any) -> dict[str, Any]:
    """Return the event with which a function call begins."""
    item = {"id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": "", **members}
    return added(index, "function_call", **item)


def done(index: Any, item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def text(index: Any, delta: Any, part: Any = 0, **members: Any) -> dict[str, Any]:
    return {
        "type": "response.output_text.delta",
        "output_index": index,
        "content_index": part,
        "delta": delta,
        **members,
    }


def summary(index: Any, delta: Any, part: Any = 0) -> dict[str, Any]:
    return {
        "type": "response.reasoning_summary_text.delta",
        "output_index": index,
        "summary_index": part,
        "delta": delta,
    }


def raw(index: Any, delta: Any, part: Any = 0) -> dict[str, Any]:
    return {
        "type": "response.reasoning_text.delta",
        "output_index": index,
        "content_index": part,
        "delta": delta,
    }


def args(index: Any, delta: Any, **members: Any) -> dict[str, Any]:
    return {
        "type": "response.function_call_arguments.delta",
        "output_index": index,
        "delta": delta,
        **members,
    }


def message(item_id: str, *texts: str, **members: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": t, "annotations": []} for t in texts]
    return {
        "type": "message",
        "id": item_id,
        "role": "assistant",
        "status": "completed",
        "content": content,
        **members,
    }


def reasoning(item_id: str, *texts: str, **members: Any) -> dict[str, Any]:
    parts = [{"type": "summary_text", "text": t} for t in texts]
    return {"type": "reasoning", "id": item_id, "summary": parts, **members}


def function(item_id: str, call_id: str, name: str, text: Any, **members: Any) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": item_id,
        "call_id": call_id,
        "name": name,
        "arguments": text,
        "status": "completed",
        **members,
    }


def run(*events: Any, **options: Any) -> Ran:
    return run_events(API, events, **options)


def finished(*events: Any, **options: Any) -> Ran:
    return run(created(), *events, ended(), **options)


def texts(ran: Ran, kind: str = "text") -> str:
    return "".join(p["payload"]["text"] for p in ran.parts if p["kind"] == kind)


def made(ran: Ran, kind: str = "tool_call") -> list[tuple[str, str, Any]]:
    payloads = [p["payload"] for p in ran.parts if p["kind"] == kind]
    return [
        (p["toolCallId"], p["toolName"], p.get("rawArgsText", p["arguments"])) for p in payloads
    ]
