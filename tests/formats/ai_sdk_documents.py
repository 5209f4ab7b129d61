"""Histories of AI SDK, made by thought: each form that a part can have."""

from __future__ import annotations

from typing import Any

__all__ = ["MODEL_MESSAGES", "STORED", "UI_MESSAGES"]

_PIXEL = "iVBORw0KGgo="


def _assistant(*parts: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"id": "m-9", "role": "assistant", "parts": list(parts), **members}


def _tool(name: str, state: str, call_id: str = "call-9", **members: Any) -> dict[str, Any]:
    return {"type": f"tool-{name}", "toolCallId": call_id, "state": state, **members}


UI_MESSAGES: dict[str, list[dict[str, Any]]] = {
    "texts": [
        {"id": "s", "role": "system", "parts": [{"type": "text", "text": "Be short."}]},
        {
            "id": "u",
            "role": "user",
            "metadata": {"from": "phone"},
            "parts": [
                {"type": "text", "text": "Look", "providerMetadata": {"x": {"cache": True}}},
                {
                    "type": "file",
                    "mediaType": "image/png",
                    "url": f"data:image/png;base64,{_PIXEL}",
                },
                {"type": "file", "mediaType": "text/csv", "url": "https://a.example/t.csv"},
                {
                    "type": "file",
                    "mediaType": "application/pdf",
                    "filename": "p.pdf",
                    "url": f"data:application/pdf;base64,{_PIXEL}",
                },
                {
                    "type": "file",
                    "mediaType": "image/png",
                    "url": "",
                    "providerReference": {"openai": "f-1"},
                },
            ],
        },
        _assistant(
            {"type": "text", "text": "A pixel.", "state": "done"}, createdAt="2026-02-03T04:05:06Z"
        ),
    ],
    "steps": [
        _assistant(
            {"type": "step-start"},
            {"type": "reasoning", "text": "Hm.", "state": "done"},
            {"type": "text", "text": "I look."},
            _tool("weather", "output-available", input={"city": "Oslo"}, output={"rain": True}),
            _tool("list", "output-available", "call-8", input={"n": 2}, output=[1, "two", None]),
            _tool("none", "output-available", "call-7", input={}, output=None),
            _tool("bad", "output-error", "call-6", input={"a": 1}, errorText="It broke"),
            _tool("raw", "output-error", "call-5", rawInput='{"a": tr', errorText="Not JSON"),
            {"type": "step-start"},
            {"type": "text", "text": "It rains."},
            {"type": "source-url", "sourceId": "s-1", "url": "https://a.example", "title": "A"},
            {"type": "source-document", "sourceId": "s-2", "mediaType": "text/plain", "title": "B"},
            metadata={"seconds": 3},
        )
    ],
    "approvals": [
        _assistant(
            _tool("rm", "approval-requested", "c-1", input={"p": 1}, approval={"id": "a-1"}),
            _tool(
                "rm",
                "approval-responded",
                "c-2",
                input={},
                approval={"id": "a-2", "approved": True, "reason": "Go", "signature": "sig"},
            ),
            _tool(
                "rm",
                "output-denied",
                "c-3",
                input={},
                approval={"id": "a-3", "approved": False, "reason": "Never"},
            ),
            _tool(
                "rm",
                "output-available",
                "c-4",
                input={},
                output="gone",
                approval={"id": "a-4", "approved": True},
            ),
            _tool(
                "rm", "output-denied", "c-5", input={}, approval={"id": "a-5", "approved": False}
            ),
        )
    ],
    "server tools": [
        _assistant(
            _tool(
                "web_search",
                "output-available",
                input={"query": "x"},
                output={"found": 1},
                providerExecuted=True,
                callProviderMetadata={"openai": {"itemId": "ws-9"}},
                resultProviderMetadata={"openai": {"itemId": "ws-10"}},
            ),
            {"type": "text", "text": "Found."},
            {
                "type": "dynamic-tool",
                "toolName": "mcp",
                "toolCallId": "c-2",
                "state": "output-available",
                "input": {"a": 1},
                "output": "half",
                "preliminary": True,
                "title": "MCP",
            },
        )
    ],
    "state": [
        _assistant(
            {
                "type": "reasoning",
                "text": "Signed",
                "providerMetadata": {"anthropic": {"signature": "sig-9"}},
            },
            {
                "type": "reasoning",
                "text": "",
                "providerMetadata": {"anthropic": {"redactedData": "r-9"}},
            },
            {
                "type": "reasoning",
                "text": "One",
                "providerMetadata": {
                    "openai": {"itemId": "rs-9", "reasoningEncryptedContent": "enc"}
                },
            },
            {
                "type": "reasoning",
                "text": "Two",
                "providerMetadata": {
                    "openai": {"itemId": "rs-9", "reasoningEncryptedContent": "enc"}
                },
            },
            {
                "type": "text",
                "text": "U",
                "providerMetadata": {
                    "openai": {"itemId": "msg-9", "phase": "final"},
                    "gateway": {"a": 1},
                },
            },
            {
                "type": "text",
                "text": "T",
                "providerMetadata": {"google": {"thoughtSignature": "ts-9"}},
            },
            {"type": "text", "text": "V", "providerMetadata": {"other": {"thing": [1]}}},
            {
                "type": "reasoning",
                "text": "B",
                "providerMetadata": {"bedrock": {"signature": "b-9"}},
            },
            _tool(
                "f",
                "input-available",
                input={"a": 1},
                callProviderMetadata={"google": {"thoughtSignature": "ts-8"}},
            ),
            _tool(
                "g",
                "input-available",
                "c-2",
                input={},
                callProviderMetadata={"openai": {"itemId": "fc-1"}},
            ),
        )
    ],
    "steering": [
        _assistant(
            {"type": "text", "text": "One"},
            {
                "type": "steering-message",
                "id": "st-1",
                "parts": [
                    {"type": "text", "text": "No, two"},
                    {"type": "file", "mediaType": "image/png", "url": "https://a.example/i.png"},
                ],
            },
            {"type": "step-start"},
            {"type": "text", "text": "Two"},
            _tool(
                "rm",
                "approval-requested",
                "c-1",
                input={},
                approval={"id": "a-1", "requestReason": "May I?", "isAutomatic": False},
            ),
        )
    ],
    "searches": [
        _assistant(
            _tool(
                "web_search",
                "output-available",
                "srvtoolu_9",
                input={"query": "x"},
                output=[
                    {
                        "type": "web_search_result",
                        "url": "https://a.example",
                        "title": "A",
                        "pageAge": None,
                        "encryptedContent": "sealed-9",
                    }
                ],
                providerExecuted=True,
            ),
            {"type": "text", "text": "Found."},
        )
    ],
    "what has no place": [
        _assistant(
            {"type": "data-chart", "id": "d", "data": {"x": 1}},
            {"type": "custom", "kind": "openai.compaction"},
            {"type": "reasoning-file", "mediaType": "image/png", "url": "https://a.example/i.png"},
            {"type": "source-url", "sourceId": "s", "url": "https://a.example"},
            _tool("open", "input-streaming", "c-1", input={"a": "b"}),
            {"type": "text", "text": "Half", "state": "streaming"},
            extra={"mine": 1},
        )
    ],
}
"""Name → UI messages of 5 to 7."""

