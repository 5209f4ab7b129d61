"""Stored histories as the official libraries parse them: JSON text to their own types."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any, Final

__all__ = ["PARSERS", "load"]

Parse = Callable[[bytes], Any]


def _pydantic(module: str, name: str, *, is_lazy: bool = False) -> Callable[[], Parse]:
    """Return what makes a parser of lists of a type, through pydantic.

    ``is_lazy``: what the type says is iterable is parsed when it is iterated, so it is.
    """

    def make() -> Parse:
        kind: Any = getattr(importlib.import_module(module), name)
        adapter = importlib.import_module("pydantic").TypeAdapter
        parse: Parse = adapter(list[kind]).validate_json
        return (lambda data: _exhausted(parse(data))) if is_lazy else parse

    return make


def _exhausted(messages: Any) -> Any:
    for message in messages:
        if not isinstance(message["content"], str):
            message["content"] = list(message["content"])
    return messages


def _langchain() -> Parse:
    read = importlib.import_module("langchain_core.messages").messages_from_dict
    return lambda data: read(json.loads(data))


def _pydantic_ai() -> Parse:
    adapter = importlib.import_module("pydantic_ai.messages").ModelMessagesTypeAdapter
    parse: Parse = adapter.validate_json
    return parse


def _a2a() -> Parse:
    message = importlib.import_module("a2a.types").Message
    parse = importlib.import_module("google.protobuf.json_format").ParseDict
    return lambda data: [parse(each, message()) for each in json.loads(data)]


PARSERS: Final[dict[str, tuple[str, Callable[[], Parse]]]] = {
    "a2a": ("a2a.types", _a2a),
    "ag-ui": ("ag_ui.core", _pydantic("ag_ui.core", "Message")),
    "anthropic-messages": (
        "anthropic.types",
        _pydantic("anthropic.types", "MessageParam", is_lazy=True),
    ),
    "cohere-v2": ("cohere.types", _pydantic("cohere.types", "ChatMessageV2")),
    "gemini": ("google.genai.types", _pydantic("google.genai.types", "Content")),
    "langchain": ("langchain_core, messages_from_dict", _langchain),
    "mcp": ("mcp.types", _pydantic("mcp.types", "SamplingMessage")),
    "openai-agents": (
        "openai.types.responses",
        _pydantic("openai.types.responses", "ResponseInputItemParam"),
    ),
    "openai-chat": (
        "openai.types.chat",
        _pydantic("openai.types.chat", "ChatCompletionMessageParam"),
    ),
    "openai-responses": (
        "openai.types.responses",
        _pydantic("openai.types.responses", "ResponseInputItemParam"),
    ),
    "pydantic-ai": ("pydantic_ai, ModelMessagesTypeAdapter", _pydantic_ai),
}
"""Format → the library and what makes its parser. For the others no library parses them."""


def load(name: str) -> tuple[str, Parse] | None:
    """Return the library and its parser; None where there is none. Raises ImportError."""
    if name not in PARSERS:
        return None
    label, make = PARSERS[name]
    return label, make()
