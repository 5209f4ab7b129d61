"""Who may use a worker next: short work does not wait for long work, nor one client for another.

How long a comparison takes cannot be decided from its size, and a document takes as long as it is
large. So each kind of work has its own workers, and the clients who wait for one have it in
turn.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from time import monotonic
from typing import Any, Final

from .problems import Problem, refuse

__all__ = ["LANES", "Lane", "Share", "Turns", "client_of", "lane_of"]


# --- the event loop -------------------------------------------------------------------------------

_SECONDS: Final = 0.005


class Turns:
    """Lets a loop run for 5 ms at a time."""

    __slots__ = ("_until",)

    def __init__(self) -> None:
        self._until = monotonic() + _SECONDS

    async def give(self) -> None:
        """Let others run, if it is time."""
        if monotonic() >= self._until:
            await asyncio.sleep(0)
            self._until = monotonic() + _SECONDS


# --- shares of clients ----------------------------------------------------------------------------

_HOST_BITS: Final = 64
"""The part of an address of IPv6 that whoever has one of them chooses freely."""
_CLIENTS: Final = 1024
"""Addresses that are looked at once, and not at each of their requests."""


class Share:
    """At most ``most`` of what ``what`` says, and of one client the part ``share`` of that."""

    def __init__(self, what: str, most: int, share: float) -> None:
        self.taken = 0
        self._what = what
        self._most = most
        self._each = max(1, math.ceil(most * share))
        self._of: dict[str, int] = {}

    def take(self, client: str, number: int = 1) -> None:
        """Count what a client takes. Raises Problem 429 ``service/busy`` where it is too much."""
        own = self._of.get(client, 0) + number
        if self.taken + number > self._most:
            raise _busy(f"The service has as many {self._what} as it may", f"{self._most}")
        if own > self._each:
            message = f"The client has as many {self._what} as one address may"
            raise _busy(message, f"{self._each} of {self._most}")
        self.taken += number
        self._of[client] = own

    def give_back(self, client: str, number: int = 1) -> None:
        """Count what a client no longer has."""
        self.taken -= number
        left = self._of.get(client, 0) - number
        if left > 0:
            self._of[client] = left
        else:
            self._of.pop(client, None)


def client_of(address: Any) -> str:
    """Return whom an address of an ASGI scope, or of a connection, belongs to."""
    return _client_at(str(address[0])) if address else ""


@lru_cache(maxsize=_CLIENTS)
def _client_at(host: str) -> str:
    try:
        known = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if known.version == 4:
        return host
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_address(int(known) >> _HOST_BITS << _HOST_BITS))


def _busy(message: str, most: str) -> Problem:
    headers: Mapping[str, str] = {"retry-after": "1"}
    return refuse("service/busy", message, expected=f"at most {most}", headers=headers)


# --- lanes ----------------------------------------------------------------------------------------

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
