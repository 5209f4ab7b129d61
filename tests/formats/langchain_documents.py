"""Histories as LangChain stores them, made up: each shows something of the format."""

from __future__ import annotations

from typing import Any

__all__ = ["ENVELOPES", "HISTORIES", "LOSSY"]

Json = dict[str, Any]

_PNG = "iVBORw0KGgo="


def _ai(content: Any, **members: Any) -> Json:
    return {"type": "ai", "content": content, **members}


def _call(call_id: str | None, name: str, **args: Any) -> Json:
    return {"id": call_id, "name": name, "args": args, "type": "tool_call"}


def _by(provider: str, **members: Any) -> Json:
    return {"model_provider": provider, **members}


HISTORIES: dict[str, list[Any]] = {
    "texts": [
        {"type": "system", "content": "Be brief."},
        {"type": "human", "content": "Rain?", "name": "ada", "id": "m-1"},
        _ai("No.", id="run--1", name="weatherman"),
        {"type": "human", "content": ["And ", {"type": "text", "text": "snow?"}]},
        _ai([{"type": "text", "text": "No snow."}]),
        _ai([]),
    ],
    "what an answer says of itself": [
        _ai(
            "Done",
            response_metadata=_by(
                "groq", model_name="m-9", id="req-9", finish_reason="length", fingerprint="fp"
            ),
            usage_metadata={
                "input_tokens": 12,
                "output_tokens": 7,
                "total_tokens": 19,
                "input_token_details": {"cache_read": 4, "cache_creation": 2, "audio": 1},
                "output_token_details": {"reasoning": 3},
            },
            additional_kwargs={"tone": "dry", "reasoning_content": "Hm"},
        ),
        _ai("Stopped", response_metadata={"stop_reason": "end_turn", "model": "m-8"}),
    ],
    "calls": [
        _ai(
            "Let me see.",
            tool_calls=[_call("c-1", "weather", city="Oslo"), _call("c-2", "clock")],
            additional_kwargs={
                "tool_calls": [
                    {
                        "id": "c-1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
                    },
                    {
                        "id": "c-2",
                        "type": "function",
                        "function": {"name": "clock", "arguments": "{}"},
                    },
                ]
            },
        ),
        {"type": "tool", "content": "4 degrees", "tool_call_id": "c-1", "name": "weather"},
        {
            "type": "tool",
            "content": [{"type": "text", "text": "late"}],
            "tool_call_id": "c-2",
            "status": "error",
            "artifact": {"zone": ["CET", 1]},
            "id": "m-3",
        },
        _ai(
            "",
            tool_calls=[_call(None, "again")],
            invalid_tool_calls=[
                {
                    "id": "c-4",
                    "name": "broken",
                    "args": '{"a": ',
                    "error": "no end",
                    "type": "invalid_tool_call",
                },
                {"id": "c-5", "name": "broken", "args": "x", "type": "invalid_tool_call"},
            ],
        ),
    ],
    "calls as they were once": [
        _ai(
            "Hi",
            additional_kwargs={"function_call": {"name": "look", "arguments": '{"at":  "it"}'}},
        ),
        {"type": "function", "name": "look", "content": "seen"},
    ],
    "roles": [
        {"type": "chat", "role": "assistant", "content": "As one"},
        {"type": "chat", "role": "critic", "content": "As another"},
        {
            "type": "system",
            "content": "Developed",
            "additional_kwargs": {"__openai_role__": "developer"},
        },
        {"type": "HumanMessageChunk", "content": "In pieces"},
    ],
    "standard blocks": [
        {
            "type": "human",
            "content": [
                {"type": "text", "text": "Look"},
                {"type": "image", "url": "https://a.example/x.png", "mime_type": "image/png"},
                {"type": "image", "base64": _PNG, "mime_type": "image/png"},
                {"type": "file", "file_id": "file-9", "mime_type": "application/pdf"},
                {
                    "type": "file",
                    "base64": _PNG,
                    "mime_type": "application/pdf",
                    "extras": {"filename": "a.pdf"},
                },
                {"type": "audio", "base64": _PNG, "mime_type": "audio/wav"},
            ],
        },
        _ai(
            [
                {"type": "reasoning", "reasoning": "Hm", "id": "r-1"},
                {
                    "type": "text",
                    "text": "It rains",
                    "annotations": [
                        {
                            "type": "citation",
                            "url": "https://a.example",
                            "title": "A",
                            "start_index": 0,
                            "end_index": 2,
                            "cited_text": "rain",
                            "extras": {"page": 3},
                        },
                        {"type": "non_standard_annotation", "value": {"x": 1}},
                    ],
                    "extras": {"lang": "en"},
                },
                _call("c-1", "weather", city="Oslo") | {"extras": {"kept": True}},
                {"type": "server_tool_call", "id": "s-1", "name": "search", "args": {"q": "x"}},
                {
                    "type": "server_tool_result",
                    "tool_call_id": "s-1",
                    "status": "success",
                    "output": [{"url": "https://b.example"}],
                },
                {"type": "non_standard", "value": {"type": "odd", "n": 1}},
                {"type": "refusal", "refusal": "I will not"},
                {"type": "image", "base64": _PNG, "mime_type": "image/png", "id": "i-1"},
                {"type": "text", "text": "End"},
            ],
            response_metadata={"output_version": "v1"},
        ),
    ],
    "state of standard blocks": [
        _ai(
            [
                {"type": "reasoning", "reasoning": "Hm", "extras": {"signature": "sig-1"}},
                {"type": "text", "text": "Yes"},
                _call("c-1", "weather"),
            ],
            response_metadata=_by("anthropic", output_version="v1"),
        ),
        _ai(
            [
                {
                    "type": "reasoning",
                    "id": "rs-1",
                    "reasoning": "So",
                    "extras": {"encrypted_content": "enc-1"},
                },
                {"type": "text", "text": "Yes", "id": "msg_1", "extras": {"phase": "final"}},
                _call("c-2", "weather") | {"extras": {"item_id": "fc-1"}},
            ],
            response_metadata=_by("openai", output_version="v1"),
        ),
        _ai(
            [
                {"type": "reasoning", "reasoning": "Hm", "extras": {"signature": "ts-1"}},
                _call("c-3", "weather") | {"extras": {"signature": "ts-2"}},
            ],
            response_metadata=_by("google_genai", output_version="v1"),
        ),
    ],
    "Anthropic's blocks": [
        _ai(
            [
                {"type": "thinking", "thinking": "Hm", "signature": "sig-1"},
                {"type": "redacted_thinking", "data": "sealed"},
                {
                    "type": "text",
                    "text": "It rains",
                    "index": 2,
                    "citations": [
                        {
                            "type": "web_search_result_location",
                            "url": "https://a.example",
                            "title": "A",
                            "cited_text": "rain",
                            "encrypted_index": "e-1",
                        }
                    ],
                },
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "weather",
                    "input": {},
                    "partial_json": '{"city": "Oslo"}',
                },
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "x"},
                },
            ],
            tool_calls=[_call("toolu_1", "weather", city="Oslo"), _call("toolu_2", "clock")],
            response_metadata=_by("anthropic", stop_reason="tool_use", model_name="claude-9"),
        ),
        {
            "type": "human",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4", "is_error": True},
                {"type": "text", "text": "Go on"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": _PNG},
                },
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "Words"},
                    "title": "T",
                },
            ],
        },
    ],
    "Responses' items": [
        _ai(
            [
                {
                    "type": "reasoning",
                    "id": "rs-1",
                    "summary": [{"type": "summary_text", "text": "Hm", "index": 0}],
                    "encrypted_content": "enc-1",
                },
                {"type": "text", "text": "It ", "id": "msg_1", "annotations": []},
                {"type": "text", "text": "rains", "id": "msg_1", "phase": "final_answer"},
                {
                    "type": "function_call",
                    "id": "fc-1",
                    "call_id": "c-1",
                    "name": "weather",
                    "arguments": '{"city":"Oslo"}',
                    "status": "completed",
                },
            ],
            tool_calls=[_call("c-1", "weather", city="Oslo")],
            response_metadata=_by("openai", status="completed", id="resp-1"),
        ),
        _ai(
            "It rains",
            id="msg_9",
            tool_calls=[_call("c-2", "clock")],
            additional_kwargs={
                "reasoning": {
                    "type": "reasoning",
                    "id": "rs-2",
                    "summary": [{"type": "summary_text", "text": "So"}],
                },
                "__openai_function_call_ids__": {"c-2": "fc-2"},
            },
            response_metadata=_by("openai"),
        ),
    ],
    "Gemini's and Converse's blocks": [
        _ai(
            [
                {"type": "thinking", "thinking": "Hm", "signature": "ts-1"},
                {"type": "text", "text": "Yes"},
            ],
            tool_calls=[_call("c-1", "weather", city="Oslo")],
            additional_kwargs={"__gemini_function_call_thought_signatures__": {"c-1": "ts-2"}},
            response_metadata=_by("google_genai", finish_reason="STOP"),
        ),
        _ai(
            [
                {
                    "type": "reasoning_content",
                    "reasoning_content": {"text": "Hm", "signature": "sig-1"},
                },
                {"type": "text", "text": "Yes"},
                {"type": "tool_use", "id": "c-2", "name": "weather", "input": {"city": "Oslo"}},
            ],
            tool_calls=[_call("c-2", "weather", city="Oslo")],
            response_metadata=_by("bedrock_converse", stopReason="tool_use"),
        ),
    ],
    "blocks of nobody that is named": [
        _ai(
            [
                {"type": "thinking", "thinking": "Hm", "signature": "sig-1"},
                {"type": "text", "text": "Yes"},
                {"type": "tool_use", "id": "c-1", "name": "weather", "input": {"city": "Oslo"}},
                {"type": "function_call", "call_id": "c-2", "name": "clock", "arguments": "{}"},
                {"text": "No type"},
                {"unheard": 1},
            ],
        ),
    ],
    "a chunk that was stored": [
        {
            "type": "AIMessageChunk",
            "content": "",
            "tool_calls": [_call("c-1", "weather", city="Oslo")],
            "tool_call_chunks": [
                {"id": "c-1", "name": "weather", "args": '{"city":"Oslo"}', "index": 1}
            ],
        }
    ],
}

