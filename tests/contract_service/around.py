"""An ASGI application around the real service, which spoils questions and answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import anyio

__all__ = [
    "Exchange",
    "Service",
    "Spoil",
    "each_event",
    "events_of",
    "only",
    "put_events",
    "with_data",
]

Message = dict[str, Any]


@dataclass
class Exchange:
    """One request and its answer, the latter to be spoiled."""

    method: str
    path: str
    query: dict[str, str]
    sent: bytes
    sent_headers: dict[str, str]
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def document(self) -> Any:
        """The answer as JSON."""
        return json.loads(self.body)

    def answer(self, document: Any, status: int | None = None) -> None:
        """Answer with JSON."""
        self.body = json.dumps(document).encode()
        self.status = status or self.status

    @property
    def is_stream(self) -> bool:
        """Whether the answer is an event stream."""
        return self.headers.get("content-type", "").startswith("text/event-stream")


Spoil = Callable[[Exchange], None]


class Service:
    """An ASGI application that asks the real one, and spoils question and answer."""

    def __init__(self, app: Any, answer: Spoil, question: Spoil) -> None:
        self._app, self._answer, self._question = app, answer, question

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Handle one request; other than HTTP goes through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = Exchange(
            scope["method"],
            scope["path"],
            dict(parse_qsl(scope["query_string"].decode(), keep_blank_values=True)),
            await _whole(receive),
            {key.decode(): value.decode("latin-1") for key, value in scope["headers"]},
        )
        before = dict(exchange.query)
        self._question(exchange)
        if exchange.query != before:
            scope = {**scope, "query_string": urlencode(exchange.query).encode()}
        await _asked(self._app, scope, exchange)
        self._answer(exchange)
        exchange.headers.pop("content-length", None)
        headers = [(key.encode(), value.encode()) for key, value in exchange.headers.items()]
        await send({"type": "http.response.start", "status": exchange.status, "headers": headers})
        await send({"type": "http.response.body", "body": exchange.body})


async def _whole(receive: Any) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if not message.get("more_body"):
            return body


async def _asked(app: Any, scope: Message, exchange: Exchange) -> None:
    """Let the real service answer."""
    messages = iter([{"type": "http.request", "body": exchange.sent, "more_body": False}])
    forever = anyio.Event()

    async def receive() -> Message:
        found = next(messages, None)
        if found is None:
            await forever.wait()
        return found or {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            exchange.status = message["status"]
            exchange.headers = {
                key.decode().lower(): value.decode("latin-1") for key, value in message["headers"]
            }
        elif message["type"] == "http.response.body":
            exchange.body += message.get("body", b"")

    await app(scope, receive, send)


def only(path: str, status: int = 200) -> Callable[[Spoil], Spoil]:
    """Spoil the answers of a path with a status alone."""

    def decorate(spoil: Spoil) -> Spoil:
        def spoil_some(exchange: Exchange) -> None:
            if exchange.path.startswith(path) and exchange.status == status:
                spoil(exchange)

        return spoil_some

    return decorate


def events_of(exchange: Exchange) -> Iterator[list[str]]:
    for block in exchange.body.decode().split("\n\n"):
        if block:
            yield block.split("\n")


def put_events(exchange: Exchange, events: list[list[str]]) -> None:
    exchange.body = "".join("\n".join(lines) + "\n\n" for lines in events).encode()


def each_event(spoil: Callable[[list[str]], list[str]]) -> Spoil:
    """Spoil every event of a stream, line by line."""

    def spoil_all(exchange: Exchange) -> None:
        if exchange.is_stream:
            put_events(exchange, [spoil(lines) for lines in events_of(exchange)])

    return spoil_all


def with_data(lines: list[str], change: Callable[[Any], None]) -> list[str]:
    made = []
    for line in lines:
        if line.startswith("data:"):
            data = json.loads(line[5:])
            change(data)
            made.append(f"data: {json.dumps(data)}")
        else:
            made.append(line)
    return made
