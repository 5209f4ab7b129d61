"""A local HTTP server that plays responses byte by byte, for the official clients.

A request says in its body which reply it wants: ``play:<name>`` in any text; without it the
reply is ``default``. What the clients sent is kept in ``requests``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["ReplayServer", "Reply", "Request", "replay_server", "sliced", "until"]

_WANTED = re.compile(rb"play:([A-Za-z0-9_.\-]+)")


class Reply(NamedTuple):
    """One response: its chunks are written one by one, ``pause_s`` apart.

    With ``cut`` the connection is broken after the last chunk, in the middle of the body.
    ``hold`` keeps it open after the last chunk until the client goes away, ``silent`` before
    the first byte of the answer; ``late_s`` is how long that takes to come.
    """

    chunks: Sequence[bytes]
    status: int = 200
    content_type: str = "text/event-stream"
    headers: Sequence[tuple[str, str]] = ()
    pause_s: float = 0.0
    cut: bool = False
    hold: bool = False
    silent: bool = False
    late_s: float = 0.0


class Request(NamedTuple):
    """What a client sent; ``body`` is None where it is not JSON."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


def sliced(data: bytes, size: int) -> list[bytes]:
    """Return ``data`` in slices of ``size`` bytes."""
    return [data[at : at + size] for at in range(0, len(data), size)] or [b""]


async def until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until ``holds()``; fail after ``seconds``."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not holds():
        assert loop.time() < end, "it never came to hold"
        await asyncio.sleep(0.005)


class ReplayServer:
    """Plays ``replies``; ``open`` counts connections that are, ``playing`` answers under way."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.requests: list[Request] = []
        self.open = 0
        self.playing = 0
        self.url = ""
        self.tasks: set[asyncio.Task[None]] = set()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection in its own task."""
        task = asyncio.ensure_future(self._serve(reader, writer))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            while (request := await _request(reader)) is not None:
                head, body = request
                self.requests.append(head)
                if not await self._play(self._wanted(body), writer, reader):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open -= 1
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def _wanted(self, body: bytes) -> Reply:
        wanted = _WANTED.findall(body)  # the last one: a conversation names one in each turn
        return self.replies[wanted[-1].decode() if wanted else "default"]

    async def _play(
        self, reply: Reply, writer: asyncio.StreamWriter, reader: asyncio.StreamReader
    ) -> bool:
        """Write one reply; return whether the connection goes on."""
        self.playing += 1
        try:
            if reply.silent:
                await reader.read(1)
                return False
            await asyncio.sleep(reply.late_s)
            await self._write(reply, writer, reader)
            if reply.hold:
                await reader.read(1)
            if reply.cut or reply.hold:
                writer.transport.abort()
                return False
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            return True
        finally:
            self.playing -= 1

    async def _write(
        self, reply: Reply, writer: asyncio.StreamWriter, reader: asyncio.StreamReader
    ) -> None:
        headers = [
            ("content-type", reply.content_type),
            ("transfer-encoding", "chunked"),
            *reply.headers,
        ]
        head = [f"HTTP/1.1 {reply.status} Played", *(f"{name}: {value}" for name, value in headers)]
        writer.write(("\r\n".join(head) + "\r\n\r\n").encode())
        for chunk in reply.chunks:
            if chunk:
                writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
                await writer.drain()
            await asyncio.sleep(reply.pause_s)
            if reader.at_eof():
                raise ConnectionError("the client has gone")


async def _request(reader: asyncio.StreamReader) -> tuple[Request, bytes] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.split(":", 1) for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    if "chunked" in headers.get("transfer-encoding", ""):
        body = await _chunked(reader)
    else:
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    value: Any = None
    with contextlib.suppress(ValueError):
        value = json.loads(body)
    return Request(method, path, headers, value), body


async def _chunked(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return body


@contextlib.asynccontextmanager
async def replay_server() -> AsyncIterator[ReplayServer]:
    """Run a server on a free port of this machine's own address; it leaves nothing behind."""
    played = ReplayServer()
    server = await asyncio.start_server(played.accept, "127.0.0.1", 0, limit=2**24, backlog=512)
    port = server.sockets[0].getsockname()[1]
    played.url = f"http://127.0.0.1:{port}"
    try:
        yield played
    finally:
        server.close()
        tasks = list(played.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
