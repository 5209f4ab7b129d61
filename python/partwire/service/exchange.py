"""One request and its answer: what has been read and written, and how long both may take."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Final

from .bodies import Body, ClientGone
from .fairness import client_of
from .negotiation import Headers
from .problems import PROBLEM_TYPE, Problem, refuse
from .workers import is_small

if TYPE_CHECKING:
    from .state import State

__all__ = ["Exchange", "exchange_of", "lose"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_KEY: Final = "partwire.exchange"
_PIECE: Final = 1 << 16
_CLOSE: Final = (b"connection", b"close")
_LINGER_SECONDS: Final = 2.0
_LINGER_BYTES: Final = 1 << 20


class Exchange:
    """One request, seen from the service: its body, its answer, its deadline."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, state: State) -> None:
        scope[_KEY] = self
        self.scope = scope
        self.state = state
        self.limits = state.limits
        self.client = client_of(scope.get("client"))
        self.body = Body(scope["headers"], receive, state.limits, state.held, self.client)
        self.started_at = asyncio.get_running_loop().time()
        self.status: int | None = None
        """What was answered, as soon as that is decided."""
        self.ended = False
        self.gone = False
        """The connection is lost: what is sent from now on goes nowhere."""
        self.sent = 0
        self._receive = receive
        self._send = send
        self._closing = False

    @property
    def headers(self) -> Headers:
        """Names in lower case, and values, as they came."""
        found: Headers = self.scope["headers"]
        return found

    @property
    def query(self) -> bytes:
        """The query string."""
        found: bytes = self.scope["query_string"]
        return found

    @property
    def route(self) -> str:
        """The path as the service knows it, never as the client wrote it."""
        route = self.scope.get("route")
        return "other" if route is None else str(route.path)

    @contextlib.asynccontextmanager
    async def time_limit(self) -> AsyncIterator[None]:
        """Bound what is done within by the time of the request, and by the end of the service.

        Raises Problem 408 ``service/time-limit`` or 503 ``service/draining``.
        """
        seconds = self.limits.request_seconds
        try:
            async with asyncio.timeout_at(self.started_at + seconds) as limit:
                with self.state.stoppable(limit):
                    yield
        except TimeoutError:
            if self.state.stopped:
                raise self.state.draining() from None
            raise refuse(
                "service/time-limit",
                "The request has taken too long",
                expected=f"at most {seconds:g} seconds",
            ) from None

    async def job(self, name: str, data: bytes, options: Mapping[str, Any]) -> bytes:
        """Return the answer of a job: here if it is small, else of a worker; raises as that."""
        work = self.state.workers.run(name, data, options, self.client)
        if is_small(name, data) or not self.body.complete:
            return await work
        answer: bytes = await self.unless_gone(work)
        return answer

    async def unless_gone(self, work: Awaitable[Any]) -> Any:
        """Return what ``work`` gives; once the body is read, a client that leaves cancels it."""
        task = asyncio.ensure_future(work)
        watch = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise ClientGone
        finally:
            for each in (task, watch):
                each.cancel()
            await asyncio.gather(task, watch, return_exceptions=True)

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    # --- the answer ------------------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        """Send an ASGI message within its time; a large body goes out in pieces.

        Raises ClientGone where nobody takes what is sent.
        """
        if message["type"] == "http.response.start":
            await self._start(message)
        elif message["type"] == "http.response.body":
            await self._write(message.get("body", b""), bool(message.get("more_body", False)))
        else:
            await self._out(message)

    async def _start(self, message: Message) -> None:
        self.status = message["status"]
        if not self.body.complete:
            # Nobody may read the rest of the body as a new request, nor without end.
            self._closing = True
            headers = list(message.get("headers", ()))
            if _CLOSE not in headers:
                headers.append(_CLOSE)
            message["headers"] = headers
        await self._out(message)

    async def _write(self, data: bytes, more: bool) -> None:
        view = memoryview(data)
        for at in range(0, max(len(data), 1), _PIECE):
            piece = bytes(view[at : at + _PIECE])
            last = at + _PIECE >= len(data) and not more and not self._closing
            await self._out({"type": "http.response.body", "body": piece, "more_body": not last})
            self.sent += 0 if self.scope["method"] == "HEAD" else len(piece)
        if self._closing and not more:
            await self._linger()
            await self._out({"type": "http.response.body", "body": b"", "more_body": False})
        self.ended = not more

    async def _out(self, message: Message) -> None:
        try:
            async with asyncio.timeout(self.limits.idle_seconds):
                await self._send(message)
        except TimeoutError:
            raise ClientGone from None
        if self.gone:  # the server says nothing then
            raise ClientGone

    async def _linger(self) -> None:
        """Take what the client is still sending, for a moment: else it may not see the answer.

        A connection that is closed with unread bytes is reset, which throws away what was sent.
        """
        allowed = self.body.received + _LINGER_BYTES
        with contextlib.suppress(TimeoutError, ClientGone):
            async with asyncio.timeout(_LINGER_SECONDS):
                while not self.body.complete and self.body.received < allowed:
                    self.body.taken(await self._receive())

    async def refuse(self, problem: Problem) -> None:
        """Answer with a problem document."""
        body = problem.body()
        headers = {
            "content-type": PROBLEM_TYPE,
            "content-length": str(len(body)),
            "cache-control": "no-store",
            **problem.headers,
        }
        raw = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": raw})
        await self.send({"type": "http.response.body", "body": body, "more_body": False})


def exchange_of(scope: Scope) -> Exchange:
    """Return the exchange that an ASGI scope belongs to."""
    found: Exchange = scope[_KEY]
    return found


def lose(scope: Scope) -> None:
    """Tell the exchange of an ASGI scope, if it has one, that its connection is lost."""
    if _KEY in scope:
        exchange_of(scope).gone = True
