"""A short answer in each provider's own form, for the local server."""

from __future__ import annotations

import json
from typing import Any, Final

from partwire import to_wire
from partwire.contract.current.message import MessageDelta
from partwire_testing.conformance.drawn.aws_frames import converse_frames
from tests.model.clients import Provider
from tests.model.http_replay import Reply

# A short answer in each dialect: what comes before the provider's end, and from there on.
TEXT: Final = "Rain in Bergen, ☂."
_SSE: Final[dict[str, tuple[list[Any], list[Any]]]] = {
    "anthropic-messages": (
        [
            {
                "type": "message_start",
                "message": {
                    "id": "msg_1",
                    "type": "message",
                    "role": "assistant",
                    "model": "model-1",
                    "content": [],
                    "usage": {"input_tokens": 3, "output_tokens": 1},
                },
            },
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": TEXT},
            },
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 5},
            },
        ],
        [{"type": "message_stop"}],
    ),
    "openai-chat": (
        [
            {
                "id": "chat_1",
                "model": "model-1",
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": {"role": "assistant", "content": TEXT}}],
            }
        ],
        [
            {
                "id": "chat_1",
                "model": "model-1",
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            },
            "[DONE]",
        ],
    ),
    "openai-responses": (
        [
            {
                "type": "response.created",
                "response": {"id": "resp_1", "model": "model-1", "status": "in_progress"},
            },
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {"type": "message", "id": "msg_1", "role": "assistant", "content": []},
            },
            {
                "type": "response.content_part.added",
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "part": {"type": "output_text", "text": "", "annotations": []},
            },
            {
                "type": "response.output_text.delta",
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "delta": TEXT,
            },
        ],
        [
            {
                "type": "response.completed",
                "response": {
                    "id": "resp_1",
                    "model": "model-1",
                    "status": "completed",
                    "output": [
                        {
                            "type": "message",
                            "id": "msg_1",
                            "role": "assistant",
                            "status": "completed",
                            "content": [{"type": "output_text", "text": TEXT, "annotations": []}],
                        }
                    ],
                    "usage": {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8},
                },
            }
        ],
    ),
    "gemini": (
        [
            {
                "candidates": [{"content": {"parts": [{"text": TEXT}], "role": "model"}}],
                "modelVersion": "model-1",
                "responseId": "resp_1",
            }
        ],
        [
            {
                "candidates": [
                    {"content": {"parts": [{"text": "!"}], "role": "model"}, "finishReason": "STOP"}
                ],
                "usageMetadata": {
                    "promptTokenCount": 3,
                    "candidatesTokenCount": 5,
                    "totalTokenCount": 8,
                },
                "modelVersion": "model-1",
                "responseId": "resp_1",
            }
        ],
    ),
    "cohere-v2": (
        [
            {"type": "message-start", "id": "msg_1", "delta": {"message": {"role": "assistant"}}},
            {
                "type": "content-start",
                "index": 0,
                "delta": {"message": {"content": {"type": "text", "text": ""}}},
            },
            {
                "type": "content-delta",
                "index": 0,
                "delta": {"message": {"content": {"text": TEXT}}},
            },
            {"type": "content-end", "index": 0},
        ],
        [
            {
                "type": "message-end",
                "delta": {
                    "finish_reason": "COMPLETE",
                    "usage": {"tokens": {"input_tokens": 3, "output_tokens": 5}},
                },
            }
        ],
    ),
}
_CONVERSE: Final[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = (
    [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": TEXT}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
    ],
    [
        {"messageStop": {"stopReason": "end_turn"}},
        {
            "metadata": {
                "usage": {"inputTokens": 3, "outputTokens": 5, "totalTokens": 8},
                "metrics": {"latencyMs": 7},
            }
        },
    ],
)


def answer(dialect: str) -> tuple[bytes, bytes]:
    """Return a short answer: its bytes before the provider's end, and from there on."""
    if dialect == "bedrock-converse":
        return converse_frames(_CONVERSE[0]), converse_frames(_CONVERSE[1])
    head, end = _SSE[dialect]
    return _sse(head), _sse(end)


def _sse(events: list[Any]) -> bytes:
    texts = (e if isinstance(e, str) else json.dumps(e, ensure_ascii=False) for e in events)
    return "".join(f"data: {text}\n\n" for text in texts).encode()


def reply(provider: Provider, data: bytes, **options: Any) -> Reply:
    """Return a reply of ``data`` in one piece, as the provider calls it."""
    return Reply([data], content_type=provider.content_type, **options)


def last(deltas: list[MessageDelta]) -> Any:
    """Return the payload of the last delta, as JSON."""
    return to_wire(deltas[-1])["payload"]