STORED: dict[str, list[dict[str, Any]]] = {
    "beside the text": [
        {
            "id": "u",
            "createdAt": "2025-01-01T00:00:00Z",
            "role": "user",
            "content": "Hi",
            "experimental_attachments": [
                {"name": "a.png", "contentType": "image/png", "url": "https://a.example/a.png"}
            ],
        },
        {
            "id": "a",
            "role": "assistant",
            "content": "Twelve.",
            "reasoning": "Six and six",
            "toolInvocations": [
                {
                    "state": "result",
                    "step": 0,
                    "toolCallId": "c-1",
                    "toolName": "add",
                    "args": {"a": 6},
                    "result": {"sum": 12},
                },
                {"state": "call", "step": 1, "toolCallId": "c-2", "toolName": "add", "args": {}},
            ],
            "annotations": [{"seen": True}],
        },
        {"id": "d", "role": "data", "content": "x"},
    ],
    "in parts": [
        {
            "id": "a",
            "role": "assistant",
            "content": "After.",
            "parts": [
                {"type": "step-start"},
                {
                    "type": "reasoning",
                    "reasoning": "So",
                    "details": [
                        {"type": "text", "text": "So", "signature": "sig"},
                        {"type": "redacted", "data": "r"},
                    ],
                },
                {
                    "type": "tool-invocation",
                    "toolInvocation": {
                        "state": "result",
                        "toolCallId": "c-1",
                        "toolName": "add",
                        "args": {"a": 1},
                        "result": "two",
                    },
                },
                {"type": "text", "text": "After."},
                {
                    "type": "source",
                    "source": {
                        "sourceType": "url",
                        "id": "s",
                        "url": "https://a.example",
                        "title": "T",
                    },
                },
                {"type": "file", "mimeType": "image/png", "data": _PIXEL},
            ],
        }
    ],
}
"""Name → what version 4 stored."""

MODEL_MESSAGES: dict[str, list[dict[str, Any]]] = {
    "results": [
        {"role": "system", "content": "Be short."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Go"},
                {"type": "image", "image": _PIXEL, "mediaType": "image/png"},
                {"type": "file", "data": "https://a.example/x.pdf", "mediaType": "application/pdf"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {
                    "type": "reasoning",
                    "text": "Hm",
                    "providerOptions": {"anthropic": {"signature": "s"}},
                },
                {"type": "text", "text": "I go."},
                *[
                    {
                        "type": "tool-call",
                        "toolCallId": f"c-{n}",
                        "toolName": "t",
                        "input": {"n": n},
                    }
                    for n in range(7)
                ],
                {"type": "tool-approval-request", "approvalId": "a-1", "toolCallId": "c-6"},
                {
                    "type": "tool-call",
                    "toolCallId": "s-1",
                    "toolName": "search",
                    "input": {"q": "x"},
                    "providerExecuted": True,
                },
                {
                    "type": "tool-result",
                    "toolCallId": "s-1",
                    "toolName": "search",
                    "output": {"type": "json", "value": ["r"]},
                },
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": f"c-{n}",
                    "toolName": "t",
                    "output": output,
                }
                for n, output in enumerate(
                    [
                        {"type": "text", "value": "done"},
                        {"type": "json", "value": {"a": [1]}},
                        {"type": "json", "value": "text"},
                        {"type": "error-text", "value": "broke"},
                        {"type": "error-json", "value": {"code": 5}},
                        {
                            "type": "content",
                            "value": [
                                {"type": "text", "text": "see"},
                                {"type": "media", "data": _PIXEL, "mediaType": "image/png"},
                                {"type": "file-url", "url": "https://a.example/x.png"},
                            ],
                        },
                    ]
                )
            ]
            + [
                {
                    "type": "tool-approval-response",
                    "approvalId": "a-1",
                    "approved": False,
                    "reason": "No",
                },
                {
                    "type": "tool-result",
                    "toolCallId": "c-6",
                    "toolName": "t",
                    "output": {"type": "execution-denied", "reason": "No"},
                },
            ],
        },
        {"role": "assistant", "content": "Done."},
    ],
}
"""Name → model messages."""
