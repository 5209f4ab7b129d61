"""One request and its answer: what has been read and written, and how long both may take."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .bodies import Body, ClientGone, pieces_of
from .fairness import client_of
from .negotiation import headers_of
from .problems import PROBLEM_TYPE, Problem, refuse
from .waiting import limited
from .workers import is_small

if TYPE_CHECKING:
    from .state import State

__all__ = ["Answer", "Exchange", "exchange_of", "lose"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_KEY: Final = "partwire.exchange"
_START: Final = "http.response.start"
_BODY: Final = "http.response.body"
_CLOSE: Final = (b"connection", b"close")
_LINGER_SECONDS: Final = 2.0
_LINGER_BYTES: Final = 1 << 20
_BODILESS: Final = frozenset({204, 304})


class Answer(NamedTuple):
    """An answer that is whole: its status, its headers but for the length, its body."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = b""


class Exchange:
    """One request, seen from the service: its body, its answer, its deadline."""

    __slots__ = (
        "_closing",
        "_receive",
        "_send",
        "body",
        "client",
        "ended",
        "gone",
        "headers",
        "limits",
        "scope",
        "sent",
        "started_at",
        "state",
        "status",
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send, state: State) -> None:
        scope[_KEY] = self
        self.scope = scope
        self.state = state
        self.limits = state.limits
        self.client = client_of(scope.get("client"))
        self.headers = headers_of(scope["headers"])
        self.body = Body(self.headers, receive, state.limits, state.held, self.client)
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

    async def job(self, name: str, options: Mapping[str, Any], data: bytes | None = None) -> bytes:
        """Return the answer of a job for ``data``, or else for the body, which is one document.

        What is small is done here, all else by a worker; raises as that, and as reading the body.
        """
        if data is None:
            data = await self.body.whole()
        workers = self.state.workers
        if is_small(name, data):
            return workers.do(name, data, options)
        work = workers.run(name, data, options, self.client)
        if not self.body.complete:
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
        if message["type"] == _START:
            await self._out(self._started(message))
        elif message["type"] == _BODY:
            await self._write(message.get("body", b""), bool(message.get("more_body", False)))
        else:
            await self._out(message)

    def _started(self, message: Message) -> Message:
        self.status = message["status"]
        if not self.body.complete:
            # Nobody may read the rest of the body as a new request, nor without end.
            self._closing = True
            headers = list(message.get("headers", ()))
            if _CLOSE not in headers:
                headers.append(_CLOSE)
            message["headers"] = headers
        return message

    async def _write(self, data: bytes, more: bool) -> None:
        *first, last = pieces_of(data)
        for piece in first:
            await self._out({"type": _BODY, "body": piece, "more_body": True})
        await self._out({"type": _BODY, "body": last, "more_body": more or self._closing})
        if self._closing and not more:
            await self._linger()
            await self._out({"type": _BODY, "body": b"", "more_body": False})
        self.ended = not more

    async def _out(self, message: Message) -> None:
        try:
            await limited(self._send(message), self.state.idle_limit)
        except TimeoutError:
            raise ClientGone from None
        if self.gone:  # the server says nothing then
            raise ClientGone
        self.sent += len(message.get("body", b""))

    async def _linger(self) -> None:
        """Take what the client is still sending, for a moment: else it may not see the answer.

        A connection that is closed with unread bytes is reset, which throws away what was sent.
        """
        allowed = self.body.received + _LINGER_BYTES
        with contextlib.suppress(TimeoutError, ClientGone):
            async with asyncio.timeout(_LINGER_SECONDS):
                while not self.body.complete and self.body.received < allowed:
                    self.body.taken(await self._receive())

    async def answer(self, answer: Answer) -> None:
        """Send a whole answer."""
        status, headers, body = answer
        raw = [*headers]
        if status not in _BODILESS:
            raw.append((b"content-length", b"%d" % len(body)))
        await self._out(self._started({"type": _START, "status": status, "headers": raw}))
        await self._write(body, more=False)

    async def refuse(self, problem: Problem) -> None:
        """Answer with a problem document."""
        headers = {"content-type": PROBLEM_TYPE, "cache-control": "no-store", **problem.headers}
        raw = tuple(
            (name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()
        )
        await self.answer(Answer(problem.status, raw, problem.body()))


def exchange_of(scope: Scope) -> Exchange:
    """Return the exchange that an ASGI scope belongs to."""
    found: Exchange = scope[_KEY]
    return found


def lose(scope: Scope) -> None:
    """Tell the exchange of an ASGI scope, if it has one, that its connection is lost."""
    if _KEY in scope:
        exchange_of(scope).gone = True
