"""Load for the contract service: many clients at once, each with its own stream pace.

    python -m tests.service.load PORT SECONDS CLIENTS

Its own process, so that the clients' work is not the tests'. The result is one JSON line.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter
from typing import Any, Final

from tests.service.process import delta, jsonl, request

__all__ = ["main"]

_PAUSE_SECONDS: Final = 1.5
_PATIENCE: Final = 120.0
_SSE: Final = {"accept": "text/event-stream"}


class _Stream:
    """What one kind of client sends, and how it knows that the answer is right."""

    def __init__(self, name: str, deltas: int, size: int, headers: dict[str, str]) -> None:
        self.name = name
        text = "x" * size
        documents = [delta(0, "start", modelId="m", requestId="r")]
        documents += [delta(seq, "text", textDelta=text) for seq in range(1, deltas + 1)]
        documents += [delta(deltas + 1, "done", finishReason="stop")]
        lines = jsonl(documents)
        self.head = request(
            "POST",
            "/v1/assemble?snapshotEvery=10",
            transfer_encoding="chunked",
            content_type="application/jsonl",
            **headers,
        )
        step = len(lines) // 4 + 1
        parts = [lines[at : at + step] for at in range(0, len(lines), step)]
        self.chunks = [b"%x\r\n%s\r\n" % (len(part), part) for part in parts] + [b"0\r\n\r\n"]
        self.expected = json.dumps("x" * size * deltas).encode()

    def is_right(self, body: bytes) -> bool:
        """Return whether an answer holds the whole text."""
        return b" 200 " in body[:20] and self.expected in body


_STREAMS: Final = (
    _Stream("message", 20, 40, {}),
    _Stream("events", 20, 40, _SSE),
    _Stream("long", 400, 100, {}),
)
_KINDS: Final = (0, 0, 0, 0, 1, 1, 1, 1, 1, 2)


class Load:
    """So many clients, until the time is over; each ends the stream that it has begun."""

    def __init__(self, port: int, seconds: float, clients: int) -> None:
        self.port = port
        self.clients = clients
        self.end = time.monotonic() + seconds
        self.done: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.open = self.most_open = 0

    async def run(self) -> dict[str, Any]:
        """Run all clients, and return what came of it."""
        started = time.monotonic()
        await asyncio.gather(*(self._client(number) for number in range(self.clients)))
        return {
            "clients": self.clients,
            "seconds": round(time.monotonic() - started, 1),
            "assemblies": sum(self.done.values()),
            "kinds": self.done,
            "most_open": self.most_open,
            "errors": self.errors,
        }

    async def _client(self, number: int) -> None:
        dice = random.Random(number)
        await asyncio.sleep(dice.random() * _PAUSE_SECONDS * 2)
        while time.monotonic() < self.end:
            stream = _STREAMS[dice.choice(_KINDS)]
            try:
                async with asyncio.timeout(_PATIENCE):
                    await self._assemble(stream, dice)
                self.done[stream.name] += 1
            except (OSError, TimeoutError, EOFError, ValueError) as error:
                self.errors[f"{type(error).__name__}: {error}"[:200]] += 1

    async def _assemble(self, stream: _Stream, dice: random.Random) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            answer = asyncio.ensure_future(_answer(reader))
            writer.write(stream.head)
            for chunk in stream.chunks:
                writer.write(chunk)
                await writer.drain()
                # All are open together: what is measured is concurrency, not one after another.
                await asyncio.sleep(_PAUSE_SECONDS * (0.5 + dice.random()))
            body = await answer
            if not stream.is_right(body):
                raise ValueError(repr(body[:80]))
        finally:
            self.open -= 1
            writer.close()


async def _answer(reader: asyncio.StreamReader) -> bytes:
    """Read one answer to its end, whichever way that is reported."""
    head = await reader.readuntil(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        return head + await reader.readuntil(b"\r\n0\r\n\r\n")
    size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    return head + await reader.readexactly(size)


def main(port: int, seconds: float, clients: int) -> None:
    """Run a load, and print what came of it."""
    result = asyncio.run(Load(port, seconds, clients).run())
    print(json.dumps(result))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
