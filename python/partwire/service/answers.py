"""What the endpoints share: their place among the others, and the form of their answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from .exchange import Answer, Exchange
from .waiting import limited

__all__ = ["json_answer", "working"]

T = TypeVar("T")

_JSON: Final = ((b"content-type", b"application/json"), (b"cache-control", b"no-store"))


async def working(exchange: Exchange, work: Callable[[], Awaitable[T]]) -> T:
    """Take a place, and return what the work gives in its time; raises Problem 429, 503 and 408."""
    state, client = exchange.state, exchange.client
    state.take_place(client)
    try:
        return await limited(work(), exchange.time_limit)
    finally:
        state.places.give_back(client)


def json_answer(body: bytes) -> Answer:
    """Return a 200 of JSON; nobody is to keep it."""
    return Answer(200, _JSON, body)
