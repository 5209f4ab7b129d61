"""What all requests of one service share: limits, figures, memory, workers, and whether it ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from functools import partial

from .fairness import Share
from .limits import Limits
from .metrics import Metrics
from .problems import Problem, refuse
from .workers import Workers

__all__ = ["State"]


class State:
    """The state of one service, in one event loop.

    ``draining``: it takes no new work; ``stopped``: what still ran was cut off.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.metrics = Metrics()
        share = limits.client_share
        self.held = Share("bytes in memory", limits.held_bytes, share)
        self.places = Share("requests to work on", limits.streams, share)
        self.connections = Share("connections", limits.connections, share)
        self.idle_limit = partial(asyncio.timeout, limits.idle_seconds)
        self.workers = Workers(limits, self.metrics)
        self.metrics.open.set_function(lambda: self.open)
        self.metrics.held.set_function(lambda: self.held.taken)
        self.is_draining = False
        self.stopped = False
        self.cut = 0
        self._running: set[asyncio.Timeout] = set()

    @contextlib.contextmanager
    def stoppable(self, limit: asyncio.Timeout) -> Iterator[None]:
        """Let :meth:`stop` reach what runs under a time limit."""
        self._running.add(limit)
        try:
            if self.stopped:
                limit.reschedule(0)
            yield
        finally:
            self._running.discard(limit)

    def take_place(self, client: str) -> None:
        """Take one of the places for requests that are worked on; ``places`` gets it back.

        Raises Problem 503 ``service/draining`` or 429 ``service/busy``.
        """
        if self.is_draining:
            raise self.draining()
        self.places.take(client)

    @property
    def open(self) -> int:
        """How many requests are worked on."""
        return self.places.taken

    def drain(self) -> None:
        """Take no new work from now on."""
        self.is_draining = True

    def stop(self) -> None:
        """Cut off what still runs: each request ends with a problem, or a problem event."""
        self.stopped = True
        self.cut = self.open
        now = asyncio.get_running_loop().time()
        for limit in tuple(self._running):
            if not limit.expired():
                limit.reschedule(now)

    def draining(self) -> Problem:
        """Return the problem that says that the service ends."""
        return refuse(
            "service/draining",
            "The service is going away",
            headers={"retry-after": "1", "connection": "close"},
        )
