"""Histories of pydantic-ai, made by thought: each member and each kind of part once at least."""

from __future__ import annotations

from hashlib import sha1
from typing import Any

from partwire.formats.pydantic_ai.files import digest

__all__ = ["DOCUMENTS"]

Json = dict[str, Any]

T1 = "2026-02-03T04:05:06.123456Z"
T2 = "2026-02-03T04:05:07.5Z"
T3 = "2026-02-03T04:05:08+01:00"


def request(*parts: Json, **members: Any) -> Json:
    return {"kind": "request", "parts": list(parts), "run_id": "r1", "timestamp": T1, **members}


def response(*parts: Json, **members: Any) -> Json:
    return {"kind": "response", "parts": list(parts), "run_id": "r1", "timestamp": T2, **members}


def user(content: Any, **members: Any) -> Json:
    return {"part_kind": "user-prompt", "content": content, "timestamp": T1, **members}


def system(content: str, **members: Any) -> Json:
    return {"part_kind": "system-prompt", "content": content, "timestamp": T1, **members}


def call(own: str, name: str, args: Any, **members: Any) -> Json:
    said = {"tool_name": name, "args": args, "tool_call_id": own, **members}
    return {"part_kind": "tool-call", **said}


def returned(own: str, name: str, content: Any, **members: Any) -> Json:
    said = {"tool_name": name, "content": content, "tool_call_id": own, "timestamp": T1}
    return {"part_kind": "tool-return", "outcome": "success", **said, **members}


def text(content: str, **members: Any) -> Json:
    return {"part_kind": "text", "content": content, **members}


def thinking(content: str, **members: Any) -> Json:
    return {"part_kind": "thinking", "content": content, **members}


IMAGE = {
    "kind": "image-url",
    "url": "https://example.org/a.png",
    "media_type": "image/png",
    "force_download": True,
    "vendor_metadata": {"detail": "low"},
    "identifier": "mine",
}
PAGE = {
    "kind": "document-url",
    "url": "https://example.org/b.pdf",
    "media_type": "application/pdf",
    "force_download": False,
    "vendor_metadata": None,
    "identifier": sha1(b"https://example.org/b.pdf", usedforsecurity=False).hexdigest()[:6],
}
SOUND = {"kind": "binary", "data": "-_8_", "media_type": "audio/wav", "identifier": "own"}
PICTURE = {"kind": "binary", "data": "iVBORw==", "media_type": "image/png"}
UPLOADED = {"kind": "uploaded-file", "file_id": "file-9", "provider_name": "openai"}
KEEPER = {
    "model_id": "x:m",
    "provider_name": "test",
    "provider_url": "https://example.org/v1",
    "canonical_system": "other",
    "conversation_id": "c1",
    "workspace_ref": {"provider": "p", "id": "w"},
    "history_digest": "abc",
    "failed_attempts": [
        {"model_name": "m0", "outcome": "error", "timestamp": T1, "duration": "PT1S"},
    ],
    "metadata": {"app": [1]},
}

