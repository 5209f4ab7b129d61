"""A small HTTP server that gives the inspector's page, and what comes live, to one machine alone.

It listens on the loopback, at any free port. Its path begins with a random token, so that no other
page, and no other user of the machine, can guess an address; a request for another host than the
loopback is refused, because a page elsewhere may let its name be looked up as our address.
"""

from __future__ import annotations

import hmac
import re
import secrets
import select
import socket
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, TypeAlias

from ..errors import PartwireError
from .page import headers_of

__all__ = ["LiveServer", "Stream", "live_address"]

Stream: TypeAlias = Callable[[], Iterator[bytes]]
"""Gives the bytes of a live source from their beginning, and b"" now and then while none come."""

_HOST: Final = "127.0.0.1"
_OURS: Final = re.compile(r"(?:127\.0\.0\.1|localhost)(?::[0-9]+)?", re.IGNORECASE)
_LIVE: Final = re.compile(r"live/([0-9]{1,4})")


def live_address(number: int) -> str:
    """Return the address of a live source, relative to the page."""
    return f"live/{number}"


class LiveServer:
    """Serves a page and its live sources from the moment at which it is made until it is closed.

    ``failed`` takes the error that ends a stream; its answer is cut off, which the page sees.
    """

    def __init__(
        self,
        page: str,
        streams: Sequence[Stream] = (),
        failed: Callable[[PartwireError], None] = lambda _: None,
    ) -> None:
        self.streams = streams
        self.failed = failed
        self.root = f"/{secrets.token_urlsafe(24)}/"
        self.page = page.encode()
        self.headers = {**headers_of(page), "Cache-Control": "no-store", "Connection": "close"}
        self._server = _Server((_HOST, 0), _handler(self))

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{_HOST}:{self._server.server_address[1]}{self.root}"

    def serve(self) -> None:
        """Answer until the process is interrupted, or :meth:`shutdown` is called elsewhere."""
        self._server.serve_forever(poll_interval=0.2)

    def shutdown(self) -> None:
        """Let :meth:`serve` return; for another thread."""
        self._server.shutdown()

    def __enter__(self) -> LiveServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser that goes away is no event."""


def _handler(server: LiveServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        ours = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    """One request on one connection."""

    ours: LiveServer
    protocol_version = "HTTP/1.1"
    timeout = 30.0
    """Seconds for the head of a request."""

    def version_string(self) -> str:
        return "partwire"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as it is called
        """Keep no log: paths have the token."""

    def do_HEAD(self) -> None:
        """Answer as to GET, without the body: what is live is not read."""
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is not HTTP, and other methods than GET and HEAD, in plain text."""
        if code == HTTPStatus.NOT_IMPLEMENTED:  # nothing in here has other methods
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, ("Allow", "GET, HEAD"))
        else:
            self._refuse(HTTPStatus(code))

    def do_GET(self) -> None:
        self.connection.settimeout(None)  # a reader may be slow
        if not all(map(_OURS.fullmatch, self.headers.get_all("Host", [""]))):
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
            return
        root = self.ours.root
        head, rest = self.path[: len(root)], self.path[len(root) :]
        if not hmac.compare_digest(head.encode("utf-8", "replace"), root.encode()):
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        found = _LIVE.fullmatch(rest)
        if rest == "":
            self._answer(self.ours.page)
        elif found and int(found[1]) < len(self.ours.streams):
            self._stream(self.ours.streams[int(found[1])])
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def _begin(self, status: HTTPStatus, kind: str, *others: tuple[str, str]) -> bool:
        """Send the head of an answer; return whether a body follows."""
        self.send_response(status)
        for name, value in (("Content-Type", kind), *others, *self.ours.headers.items()):
            self.send_header(name, value)
        self.end_headers()
        return self.command != "HEAD"

    def _answer(self, body: bytes) -> None:
        size = "Content-Length", str(len(body))
        if self._begin(HTTPStatus.OK, "text/html; charset=utf-8", size):
            self.wfile.write(body)

    def _refuse(self, status: HTTPStatus, *others: tuple[str, str]) -> None:
        body = f"{status.value} {status.phrase}\n".encode()
        size = "Content-Length", str(len(body))
        if self._begin(status, "text/plain; charset=utf-8", size, *others):
            self.wfile.write(body)

    def _stream(self, stream: Stream) -> None:
        """Send what comes, in chunks; without the last one where the stream breaks off."""
        framing = "Transfer-Encoding", "chunked"
        if not self._begin(HTTPStatus.OK, "application/octet-stream", framing):
            return
        try:
            for chunk in stream():
                if chunk:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                elif self._is_gone():
                    return
        except PartwireError as error:
            self.ours.failed(error)
            return
        self.wfile.write(b"0\r\n\r\n")

    def _is_gone(self) -> bool:
        """Return whether the reader has closed the connection: it sends nothing any more."""
        if not select.select([self.connection], [], [], 0)[0]:
            return False
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True
