"""Streams with ids and times by default."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

import partwire
from partwire import adapt, adapt_async
from partwire.providers import adapt_bytes

STREAM = (Path(__file__).parents[2] / "examples/streams/long-answer.sse").read_bytes()
DIALECT = "anthropic-messages"


loose: Any = partwire
"""The face, to those who have no type checker."""


def clock() -> str:
    return "2026-01-02T03:04:05Z"


async def chunked(data: bytes, size: int = 100) -> AsyncIterator[bytes]:
    for begin in range(0, len(data), size):
        yield data[begin : begin + size]


def collected(chunks: Any, **options: Any) -> list[Any]:
    async def run() -> list[Any]:
        return [delta async for delta in adapt_async(DIALECT, chunks, **options)]

    return asyncio.run(run())


def test_a_stream_needs_no_more_than_its_dialect() -> None:
    deltas = list(adapt(DIALECT, [STREAM[:50], STREAM[50:]]))
    assert {delta.run_id for delta in deltas} == {deltas[0].run_id}
    assert deltas[0].run_id.startswith("run_")
    assert deltas[0].run_id != next(adapt(DIALECT, STREAM)).run_id
    message = partwire.assemble(deltas)
    assert partwire.validate(message, "message.Message") == []
    assert partwire.to_wire(message)["meta"]["finishReason"] == "tool_calls"


@pytest.mark.parametrize("whole", [STREAM, bytearray(STREAM), memoryview(STREAM)])
def test_what_is_given_goes_to_the_adapter(whole: Any) -> None:
    options: dict[str, Any] = {"run_id": "r", "clock": clock, "message_id": "m", "turn_id": "t"}
    options |= {"framing": "sse", "keep_raw": True, "used_tool_call_ids": frozenset({"c"})}
    wanted = list(adapt_bytes(DIALECT, [STREAM], **options))
    assert list(adapt(DIALECT, whole, **options)) == wanted
    assert collected(chunked(STREAM), **options) == wanted
    assert wanted[0].turn_id == "t"


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: loose.adapt("mistral", STREAM), "usage/unknown-dialect"),
        (lambda: loose.adapt_async("mistral", chunked(STREAM)), "usage/unknown-dialect"),
        (lambda: loose.adapt(DIALECT, STREAM.decode()), "usage/invalid-argument"),
        (lambda: loose.adapt(DIALECT, None), "usage/invalid-argument"),
        (lambda: loose.adapt(DIALECT, STREAM, run_id=""), "usage/invalid-argument"),
        (lambda: list(loose.adapt(DIALECT, [STREAM.decode()])), "usage/invalid-argument"),
        (lambda: loose.adapt_async(DIALECT, [STREAM]), "usage/invalid-argument"),
        (lambda: loose.adapt(DIALECT, chunked(STREAM)), "usage/invalid-argument"),
    ],
)
def test_what_cannot_be_meant_is_refused(call: Callable[[], Any], rule: str) -> None:
    with pytest.raises(partwire.UsageError) as caught:
        call()
    assert caught.value.rule == rule
    assert caught.value.findings[0].expected