DOCUMENTS: dict[str, Any] = {
    "requests": [
        request(
            system("Be brief.", dynamic_ref="f", scope="request", metadata={"a": 1}),
            system("In French.", context_id="ctx", dynamic_ref=None) | {"timestamp": T2},
            user("Bonjour"),
            user(
                [
                    "Look:",
                    {"kind": "text-content", "content": "tc", "metadata": {"b": 2}},
                    {
                        "kind": "structured-content",
                        "content": "<t>1</t>",
                        "value": {"t": 1},
                        "tag": "t",
                        "description": "d",
                    },
                    IMAGE,
                    PAGE,
                    {"kind": "audio-url", "url": "https://example.org/c.bin", "media_type": "a/b"},
                    {"kind": "video-url", "url": "https://example.org/d.mp4"},
                    SOUND,
                    PICTURE,
                    UPLOADED,
                    UPLOADED | {"media_type": "text/csv", "identifier": "i"},
                    {"kind": "cache-point", "ttl": "1h"},
                    {"kind": "odd", "x": 1},
                ],
                odd=1,
            ),
            instructions="Answer in one word.",
            conversation_id="c1",
            state="interrupted",
            metadata={"m": 1},
            odd=2,
        ),
        request(user("again") | {"timestamp": T2}),
        request(user("and again"), instructions="Answer in one word."),
        request(instructions="Answer in two words."),
        request({"part_kind": "compaction", "content": "so far"}, timestamp=None),
        request({"part_kind": "speech", "speaker": "user", "transcript": "hello", "id": "sp"}),
        request(
            {
                "part_kind": "speech",
                "speaker": "user",
                "transcript": "hello",
                "audio": SOUND,
                "interrupted_at_ms": 5,
                "timestamps": [{"text": "hello", "start_ms": 0, "duration_ms": 1}],
            }
        ),
    ],
    "calls": [
        request(user("Go")),
        response(
            thinking("Hm.", signature="c2ln", provider_name="anthropic"),
            thinking("", id="redacted_thinking", signature="cmVk", provider_name="anthropic"),
            text("I look."),
            call("a", "f", '{"x":[1]}', tool_kind="k"),
            call("b", "g", {"y": None}),
            call("c", "g", "no JSON"),
            call("d", "g", None),
            call("d", "h", {}),
            model_name="m1",
            provider_response_id="resp_1",
            provider_details={"finish_reason": "tool_use", "other": 1},
            finish_reason="tool_call",
            usage={
                "input_tokens": 10,
                "output_tokens": 4,
                "output_reasoning_tokens": 1,
                "cache_read_tokens": 2,
                "cache_write_tokens": 3,
                "cache_write_1h_tokens": 1,
                "audio_seconds": 0.5,
                "details": {"x": 1},
                "cost": "0.00010",
            },
            **KEEPER,
        ),
        request(
            returned("a", "f", {"temp": 4}, metadata={"m": 1}, tool_kind="k"),
            returned("b", "g", [1, "two"], outcome="failed") | {"timestamp": T3},
            returned("c", "other", None, outcome="denied"),
            returned("d", "g", 2.5, outcome="interrupted"),
            returned("d", "h", "done", outcome="retried", retry={"cause": "model_retry"}),
            user("and?"),
            instructions="Be quick.",
        ),
        response(
            {"part_kind": "compaction", "content": "so far", "id": "cmp"},
            {"part_kind": "odd"},
            thinking("a", id="reasoning_content", provider_name="deepseek"),
            text("cut", id="t1", provider_name="odd", provider_details={"z": 1}),
            state="interrupted",
        ),
        response(text("wait"), state="suspended", finish_reason="error"),
        response(text("go"), state="incomplete", finish_reason="other", odd=3),
    ],
    "files": [
        response(call("a", "f", {}), call("b", "f", {}), call("c", "f", {}), call("e", "f", {})),
        request(
            returned("a", "f", PAGE, content_file_digests=[digest(PAGE)]),
            returned(
                "b",
                "f",
                ["here:", IMAGE, SOUND, {"n": 1}],
                content_file_digests=[digest(IMAGE)],
            ),
            returned("c", "f", [PICTURE], content_file_digests=["abc"]),
            returned("e", "f", [PAGE, {"deep": IMAGE}], content_file_digests=[]),
            returned("x", "f", [PAGE], content_file_digests=[digest(PAGE)]),
        ),
        response(
            {"part_kind": "file", "content": PICTURE, "id": "f1", "provider_name": "openai"},
            {
                "part_kind": "file",
                "content": PICTURE,
                "provider_name": "google",
                "provider_details": {"thought_signature": "c2ln"},
            },
            {"part_kind": "file", "content": {"kind": "binary", "data": "?", "media_type": "a/b"}},
            {"part_kind": "speech", "speaker": "assistant", "transcript": "hi", "audio": SOUND},
            {"part_kind": "speech", "speaker": "assistant", "transcript": "hi"},
            {"part_kind": "speech", "speaker": "assistant"},
        ),
    ],
    "state": [
        response(
            thinking("One.", id="rs_1", signature="enc", provider_name="openai"),
            thinking("Two.", id="rs_1", provider_name="openai"),
            text("So.", id="msg_1", provider_name="openai"),
            call("a", "f", {}, id="fc_1", provider_name="openai"),
            provider_name="openai",
        ),
        response(
            thinking("Hm.", signature="c2ln", provider_name="anthropic"),
            thinking("", id="redacted_content", signature="cmVk", provider_name="bedrock"),
            text("So."),
            provider_name="bedrock",
        ),
        response(
            text("x", provider_name="google-gla", provider_details={"thought_signature": "c2ln"}),
            call("g", "f", {}, provider_details={"thought_signature": "c2ln", "more": 1}),
            provider_name="google-gla",
        ),
        response(
            text(
                "It rains.",
                citations=[
                    {
                        "sources": [
                            {
                                "kind": "web",
                                "url": "https://example.org",
                                "title": "T",
                                "excerpts": ["rain"],
                            },
                            {"kind": "document", "document_id": "d1", "excerpts": ["a", "b"]},
                        ],
                        "anchor": {"kind": "content", "start": 0, "end": 2},
                    },
                    {
                        "sources": [{"kind": "document", "title": "D", "excerpts": []}],
                        "anchor": {"kind": "marker", "start": 3, "end": 4},
                    },
                    {"sources": [{"kind": "web", "url": "https://example.com"}]},
                    {"sources": [{"kind": "odd"}]},
                ],
            ),
        ),
    ],
    "server": [
        response(
            {
                "part_kind": "builtin-tool-call",
                "tool_name": "web_search",
                "args": {"query": "q"},
                "tool_call_id": "srvtoolu_1",
                "provider_name": "anthropic",
            },
            {
                "part_kind": "builtin-tool-return",
                "tool_name": "web_search",
                "tool_call_id": "srvtoolu_1",
                "content": [
                    {
                        "type": "web_search_result",
                        "url": "https://example.org",
                        "title": "T",
                        "encrypted_content": "sealed",
                    }
                ],
                "content_file_digests": [],
                "timestamp": T1,
                "outcome": "success",
                "provider_name": "anthropic",
            },
            {
                "part_kind": "builtin-tool-call",
                "tool_name": "code_execution",
                "args": {"command": "ls"},
                "tool_call_id": "srvtoolu_2",
                "provider_name": "anthropic",
                "provider_details": {"anthropic_tool_name": "bash_code_execution"},
                "id": "i",
                "tool_kind": "k",
            },
            {
                "part_kind": "builtin-tool-return",
                "tool_name": "code_execution",
                "tool_call_id": "srvtoolu_2",
                "content": {"type": "bash_code_execution_result", "stdout": "a\n", "stderr": ""},
                "timestamp": T2,
                "outcome": "failed",
                "metadata": {"m": 1},
                "provider_name": "anthropic",
                "provider_details": {"anthropic_tool_name": "bash_code_execution"},
            },
            {
                "part_kind": "builtin-tool-return",
                "tool_name": "odd",
                "tool_call_id": "s3",
                "content": "x",
                "timestamp": T1,
            },
            provider_name="anthropic",
        ),
    ],
    "old": [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "system-prompt", "content": "s"},
                {"part_kind": "user-prompt", "content": "u", "timestamp": "2024-01-01T00:00:00"},
            ],
        },
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": '{"a":1}'}],
            "usage": {
                "request_tokens": 3,
                "response_tokens": 4,
                "total_tokens": 7,
                "details": None,
            },
            "vendor_id": "v1",
            "vendor_details": {"finish_reason": "x"},
            "timestamp": "2024-01-01T00:00:00Z",
        },
        {
            "kind": "request",
            "parts": [
                {
                    "part_kind": "retry-prompt",
                    "tool_name": "f",
                    "content": [{"type": "missing", "loc": ["a"], "msg": "m", "input": {}}],
                },
                {"part_kind": "retry-prompt", "content": "Say more.", "timestamp": T1},
                {
                    "part_kind": "retry-prompt",
                    "content": [{"type": "missing", "loc": ["a"], "msg": "m", "input": {}}],
                    "tool_call_id": "made",
                },
                {
                    "part_kind": "retry-feedback",
                    "content": "No output.",
                    "retry": {"cause": "no_output", "attempt": 1},
                    "timestamp": T1,
                },
            ],
        },
    ],
    "one": response(text("alone")),
}
