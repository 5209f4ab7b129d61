"""A streaming response under asyncio and trio: the way through, back-pressure, the reader's end."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from partwire import PartwireError, StreamFailed, StreamProtocolError, Unknown, UsageError
from partwire.blocks import ChunkSender, ReaderGone, StreamingResponse, collect, collect_chunks
from partwire.contract.current.blocks import ContentBlockDeltaChunk, StreamChunk, TextBlock
from tests.blocks.channel_ends import HELLO, LONG, pieces, read_all, send_all, turns
from tests.blocks.chunk_streams import END, chunk

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


# --- the way through ------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [1, 2, 3, 16, 1000])
async def test_chunks_arrive_in_order(capacity: int) -> None:
    sender, stream = StreamingResponse.channel(capacity)
    items = pieces(100)
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send_all, sender, items)
            assert await read_all(stream) == items
    assert await read_all(stream) == []  # and then there is no more


async def test_a_stream_is_collected() -> None:
    sender, stream = StreamingResponse.channel()
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send_all, sender, HELLO)
            assert await collect(stream) == collect_chunks(HELLO)
    assert collect_chunks(HELLO).content == [TextBlock(text="Hello")]
    assert sender.reader_gone


async def test_the_end_comes_with_the_chunk_that_ends_the_stream() -> None:
    """The reader does not wait for a sender that stays open."""
    sender, stream = StreamingResponse.channel()
    for each in HELLO:
        await sender.send(each)
    with anyio.fail_after(LONG):
        assert await read_all(stream) == HELLO


async def test_unknown_chunks_go_through() -> None:
    sender, stream = StreamingResponse.channel()
    unknown = Unknown("type", "citation", {"type": "citation"})
    for each in [unknown, chunk(*END)]:
        await sender.send(each)
    assert await read_all(stream) == [unknown, chunk(*END)]


async def test_an_error_chunk_is_a_chunk() -> None:
    sender, stream = StreamingResponse.channel()
    await sender.send(chunk("error", "Gone."))
    assert await read_all(stream) == [chunk("error", "Gone.")]
    sender, stream = StreamingResponse.channel()
    await sender.send(chunk("error", "Gone."))
    with pytest.raises(StreamFailed) as caught:
        await collect(stream)
    assert caught.value.rule == "blocks/failed"


# --- back-pressure --------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [1, 4])
async def test_a_sender_waits_while_the_channel_is_full(capacity: int) -> None:
    sender, stream = StreamingResponse.channel(capacity)
    sent: list[StreamChunk] = []
    items = pieces(10)

    async def produce() -> None:
        async with sender:
            for each in items:
                await sender.send(each)
                sent.append(each)

    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(produce)
            for number in range(len(items)):
                await turns()
                assert len(sent) == min(number + capacity, len(items))
                assert await anext(stream) == items[number]


async def test_several_senders_wait_their_turn() -> None:
    sender, stream = StreamingResponse.channel(1)
    await sender.send(chunk("start", 0))

    async def produce(text: str) -> None:
        for _ in range(10):
            await sender.send(chunk("delta", 0, text))

    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            for text in "abc":
                tasks.start_soon(produce, text)
            got = [await anext(stream) for _ in range(31)]
            texts = [each.delta for each in got if isinstance(each, ContentBlockDeltaChunk)]
            assert sorted(texts) == sorted("abc" * 10)


async def test_several_readers_share_the_chunks() -> None:
    sender, stream = StreamingResponse.channel(2)
    got: list[Any] = []

    async def consume() -> None:
        got.extend(await read_all(stream))

    items = pieces(50)
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(consume)
            await turns()
            await send_all(sender, items)
    assert sorted(map(repr, got)) == sorted(map(repr, items))


@pytest.mark.parametrize("capacity", [0, -1, True, 1.0, None, "16"])
async def test_a_capacity_is_a_count(capacity: Any) -> None:
    with pytest.raises(UsageError) as caught:
        StreamingResponse.channel(capacity)
    assert caught.value.rule == "usage/invalid-argument"


# --- the reader goes ------------------------------------------------------------------------------


async def never_ending(sender: ChunkSender, ended: list[str]) -> None:
    try:
        async with sender:
            await sender.send(chunk("start", 0))
            while True:
                await sender.send(chunk("delta", 0, "x"))
    finally:
        ended.append("ended")


async def test_leaving_the_stream_stops_the_sender() -> None:
    sender, stream = StreamingResponse.channel(2)
    ended: list[str] = []
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(never_ending, sender, ended)
            async with stream:
                async for _ in stream:
                    break
            await turns()
            assert ended == ["ended"]
    assert sender.reader_gone
    assert await read_all(stream) == []


async def test_breaking_and_dropping_the_stream_stops_the_sender() -> None:
    sender, stream = StreamingResponse.channel(2)
    ended: list[str] = []
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(never_ending, sender, ended)
            async for _ in stream:
                break
            await turns()
            assert ended == []  # the stream could be read on
            del stream
            gc.collect()
    assert ended == ["ended"]


async def test_a_sender_that_waits_hears_that_the_reader_has_gone() -> None:
    sender, stream = StreamingResponse.channel(1)
    await sender.send(HELLO[0])
    heard: list[Any] = []

    async def produce() -> None:
        with pytest.raises(ReaderGone) as caught:
            await sender.send(HELLO[1])
        heard.append(caught.value)

    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(produce)
            await turns()
            assert heard == []
            assert not sender.reader_gone
            await stream.aclose()
            await stream.aclose()  # once more is not an error
    assert isinstance(heard[0], PartwireError)
    assert heard[0].rule == "blocks/reader-gone"
    with pytest.raises(ReaderGone):
        await sender.send(HELLO[1])


async def read_and_raise(stream: StreamingResponse) -> None:
    async with stream:
        async for _ in stream:
            raise ZeroDivisionError


async def test_a_reader_that_fails_stops_the_sender() -> None:
    sender, stream = StreamingResponse.channel(1)
    ended: list[str] = []
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(never_ending, sender, ended)
            with pytest.raises(ZeroDivisionError):
                await read_and_raise(stream)
    assert ended == ["ended"]


async def test_a_closed_stream_wakes_who_reads_it() -> None:
    sender, stream = StreamingResponse.channel()
    got: list[Any] = []

    async def consume() -> None:
        got.append(await read_all(stream))

    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(consume)
            await turns()
            await stream.aclose()
    assert got == [[]]
    sender.close()


async def test_a_closed_stream_keeps_no_chunk() -> None:
    sender, stream = StreamingResponse.channel()
    for each in HELLO:
        await sender.send(each)
    await stream.aclose()
    assert len(stream._channel.chunks) == 0
    assert await read_all(stream) == []


async def test_a_task_group_in_the_sender_ends_quietly_too() -> None:
    sender, stream = StreamingResponse.channel()
    await stream.aclose()

    async def one() -> None:
        await sender.send(HELLO[0])

    async with sender, anyio.create_task_group() as tasks:
        tasks.start_soon(one)

    async def other() -> None:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        async with sender, anyio.create_task_group() as tasks:
            tasks.start_soon(other)
    assert caught.group_contains(ZeroDivisionError)


async def test_a_collected_stream_is_closed_whatever_happens() -> None:
    sender, stream = StreamingResponse.channel()
    await sender.send(chunk("stop", 0))
    with pytest.raises(StreamProtocolError) as caught:
        await collect(stream)
    assert caught.value.rule == "blocks/block-not-open"
    with pytest.raises(ReaderGone):
        await sender.send(chunk("start", 0))


class Sent:
    """Has no aclose at all."""

    def __init__(self) -> None:
        self._chunks = iter(HELLO)

    def __aiter__(self) -> Sent:
        return self

    async def __anext__(self) -> StreamChunk:
        return next(self._chunks)


async def test_any_async_iterator_is_collected() -> None:
    closed: list[str] = []

    async def generate() -> AsyncIterator[StreamChunk]:
        try:
            for each in HELLO:
                yield each
            raise AssertionError("read beyond the end")
        finally:
            await checkpoint()
            closed.append("closed")

    assert await collect(generate()) == collect_chunks(HELLO)
    assert closed == ["closed"]

    class Bare:
        """Has no aclose; what it iterates with has."""

        def __aiter__(self) -> AsyncIterator[StreamChunk]:
            return generate()

    assert await collect(Bare()) == collect_chunks(HELLO)
    assert closed == ["closed", "closed"]

    assert await collect(Sent()) == collect_chunks(HELLO)

    async def cut() -> AsyncIterator[StreamChunk]:
        yield HELLO[0]

    with pytest.raises(StreamProtocolError) as caught:
        await collect(cut())
    assert caught.value.rule == "blocks/truncated"
