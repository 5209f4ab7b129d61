"""From a client's events to deltas: when the client's stream is closed, and what it may raise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from partwire.contract.current.message import MessageDelta
from partwire.model.errors import MappedError, ProviderErrorMapper
from partwire.model.pump import Identity, pump
from partwire.providers import ByteAdapter, open_adapter
from tests.model.answers import answer, last
from tests.providers.provider_streams import RUN, check_stream, fixed_clock

DIALECT = "cohere-v2"
HEAD, END = answer(DIALECT)


class Client:
    """A client's stream that says what becomes of it."""

    def __init__(self, *items: Any, closing: Exception | None = None) -> None:
        self.items = items
        self.closing = closing
        self.log: list[str] = []

    async def events(self) -> AsyncGenerator[Any, None]:
        """Yield the items; raise what is an exception, and wait where there is None."""
        try:
            for item in self.items:
                if isinstance(item, Exception):
                    raise item
                if item is None:
                    await asyncio.sleep(60)
                yield item
            self.log.append("read")
        finally:
            self.log.append("closed")
            if self.closing is not None:
                raise self.closing


def pumped(client: Client) -> tuple[AsyncGenerator[MessageDelta, None], AsyncGenerator[Any, None]]:
    """Return the deltas of a client's stream, and that stream, which must be kept."""
    adapter = open_adapter(DIALECT, RUN, clock=fixed_clock)
    events = client.events()
    return pump(events, ByteAdapter(adapter), ProviderErrorMapper()), events


async def _kinds(client: Client) -> list[MessageDelta]:
    deltas, _events = pumped(client)
    found = [delta async for delta in deltas]
    check_stream(found)
    return found


def run(client: Client) -> list[MessageDelta]:
    """Return all deltas of a client's stream."""
    return asyncio.run(_kinds(client))


def test_the_clients_stream_is_closed_before_the_last_delta_is_out() -> None:
    async def main() -> None:
        client = Client(HEAD, END)
        deltas, _events = pumped(client)
        async for delta in deltas:
            assert client.log == (["read", "closed"] if delta.kind == "done" else [])

    asyncio.run(main())


def test_closing_closes_the_clients_stream_at_once() -> None:
    async def main() -> None:
        client = Client(HEAD, None)
        deltas, _events = pumped(client)
        await anext(deltas)
        await deltas.aclose()
        assert client.log == ["closed"]

    asyncio.run(main())


def test_cancelling_closes_the_clients_stream_and_passes_through() -> None:
    async def main() -> None:
        client = Client(HEAD, None)
        deltas, _events = pumped(client)

        async def read() -> None:
            async for _ in deltas:
                pass

        task = asyncio.ensure_future(read())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert client.log == ["closed"]

    asyncio.run(main())


def test_a_stream_that_cannot_be_closed_is_no_error() -> None:
    assert run(Client(HEAD, END, closing=RuntimeError("stuck")))[-1].kind == "done"
    assert last(run(Client(HEAD, closing=OSError("gone"))))["errorCode"] == "truncated_stream"


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ((OSError("refused"),), "connection"),
        ((Identity("m"), OSError("refused")), "connection"),
        ((TimeoutError("late"),), "timeout"),
        ((ValueError("odd"),), "unknown"),
        ((HEAD, OSError("gone")), "truncated_stream"),
        ((HEAD, TimeoutError("late")), "timeout"),
        ((HEAD, ValueError("odd")), "unknown"),
        ((HEAD, END[:-30], OSError("gone")), "truncated_stream"),
        ((), "truncated_stream"),
    ],
    ids=repr,
)
def test_what_the_client_raises_is_the_last_delta(items: tuple[Any, ...], code: str) -> None:
    found = run(Client(*items))
    assert last(found)["errorCode"] == code
    assert ("text" in [delta.kind for delta in found]) == (HEAD in items)


def test_what_is_raised_after_the_end_costs_nothing() -> None:
    assert run(Client(HEAD, END, OSError("gone")))[-1].kind == "done"
    assert run(Client(HEAD + END, ValueError("odd")))[-1].kind == "done"


def test_what_comes_after_the_end_is_read_and_noted() -> None:
    adapter = open_adapter(DIALECT, RUN, clock=fixed_clock)

    async def main() -> list[MessageDelta]:
        client = Client(HEAD, END, HEAD)
        return [d async for d in pump(client.events(), ByteAdapter(adapter), ProviderErrorMapper())]

    assert asyncio.run(main())[-1].kind == "done"
    assert {finding.rule for finding in adapter.findings} == {"adapter/after-end"}


def test_bytes_of_every_kind_and_events_are_read() -> None:
    texts = [line[6:] for line in (HEAD + END).decode().split("\n\n") if line]
    events = [json.loads(text) for text in texts]
    due = run(Client(HEAD, END))
    assert run(Client(*events)) == due
    assert run(Client(bytearray(HEAD), memoryview(END))) == due


def test_a_mapped_error_keeps_what_it_says() -> None:
    async def main() -> list[MessageDelta]:
        adapter = open_adapter(DIALECT, RUN, clock=fixed_clock)
        said = MappedError("overloaded", "later", False)
        events = Client(ValueError("odd")).events()
        return [d async for d in pump(events, ByteAdapter(adapter), lambda error: said)]

    end = last(asyncio.run(main()))
    assert end == {"errorCode": "overloaded", "message": "later", "retryable": False}
