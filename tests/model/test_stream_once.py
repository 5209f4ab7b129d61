"""One task reads a model's stream, once: what happens when somebody does otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import anyio
import pytest

from partwire import UsageError
from partwire.model import ModelStream, ReplayModel
from tests.fixture_cases import case_file

TEXT = case_file("v0.1/providers/openai-chat/text", "input")


def waiting() -> tuple[ModelStream, asyncio.Event]:
    """Return a stream whose deltas come once the event is set."""
    release = asyncio.Event()

    async def sleep(_: float) -> None:
        await release.wait()

    return ReplayModel(TEXT, sleep=sleep).stream([]), release


async def kinds(stream: ModelStream) -> list[str]:
    return [delta.kind async for delta in stream]


async def refusal(call: Awaitable[object]) -> str:
    with pytest.raises(UsageError) as caught:
        await call
    return caught.value.rule


def test_a_second_task_is_refused_and_the_first_one_reads_on() -> None:
    async def main() -> None:
        stream, release = waiting()
        first = asyncio.create_task(kinds(stream))
        await asyncio.sleep(0)
        for second in (kinds(stream), stream.message(), stream.aclose()):
            assert await refusal(second) == "usage/stream-taken"
        release.set()
        assert (await first)[-1] == "done"

    asyncio.run(main())


def test_a_task_that_was_cancelled_reads_no_longer() -> None:
    async def main() -> None:
        stream, _ = waiting()
        first = asyncio.create_task(kinds(stream))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await stream.aclose()

    asyncio.run(main())


@pytest.mark.parametrize(
    "before",
    [ModelStream.message, ModelStream.aclose, kinds, ModelStream.__anext__],
    ids=["read whole", "closed", "iterated", "begun"],
)
def test_a_message_comes_from_a_stream_that_nobody_has_read(
    before: Callable[[ModelStream], Awaitable[object]],
) -> None:
    async def main() -> None:
        stream = ReplayModel(TEXT).stream([])
        await before(stream)
        assert await refusal(stream.message()) == "usage/stream-taken"
        await stream.aclose()
        await stream.aclose()
        assert await kinds(stream) == []

    anyio.run(main)


def test_a_message_may_be_read_inside_of_a_block() -> None:
    async def main() -> None:
        async with ReplayModel(TEXT).stream([]) as stream:
            assert (await stream.message()).parts

    anyio.run(main)
