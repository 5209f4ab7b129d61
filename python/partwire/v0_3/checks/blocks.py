# Generated from schemas/v0.3 (digest bf27134f877246ad) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""Checks of the blocks family.

``check(type_name, document)`` returns findings; ``CHECKS`` has one function per type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from partwire.bindings.check import (
    ABSENT,
    Check,
    Found,
    Level,
    below,
    boolean,
    const,
    enum,
    free,
    full,
    integer,
    member,
    no_member_type,
    run,
    string,
    tag_of,
    wrong_type,
)
from partwire.errors import Finding


def _message(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("role", ABSENT)
    if not (type(x) is str and x in ("user", "assistant", "system")):
        found = member(found, "role", x, _role(x))
    x = v.get("content", ABSENT)
    f = _message_content(x)
    if f is not None:
        found = member(found, "content", x, f)
    return found


def _role(v: Any) -> Found:
    return enum(v, ("user", "assistant", "system"))


def _message_content(v: Any) -> Found:
    if isinstance(v, str):
        return string(v)
    if isinstance(v, list):
        return _message_content__1(v)
    return no_member_type(v, "a string or an array")


def _message_content__1(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _content_block(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _content_block(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("type")
        f = _CONTENT_BLOCK_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "type", _CONTENT_BLOCK_VARIANTS)


def _text_block(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "text"):
        found = member(found, "type", x, const(x, "text"))
    x = v.get("text", ABSENT)
    if not (type(x) is str):
        found = member(found, "text", x, string(x))
    return found


def _tool_use_block(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "tool_use"):
        found = member(found, "type", x, const(x, "tool_use"))
    x = v.get("tool_use_id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool_use_id", x, string(x, 1))
    x = v.get("tool_name", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool_name", x, string(x, 1))
    x = v.get("parameters", ABSENT)
    if not (type(x) is dict):
        found = member(found, "parameters", x, _json_object(x))
    return found


def _tool_result_block(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "tool_result"):
        found = member(found, "type", x, const(x, "tool_result"))
    x = v.get("tool_use_id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool_use_id", x, string(x, 1))
    x = v.get("content", ABSENT)
    f = _tool_result_block_content(x)
    if f is not None:
        found = member(found, "content", x, f)
    x = v.get("is_error", ABSENT)
    if not ((x is True or x is False)):
        found = member(found, "is_error", x, boolean(x))
    return found


def _tool_result_block_content(v: Any) -> Found:
    if isinstance(v, str):
        return string(v)
    if isinstance(v, list):
        return _tool_result_block_content__1(v)
    return no_member_type(v, "a string or an array")


def _tool_result_block_content__1(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _tool_result_content_block(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _tool_result_content_block(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("type")
        f = _TOOL_RESULT_CONTENT_BLOCK_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "type", _TOOL_RESULT_CONTENT_BLOCK_VARIANTS)


def _image_block(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "image"):
        found = member(found, "type", x, const(x, "image"))
    x = v.get("image_type", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "image_type", x, string(x, 1))
    x = v.get("media_type", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "media_type", x, string(x, 1))
    x = v.get("data", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "data", x, string(x, 1))
    return found


def _token_usage(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("input_tokens", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "input_tokens", x, integer(x, 0, 9007199254740991))
    x = v.get("output_tokens", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "output_tokens", x, integer(x, 0, 9007199254740991))
    x = v.get("total_tokens", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "total_tokens", x, integer(x, 0, 9007199254740991))
    return found


def _model_response(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("content", ABSENT)
    f = _model_response__content(x)
    if f is not None:
        found = member(found, "content", x, f)
    x = v.get("usage", ABSENT)
    f = _token_usage(x)
    if f is not None:
        found = member(found, "usage", x, f)
    x = v.get("model", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "model", x, string(x))
    x = v.get("stop_reason", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "stop_reason", x, string(x, 1))
    return found


def _model_response__content(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _content_block(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _stream_chunk(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("type")
        f = _STREAM_CHUNK_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "type", _STREAM_CHUNK_VARIANTS)


def _content_block_start_chunk(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "content_block_start"):
        found = member(found, "type", x, const(x, "content_block_start"))
    x = v.get("index", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "index", x, integer(x, 0, 9007199254740991))
    return found


def _content_block_delta_chunk(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "content_block_delta"):
        found = member(found, "type", x, const(x, "content_block_delta"))
    x = v.get("index", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "index", x, integer(x, 0, 9007199254740991))
    x = v.get("delta", ABSENT)
    if not (type(x) is str):
        found = member(found, "delta", x, string(x))
    return found


def _content_block_stop_chunk(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "content_block_stop"):
        found = member(found, "type", x, const(x, "content_block_stop"))
    x = v.get("index", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "index", x, integer(x, 0, 9007199254740991))
    return found


def _tool_use_chunk(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "tool_use"):
        found = member(found, "type", x, const(x, "tool_use"))
    x = v.get("tool_name", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool_name", x, string(x, 1))
    x = v.get("tool_use_id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool_use_id", x, string(x, 1))
    x = v.get("parameters", ABSENT)
    if not (type(x) is dict):
        found = member(found, "parameters", x, _json_object(x))
    return found


def _message_stop_chunk(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "message_stop"):
        found = member(found, "type", x, const(x, "message_stop"))
    x = v.get("usage", ABSENT)
    f = _token_usage(x)
    if f is not None:
        found = member(found, "usage", x, f)
    return found


def _error_chunk(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "error"):
        found = member(found, "type", x, const(x, "error"))
    x = v.get("message", ABSENT)
    if not (type(x) is str):
        found = member(found, "message", x, string(x))
    return found


def _json_object(v: Any) -> Found:
    return free(v)


_CONTENT_BLOCK_VARIANTS: Final[Mapping[str, Check]] = {
    "text": _text_block,
    "tool_use": _tool_use_block,
    "tool_result": _tool_result_block,
    "image": _image_block,
}
_TOOL_RESULT_CONTENT_BLOCK_VARIANTS: Final[Mapping[str, Check]] = {
    "text": _text_block,
    "image": _image_block,
}
_STREAM_CHUNK_VARIANTS: Final[Mapping[str, Check]] = {
    "content_block_start": _content_block_start_chunk,
    "content_block_delta": _content_block_delta_chunk,
    "content_block_stop": _content_block_stop_chunk,
    "tool_use": _tool_use_chunk,
    "message_stop": _message_stop_chunk,
    "error": _error_chunk,
}


CHECKS: Final[Mapping[str, Check]] = {
    "Message": _message,
    "Role": _role,
    "MessageContent": _message_content,
    "ContentBlock": _content_block,
    "TextBlock": _text_block,
    "ToolUseBlock": _tool_use_block,
    "ToolResultBlock": _tool_result_block,
    "ToolResultBlockContent": _tool_result_block_content,
    "ToolResultContentBlock": _tool_result_content_block,
    "ImageBlock": _image_block,
    "TokenUsage": _token_usage,
    "ModelResponse": _model_response,
    "StreamChunk": _stream_chunk,
    "ContentBlockStartChunk": _content_block_start_chunk,
    "ContentBlockDeltaChunk": _content_block_delta_chunk,
    "ContentBlockStopChunk": _content_block_stop_chunk,
    "ToolUseChunk": _tool_use_chunk,
    "MessageStopChunk": _message_stop_chunk,
    "ErrorChunk": _error_chunk,
    "JsonObject": _json_object,
}

def check(type_name: str, document: object, level: Level = "all") -> list[Finding]:
    """Return the findings of ``document``; UsageError (usage/unknown-type) for an unknown type."""
    return run(CHECKS, type_name, document, level)
