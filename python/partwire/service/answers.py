"""What the endpoints share: their place among the others, and the form of their answers."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.responses import Response

from .exchange import Exchange, Receive, Scope, Send, exchange_of

__all__ = ["Endpoint", "json_answer", "working"]


@contextlib.asynccontextmanager
async def working(exchange: Exchange) -> AsyncIterator[None]:
    """Take a place and start the clock; raises Problem 429, 503 and 408."""
    with exchange.state.slot(exchange.client):
        async with exchange.time_limit():
            yield


def json_answer(body: bytes, **headers: str) -> Response:
    """Return a 200 of JSON; nobody is to keep it."""
    return Response(
        body, media_type="application/json", headers={"cache-control": "no-store", **headers}
    )


class Endpoint:
    """A function of an exchange as ASGI application: what it returns, if anything, is sent."""

    def __init__(self, function: Callable[[Exchange], Awaitable[Response | None]]) -> None:
        self._function = function

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response: Any = await self._function(exchange_of(scope))
        if response is not None:
            await response(scope, receive, send)
