"""Histories of AG-UI, made up."""

from __future__ import annotations

from typing import Any

__all__ = ["DOCUMENTS"]

_PNG = "iVBORw0KGgo="
_CALL = {
    "id": "c-1",
    "type": "function",
    "function": {"name": "look_up", "arguments": '{"place":"Oslo"}'},
}

DOCUMENTS: dict[str, Any] = {
    "plain": [
        {"id": "d", "role": "developer", "content": "Be short.", "name": "app"},
        {"id": "s", "role": "system", "content": "You know the weather."},
        {"id": "u", "role": "user", "content": "And in Oslo?", "name": "Ada"},
        {"id": "a", "role": "assistant", "content": "It rains.", "name": "Weather"},
    ],
    "tools": [
        {"id": "u", "role": "user", "content": "Oslo?"},
        {"id": "a", "role": "assistant", "content": "Let me see.", "toolCalls": [_CALL]},
        {"id": "t", "role": "tool", "toolCallId": "c-1", "content": "4 degrees"},
        {
            "id": "b",
            "role": "assistant",
            "toolCalls": [
                {**_CALL, "id": "c-2", "metadata": {"attempt": 2}, "encryptedValue": "sealed"},
                {**_CALL, "id": "c-3", "function": {"name": "odd", "arguments": "{broken"}},
            ],
        },
        {"id": "t2", "role": "tool", "toolCallId": "c-2", "content": "no", "error": "not there"},
        {"id": "t3", "role": "tool", "toolCallId": "c-3", "content": "no", "error": "no"},
    ],
    "reasoning": [
        {"id": "u", "role": "user", "content": "Why?"},
        {
            "id": "r-1",
            "role": "reasoning",
            "content": "Hm.",
            "encryptedValue": "abc",
            "encryptedValueType": "acme.signature",
            "metadata": {"a": 1},
        },
        {"id": "r-2", "role": "reasoning", "content": "So it is.", "encryptedValue": "def"},
        {"id": "a", "role": "assistant", "content": "Because.", "encryptedValue": "ghi"},
        {"id": "r-3", "role": "reasoning", "content": "And more.", "subagentRunId": "s-1"},
    ],
    "media": [
        {
            "id": "u",
            "role": "user",
            "content": [
                {"type": "text", "text": "Look", "id": "p-1", "metadata": {"lang": "en"}},
                {
                    "type": "image",
                    "source": {"type": "data", "value": _PNG, "mimeType": "image/png"},
                },
                {
                    "type": "image",
                    "id": "p-2",
                    "source": {
                        "type": "url",
                        "value": "https://a.example/b",
                        "mimeType": "image/gif",
                    },
                },
                {
                    "type": "audio",
                    "source": {"type": "data", "value": _PNG, "mimeType": "audio/wav"},
                    "metadata": {"filename": "a.wav"},
                },
                {
                    "type": "video",
                    "source": {
                        "type": "url",
                        "value": "https://a.example/v",
                        "mimeType": "video/mp4",
                    },
                    "metadata": {"filename": "v.mp4", "seconds": 3},
                },
                {
                    "type": "document",
                    "source": {
                        "type": "file",
                        "value": "file-1",
                        "provider": "openai",
                        "mimeType": "image/png",
                    },
                },
            ],
        },
        {
            "id": "t",
            "role": "tool",
            "toolCallId": "c",
            "content": [
                {"type": "text", "text": "Here"},
                {
                    "type": "document",
                    "source": {
                        "type": "url",
                        "value": "https://a.example/p",
                        "mimeType": "text/csv",
                    },
                },
            ],
        },
    ],
    "beside": [
        {
            "id": "u",
            "role": "user",
            "content": "Hi",
            "metadata": {"a": {"b": [1]}},
            "subagentRunId": "s-1",
            "encryptedValue": "v",
            "encryptedValueType": "t",
        },
        {"id": "x", "role": "activity", "activityType": "PLAN", "content": {"steps": ["one"]}},
        {"id": "a", "role": "assistant", "toolCalls": [_CALL], "encryptedValue": "v"},
        {"id": "t", "role": "tool", "toolCallId": "c-1", "content": "", "error": "gone"},
    ],
    "input": {
        "threadId": "thread",
        "runId": "run",
        "parentRunId": "parent",
        "messages": [{"id": "u", "role": "user", "content": "Hi"}],
        "tools": [{"name": "look_up", "description": "Looks up."}],
        "context": [],
        "state": {"a": 1},
    },
    "before 1.0": [
        {
            "id": "u",
            "role": "user",
            "content": [
                {"type": "binary", "mimeType": "image/png", "data": _PNG},
                {"type": "binary", "mimeType": "image/png", "data": _PNG, "filename": "a.png"},
                {"type": "binary", "mimeType": "image/png", "url": "https://a.example/a.png"},
                {"type": "binary", "mimeType": "application/pdf", "id": "file-1"},
            ],
        },
    ],
}
"""Documents by name."""
