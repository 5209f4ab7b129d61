"""Counts of tokens: a missing total is a sum, and one that is not a count refuses no document."""

from __future__ import annotations

from typing import Any

import pytest

from partwire import formats
from tests.formats.laws import read_given, wire
from tests.formats.sessions import jsonl

MOST = 2**53 - 1
_ANSWER = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "a"}],
}


def langchain(usage: dict[str, int]) -> Any:
    return [{"type": "ai", "data": {"content": "a", "usage_metadata": usage}}]


def pydantic_ai(usage: dict[str, int]) -> Any:
    return [{"kind": "response", "parts": [{"part_kind": "text", "content": "a"}], "usage": usage}]


def codex(usage: dict[str, int]) -> Any:
    told = {"type": "token_count", "info": {"last_token_usage": usage}}
    lines = [
        {"type": "response_item", "payload": _ANSWER},
        {"type": "event_msg", "payload": told},
    ]
    return jsonl(lines)


FORMATS = {"langchain": langchain, "pydantic-ai": pydantic_ai, "codex": codex}


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_total_is_the_sum(name: str) -> None:
    (message,) = wire(read_given(name, FORMATS[name]({"input_tokens": 3, "output_tokens": 4})))
    usage = message["meta"]["usage"]
    assert usage == {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}


@pytest.mark.parametrize("name", FORMATS)
def test_a_sum_beyond_all_counts_is_not_usage(name: str) -> None:
    document = FORMATS[name]({"input_tokens": MOST, "output_tokens": MOST})
    result = read_given(name, document)
    (message,) = wire(result)
    assert "usage" not in message.get("meta", {})
    assert str(MOST) in str(message) or [loss.pointer for loss in result.losses if loss.pointer]
    if name != "codex":
        (back,) = wire(read_given(name, formats.write(name, result.messages).document))
        assert back["meta"] == message["meta"]
