"""Limits of time that cost nothing where nothing is waited for.

Most requests never wait: their body is there, their work is short, and their answer is taken at
once. A timer for each of these steps would take longer than the steps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager
from types import coroutine
from typing import Any, TypeVar

__all__ = ["limited"]

T = TypeVar("T")
Limit = Callable[[], AbstractAsyncContextManager[Any]]
_Steps = Generator[Any, Any, T]
"""What an awaitable yields, one by one, are the futures that it waits for."""


@coroutine
def limited(work: Awaitable[T], limit: Limit) -> _Steps[T]:
    """Return what ``work`` gives; ``limit`` is entered when it has to wait for the first time."""
    steps: _Steps[T] = work.__await__()
    try:
        future = next(steps)
    except StopIteration as done:
        value: T = done.value
        return value
    return (yield from _wait(steps, future, limit).__await__())


async def _wait(steps: _Steps[T], future: Any, limit: Limit) -> T:
    async with limit():
        return await _rest(steps, future)


@coroutine
def _rest(steps: _Steps[T], future: Any) -> _Steps[T]:
    """Await what has been begun, and waits for ``future``."""
    while True:
        try:
            try:
                given = yield future
            except BaseException as error:  # noqa: BLE001 - it is for who waits, as what is given
                future = steps.throw(error)
            else:
                future = steps.send(given)
        except StopIteration as done:
            value: T = done.value
            return value
