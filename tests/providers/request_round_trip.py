"""An answer of a provider, read by its adapter and sent back by its encoder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from partwire.contract.current.message import Message
from partwire.providers.framing import SSEDecoder
from partwire.providers.requests import EncodedRequest, encode_request
from tests.fixture_cases import provider_cases
from tests.providers.provider_streams import assembled, run_events

__all__ = ["ASKED", "CONFIG", "answer", "encode", "provider_texts", "sent_back"]

CONFIG: dict[str, Any] = {"modelId": "model-1", "maxTokens": 64}
ASKED: dict[str, Any] = {
    "runId": "run_1",
    "role": "user",
    "parts": [{"kind": "text", "payload": {"text": "Well?"}}],
    "timestamp": "2026-01-02T03:04:05Z",
}


def provider_texts(dialect: str) -> dict[str, list[str]]:
    """Return the events of every stream of the fixtures that is server-sent events, as text."""
    return {
        case.name.removeprefix(f"{dialect}/"): _texts(case.data("input"))
        for case in provider_cases("v0.1", dialect)
        if case.spec["input_file"].endswith(".sse")
    }


def _texts(data: bytes) -> list[str]:
    decoder = SSEDecoder()
    return [event.data for event in (*decoder.feed(data), *decoder.close())]


def answer(dialect: str, texts: Iterable[str], **options: Any) -> Message:
    """Return the message of a stream with the provider's state, final or partial."""
    ran = run_events(dialect, texts, **options)
    return assembled(ran.deltas)


def encode(dialect: str, given: dict[str, Any]) -> EncodedRequest:
    """Encode an input.json, or what looks like one."""
    return encode_request(
        dialect,
        given["messages"],
        given.get("toolSpecs", ()),
        given.get("systemPrompt"),
        tool_choice=given.get("toolChoice"),
        config=given["config"],
        system_prompt_content=given.get("systemPromptContent"),
    )


def sent_back(dialect: str, *messages: Any, **options: Any) -> EncodedRequest:
    """Return the request that goes on behind a question and ``messages``."""
    return encode_request(dialect, [ASKED, *messages], config=CONFIG, **options)
