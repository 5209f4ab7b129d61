"""The edge of the service: every request comes in here, and no exception gets out."""

from __future__ import annotations

import asyncio
import re
import traceback
import uuid
from collections.abc import Awaitable, Callable, Collection
from itertools import chain
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import unquote

from ..errors import Finding, PartwireError
from .bodies import ClientGone
from .exchange import Exchange, Receive, Scope, Send
from .heads import ANY_HOST, check_host
from .metrics import ABORTED
from .problems import Problem, problem_of, refuse, too_deep_here
from .state import State
from .workers import JobFailed

__all__ = ["Edge", "Record"]

Record = Callable[[dict[str, Any]], None]
"""Takes one entry of the log: names and figures of ours, nothing that a client wrote."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_AUTHORITY: Final = re.compile(rb"https?://(?:[^/@]*@)?([^/]*)", re.IGNORECASE)


class Edge:
    """Turns whatever is raised into a problem document, counts and records every request."""

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        state: State,
        record: Record,
        *,
        access: bool = False,
        hosts: Collection[str] = (ANY_HOST,),
    ) -> None:
        self._app = app
        self._hosts = tuple(hosts)
        self._state = state
        self._record = record
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = Exchange(scope, receive, send, self._state)
        try:
            self._check_host(exchange)
            _check_head(exchange)
            await self._app(scope, receive, exchange.send)
        except ClientGone:
            pass
        except Problem as problem:
            await self._refuse(exchange, problem)
        except PartwireError as error:
            await self._refuse(exchange, problem_of(error))
        except RecursionError:
            await self._refuse(exchange, Problem([too_deep_here()]))
        except JobFailed as failure:
            await self._fail(exchange, failure.name, failure.place)
        except Exception as error:  # noqa: BLE001 - reported without what it says
            await self._fail(exchange, type(error).__name__, _place(error))
        finally:
            exchange.body.release()
            self._count(exchange)

    def _check_host(self, exchange: Exchange) -> None:
        """Refuse a request for another host, in a header or in a target that is a whole URL."""
        server = exchange.scope.get("server")
        if authority := _to_origin_form(exchange.scope):
            check_host(self._hosts, authority, server)
        for value in exchange.headers.get(b"host", ()):
            check_host(self._hosts, value, server)

    async def _refuse(self, exchange: Exchange, problem: Problem) -> None:
        """Answer with a problem, unless an answer has begun: then it is cut off, and seen to be."""
        self._state.metrics.refused(problem.findings)
        if exchange.status is None:
            try:
                await exchange.refuse(problem)
            except ClientGone:
                return

    async def _fail(self, exchange: Exchange, error: str, place: str) -> None:
        instance = uuid.uuid4().urn
        self._record({"event": "error", "instance": instance, "error": error, "at": place})
        finding = Finding("service/internal-error", "The service has failed: a bug of partwire")
        await self._refuse(exchange, Problem([finding], instance=instance))

    def _count(self, exchange: Exchange) -> None:
        route, metrics = exchange.route, self._state.metrics
        status = str(exchange.status) if exchange.ended else ABORTED
        seconds = asyncio.get_running_loop().time() - exchange.started_at
        sent = 0 if exchange.scope["method"] == "HEAD" else exchange.sent
        metrics.ended(route, status, seconds, exchange.body.received, sent)
        if self._access:
            method = exchange.scope["method"]
            self._record(
                {
                    "event": "request",
                    "method": method if method in _METHODS else "other",
                    "route": route,
                    "status": status,
                    "seconds": round(seconds, 6),
                    "received": exchange.body.received,
                    "sent": sent,
                }
            )


def _to_origin_form(scope: Scope) -> bytes:
    """Read a target that is a whole URL as its path: so clients speak that take us for a proxy.

    Return its authority, or nothing. Source: RFC 9112, section 3.2.2.
    """
    found = _AUTHORITY.match(scope["raw_path"])
    if found:
        raw = scope["raw_path"][found.end() :] or b"/"
        scope["raw_path"] = raw
        scope["path"] = unquote(raw.decode("latin-1"))
    return found[1] if found else b""


def _check_head(exchange: Exchange) -> None:
    """Refuse what the parser lets pass: a large head in one piece, and a length given twice.

    Two lengths are two readings of what comes behind: a proxy in front may have the other one.
    """
    raw = exchange.scope["headers"]
    size = len(exchange.scope["raw_path"]) + len(exchange.query)
    size += sum(map(len, chain.from_iterable(raw))) + 4 * len(raw)
    most = exchange.limits.head_bytes
    if size > most:
        raise refuse(
            "service/bad-request",
            "The head of the request is too large",
            expected=f"at most {most} bytes",
            headers={"connection": "close"},
        )
    if b"content-length" in exchange.headers and b"transfer-encoding" in exchange.headers:
        raise refuse(
            "service/bad-request",
            "The length of the body is given in two ways",
            expected="Content-Length or Transfer-Encoding",
            headers={"connection": "close"},
        )


def _place(error: BaseException) -> str:
    """Return where an exception was raised, innermost last: files and lines, no values."""
    frames = traceback.extract_tb(error.__traceback__, limit=-8)
    return " ".join(f"{PurePath(frame.filename).name}:{frame.lineno}" for frame in frames)
