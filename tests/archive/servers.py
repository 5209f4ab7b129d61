"""A real S3 server of this machine, and a proxy that lets it fail."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from partwire.archive import remote
from tests.patience import until

__all__ = ["Gateway", "Proxy", "gateway", "proxy"]

_KEY, _SECRET = "partwire", "partwire-secret"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _versitygw() -> str:
    """Return the program of the server; skip visibly where it is not installed."""
    go = Path(os.environ.get("GOPATH") or Path.home() / "go") / "bin" / "versitygw"
    found = shutil.which("versitygw") or (str(go) if go.is_file() else None)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("versitygw is not installed: .ci/run builds it")
        pytest.skip("no versitygw: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
    return found


class Gateway:
    """versitygw over a folder, with the bucket ``bucket``. It can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bucket = folder / "bucket"
        self.bucket.mkdir(parents=True)
        self.port = _free_port()
        self._program = _versitygw()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        args = ["--access", _KEY, "--secret", _SECRET, "-q", "-p", f"127.0.0.1:{self.port}"]
        self._process = subprocess.Popen(
            [self._program, *args, "posix", str(self.folder)], stdout=subprocess.DEVNULL
        )
        until(lambda: _answers(self.port), "the S3 server")

    def kill(self) -> None:
        """Kill it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextmanager
def gateway(folder: Path) -> Iterator[Gateway]:
    """Give a server that runs; the environment names it to the client."""
    server = Gateway(folder)
    server.start()
    named = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}",
        "AWS_ACCESS_KEY_ID": _KEY,
        "AWS_SECRET_ACCESS_KEY": _SECRET,
        "AWS_REGION": "us-east-1",
    }
    before = {name: os.environ.get(name) for name in named}
    os.environ.update(named)
    remote._clients.clear()  # they know the server that was named before
    try:
        yield server
    finally:
        remote._clients.clear()
        server.kill()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


Fault = Callable[[bytes, socket.socket], bool]
"""Is given the head of a request and the client; tells whether it has answered, or cut it."""


class Proxy:
    """A proxy before a server: one request of each connection, which a fault may take."""

    def __init__(self, port: int) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self._behind = port
        self.fault: Fault = lambda _head, _client: False
        self.cut_after: int | None = None
        """How many bytes of an answer are given before it is cut; None: all."""
        self.seconds_per_answer = 0.0
        self.requests = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = client.recv(65536)
                if not piece:
                    return
                head += piece
            self.requests += 1
            if self.fault(head, client):
                return
            time.sleep(self.seconds_per_answer)
            with socket.create_connection(("127.0.0.1", self._behind)) as server:
                # One request of a connection, so that every one can be counted and failed.
                first, _, rest = head.partition(b"\r\n")
                server.sendall(first + b"\r\nConnection: close\r\n" + rest)
                threading.Thread(target=_pump, args=(client, server), daemon=True).start()
                self._answer(server, client)
                client.shutdown(socket.SHUT_RDWR)  # the other thread still reads of it

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        given = 0
        while piece := server.recv(65536):
            limit = self.cut_after
            if limit is not None and given + len(piece) > limit:
                client.sendall(piece[: max(0, limit - given)])
                self.cut_after = None  # once
                return
            client.sendall(piece)
            given += len(piece)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)


@contextmanager
def proxy(server: Gateway, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """Give a proxy before a server, which the environment names to the client."""
    found = Proxy(server.port)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{found.port}")
    monkeypatch.setattr(remote, "_clients", {})
    try:
        yield found
    finally:
        found.close()
