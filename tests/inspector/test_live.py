"""The inspector's server: who gets the page, and what comes while it comes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from socket import SHUT_WR, create_connection
from urllib.parse import urlsplit

import pytest

from partwire.errors import Finding, PartwireError, UsageError
from partwire.inspector.live import LiveServer, Stream, live_address
from tests.inspector.stand_in import POLICY, STAND_IN
from tests.patience import PATIENCE


@contextmanager
def served(*streams: Stream) -> Iterator[tuple[LiveServer, list[PartwireError]]]:
    failures: list[PartwireError] = []
    with LiveServer(STAND_IN, streams, failures.append) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server, failures
        finally:
            server.shutdown()
            thread.join(PATIENCE)


@contextmanager
def asked(
    server: LiveServer, path: str | None = None, method: str = "GET", **headers: str
) -> Iterator[HTTPResponse]:
    """The answer to a request for a path below the page's, or for one that begins with a slash."""
    parts = urlsplit(server.address)
    assert parts.hostname == "127.0.0.1"
    connection = HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    target = path if (path or "").startswith("/") else parts.path + (path or "")
    try:
        connection.putrequest(method, str(target), skip_host=bool(headers))
        for name, value in headers.items():
            for each in value.split("|"):
                connection.putheader(name, each)
        connection.endheaders()
        with connection.getresponse() as answer:
            yield answer
    finally:
        connection.close()


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with served(lambda: iter([b"a", b"", b"b"])) as (server, _):
        yield server


def test_the_page_is_served_with_its_policy_and_is_not_kept(server: LiveServer) -> None:
    with asked(server) as answer:
        assert answer.status == 200
        assert answer.read() == STAND_IN.encode()
    headers = {name.lower(): value for name, value in answer.getheaders()}
    assert headers["content-security-policy"] == f"{POLICY}; frame-ancestors 'none'"
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_what_is_live_is_bytes(server: LiveServer) -> None:
    with asked(server, live_address(0)) as answer:
        assert (answer.status, answer.read()) == (200, b"ab")
    assert answer.getheader("content-type") == "application/octet-stream"
    assert answer.getheader("cache-control") == "no-store"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "127.0.0.1:x",
        "",
        "127.0.0.1|evil.example",
        "[::1]@evil.example",
    ],
)
def test_another_host_is_refused(server: LiveServer, host: str) -> None:
    with asked(server, Host=host) as answer:
        assert answer.status == 421
        assert b"<" not in answer.read()


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "localhost:65535"])
def test_names_of_the_loopback_are_taken_with_any_port(server: LiveServer, host: str) -> None:
    """A tunnel has another port at its end."""
    with asked(server, Host=host) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/live/0", "/x/", "live/1", "live/-1", "live/", "live/00000", "x", "../", "%2e%2e/"],
)
def test_who_does_not_know_the_address_gets_nothing(server: LiveServer, path: str) -> None:
    with asked(server, path) as answer:
        assert answer.status == 404
        assert answer.read() == b"404 Not Found\n"


def test_a_token_that_is_almost_right_is_wrong(server: LiveServer) -> None:
    root = urlsplit(server.address).path
    for wrong in (root[:-1], root[:-2] + "/", root.swapcase(), f"/x{root}"):
        with asked(server, wrong) as answer:
            assert answer.status == 404


def test_tokens_are_random() -> None:
    with LiveServer(STAND_IN) as one, LiveServer(STAND_IN) as other:
        assert one.root != other.root
        assert len(one.root) > 30


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"])
def test_nothing_else_is_done(server: LiveServer, method: str) -> None:
    with asked(server, method=method) as answer:
        assert (answer.status, answer.read()) == (405, b"405 Method Not Allowed\n")
    assert answer.getheader("allow") == "GET, HEAD"
    assert answer.getheader("content-type") == "text/plain; charset=utf-8"


@pytest.mark.parametrize(("path", "status"), [("", 200), ("x", 404)])
def test_a_head_is_that_of_the_page(server: LiveServer, path: str, status: int) -> None:
    with asked(server, path) as whole:
        size = len(whole.read())
    with asked(server, path, "HEAD") as answer:
        assert (answer.status, answer.read()) == (status, b"")
    told, expected = (
        {k: v for k, v in each.getheaders() if k != "Date"} for each in (answer, whole)
    )
    assert told == expected
    assert int(told["Content-Length"]) == size


def test_a_head_reads_nothing_of_what_is_live() -> None:
    def failing() -> Iterator[bytes]:
        raise UsageError(Finding("usage/unreadable-input", "it was read"))

    with served(failing) as (server, failures):
        with asked(server, live_address(0), "HEAD") as answer:
            assert answer.status == 200
            assert answer.getheader("content-type") == "application/octet-stream"
        assert failures == []


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET / HTTP/x\r\n\r\n", b"400"),
        (b"GET / HTTP/3.0\r\n\r\n", b"505"),
    ],
)
def test_what_is_not_http_is_refused_in_plain_text(
    server: LiveServer, head: bytes, status: bytes
) -> None:
    with create_connection(("127.0.0.1", server._server.server_port), PATIENCE) as connection:
        connection.sendall(head)
        connection.shutdown(SHUT_WR)
        with connection.makefile("rb") as answer:
            told = answer.read()
    assert told.splitlines()[-1].startswith(status)
    assert b"<" not in told


def test_bytes_come_when_they_come() -> None:
    pieces: queue.Queue[bytes] = queue.Queue()
    with served(lambda: iter(pieces.get, b"end")) as (server, _):  # noqa: SIM117
        with asked(server, live_address(0)) as answer:
            for piece in (b"one\n", b"two\n"):
                pieces.put(piece)
                assert answer.readline() == piece
            pieces.put(b"end")
            assert answer.read() == b""


def test_a_stream_that_fails_is_cut_off_and_said() -> None:
    def failing() -> Iterator[bytes]:
        yield b"one"
        raise UsageError(Finding("usage/unreadable-input", "gone"))

    with served(failing) as (server, failures):
        with asked(server, live_address(0)) as answer, pytest.raises(IncompleteRead) as caught:
            answer.read()
        assert caught.value.partial == b"one"
        assert [each.rule for each in failures] == ["usage/unreadable-input"]


def test_a_reader_that_goes_away_ends_its_stream() -> None:
    ended = threading.Event()

    def endless() -> Iterator[bytes]:
        try:
            yield b"one"
            while not ended.wait(0.01):
                yield b""
        finally:
            ended.set()

    with served(endless) as (server, failures):
        with asked(server, live_address(0)) as answer:
            assert answer.read(3) == b"one"
        assert ended.wait(PATIENCE)
        assert failures == []
