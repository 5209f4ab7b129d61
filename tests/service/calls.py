"""The contract service without a server: one request, as a server would hand it over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, MutableMapping, Sequence
from typing import Any, NamedTuple

from partwire.service.app import create_app
from partwire.service.limits import Limits

__all__ = ["Called", "call", "called_rules", "run_request"]

Message = MutableMapping[str, Any]


class Called(NamedTuple):
    """What came of a request: the answer, and the entries of the log."""

    status: int
    headers: dict[str, str]
    body: bytes
    entries: list[dict[str, Any]]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def call(
    method: str,
    target: str,
    *pieces: bytes,
    headers: dict[str, str] | None = None,
    limits: Limits | None = None,
    prepare: Callable[[Any], None] = lambda app: None,
    never_ends: bool = False,
    hosts: Collection[str] = ("*",),
) -> Called:
    """Send one request, in so many pieces, to its own service.

    ``prepare`` gets the application first. With ``never_ends`` the body stops coming in its midst.
    """
    entries: list[dict[str, Any]] = []
    app = create_app(limits, record=entries.append, access=True, hosts=hosts)
    prepare(app)
    status, told, body = asyncio.run(
        run_request(app, method, target, pieces, headers or {}, never_ends)
    )
    return Called(status, told, body, entries)


def _scope(method: str, target: str, headers: dict[str, str]) -> dict[str, Any]:
    path, _, query = target.partition("?")
    given = {"host": "test", **headers}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }


async def run_request(
    app: Any,
    method: str,
    target: str,
    pieces: Sequence[bytes],
    headers: dict[str, str],
    never_ends: bool = False,
) -> tuple[int, dict[str, str], bytes]:
    """Send one request to an application, and return status, headers and body."""
    if pieces:
        headers = {**headers, "transfer-encoding": "chunked"}
    messages: list[Message] = [
        {"type": "http.request", "body": piece, "more_body": True} for piece in pieces
    ]
    if messages and not never_ends:
        messages[-1]["more_body"] = False
    sent: list[Message] = []

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    try:
        await app(_scope(method, target, headers), receive, send)
    finally:
        await app.state.service.workers.close()
    names = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], names, b"".join(each.get("body", b"") for each in sent[1:])


def called_rules(*arguments: Any, **options: Any) -> set[str]:
    """Return the rules of the problem that comes of a request."""
    answer = call(*arguments, **options)
    if answer.headers.get("content-type") != "application/problem+json":
        return set()
    return {each["rule"] for each in answer.json["findings"]}
