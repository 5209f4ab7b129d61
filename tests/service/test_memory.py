"""What requests leave behind in the service: nothing, whatever became of them."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn

from partwire.message import MessageAssembler
from partwire.service import Limits, create_app
from partwire.service.connection import Connection
from partwire.service.endpoints.assemble import Assembly
from partwire.service.exchange import Exchange
from partwire.service.state import State
from tests.service.process import LINES, MESSAGE, jsonl, request

PATIENCE = 120.0
VALIDATE = "/v1/validate?type=message.Message"
CLOSE = {"connection": "close"}
JSONL = {"content_type": "application/jsonl"}
GOOD = request("POST", "/v1/assemble", LINES, **JSONL)
LAST = request("POST", "/v1/assemble", LINES, **JSONL, **CLOSE)
ANSWERED = {
    "a message": LAST,
    "events": request("POST", "/v1/assemble", LINES, accept="text/event-stream", **JSONL, **CLOSE),
    "two on one connection": GOOD + LAST,
    "documents": request("POST", VALIDATE, jsonl([MESSAGE]), **JSONL, **CLOSE),
    "refused": request("POST", "/v1/assemble", b"{\n", **JSONL, **CLOSE),
    "no HTTP": b"what is this?\r\n\r\n",
}
LEFT = {"a body": GOOD[:-20], "a head": GOOD[:20], "nothing": b"", "an answer": GOOD}
HELD = (Exchange, Connection, Assembly, MessageAssembler)


def held() -> Counter[str]:
    """Return how many objects there are of what belongs to one request or connection."""
    gc.collect()
    return Counter(type(each).__name__ for each in gc.get_objects() if isinstance(each, HELD))


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[State, int]]:
    """Serve in this process, so that its objects can be counted."""
    app = create_app(Limits(workers=1))
    config = uvicorn.Config(app, http=Connection, ws="none", lifespan="on", log_config=None)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.ensure_future(server.serve(sockets=[listener]))
        try:
            yield app.state.service, listener.getsockname()[1]
        finally:
            server.should_exit = True
            await task


async def ask(port: int, data: bytes) -> None:
    """Send bytes on its own connection, and read what comes, to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(PATIENCE):
        writer.write(data)
        assert await reader.read()
    writer.close()


async def leave(port: int, data: bytes) -> None:
    """Send bytes on its own connection, and go away without a word."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    await writer.drain()
    writer.transport.abort()


async def until_nothing_is_held(before: Counter[str]) -> None:
    async with asyncio.timeout(PATIENCE):
        while held() - before:
            await asyncio.sleep(0.1)


def test_requests_leave_nothing_behind() -> None:
    async def run() -> None:
        before = held()
        async with serving() as (state, port):
            for data in ANSWERED.values():
                await asyncio.gather(*(ask(port, data) for _ in range(10)))
            for data in LEFT.values():
                await asyncio.gather(*(leave(port, data) for _ in range(10)))
            await until_nothing_is_held(before)
            assert (state.open, state.held.taken, len(state._running)) == (0, 0, 0)
            assert state.metrics.registry.get_sample_value("partwire_open_connections") == 0

    asyncio.run(run())


def test_little_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for a lot, of which little is used, is what memory is broken into pieces by."""
    sizes: list[int] = []
    take = Connection.data_received

    def noted(self: Connection, data: bytes) -> None:
        sizes.append(len(data))
        take(self, data)

    monkeypatch.setattr(Connection, "data_received", noted)

    async def run() -> None:
        async with serving() as (_, port):
            body = jsonl([{**MESSAGE, "runId": "x" * 100_000}] * 20)
            await ask(port, request("POST", VALIDATE, body, **JSONL, **CLOSE))
            assert sum(sizes) > len(body)

    asyncio.run(run())
    assert max(sizes) <= 16 * 1024


def test_figures_do_not_grow_with_what_clients_write() -> None:
    async def run() -> None:
        async with serving() as (state, port):

            def figures() -> int:
                return sum(len(each.samples) for each in state.metrics.registry.collect())

            async def ask_all(name: str) -> None:
                paths = [f"/{name}/{n}" for n in range(20)]
                paths += [f"/schemas/v0.1/{name}/{n}.json" for n in range(20)]
                paths += [f"/v1/validate?type={name}.{n}" for n in range(20)]
                for path in paths:
                    await ask(port, request("POST", path, jsonl([MESSAGE]), **CLOSE))

            await ask_all("first")
            before = figures()
            await ask_all("second")
            assert figures() == before

    asyncio.run(run())
