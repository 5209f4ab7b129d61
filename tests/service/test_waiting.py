"""Limits of time: set where something is waited for, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest

from partwire.service.waiting import limited


async def at_once() -> int:
    return 5


async def in_steps() -> int:
    for _ in range(3):
        await asyncio.sleep(0)
    await asyncio.sleep(0.001)
    return 6


async def failing() -> int:
    await asyncio.sleep(0)
    raise KeyError("here")


async def awaited(work: Awaitable[Any]) -> Any:
    return await work


def run(work: Callable[[], Awaitable[Any]]) -> tuple[Any, int]:
    """Return what comes of limited work, and how often its limit was set."""
    entered = 0

    @asynccontextmanager
    async def limit() -> AsyncIterator[None]:
        nonlocal entered
        entered += 1
        yield

    async def main() -> Any:
        try:
            return await limited(work(), limit)
        except KeyError as error:
            return error.args

    return asyncio.run(main()), entered


@pytest.mark.parametrize(
    ("work", "given"),
    [(at_once, (5, 0)), (in_steps, (6, 1)), (failing, (("here",), 1))],
)
def test_a_limit_is_set_where_there_is_a_wait(
    work: Callable[[], Awaitable[Any]], given: tuple[Any, int]
) -> None:
    assert run(work) == given


def test_what_takes_too_long_is_ended() -> None:
    ended = []

    async def long() -> None:
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(3600)
        finally:
            ended.append("long")

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await limited(long(), partial(asyncio.timeout, 0.01))
        # The limit of the whole ends a wait that has a limit itself.
        inner = limited(long(), partial(asyncio.timeout, 3600))
        with pytest.raises(TimeoutError):
            await limited(awaited(inner), partial(asyncio.timeout, 0.01))

    asyncio.run(main())
    assert ended == ["long", "long"]


def test_who_waits_may_be_cancelled_and_the_work_may_go_on() -> None:
    async def stubborn() -> str:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            return "tidied up"
        return ""

    async def main() -> str:
        task = asyncio.create_task(awaited(limited(stubborn(), partial(asyncio.timeout, 3600))))
        await asyncio.sleep(0.01)
        task.cancel()
        said: str = await task
        return said

    assert asyncio.run(main()) == "tidied up"
