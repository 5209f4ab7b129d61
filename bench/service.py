"""The contract service: one document beside the shortest service, lines beside the library.

    python -m bench.service 5    # the rows of this process as JSON, of so many rounds

Processor time alone. ``in process`` is what an application takes, called as a server calls it;
``over loopback`` is all that a server takes for a request on a connection that stays open.
"""

from __future__ import annotations

import asyncio
import gc
import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import uvicorn

import partwire
from bench.content import make_content
from bench.ours import deltas
from bench.peers import starlette_service
from partwire.reading.pipeline import Binding
from partwire.service import create_app
from partwire.service.connection import Connection
from partwire.service.server import listen

__all__ = ["ServiceRow", "measure_service"]

_ROOT: Final = Path(__file__).resolve().parent.parent
_REQUESTS: Final = 1000
_LINES: Final = 20_000
_MESSAGE: Final = "/v1/validate?type=message.Message"
_DELTAS: Final = "/v1/validate?type=message.MessageDelta"
_PIECE: Final = 64 * 1024


class ServiceRow(NamedTuple):
    """What was measured: microseconds for a request or a line, ours and of what it is held against.

    ``way`` is ``native`` or ``plain``, ``peer`` names the other one: for lines it is the library's
    own function, without HTTP. ``ratio`` is the median of the rounds' ratios.
    """

    what: str
    way: str
    peer: str
    ours_us: float
    peer_us: float
    ratio: float
    lines_per_s: float | None = None


def measure_service(rounds: int) -> list[ServiceRow]:
    """Measure with the native core, where it is installed, and without, each in its own process."""
    ways = {}
    for switch in ("1", "0"):
        told = subprocess.run(
            [sys.executable, "-m", "bench.service", str(rounds)],
            stdout=subprocess.PIPE,
            check=True,
            cwd=_ROOT,
            env={**os.environ, "PARTWIRE_NATIVE": switch},
        ).stdout
        rows = [ServiceRow(*each) for each in json.loads(told)]
        ways[rows[0].way] = rows
    return [row for rows in ways.values() for row in rows]


def _measure(rounds: int) -> Iterator[ServiceRow]:
    text = b"".join(_lines(_LINES))
    document = partwire.dump(partwire.assemble(b"".join(_lines(100))))
    ours, peer = create_app(), starlette_service.create_app()
    floor = "starlette and jsonschema-rs"

    yield _row(
        "one document, in process",
        floor,
        rounds,
        _calls(ours, _MESSAGE, "application/json", [document], _REQUESTS),
        _calls(peer, _MESSAGE, "application/json", [document], _REQUESTS),
        per=_REQUESTS,
    )
    with (
        _served(ours, http=Connection, lifespan="on") as ask_ours,
        _served(peer, http="h11", lifespan="off") as ask_peer,
    ):
        yield _row(
            "one document, over loopback",
            floor,
            rounds,
            lambda: ask_ours(document, _REQUESTS),
            lambda: ask_peer(document, _REQUESTS),
            per=_REQUESTS,
        )

    pieces = [text[begin : begin + _PIECE] for begin in range(0, len(text), _PIECE)]
    lines = text.splitlines()
    refused = Binding.of("message.MessageDelta").refused
    for what, target, name, floor_of_lines in (
        ("validate, per line", _DELTAS, "Binding.refused", lambda: refused(lines)),
        ("assemble, per line", "/v1/assemble", "assemble()", lambda: partwire.assemble(text)),
    ):
        yield _row(
            what,
            name,
            rounds,
            _calls(ours, target, "application/jsonl", pieces, 1),
            _timed(floor_of_lines),
            per=len(lines),
            are_lines=True,
        )


def _lines(number: int) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    return (encode(delta) + b"\n" for delta in deltas(make_content("text", number)))


def _row(
    what: str,
    peer: str,
    rounds: int,
    ours: Callable[[], float],
    theirs: Callable[[], float],
    *,
    per: int,
    are_lines: bool = False,
) -> ServiceRow:
    """Time both in turn, each once before that; ``per`` is what a run has of requests or lines."""
    ours()
    theirs()
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    mine, other = (statistics.median(column) / per for column in zip(*pairs, strict=True))
    return ServiceRow(
        what,
        "plain" if partwire.native is None else "native",
        peer,
        mine * 1e6,
        other * 1e6,
        statistics.median(own / foreign for own, foreign in pairs),
        1 / mine if are_lines else None,
    )


def _timed(run: Callable[[], object]) -> Callable[[], float]:
    def timed() -> float:
        gc.collect()
        begin = time.process_time()
        run()
        return time.process_time() - begin

    return timed


# --- in process -----------------------------------------------------------------------------------


def _calls(
    app: Any, target: str, kind: str, pieces: list[bytes], number: int
) -> Callable[[], float]:
    """Return what asks ``number`` times, one after the other, and returns the seconds."""
    path, _, query = target.partition("?")
    headers = [
        (b"host", b"127.0.0.1:8750"),
        (b"user-agent", b"bench"),
        (b"accept", b"*/*"),
        (b"content-type", kind.encode()),
        (b"content-length", b"%d" % sum(map(len, pieces))),
    ]
    head = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8750),
    }

    async def ask() -> None:
        left = pieces[::-1]
        sent = []

        async def receive() -> dict[str, Any]:
            body = left.pop()
            return {"type": "http.request", "body": body, "more_body": bool(left)}

        async def send(message: Any) -> None:
            sent.append(message)

        await app({**head, "headers": [*headers], "state": {}}, receive, send)
        if sent[0]["status"] != 200 or b'"valid":false' in sent[1]["body"]:
            raise ValueError(f"{target}: {sent[1]['body'][:300]!r}")

    async def ask_all() -> None:
        for _ in range(number):
            await ask()

    return _timed(lambda: asyncio.run(ask_all()))


# --- over loopback --------------------------------------------------------------------------------


@contextmanager
def _served(app: Any, **options: Any) -> Iterator[Callable[[bytes, int], float]]:
    """Serve in a thread; yield what asks, and returns the seconds that this thread has worked."""
    # No connection is closed while it is the other's turn.
    config = uvicorn.Config(app, log_config=None, ws="none", timeout_keep_alive=3600, **options)
    server = uvicorn.Server(config)
    listener, address = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    connection = http.client.HTTPConnection(address.host, address.port)
    try:
        clock = time.pthread_getcpuclockid(thread.ident or 0)

        def ask(document: bytes, number: int) -> float:
            gc.collect()
            begin = time.clock_gettime(clock)
            for _ in range(number):
                connection.request("POST", _MESSAGE, document, {"content-type": "application/json"})
                answer = connection.getresponse().read()
                if b'"valid":true' not in answer:
                    raise ValueError(f"{_MESSAGE}: {answer[:300]!r}")
            return time.clock_gettime(clock) - begin

        yield ask
    finally:
        connection.close()
        server.should_exit = True
        thread.join()
        listener.close()


if __name__ == "__main__":
    print(json.dumps(list(_measure(int(sys.argv[1])))))
