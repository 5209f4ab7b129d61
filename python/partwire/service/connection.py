"""One connection: heads that do not come, and readers that do not read, come to an end.

An application cannot do it: it waits until the head is whole, and does not learn of what is sent
already. What uvicorn waits for has no limit.
"""

from __future__ import annotations

import asyncio
import contextlib
from http import HTTPStatus
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .exchange import lose
from .fairness import client_of
from .heads import head_problem
from .problems import PROBLEM_TYPE, Problem, refuse
from .state import State

__all__ = ["Connection"]

_LINGER_SECONDS: Final = 2.0
_READ_BYTES: Final = 16 * 1024
"""What is read from a connection at once. asyncio makes room for 256 KiB each time; a piece of a
stream takes next to nothing of that, and the holes between such pieces add up to megabytes.
"""


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with limits for the head, the number and the end.

    The application's lifespan gives the service's state. Errors of HTTP itself are problem
    documents too.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there are not too many."""
        self._service: State = self.app_state["service"]
        self._head_timer: asyncio.TimerHandle | None = None
        self._begun = False
        self._refused = False
        self._counted_for: str | None = None
        self._service.metrics.connections.inc()
        seconds = self._service.limits.idle_seconds
        with contextlib.suppress(AttributeError):  # another event loop than asyncio's own
            transport.max_size = _READ_BYTES  # type: ignore[attr-defined]
        watched: Any = _Transport(transport, self.loop, seconds)
        super().connection_made(watched)
        client = client_of(self.client)
        try:
            self._service.connections.take(client)
        except Problem as problem:
            self._refuse(problem)
            return
        self._counted_for = client
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self._service.metrics.connections.dec()
        if self._counted_for is not None:
            self._service.connections.give_back(self._counted_for)
        self._unwatch_head()
        self._unset_keepalive_if_required()
        self.transport.forget()  # type: ignore[attr-defined]
        scope: Any = self.scope  # None until the first request
        if scope is not None:
            lose(scope)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Stop writing; a reader that never goes on reading is given up."""
        super().pause_writing()
        self.transport.watch()  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        """Take bytes; those of a head have to be whole in time."""
        if self._refused or self.transport.is_closing():
            return
        self._begun = True
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and self._is_idle():
            self._watch_head()
        else:
            self._unwatch_head()

    def handle_events(self) -> None:
        """Look at a head before the parser does, which takes more than is taken here."""
        if self.conn.their_state is h11.IDLE:
            problem = head_problem(self.conn.trailing_data[0])
            if problem is not None:
                self._refuse(problem)
                return
        super().handle_events()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, or a head beyond its limit."""
        limit = self._service.limits.head_bytes
        self._refuse(
            refuse(
                "service/bad-request",
                "The request is not HTTP that is taken here",
                expected=f"HTTP/1.1, with a head of at most {limit} bytes",
            )
        )

    def shutdown(self) -> None:
        """Close at the end of the service, once a request that runs has ended."""
        if self._refused:
            self.transport.close()
        else:
            super().shutdown()

    def _is_idle(self) -> bool:
        cycle: Any = self.cycle  # None until the first request
        return cycle is None or cycle.response_complete

    def _watch_head(self) -> None:
        if self._head_timer is None and not self._refused:
            seconds = self._service.limits.head_seconds
            self._head_timer = self.loop.call_later(seconds, self._head_is_late)

    def _unwatch_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._refused or self.transport.is_closing() or not self._is_idle():
            return
        if not self._begun:  # nobody has asked anything
            self.transport.close()
            return
        seconds = self._service.limits.head_seconds
        self._refuse(
            refuse(
                "service/slow-sender",
                "The head of the request did not come in time",
                expected=f"all of it within {seconds:g} seconds",
            )
        )

    def _refuse(self, problem: Problem) -> None:
        """Answer with a problem and close, in place of the application."""
        self._unwatch_head()
        self._refused = True
        self._abandon()
        state: Any = self.conn.our_state
        if state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()  # an answer has begun already
        else:
            body = problem.body()
            headers = {
                "content-type": PROBLEM_TYPE,
                "content-length": str(len(body)),
                "cache-control": "no-store",
                "connection": "close",
                **problem.headers,
            }
            events: tuple[Any, ...] = (
                h11.Response(
                    status_code=problem.status,
                    reason=HTTPStatus(problem.status).phrase,
                    headers=list(headers.items()),
                ),
                h11.Data(data=body),
                h11.EndOfMessage(),
            )
            for event in events:
                self.transport.write(self.conn.send(event) or b"")
            self._service.metrics.refused(problem.findings)
            self._service.metrics.no_request(str(problem.status))
            # Closed at once, with bytes of the client unread, it would be reset: nothing would be
            # seen of the answer. So it has a moment to read it.
            self.transport.write_eof()
            self.loop.call_later(_LINGER_SECONDS, self.transport.close)

    def _abandon(self) -> None:
        """Tell the application of a request that runs that its client is not to be answered."""
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_started:
            cycle.disconnected = True
            cycle.message_event.set()


class _Transport:
    """A transport that aborts where its reader takes nothing of what waits to be sent."""

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._left = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        """Close once everything is sent, or once nothing of it is taken any more."""
        self._transport.close()
        self.watch()

    def watch(self) -> None:
        """Look from time to time whether the reader reads, until nothing is left."""
        self._left = self._transport.get_write_buffer_size()
        if self._timer is None and self._left:
            self._timer = self._loop.call_later(self._seconds, self._check)

    def forget(self) -> None:
        """Stop looking: the connection is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        self._timer = None
        left = self._transport.get_write_buffer_size()
        if left and left >= self._left:
            self._transport.abort()
        else:
            self.watch()
