"""Dialects by an alias, and dialects that nobody names: the first events show them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

import partwire
from partwire.errors import UsageError
from partwire.providers import (
    ADAPTERS,
    adapt_bytes,
    adapt_bytes_async,
    detect_dialect,
    encode_request,
    open_adapter,
)
from partwire.tables.event_dialects import ALIASES

NOW = "2026-01-02T03:04:05Z"
STREAMS = {
    "anthropic-messages": b'event: ping\ndata: {"type":"ping"}\n\n'
    b'data: {"type":"message_start","message":{"id":"a","model":"m"}}\n\n',
    "bedrock-converse": b'{"messageStart":{"role":"assistant"}}\n',
    "cohere-v2": b'data: {"type":"message-start","id":"a"}\n\n',
    "gemini": b'[{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}\n,\n',
    "openai-chat": b': hello\n\ndata: {"id":"a","model":"m","choices":[{"delta":{}}]}\n\n',
    "openai-responses": b'event: response.created\ndata: {"type":"response.created"}\n\n',
}
NOTHING = [b"", b": hello\n\n", b'data: {"type":"ping"}\n\n', b"words", b'{"a":1}\n', b"\x00\x00"]


def cuts(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@pytest.mark.parametrize("dialect", ADAPTERS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_stream_shows_its_dialect(dialect: str, size: int) -> None:
    data = STREAMS[dialect]
    found, chunks = detect_dialect(cuts(data, size))
    assert (found, b"".join(chunks)) == (dialect, data)
    named = list(adapt_bytes(dialect, data, "run_1", clock=lambda: NOW))
    assert list(adapt_bytes(None, cuts(data, size), "run_1", clock=lambda: NOW)) == named

    async def chunks_of() -> AsyncIterator[bytes]:
        for chunk in cuts(data, size):
            yield chunk

    async def read() -> list[object]:
        deltas = adapt_bytes_async(None, chunks_of(), "run_1", clock=lambda: NOW)
        return [delta async for delta in deltas]

    assert asyncio.run(read()) == named


def test_no_more_is_read_than_shows_it() -> None:
    def chunks() -> Iterator[bytes]:
        yield STREAMS["openai-chat"]
        raise AssertionError("read on")

    assert detect_dialect(chunks())[0] == "openai-chat"


@pytest.mark.parametrize("data", NOTHING)
def test_what_shows_nothing_names_the_dialects(data: bytes) -> None:
    assert detect_dialect([data])[0] is None
    with pytest.raises(UsageError) as caught:
        list(partwire.adapt(None, data))
    (found,) = caught.value.findings
    assert found.rule == "usage/unknown-dialect"
    assert found.expected == f"one of {', '.join(ADAPTERS)}"


def test_a_dialect_without_adapter_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        list(partwire.adapt(None, b'{"event_type":"stream-start"}\n'))
    assert caught.value.findings[0].actual == '"cohere-v1"'


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_its_dialect(alias: str) -> None:
    dialect = ALIASES[alias]
    assert open_adapter(alias, "run_1", clock=lambda: NOW).dialect == dialect
    config = {"modelId": "m"}
    assert encode_request(alias, [], config=config) == encode_request(dialect, [], config=config)


@pytest.mark.parametrize("name", ["OpenAI", "open-ai", "", None, 1, ["openai"]])
def test_what_is_near_is_no_alias(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_adapter(name, "run_1", clock=lambda: NOW)
    assert caught.value.findings[0].rule == "usage/unknown-dialect"
