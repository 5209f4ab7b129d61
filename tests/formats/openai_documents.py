"""Documents of OpenAI's dialects, made for these tests: every form that the readers know."""

from __future__ import annotations

from typing import Any

__all__ = ["CHAT", "COMPLETION", "FAILED", "ITEMS", "RESPONSE", "SCRIPT_SESSION", "SESSION"]

_PNG = "iVBORw0KGgo="

CHAT: dict[str, Any] = {
    "model": "model-1",
    "temperature": 0.5,
    "tools": [{"type": "function", "function": {"name": "look"}}],
    "messages": [
        {"role": "developer", "content": "Be short.", "name": "ops"},
        {"role": "system", "content": [{"type": "text", "text": "Be kind."}]},
        {
            "role": "user",
            "name": "ada",
            "id": "m1",
            "content": [
                {"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral"}},
                {"type": "image_url", "image_url": {"url": "https://a.test/b", "detail": "low"}},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PNG}"}},
                {"type": "image_url", "image_url": "https://a.test/c.png"},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
                {"type": "file", "file": {"file_id": "file-12345678", "filename": "a"}},
                {
                    "type": "file",
                    "file": {"file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"},
                },
                {"type": "file", "file": {"file_data": "AAAA"}},
                {
                    "type": "document_url",
                    "document_url": "https://a.test/d.pdf",
                    "document_name": "d",
                },
                {"type": "video_url", "video_url": {"url": "https://a.test/e.mp4", "fps": 2}},
                {"type": "reference", "reference_ids": [1]},
            ],
        },
        {
            "role": "assistant",
            "name": "bot",
            "content": "I look.",
            "reasoning_content": "Hm.",
            "prefix": False,
            "weight": 1,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "index": 0,
                    "function": {"name": "look", "arguments": '{"at":"b"}', "strict": True},
                },
                {"id": "call_2", "type": "custom", "custom": {"name": "paint", "input": "red"}},
                {"id": "call_3", "function": {"name": "sum", "arguments": {"a": 1}}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "A bee.", "name": "look"},
        {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "Done."}]},
        {"role": "tool", "content": '{"b":2}'},
        {
            "role": "assistant",
            "content": None,
            "reasoning": "Hm.",
            "reasoning_details": [
                {"type": "reasoning.text", "text": "Hm.", "signature": "sig", "format": "f"}
            ],
            "function_call": {"name": "old", "arguments": '{"c":3}'},
        },
        {"role": "function", "name": "old", "content": "Fine."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True},
                {"type": "text", "text": "So ", "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": "it is."},
                {"type": "reference", "reference_ids": [1, 2]},
            ],
            "annotations": [
                {
                    "type": "url_citation",
                    "url_citation": {
                        "url": "https://a.test/f",
                        "title": "F",
                        "start_index": 0,
                        "end_index": 2,
                        "icon": "i",
                    },
                }
            ],
        },
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": "", "audio": {"id": "audio_1"}},
        {
            "role": "assistant",
            "content": None,
            "audio": {"id": "audio_2", "data": "AAAA", "transcript": "Hi", "expires_at": 5, "n": 1},
            "images": [
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:image/png;base64,{_PNG}"},
                    "alt": "a",
                }
            ],
        },
        {
            "role": "assistant",
            "content": "Found.",
            "executed_tools": [
                {"index": 0, "type": "search", "arguments": '{"q":"a"}', "output": "b", "ms": 3}
            ],
        },
        {"role": "critic", "content": "Bad."},
    ],
}
"""A request of chat completions."""

COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1767323045,
    "model": "model-1",
    "system_fingerprint": "fp",
    "citations": ["https://a.test/1", "none"],
    "search_results": [{"url": "https://a.test/2", "title": "A", "date": "2026-01-02"}],
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": {"content": [{"token": "a"}]},
            "message": {
                "role": "assistant",
                "content": "I look.",
                "refusal": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "look", "arguments": '{"at":"b"}'},
                    }
                ],
            },
        },
        {"index": 1, "finish_reason": "stop", "message": {"role": "assistant", "content": "No."}},
    ],
    "usage": {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 1},
        "completion_tokens_details": {"reasoning_tokens": 2, "audio_tokens": 0},
        "queue_time": 0.1,
    },
}
"""A whole answer of chat completions."""

_TEXT: dict[str, Any] = {"type": "output_text", "annotations": []}

ITEMS: list[dict[str, Any]] = [
    {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "a"}]},
    {"role": "developer", "content": "Be short."},
    {
        "type": "message",
        "role": "user",
        "id": "msg_0",
        "status": "completed",
        "content": [
            {"type": "input_text", "text": "Look.", "prompt_cache_breakpoint": {"mode": "x"}},
            {"type": "input_image", "image_url": "https://a.test/b.png", "detail": "low"},
            {"type": "input_image", "file_id": "file-12345678", "detail": "auto"},
            {"type": "input_file", "file_url": "https://a.test/c.pdf", "filename": "c"},
            {"type": "input_file", "file_data": "data:text/csv;base64,AAAA", "filename": "d.csv"},
            {"type": "input_file", "file_id": "file-12345679"},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
            {"type": "input_hologram", "data": "x"},
        ],
    },
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Hm."}],
        "encrypted_content": "sealed",
    },
    {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "status": "completed",
        "phase": "commentary",
        "content": [
            {
                **_TEXT,
                "text": "I look.",
                "annotations": [
                    {
                        "type": "url_citation",
                        "url": "https://a.test/d",
                        "title": "D",
                        "start_index": 0,
                        "end_index": 1,
                    }
                ],
                "logprobs": [{"token": "I"}],
            },
            {"type": "refusal", "refusal": "No."},
        ],
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "look",
        "arguments": '{"at":"b"}',
        "namespace": "eyes",
        "caller": {"type": "program", "caller_id": "p"},
    },
    {"type": "function_call", "call_id": "call_2", "name": "sum", "arguments": {"a": 1}},
    {"type": "custom_tool_call", "call_id": "call_3", "name": "paint", "input": "red"},
    {
        "type": "function_call_output",
        "id": "fco_1",
        "call_id": "call_1",
        "output": "A bee.",
        "status": "completed",
        "caller": {"type": "program", "caller_id": "p"},
    },
    {
        "type": "function_call_output",
        "call_id": "call_2",
        "status": "incomplete",
        "output": [
            {"type": "input_text", "text": "1"},
            {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        ],
    },
    {"type": "custom_tool_call_output", "call_id": "call_3", "output": "Done."},
    {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {
            "type": "search",
            "query": "a",
            "sources": [{"type": "url", "url": "https://b.test"}],
        },
    },
    {"type": "message", "role": "assistant", "id": "msg_2", "content": "So it is."},
    {"role": "user", "content": "Delete it."},
    {
        "type": "mcp_approval_request",
        "id": "mcpr_1",
        "name": "delete",
        "arguments": '{"id":1}',
        "server_label": "s",
    },
    {
        "type": "mcp_approval_response",
        "id": "mcpa_1",
        "approval_request_id": "mcpr_1",
        "approve": True,
        "reason": "fine",
    },
    {
        "type": "mcp_call",
        "id": "mcp_1",
        "approval_request_id": "mcpr_1",
        "name": "delete",
        "arguments": '{"id":1}',
        "server_label": "s",
        "output": "gone",
    },
    {
        "type": "image_generation_call",
        "id": "ig_1",
        "status": "completed",
        "result": "iVBORw0KGgo=",
        "output_format": "png",
    },
    {"role": "user", "content": "Go on."},
    {"role": "assistant", "content": "Yes."},
    {
        "type": "message",
        "role": "assistant",
        "content": [{**_TEXT, "text": "Now."}],
        "phase": "final",
    },
    {"role": "user", "content": "And?"},
    {"type": "computer_call", "id": "cu_1", "call_id": "call_4", "action": {"type": "wait"}},
    {
        "type": "computer_call_output",
        "call_id": "call_4",
        "output": {"type": "computer_screenshot", "file_id": "file-12345678"},
    },
    {"type": "item_reference", "id": "msg_9"},
    {"id": "msg_8"},
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"},
    {"role": "critic", "content": "Bad."},
]
"""Items of Responses."""

RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1767323045,
    "status": "completed",
    "model": "model-1",
    "temperature": 1,
    "instructions": "Be short.",
    "error": None,
    "incomplete_details": None,
    "tools": [{"type": "function", "name": "look"}],
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"},
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "status": "completed",
            "content": [{**_TEXT, "text": "So."}],
        },
        {"type": "function_call", "id": "fc_1", "call_id": "c_1", "name": "f", "arguments": "{}"},
    ],
    "usage": {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 2, "other": 3},
    },
}
"""A whole response."""

FAILED: dict[str, Any] = {
    "id": "resp_2",
    "object": "response",
    "status": "failed",
    "error": {"code": "server_error", "message": "Broken."},
    "output": [
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "content": [{**_TEXT, "text": "So"}],
        }
    ],
}
"""A response that failed."""

SCRIPT_SESSION: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "Look."},
            {"type": "input_image", "image": "https://a.test/b.png"},
            {"type": "input_image", "image": {"id": "file-12345678"}},
            {"type": "input_file", "file": {"url": "https://a.test/c.pdf"}},
            {"type": "input_file", "file": "data:application/pdf;base64,AAAA", "filename": "d.pdf"},
            {"type": "audio", "audio": "AAAA", "format": "wav"},
        ],
    },
    {
        "type": "reasoning",
        "id": "rs_1",
        "content": [{"type": "input_text", "text": "Hm."}],
        "rawContent": [{"type": "reasoning_text", "text": "Hm!"}],
        "providerData": {"encryptedContent": "sealed"},
    },
    {
        "type": "hosted_tool_call",
        "id": "ws_1",
        "name": "web_search_call",
        "status": "completed",
        "providerData": {"type": "web_search_call", "action": {"type": "search", "query": "a"}},
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "callId": "call_1",
        "name": "look",
        "status": "completed",
        "arguments": '{"at":"b"}',
        "providerData": {"id": "fc_1"},
    },
    {
        "type": "function_call_result",
        "callId": "call_1",
        "name": "look",
        "status": "completed",
        "output": {"type": "text", "text": "A bee."},
    },
    {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "status": "completed",
        "content": [{"type": "output_text", "text": "A bee."}],
    },
]
"""Items of the Agents SDK for JavaScript."""

SESSION: list[dict[str, Any]] = [
    {"role": "user", "content": "Look."},
    {
        "type": "reasoning",
        "id": "__fake_id__",
        "summary": [{"type": "summary_text", "text": "Hm."}],
        "provider_data": {"model": "m"},
    },
    {
        "type": "function_call",
        "id": "__fake_id__",
        "call_id": "call_1",
        "name": "look",
        "arguments": "{}",
        "agent": "scout",
    },
    {"type": "function_call_output", "call_id": "call_1", "output": "A bee.", "name": "look"},
    {
        "type": "message_output_item",
        "agent": {"name": "chief", "kind": "agent"},
        "raw_item": {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "content": [{**_TEXT, "text": "A bee."}],
            "status": "completed",
        },
    },
    {
        "type": "tool_call_output_item",
        "agent": {"name": "chief"},
        "output": "B",
        "raw_item": {"type": "function_call_output", "call_id": "call_1", "output": "B"},
    },
    {
        "type": "tool_approval_item",
        "agent": {"name": "chief"},
        "raw_item": {"type": "function_call"},
    },
]
"""Items of the Agents SDK for Python."""
