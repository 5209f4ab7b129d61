"""Who may use a worker next: short work does not wait for long work, nor one client for another.

How long a comparison takes cannot be told from its size, and a document takes as long as it is
large. So each kind of work has workers of its own, and the clients who wait for one have it in
turn.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

__all__ = ["LANES", "Lane", "lane_of"]

LANES: Final = ("short", "long", "compare")
_SHORT_BYTES: Final = 256 * 1024
"""A document of this size takes some tenths of a second."""


def lane_of(job: str, data: bytes) -> str:
    """Return the kind of work that a job is."""
    if job == "compare":
        return "compare"
    return "short" if len(data) <= _SHORT_BYTES else "long"


class Lane:
    """The workers of one kind of work: as many places, given to the clients by turns."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """Wait for a place, and have it."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(client)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, client: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came at the same moment
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a place to the client who has waited longest for its turn, or keep it free."""
        while self._waiting:
            client, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[client] = turns  # behind the others
            if not turn.done():  # somebody still waits
                turn.set_result(None)
                return
        self._free += 1