LOSSY: dict[str, list[Any]] = {
    "what has no place": [
        {"type": "remove", "id": "m-1", "content": ""},
        {"type": "human", "content": [{"type": "guard", "x": 1}, {"text": "y", "index": 7}, 5]},
        {"type": "system", "content": [{"type": "image", "url": "https://a.example/x"}]},
        {"type": "human", "content": "x", "unheard": [1], "example": True},
        _ai([7, {"type": "tool_use", "id": 3, "name": "", "input": []}], tool_calls=[{"id": "x"}]),
        _ai(
            [{"type": "tool_use", "id": "c-1", "name": "b", "input": {"x": 2}, "index": 5}],
            tool_calls=[_call("c-1", "a", x=1), _call("c-1", "a", x=1)],
            response_metadata=_by("anthropic"),
        ),
        {"type": "tool", "content": "?", "tool_call_id": "", "status": "odd", "name": "t"},
        {"type": "tool", "content": None, "tool_call_id": "c-9"},
    ],
    "media of all kinds": [
        {
            "type": "human",
            "content": [
                {"type": "image_url", "image_url": "https://a.example/x.png"},
                {"type": "image_url", "image_url": {"url": "https://a.example/x", "detail": "low"}},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PNG}"}},
                {"type": "input_audio", "input_audio": {"data": _PNG, "format": "mp3"}},
                {"type": "file", "file": {"file_id": "file-1"}},
                {"type": "file", "file": {"filename": "a", "file_data": f"data:a/b;base64,{_PNG}"}},
                {"type": "image", "source_type": "url", "url": "https://a.example/y"},
                {
                    "type": "file",
                    "source_type": "base64",
                    "mime_type": "a/b",
                    "data": _PNG,
                    "metadata": {"name": "n"},
                },
                {"type": "file", "source_type": "id", "id": "file-2"},
                {"type": "file", "source_type": "text", "text": "Words"},
                {"type": "text-plain", "text": "Words", "mime_type": "text/plain", "title": "T"},
                {"type": "media", "mime_type": "video/mp4", "file_uri": "gs://b/x"},
                {"type": "document", "source": {"type": "file", "file_id": "file-3"}},
                {"type": "image", "source": {"type": "url", "url": "https://a.example/z"}},
            ],
        },
    ],
}

_DATA: Json = {
    "content": "Rain?",
    "type": "human",
    "id": "m-1",
    "name": None,
    "additional_kwargs": {},
}
_ROW = {"lc": 1, "type": "constructor", "kwargs": _DATA}

ENVELOPES: dict[str, Any] = {
    "model_dump": [_DATA],
    "messages_to_dict": [{"type": "human", "data": _DATA}],
    "dumpd": [{**_ROW, "id": ["langchain", "schema", "messages", "HumanMessage"]}],
    "dumpd of JavaScript": [{**_ROW, "id": ["langchain_core", "messages", "HumanMessage"]}],
    "one message": {"type": "human", "data": _DATA},
    "a state": {"messages": [_DATA]},
    "the value of a prompt": {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "prompts", "chat", "ChatPromptValue"],
        "kwargs": {"messages": [{**_ROW, "id": ["langchain_core", "messages", "HumanMessage"]}]},
    },
    "a role": [{"role": "user", "content": "Rain?", "id": "m-1"}],
}
