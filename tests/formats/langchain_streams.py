"""Streams of LangChain and LangGraph, made up."""

from __future__ import annotations

from typing import Any

__all__ = ["GRAPHS", "MODELS", "PROTOCOL", "chunk"]

Json = dict[str, Any]


def chunk(
    message_id: str, content: Any = "", *, step: int = 1, task: str = "t", **more: Any
) -> Any:
    """Return a chunk of an AI message, as a graph yields it."""
    data = {"type": "AIMessageChunk", "content": content, "id": message_id, **more}
    return ["messages", [data, {"langgraph_step": step, "langgraph_checkpoint_ns": task}]]


def _piece(index: int, args: str, call_id: str | None = None, name: str | None = None) -> Json:
    said = {"index": index, "args": args, "id": call_id, "name": name, "type": "tool_call_chunk"}
    return {"tool_call_chunks": [said]}


_USAGE = {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8}
_ANTHROPIC = {"model_provider": "anthropic", "model_name": "claude-9", "id": "req-9"}
_HUMAN = {"type": "human", "content": "Rain?", "id": "m-1"}
_RESULT = {"type": "tool", "content": "4", "tool_call_id": "c-1", "name": "weather", "id": "m-3"}
_AI = {"type": "ai", "content": "No", "id": "run-1"}

GRAPHS: dict[str, list[Any]] = {
    "text": [
        ["values", {"messages": [_HUMAN]}],
        chunk("run-1", "It "),
        chunk("run-1", "rains"),
        chunk("run-1", response_metadata={"finish_reason": "stop", "model_name": "m-9"}),
        chunk("run-1", usage_metadata=_USAGE, chunk_position="last"),
    ],
    "Anthropic's blocks": [
        chunk("run-1", [], response_metadata=_ANTHROPIC),
        chunk("run-1", [{"type": "thinking", "thinking": "H", "index": 0}]),
        chunk("run-1", [{"type": "thinking", "thinking": "m", "index": 0}]),
        chunk("run-1", [{"type": "thinking", "signature": "sig-9", "index": 0}]),
        chunk("run-1", [{"type": "text", "text": "Let me ", "index": 1}]),
        chunk("run-1", [{"type": "text", "text": "see", "index": 1}]),
        chunk(
            "run-1",
            [{"type": "tool_use", "id": "c-1", "name": "weather", "input": {}, "index": 2}],
            **_piece(2, "", "c-1", "weather"),
        ),
        chunk("run-1", [{"type": "input_json_delta", "partial_json": '{"ci'}], **_piece(2, '{"ci')),
        chunk("run-1", [], **_piece(3, "", "c-2", "clock")),
        chunk("run-1", [], **_piece(3, '{"zone":')),
        chunk("run-1", [], **_piece(2, 'ty":"Oslo"}')),
        chunk("run-1", [], **_piece(3, '"CET"}')),
        chunk("run-1", [], response_metadata={"stop_reason": "tool_use"}, usage_metadata=_USAGE),
    ],
    "Responses' items": [
        chunk("run-1", [], response_metadata={"model_provider": "openai", "model_name": "m-9"}),
        chunk("run-1", [], additional_kwargs={"reasoning": {"id": "rs-9", "summary": []}}),
        chunk("run-1", [], additional_kwargs={"reasoning": {"summary": [{"text": "H"}]}}),
        chunk("run-1", [], additional_kwargs={"reasoning": {"summary": [{"text": "m"}]}}),
        chunk("run-1", [{"type": "text", "text": "It ", "index": 0}]),
        chunk("run-1", [{"type": "text", "text": "rains", "index": 0}]),
        chunk(
            "run-1",
            [],
            **_piece(1, "{}", "c-1", "weather"),
            additional_kwargs={"__openai_function_call_ids__": {"c-1": "fc-9"}},
        ),
        chunk("run-1", [], response_metadata={"status": "completed"}),
    ],
    "reasoning beside the content": [
        chunk("run-1", additional_kwargs={"reasoning_content": "H"}),
        chunk("run-1", additional_kwargs={"reasoning_content": "m"}),
        chunk("run-1", "Yes", response_metadata={"finish_reason": "stop"}),
    ],
    "an agent": [
        ["values", {"messages": [_HUMAN]}],
        chunk("run-1", "See", **_piece(0, "{}", "c-1", "weather")),
        ["updates", {"model": {"messages": [{"type": "ai", "content": "See", "id": "run-1"}]}}],
        ["messages", [_RESULT, {"langgraph_step": 2}]],
        ["values", {"messages": [_HUMAN, {"type": "ai", "content": "", "id": "run-1"}, _RESULT]}],
        chunk("run-2", "4 degrees", step=3),
        ["values", {"messages": [_HUMAN, _RESULT, {**_AI, "id": "run-2"}]}],
    ],
    "answers at the same time": [
        chunk("run-1", "On"),
        chunk("run-2", "Tw", task="u"),
        chunk("run-1", "e"),
        chunk("run-2", "o", task="u"),
        chunk("run-2", response_metadata={"finish_reason": "stop"}, task="u"),
        chunk("run-1", response_metadata={"finish_reason": "stop"}),
    ],
    "whole messages": [
        ["values", {"messages": [_HUMAN]}],
        ["values", {"messages": [_HUMAN, _AI]}],
        [[], "updates", {"tools": {"messages": [_RESULT]}}],
        {"type": "updates", "ns": [], "data": {"n": {"messages": {**_AI, "id": "run-3"}}}},
    ],
    "two names": [
        chunk("run-1", "It "),
        chunk("msg_1", "rains"),
        chunk("run-1", response_metadata={"finish_reason": "stop"}),
    ],
}


