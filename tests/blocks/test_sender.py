"""The sending end of a streaming response, under asyncio and trio: how it goes, how it fails."""

from __future__ import annotations

import gc
from typing import Any

import anyio
import pytest

from partwire import StreamProtocolError, UsageError
from partwire.blocks import ChunkCollector, ModelAdapterError, StreamingResponse, collect
from partwire.contract.current.blocks import (
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ContentBlockStopChunk,
    ErrorChunk,
    MessageStopChunk,
    ToolUseChunk,
)
from partwire.reading.pipeline import Unknown
from tests.blocks.channel_ends import (
    HELLO,
    LONG,
    read_all,
    send_all,
    send_and_raise,
    truncation,
    turns,
)
from tests.blocks.chunk_streams import END, chunk

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


# --- the sender goes ------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 4])
async def test_a_sender_that_closes_early_cuts_the_stream(count: int) -> None:
    sender, stream = StreamingResponse.channel()
    await send_all(sender, HELLO[:count])
    sender.close()  # once more is not an error
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


NO_CHUNKS: list[Any] = [None, {"type": "error"}, "text", MessageStopChunk]
BROKEN: list[Any] = [
    ContentBlockStartChunk(index="0"),  # type: ignore[arg-type]
    ContentBlockStartChunk(index=-1),
    ContentBlockStopChunk(index=True),
    ContentBlockDeltaChunk(index=2**53, delta="x"),
    ContentBlockDeltaChunk(index=1.0, delta="x"),  # type: ignore[arg-type]
    ContentBlockDeltaChunk(index=0, delta=None),  # type: ignore[arg-type]
    ContentBlockDeltaChunk(index=0, delta="\ud800"),
    ToolUseChunk(tool_use_id="", tool_name="f", parameters={}),
    ToolUseChunk(tool_use_id="a", tool_name="f", parameters={"x": {1}}),
    MessageStopChunk(usage=None),  # type: ignore[arg-type]
    ErrorChunk(message=5),  # type: ignore[arg-type]
    Unknown("type", "ping", None),  # type: ignore[arg-type]
    Unknown("type", [], {}),  # type: ignore[arg-type]
    Unknown("type", "error", {"type": "error", "message": "x"}),
]


@pytest.mark.parametrize("value", BROKEN, ids=range(len(BROKEN)))
def test_what_is_refused_when_sent_is_refused_when_collected(value: Any) -> None:
    collector = ChunkCollector()
    collector.feed(HELLO[0])
    with pytest.raises(StreamProtocolError) as caught:
        collector.feed(value)
    assert caught.value.seq == 1


@pytest.mark.parametrize("value", NO_CHUNKS + BROKEN, ids=range(len(NO_CHUNKS + BROKEN)))
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


@pytest.mark.parametrize("value", ["text", None, ValueError, KeyboardInterrupt(), SystemExit(1)])
async def test_a_sender_fails_with_exceptions_only(value: Any) -> None:
    sender, stream = StreamingResponse.channel()
    with pytest.raises(UsageError) as caught:
        sender.fail(value)
    assert caught.value.rule == "usage/invalid-argument"
    await send_all(sender, HELLO)  # the stream goes on
    assert await read_all(stream) == HELLO


class _Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class _Numb(Exception):
    def __str__(self) -> Any:
        return 5  # noqa: PLE0307 - what it is about


class _Bare(ModelAdapterError):
    def __init__(self) -> None:  # and nothing of what it should have
        pass


@pytest.mark.parametrize("kind", [_Mute, _Numb, _Bare])
async def test_an_exception_without_words_arrives(kind: type[Exception]) -> None:
    sender, stream = StreamingResponse.channel()
    original = kind()
    await send_and_raise(sender, original)
    _, error = await failure(stream)
    assert error.__cause__ is original
    assert (error.error_code, error.message) == ("unknown", f"The sender failed: {kind.__name__}")


async def test_what_cannot_be_written_is_spelled_out() -> None:
    sender, stream = StreamingResponse.channel()
    sender.fail(ValueError("\ud800"))
    assert (await failure(stream))[1].message == "The sender failed: ValueError: \\ud800"
