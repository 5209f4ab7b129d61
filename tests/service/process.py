"""A real ``partwire serve``, and clients that speak to it over real sockets."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from tests.cli.runner import PARTS, STREAM
from tests.patience import PATIENCE, until

__all__ = [
    "LINES",
    "MESSAGE",
    "PYTHON_PATH",
    "Answer",
    "Client",
    "Service",
    "delta",
    "jsonl",
    "long_stream",
    "request",
    "serving",
    "until",
]

PYTHON_PATH = str(Path(__file__).resolve().parents[2] / "python")
MESSAGE = {
    "runId": "run_1",
    "role": "assistant",
    "parts": PARTS,
    "timestamp": "2026-01-02T03:04:05Z",
    "meta": {"modelId": "m", "requestId": "r", "finishReason": "tool_calls"},
}


def jsonl(documents: list[Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in documents)


LINES = jsonl(STREAM)


def delta(seq: int, kind: str, **payload: Any) -> dict[str, Any]:
    at = "2026-01-02T03:04:05Z"
    return {"runId": "run_1", "seq": seq, "kind": kind, "payload": payload, "timestamp": at}


def long_stream(texts: int, size: int = 20) -> bytes:
    """A stream of one text in so many deltas."""
    deltas = [delta(0, "start", modelId="m", requestId="r")]
    deltas += [delta(seq, "text", textDelta="x" * size) for seq in range(1, texts + 1)]
    return jsonl([*deltas, delta(texts + 1, "done", finishReason="stop")])


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def rule(self) -> str:
        """The rule of a problem, which has the form of one."""
        assert self.headers["content-type"] == "application/problem+json", self
        told = self.json
        assert told["status"] == self.status
        assert told["type"].startswith("https://partwire.dev/problems/")
        rule: str = told["findings"][0]["rule"]
        return rule

    @property
    def events(self) -> list[tuple[str, str, Any]]:
        """Id, name and data of server-sent events; comments are left out."""
        found = []
        for block in self.body.decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if line[0] != ":")
            if "event" in fields:
                found.append((fields.get("id", ""), fields["event"], json.loads(fields["data"])))
        return found


def request(method: str, path: str, body: bytes = b"", /, **headers: str) -> bytes:
    """The bytes of one request; underscores in names of headers become hyphens."""
    lines = [f"{method} {path} HTTP/1.1", "host: localhost"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body and "transfer_encoding" not in headers and "content_length" not in headers:
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Client:
    """One connection, byte by byte in the test's hand."""

    def __init__(self, port: int, **options: int) -> None:
        self.socket = socket.socket()
        for name, value in options.items():
            self.socket.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        self._buffer = b""

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def chunk(self, data: bytes) -> None:
        """Send one chunk of a chunked body; an empty one is its end."""
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def abort(self) -> None:
        """Close with a reset, as a process does that is killed with bytes unread."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def more(self) -> bytes:
        """Return the next bytes; b"" at the end of the connection."""
        data, self._buffer = self._buffer, b""
        return data or self.socket.recv(1 << 16)

    def until(self, mark: bytes) -> bytes:
        """Return what comes up to a mark, the mark included."""
        data = self._buffer
        while mark not in data:
            piece = self.socket.recv(1 << 16)
            assert piece, f"the connection ended before {mark!r}: {data!r}"
            data += piece
        end = data.index(mark) + len(mark)
        self._buffer = data[end:]
        return data[:end]

    def head(self) -> tuple[int, dict[str, str]]:
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        pairs = (line.split(": ", 1) for line in lines[1:] if line)
        return int(lines[0].split()[1]), {name.lower(): value for name, value in pairs}

    def answer(self, *, bodiless: bool = False) -> Answer:
        """Return the next answer, whole."""
        status, headers = self.head()
        while status == 100:
            status, headers = self.head()
        if bodiless or status in (204, 304):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Answer(status, headers, b"".join(self._chunks()))
        size = int(headers["content-length"])
        while len(self._buffer) < size:
            piece = self.socket.recv(1 << 16)
            assert piece, "the answer is cut off"
            self._buffer += piece
        body, self._buffer = self._buffer[:size], self._buffer[size:]
        return Answer(status, headers, body)

    def _chunks(self) -> Iterator[bytes]:
        while True:
            size = int(self.until(b"\r\n"), 16)
            while len(self._buffer) < size + 2:
                piece = self.socket.recv(1 << 16)
                assert piece, "the answer is cut off"
                self._buffer += piece
            data, self._buffer = self._buffer[:size], self._buffer[size + 2 :]
            if not size:
                return
            yield data

    def is_closed(self) -> bool:
        """Whether the server has closed; waits for it or for more bytes."""
        try:
            data = self.more()
        except ConnectionResetError:
            return True
        self._buffer = data
        return not data


class Service:
    """A running service."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, errors: Path) -> None:
        self.process = process
        self.port = port
        self.clients: list[Client] = []
        self._errors = errors

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """What it has written on stderr so far; stdout stays empty."""
        return self._errors.read_text()

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The lines of its log."""
        return [json.loads(line) for line in self.output.splitlines() if line[:1] == "{"]

    def connect(self, **options: int) -> Client:
        """Open a connection, which ends with the service if not before."""
        self.clients.append(Client(self.port, **options))
        return self.clients[-1]

    def ask(self, method: str, path: str, body: bytes = b"", /, **headers: str) -> Answer:
        """Ask once, on its own connection."""
        with self.connect() as client:
            client.send(request(method, path, body, **{"connection": "close", **headers}))
            return client.answer(bodiless=method == "HEAD")

    def post(self, path: str, document: Any, **headers: str) -> Answer:
        """Post a JSON document."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.ask("POST", path, body, **{"content_type": "application/json", **headers})

    def figure(self, name: str, **labels: str) -> float:
        """Return a figure of /metrics; 0 for one that is not there yet."""
        text = self.ask("GET", "/metrics").body.decode()
        inner = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
        pattern = re.escape(f"{name}{{{inner}}}" if inner else name) + r" ([0-9.e+]+)$"
        found = re.search(pattern, text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    def rss_bytes(self) -> int:
        """Return the resident memory of the service, without its workers."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def tell(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Tell it to end, and return its exit status."""
        self.tell(number)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(folder: Path, *options: str, **environment: str) -> Iterator[Service]:
    """Run ``partwire serve`` on a free port, until the block ends; it has to end well."""
    errors = folder / "stderr"
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from partwire.cli import main; main()",
                "serve",
                "--port",
                "0",
                *options,
            ],
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, "PYTHONPATH": PYTHON_PATH, **environment},
        )
    try:

        def port() -> int | None:
            assert process.poll() is None, errors.read_text()
            found = re.search(r"listening on http://\S+:(\d+)", errors.read_text())
            return int(found[1]) if found else None

        service = Service(process, until(port, "the service"), errors)
        try:
            yield service
        finally:
            for client in service.clients:
                client.socket.close()
        if process.poll() is None:
            process.terminate()
            assert process.wait(PATIENCE) == 0, errors.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
