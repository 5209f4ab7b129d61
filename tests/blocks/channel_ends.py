"""Both ends of a channel for tests."""

from __future__ import annotations

from typing import Any, Final

import anyio
import pytest
from anyio.lowlevel import checkpoint

from partwire import StreamProtocolError
from partwire.blocks import ChunkSender, StreamingResponse
from partwire.contract.current.blocks import StreamChunk
from tests.blocks.chunk_streams import END, chunks

HELLO: Final = chunks(("start", 0), ("delta", 0, "Hel"), ("delta", 0, "lo"), ("stop", 0), END)
TINY: Final = 1e-3  # seconds: long enough for every other task to have its turn
LONG: Final = 60.0  # seconds: what hangs fails


async def send_all(sender: ChunkSender, items: list[StreamChunk]) -> None:
    async with sender:
        for each in items:
            await sender.send(each)


async def read_all(stream: StreamingResponse, got: list[Any] | None = None) -> list[Any]:
    """Return the chunks; what comes before an error is in ``got`` then."""
    got = [] if got is None else got
    while (each := await anext(stream, None)) is not None:
        got.append(each)
    return got


async def send_and_raise(sender: ChunkSender, error: BaseException, *items: StreamChunk) -> None:
    async with sender:
        for each in items:
            await sender.send(each)
        raise error


async def turns(count: int = 20) -> None:
    """Let every other task run until it waits."""
    for _ in range(count):
        await checkpoint()


def pieces(count: int) -> list[StreamChunk]:
    rows = [("delta", 0, str(number)) for number in range(count)]
    return chunks(("start", 0), *rows, ("stop", 0), END)


async def truncation(stream: StreamingResponse) -> tuple[list[Any], str | None]:
    """Return what was read before the stream turned out to be cut, and what is said of it."""
    got: list[Any] = []
    with anyio.fail_after(LONG), pytest.raises(StreamProtocolError) as caught:
        await read_all(stream, got)
    assert caught.value.rule == "blocks/truncated"
    assert await read_all(stream) == []  # said once
    return got, caught.value.actual
