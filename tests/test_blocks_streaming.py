"""The channel between a sender and a reader, under asyncio and under trio."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from partwire import PartwireError, StreamFailed, StreamProtocolError, Unknown, UsageError
from partwire.blocks import (
    ChunkSender,
    ModelAdapterError,
    ReaderGone,
    StreamingResponse,
    collect,
    collect_chunks,
)
from partwire.blocks.channel import Channel
from partwire.v0_1.structs.blocks import (
    ContentBlockDeltaChunk,
    MessageStopChunk,
    StreamChunk,
    TextBlock,
)
from tests.chunk_streams import END, chunk, chunks
from tests.fixture_cases import ROOT

pytestmark = pytest.mark.anyio

HELLO = chunks(("start", 0), ("delta", 0, "Hel"), ("delta", 0, "lo"), ("stop", 0), END)
TINY = 1e-3  # seconds: long enough for every other task to have its turn
LONG = 10.0  # seconds: what hangs fails


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


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


# --- the sender goes ------------------------------------------------------------------------------


async def truncation(stream: StreamingResponse) -> tuple[list[Any], str | None]:
    """Return what was read before the stream turned out to be cut, and what is said of it."""
    got: list[Any] = []
    with anyio.fail_after(LONG), pytest.raises(StreamProtocolError) as caught:
        await read_all(stream, got)
    assert caught.value.rule == "blocks/truncated"
    assert await read_all(stream) == []  # said once
    return got, caught.value.actual


@pytest.mark.parametrize("count", [0, 1, 4])
async def test_a_sender_that_closes_early_cuts_the_stream(count: int) -> None:
    sender, stream = StreamingResponse.channel()
    await send_all(sender, HELLO[:count])
    sender.close()  # once more is no error
    assert await truncation(stream) == (HELLO[:count], "the end of the sender")


async def test_a_sender_that_closes_wakes_the_reader() -> None:
    sender, stream = StreamingResponse.channel()
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(truncation, stream)
            await turns()
            sender.close()


async def test_a_sender_that_is_dropped_cuts_the_stream() -> None:
    sender, stream = StreamingResponse.channel()
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(truncation, stream)
            await turns()
            del sender
            gc.collect()


async def test_a_sender_dropped_in_a_cycle_cuts_the_stream() -> None:
    sender, stream = StreamingResponse.channel()
    cycle: list[Any] = [sender]
    cycle.append(cycle)
    del sender, cycle
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(truncation, stream)
            await turns()
            gc.collect()


async def test_a_cancelled_sender_cuts_the_stream() -> None:
    sender, stream = StreamingResponse.channel(1)
    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send_all, sender, HELLO)
            await turns()
            tasks.cancel_scope.cancel()
        assert await truncation(stream) == (HELLO[:1], "the sender was cancelled")


async def test_cancellation_after_the_end_cuts_nothing() -> None:
    sender, stream = StreamingResponse.channel()

    async def produce() -> None:
        async with sender:
            await sender.send(chunk(*END))
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(produce)
        await turns()
        tasks.cancel_scope.cancel()
    assert await read_all(stream) == [chunk(*END)]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
async def test_what_ends_the_program_is_raised(kind: type[BaseException]) -> None:
    sender, stream = StreamingResponse.channel()
    with pytest.raises(kind):
        await send_and_raise(sender, kind())
    assert (await truncation(stream))[0] == []


async def test_a_closed_sender_sends_nothing() -> None:
    sender, stream = StreamingResponse.channel()
    sender.close()
    with pytest.raises(StreamProtocolError) as caught:
        await sender.send(HELLO[0])
    assert caught.value.rule == "blocks/sender-closed"
    assert (await truncation(stream))[0] == []


@pytest.mark.parametrize("last", [END, ("error", "Gone.")])
async def test_nothing_is_sent_after_the_end(last: Any) -> None:
    sender, stream = StreamingResponse.channel()
    await sender.send(chunk(*last))
    for _ in range(2):  # before and after it has been read
        with pytest.raises(StreamProtocolError) as caught:
            await sender.send(HELLO[0])
        assert caught.value.rule == "blocks/after-terminal"
        assert await read_all(stream) in ([chunk(*last)], [])


@pytest.mark.parametrize("value", [None, {"type": "error"}, "text", MessageStopChunk])
async def test_only_chunks_are_sent(value: Any) -> None:
    sender, stream = StreamingResponse.channel()
    with pytest.raises(StreamProtocolError) as caught:
        await sender.send(value)
    assert caught.value.rule == "blocks/invalid-chunk"
    await send_all(sender, HELLO)
    assert await read_all(stream) == HELLO


# --- the sender fails -----------------------------------------------------------------------------


async def failure(stream: StreamingResponse) -> tuple[list[Any], ModelAdapterError]:
    """Return what was read before the sender failed, and the error, which comes once."""
    got: list[Any] = []
    with anyio.fail_after(LONG), pytest.raises(ModelAdapterError) as caught:
        await read_all(stream, got)
    assert caught.value.rule == "blocks/adapter-failed"
    assert await read_all(stream) == []
    return got, caught.value


@pytest.mark.parametrize("count", [0, 3])
async def test_an_exception_of_the_sender_arrives_once(count: int) -> None:
    sender, stream = StreamingResponse.channel()
    original = ValueError("no such thing")
    await send_and_raise(sender, original, *HELLO[:count])  # which does not raise it too
    got, error = await failure(stream)
    assert got == HELLO[:count]
    assert error.__cause__ is original
    assert (error.error_code, error.retryable) == ("unknown", False)
    assert "ValueError: no such thing" in str(error)


async def test_an_exception_wakes_the_reader() -> None:
    sender, stream = StreamingResponse.channel()
    errors: list[Any] = []

    async def consume() -> None:
        errors.append((await failure(stream))[1])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(consume)
        await turns()
        assert sender.fail(RuntimeError()) is True
    assert "The sender failed: RuntimeError" in str(errors[0])


async def test_an_adapters_error_keeps_its_code() -> None:
    sender, stream = StreamingResponse.channel()
    original = ModelAdapterError("rate_limited", "Slow down.", retryable=True)
    assert sender.fail(original)
    _, error = await failure(stream)
    assert error is not original
    assert error.__cause__ is original
    assert (error.error_code, error.message, error.retryable) == (
        "rate_limited",
        "Slow down.",
        True,
    )


async def test_a_response_that_failed_is_not_collected() -> None:
    sender, stream = StreamingResponse.channel()
    for each in HELLO[:2]:
        await sender.send(each)
    sender.fail(OSError("connection lost"))
    with pytest.raises(ModelAdapterError) as caught:
        await collect(stream)
    assert isinstance(caught.value.__cause__, OSError)


async def test_an_exception_that_nobody_hears_is_raised() -> None:
    # After the end of the stream.
    sender, stream = StreamingResponse.channel()
    with pytest.raises(ValueError, match="late"):
        await send_and_raise(sender, ValueError("late"), chunk(*END))
    assert await read_all(stream) == [chunk(*END)]
    # After the reader has gone.
    sender, stream = StreamingResponse.channel()
    await stream.aclose()
    with pytest.raises(ValueError, match="alone"):
        await send_and_raise(sender, ValueError("alone"))
    # After the sender was closed.
    sender, stream = StreamingResponse.channel()
    sender.close()
    with pytest.raises(ValueError, match="closed"):
        await send_and_raise(sender, ValueError("closed"))
    assert (await truncation(stream))[0] == []


async def test_the_first_exception_counts() -> None:
    sender, stream = StreamingResponse.channel()
    first = OSError("first")
    assert sender.fail(first) is True
    assert sender.fail(OSError("second")) is False
    assert (await failure(stream))[1].__cause__ is first


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
            await stream.aclose()  # once more is no error
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

    class Sent:
        """Has no aclose at all."""

        def __init__(self) -> None:
            self._chunks = iter(HELLO)

        def __aiter__(self) -> Sent:
            return self

        async def __anext__(self) -> StreamChunk:
            return next(self._chunks)

    assert await collect(Sent()) == collect_chunks(HELLO)

    async def cut() -> AsyncIterator[StreamChunk]:
        yield HELLO[0]

    with pytest.raises(StreamProtocolError) as caught:
        await collect(cut())
    assert caught.value.rule == "blocks/truncated"


# --- cancellation loses nothing -------------------------------------------------------------------


async def test_a_cancelled_read_loses_no_chunk() -> None:
    sender, stream = StreamingResponse.channel(1)
    items = pieces(30)
    got: list[Any] = []

    async def produce() -> None:
        async with sender:
            for each in items:
                await anyio.sleep(TINY)
                await sender.send(each)

    with anyio.fail_after(LONG):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(produce)
            while not got or not isinstance(got[-1], MessageStopChunk):
                with anyio.move_on_after(TINY / 2):
                    got.append(await anext(stream))
    assert got == items


async def test_a_cancelled_send_has_sent_nothing() -> None:
    sender, stream = StreamingResponse.channel(1)
    await sender.send(HELLO[0])
    with anyio.move_on_after(TINY) as scope:
        await sender.send(HELLO[1])
    assert scope.cancelled_caught
    with anyio.CancelScope() as scope:
        scope.cancel()
        await anext(stream)
    assert scope.cancelled_caught
    assert await anext(stream) == HELLO[0]
    with anyio.CancelScope() as scope:
        scope.cancel()
        await sender.send(HELLO[1])
    assert scope.cancelled_caught
    await sender.send(HELLO[2])
    assert await anext(stream) == HELLO[2]
    await stream.aclose()


# --- nothing leaks --------------------------------------------------------------------------------


async def one_stream(number: int, channels: weakref.WeakSet[Channel]) -> None:
    """Run one stream to one of its ends."""
    sender, stream = StreamingResponse.channel(1 + number % 3)
    channels.add(stream._channel)
    ending = number % 7
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(produced, sender, ending)
        del sender
        try:
            if ending == 1:
                async with stream:
                    await anext(stream)
            elif ending == 2:
                await anext(stream)
            elif ending == 3:
                with anyio.move_on_after(0):
                    await read_all(stream)
            else:
                await read_all(stream)
        except PartwireError:
            assert ending in (4, 5, 6)
        del stream
        tasks.cancel_scope.cancel()


async def produced(sender: ChunkSender, ending: int) -> None:
    if ending == 4:
        await send_all(sender, HELLO[:2])
        return
    async with sender:
        for each in HELLO:
            await sender.send(each)
            if ending == 5:
                raise ZeroDivisionError
            if ending == 6:
                del sender
                return


async def test_ten_thousand_streams_leave_nothing() -> None:
    channels: weakref.WeakSet[Channel] = weakref.WeakSet()
    made = 0
    before = len(anyio.get_running_tasks())
    for _ in range(100):
        async with anyio.create_task_group() as tasks:
            for number in range(100):
                tasks.start_soon(one_stream, number, channels)
        made += 100
        assert len(anyio.get_running_tasks()) == before
    gc.collect()
    assert made == 10_000
    assert len(channels) == 0


async def test_ends_that_are_dropped_unused_leave_nothing() -> None:
    channels: weakref.WeakSet[Channel] = weakref.WeakSet()
    for _ in range(100):
        sender, stream = StreamingResponse.channel()
        channels.add(stream._channel)
        await sender.send(HELLO[0])
        del sender, stream
    gc.collect()
    assert len(channels) == 0


# --- without an event loop ------------------------------------------------------------------------


def test_a_channel_needs_no_event_loop_to_be_made(anyio_backend: str) -> None:
    sender, stream = StreamingResponse.channel()

    async def both() -> list[Any]:
        await send_all(sender, HELLO)
        return await read_all(stream)

    assert anyio.run(both, backend=anyio_backend) == HELLO


def test_ends_may_outlive_the_event_loop(anyio_backend: str) -> None:
    kept: list[Any] = []

    async def leave() -> None:
        sender, stream = StreamingResponse.channel(1)
        kept.extend([sender, stream])
        await sender.send(HELLO[0])
        with anyio.move_on_after(TINY):
            await sender.send(HELLO[1])  # leaves an event behind

    anyio.run(leave, backend=anyio_backend)
    kept.clear()
    gc.collect()


def test_an_end_may_be_dropped_in_another_thread(anyio_backend: str) -> None:
    async def run() -> list[Any]:
        ends: list[Any] = list(StreamingResponse.channel())
        stream = ends.pop()
        await ends[0].send(HELLO[0])
        dropping = threading.Thread(target=ends.clear)
        dropping.start()
        await anyio.to_thread.run_sync(dropping.join)
        return (await truncation(stream))[0]

    assert anyio.run(run, backend=anyio_backend) == [HELLO[0]]


WITHOUT_ANYIO = """
import sys
sys.modules["anyio"] = None
import partwire.blocks as blocks
from partwire.errors import UsageError
from partwire.v0_1.structs.blocks import MessageStopChunk, TokenUsage
end = MessageStopChunk(usage=TokenUsage(input_tokens=1, output_tokens=2))
assert blocks.collect_chunks([end]).usage is end.usage
try:
    blocks.StreamingResponse.channel()
except UsageError as error:
    print(error)
print(sorted({"anyio", "asyncio", "trio", "socket"} & {n for n, m in sys.modules.items() if m}))
"""


def test_only_channels_need_anyio() -> None:
    # -S: a .pth file of some other package in the environment may import anything at start.
    paths = [str(ROOT / "python"), *(path for path in sys.path if path.endswith("site-packages"))]
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path += {paths!r}\n{WITHOUT_ANYIO}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    said, loaded = run.stdout.splitlines()
    assert "pip install 'partwire[async]'" in said
    assert "[usage/missing-extra]" in said
    assert loaded == "[]"
