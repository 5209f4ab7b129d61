"""Running the service: its socket, its signals, its end."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import signal
import socket
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

import uvicorn

from ..errors import bad_argument
from .app import create_app
from .connection import Connection
from .limits import Limits
from .middleware import Record
from .state import State

__all__ = ["Address", "is_loopback", "listen", "run"]

_BACKLOG: Final = 2048
_SPARE_FILES: Final = 128
_CUT_SECONDS: Final = 5
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Address:
    """Where the service listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The address for clients."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> tuple[socket.socket, Address]:
    """Return a listening socket and its address; port 0 is any free one.

    Raises UsageError ``usage/unusable-address``.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # Connections inherit it. asyncio sets it, but not where the protocol is 0, as here: the
        # head of an answer would wait 40 ms for its body wherever a connection is used again.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, UnicodeError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise bad_argument(
            f"The service cannot listen there: {why}",
            "an address of this machine, and a port that nobody uses",
            f"{host} port {port}",
            "usage/unusable-address",
        ) from None
    return listener, Address(host, listener.getsockname()[1])


def run(
    listener: socket.socket,
    limits: Limits,
    *,
    record: Record,
    access: bool,
    hosts: Collection[str],
    ready: Callable[[], None],
) -> int:
    """Serve until a signal comes; return how many requests had to be cut off at the end.

    The first SIGTERM or SIGINT lets running requests finish, as long as ``drain_seconds`` say,
    while new ones get 503; the second one ends the process at once.
    """
    _allow_files(limits.connections + _SPARE_FILES)
    app = create_app(limits, record=record, access=access, hosts=hosts)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        # Its words may hold what a client sent; what matters is in the records.
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=limits.head_bytes,
        timeout_graceful_shutdown=_CUT_SECONDS,
    )
    server = _Server(config, app.state.service, record, ready)
    server.run(sockets=[listener])
    cut: int = app.state.service.cut
    return cut


class _Server(uvicorn.Server):
    """uvicorn's server, which drains before it closes, and exits with its own status."""

    def __init__(
        self, config: uvicorn.Config, state: State, record: Record, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._state = state
        self._record = record
        self._ready = ready
        self._end: float | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        asyncio.get_running_loop().set_exception_handler(self._unexpected)
        await super().startup(sockets)
        self._ready()

    async def on_tick(self, counter: int) -> bool:
        """Return whether to close: once the last request has ended, or its time is over."""
        await super().on_tick(counter)
        if not self._state.is_draining:
            return False
        now = asyncio.get_running_loop().time()
        if self._end is None:
            self._end = now + self._state.limits.drain_seconds
            self._record({"event": "draining", "requests": self._state.open})
        if self._state.open and now >= self._end:
            self._state.stop()
            return True
        return not self._state.open

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals while the service runs; uvicorn would raise them again at the end."""
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain at the first signal, end at the second."""
        if self._state.is_draining:
            self._state.workers.kill()
            os._exit(128 + sig)
        self._state.drain()

    def _unexpected(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Record what asyncio finds unhandled, without what it says: that may be a client's."""
        error = context.get("exception")
        self._record({"event": "error", "error": type(error).__name__, "at": "event loop"})


def _allow_files(number: int) -> None:
    """Let the process open as many files as it may, up to ``number``: connections are files."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not everywhere

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = number if hard == resource.RLIM_INFINITY else min(number, hard)
        if soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
