"""Channels under asyncio and trio: cancellation loses nothing, and nothing is left behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from typing import Any

import anyio
import pytest

from partwire import PartwireError
from partwire.blocks import ChunkSender, StreamingResponse
from partwire.blocks.channel import Channel
from partwire.contract.current.blocks import MessageStopChunk
from tests.blocks.channel_ends import HELLO, LONG, TINY, pieces, read_all, send_all, truncation
from tests.fixture_cases import ROOT

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


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


@pytest.mark.usefixtures("untraced")
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
from partwire.contract.current.blocks import MessageStopChunk, TokenUsage
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