def _block(index: int, start: Json, *deltas: Json) -> list[Json]:
    head: Json = {"index": index}
    events = [{"event": "content-block-start", **head, "content": start}]
    return events + [{"event": "content-block-delta", **head, "delta": delta} for delta in deltas]


def _finish(index: int, content: Json) -> Json:
    return {"event": "content-block-finish", "index": index, "content": content}


def _text(text: str) -> Json:
    return {"type": "text-delta", "text": text}


_START = {
    "event": "message-start",
    "role": "ai",
    "id": "m-9",
    "metadata": {"provider": "anthropic", "model": "claude-9"},
}

MODELS: dict[str, list[Any]] = {
    "blocks in turn": [
        _START,
        *_block(0, {"type": "text", "text": ""}, _text("It "), _text("rains")),
        _finish(0, {"type": "text", "text": "It rains"}),
        {"event": "message-finish", "usage": _USAGE, "metadata": {"stop_reason": "end_turn"}},
    ],
    "blocks that end together": [
        _START,
        *_block(
            0,
            {"type": "reasoning", "reasoning": ""},
            {"type": "reasoning-delta", "reasoning": "Hm"},
        ),
        *_block(1, {"type": "text", "text": ""}, _text("See")),
        *_block(
            2,
            {"type": "tool_call_chunk", "id": "c-1", "name": "weather", "args": ""},
            {"type": "tool-call-delta", "args": '{"city":'},
            {"type": "tool-call-delta", "args": '"Oslo"}'},
        ),
        _finish(0, {"type": "reasoning", "reasoning": "Hm", "extras": {"signature": "sig-9"}}),
        _finish(
            1,
            {
                "type": "text",
                "text": "See",
                "annotations": [{"type": "citation", "url": "https://a.example", "title": "A"}],
            },
        ),
        _finish(2, {"type": "tool_call", "id": "c-1", "name": "weather", "args": {"city": "Oslo"}}),
        {"event": "message-finish", "metadata": {"stop_reason": "tool_use"}},
    ],
    "blocks that come whole": [
        {"event": "message-start", "role": "ai", "id": "m-9"},
        *_block(0, {"type": "image", "mime_type": "image/png"}),
        _finish(0, {"type": "image", "mime_type": "image/png", "base64": "iVBORw0KGgo="}),
        *_block(1, {"type": "server_tool_call", "id": "s-1", "name": "search", "args": {}}),
        _finish(1, {"type": "server_tool_call", "id": "s-1", "name": "search", "args": {"q": "x"}}),
        *_block(2, {"type": "server_tool_result", "tool_call_id": "s-1", "status": "success"}),
        _finish(
            2,
            {
                "type": "server_tool_result",
                "tool_call_id": "s-1",
                "status": "success",
                "output": "found",
            },
        ),
        *_block(3, {"type": "invalid_tool_call", "id": "c-9", "name": "weather"}),
        _finish(3, {"type": "invalid_tool_call", "id": "c-9", "name": "weather", "args": "{x"}),
        {"event": "message-finish"},
    ],
}


def _event(method: str, data: Any, seq: int, *, namespace: tuple[str, ...] = ()) -> Json:
    params = {"namespace": list(namespace), "timestamp": 1700000000000, "data": data}
    return {"type": "event", "method": method, "seq": seq, "params": params}


PROTOCOL: dict[str, list[Any]] = {
    "an agent": [
        _event("values", {"messages": [_HUMAN]}, 0),
        *(_event("messages", each, 1) for each in MODELS["blocks that end together"]),
        _event("tools", {"event": "tool-finished", "tool_call_id": "c-1", "output": [4, "C"]}, 2),
        *(_event("messages", each, 3) for each in MODELS["blocks in turn"]),
    ],
    "a tool that fails": [
        *(_event("messages", each, 1) for each in MODELS["blocks that end together"]),
        _event("tools", {"event": "tool-error", "tool_call_id": "c-1", "message": "broke"}, 2),
    ],
    "agents at the same time": [
        _event("messages", each, number, namespace=(name,))
        for number, (name, each) in enumerate(
            (name, each) for each in MODELS["blocks in turn"] for name in ("a", "b")
        )
    ],
}
