"""Messages of spans, made by thought: each member and each type of part once at least."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["DOCUMENTS", "answer", "call", "said", "text"]

Json = dict[str, Any]


def said(role: str, *parts: Json, **members: Any) -> Json:
    return {"role": role, "parts": list(parts), **members}


def text(content: str, **members: Any) -> Json:
    return {"type": "text", "content": content, **members}


def call(own: str | None, name: str, arguments: Any, **members: Any) -> Json:
    return {"type": "tool_call", "id": own, "name": name, "arguments": arguments, **members}


def answer(own: str | None, response: Any, **members: Any) -> Json:
    return {"type": "tool_call_response", "id": own, "response": response, **members}


CODE = {"type": "interpreter", "code": "1+1"}
OUTPUTS = {"type": "interpreter", "outputs": [{"logs": "2"}]}

DOCUMENTS: dict[str, Any] = {
    "messages": [
        said("system", text("Be brief."), {"type": "uri", "uri": "https://example.org", "x": 1}),
        said("developer", text("In French.", odd=1)),
        said(
            "user",
            text("Look:"),
            {"type": "text"},
            {
                "type": "blob",
                "mime_type": "image/png",
                "modality": "image",
                "content": "iVBORw0KGgo=",
            },
            {"type": "blob", "modality": "audio", "content": "-_8_", "transcript": "hello"},
            {"type": "binary", "media_type": "application/pdf", "content": "JVBERg=="},
            {"type": "binary", "media_type": "application/pdf"},
            {"type": "blob", "mime_type": "a/b", "modality": "image", "content": "?"},
            {
                "type": "uri",
                "mime_type": "video/mp4",
                "modality": "film",
                "uri": "https://example.org/a",
            },
            {"type": "uri", "uri": "https://example.org/b.png", "modality": "image"},
            {"type": "image-url", "url": "https://example.org/c.png"},
            {"type": "document-url", "url": "https://example.org/c.pdf"},
            {"type": "file", "file_id": "file-1", "mime_type": "text/csv", "modality": "document"},
            {"type": "file", "file_id": "file-2", "modality": "image", "transcript": "t"},
            {"type": "odd", "x": [1]},
            name="ada",
            odd=2,
        ),
        said(
            "assistant",
            {"type": "reasoning", "content": "Hm."},
            {"type": "thinking", "content": "So."},
            {"type": "compaction", "id": "c", "content": "so far"},
            text("I look."),
            call("a", "f", {"x": 1}),
            call("b", "g", '{"y":2}'),
            call("c", "g", "no JSON"),
            call(None, "h", [1]),
            call("a", "f", None),
            {"type": "tool_call", "id": "d"},
            name="helper",
            finish_reason="tool_call",
        ),
        said(
            "tool",
            answer("a", {"ok": True}),
            answer("b", [1, "two"], name="g"),
            answer("c", None),
            answer(None, "x", name="h"),
            answer("z", 2.5, name="other"),
            text("and a"),
            text("too much"),
            name="odd",
        ),
        said("user", answer("q", "early"), text("and?"), answer("r", "late")),
        said("assistant", {"type": "tool_call_response", "id": "s", "result": "old"}),
        said("critic", text("no")),
        said("user"),
        said("model", text("yes"), finish_reason="end_turn"),
    ],
    "server": [
        said("user", text("Go")),
        said(
            "assistant",
            {
                "type": "server_tool_call",
                "id": "s1",
                "name": "interpreter",
                "server_tool_call": CODE,
            },
            {
                "type": "server_tool_call_response",
                "id": "s1",
                "server_tool_call_response": OUTPUTS,
            },
            {
                "type": "server_tool_call",
                "name": "search",
                "server_tool_call": {"type": "web", "q": "x"},
            },
            {
                "type": "server_tool_call_response",
                "server_tool_call_response": {"type": "search", "content": "found"},
            },
            {
                "type": "server_tool_call_response",
                "id": "s1",
                "server_tool_call_response": OUTPUTS,
            },
            call("p1", "code", {"code": "2"}, builtin=True, code_arg_name="code"),
            answer("p1", "4", builtin=True, name="code"),
            finish_reason="stop",
        ),
    ],
    "span": {
        "name": "chat m",
        "attributes": {
            "gen_ai.request.model": "m",
            "gen_ai.system_instructions": [text("Be brief."), text("In French.")],
            "gen_ai.input.messages": json.dumps([said("user", text("Hi"))]),
            "gen_ai.output.messages": [
                said("assistant", text("Ho"), finish_reason="stop"),
                said("assistant", text("Hey"), finish_reason=""),
            ],
        },
    },
    "attributes": {
        "system_instructions": text("Be brief."),
        "gen_ai.input.messages": [said("user", text("Hi"))],
        "gen_ai.output.messages": None,
    },
    "run": {"pydantic_ai.all_messages": [said("user", text("Hi"))]},
    "instructions": [text("Be brief."), {"type": "odd"}],
    "one": said("user", text("Hi")),
}
