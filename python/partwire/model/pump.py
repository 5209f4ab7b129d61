"""From a client's events to deltas: whatever the client raises becomes the last delta."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from ..contract.current.message import ErrorDelta, MessageDelta
from ..providers import ByteAdapter
from .credentials import Shown
from .errors import MappedError

__all__ = ["Identity", "pump"]

_log: Final = logging.getLogger("partwire.model")
# How long the rest of a response is read after its last event. Read to its end, a connection can
# be used again; a server that keeps it open must not hold the caller back.
_DRAIN_S: Final = 0.5


class Identity(NamedTuple):
    """What the stream itself may not say: yielded by a client's events before all others."""

    model_id: str
    request_id: str = ""


async def pump(
    events: AsyncGenerator[Any, None],
    reader: ByteAdapter,
    mapped: Callable[[Exception], MappedError],
) -> AsyncGenerator[MessageDelta, None]:
    """Yield the deltas of ``events``, bytes or events as JSON objects.

    The client's stream is closed before the last delta comes out, and whenever the caller goes
    away. Raises nothing of the client's; a cancellation passes through.
    """
    last: list[MessageDelta] = []
    begun = False
    async with _closing(events):
        while True:
            try:
                event = await anext(events)
            except StopAsyncIteration:
                break
            except Exception as error:  # noqa: BLE001 - clients raise what they like
                _log.debug("the client failed: %s", Shown(error))
                last = _failed(reader, mapped(error), begun=begun)
                break
            begun = begun or not isinstance(event, Identity)
            deltas = _feed(reader, event)
            if reader.adapter.ended:
                deltas, last = deltas[:-1], deltas[-1:]
            for delta in deltas:
                yield delta
            if last:
                await _drain(events, reader)
                break
    for delta in last or reader.close():
        yield delta


def _feed(reader: ByteAdapter, event: Any) -> list[MessageDelta]:
    if isinstance(event, (bytes, bytearray, memoryview)):
        return reader.feed(bytes(event))
    if isinstance(event, Identity):
        return reader.adapter.identify(*event)
    return reader.adapter.feed(event)


def _failed(reader: ByteAdapter, error: MappedError, *, begun: bool) -> list[MessageDelta]:
    """Return the last deltas of a stream that failed.

    A connection that breaks in the middle is an input that ends there: what has come counts, and
    if the provider's end was among it, the answer is whole.
    """
    if not begun or error.error_code not in ("connection", "timeout", "truncated_stream"):
        adapter = reader.adapter
        return adapter.abort(error.error_code, error.message, retryable=error.retryable)
    deltas = reader.close()
    end = deltas[-1] if deltas else None
    if isinstance(end, ErrorDelta) and end.payload.error_code == "truncated_stream":
        code = "timeout" if error.error_code == "timeout" else "truncated_stream"
        said = end.payload.message or "The stream stopped"
        message = f"{said}: {error.message}"
        payload = replace(end.payload, error_code=code, message=message, retryable=error.retryable)
        deltas[-1] = replace(end, payload=payload)
    return deltas


async def _drain(events: AsyncGenerator[Any, None], reader: ByteAdapter) -> None:
    """Read what comes after the last event, for the findings and for the connection's sake."""
    import anyio  # noqa: PLC0415 - heavy, and each client's extra brings it

    with anyio.move_on_after(_DRAIN_S):
        try:
            async for event in events:
                _feed(reader, event)
        except Exception as error:  # noqa: BLE001 - clients raise what they like
            _log.debug("the client failed after the end of the answer: %s", Shown(error))


@asynccontextmanager
async def _closing(events: AsyncGenerator[Any, None]) -> AsyncIterator[None]:
    """Close the client's stream at the end of the block; failing to close it is not an error."""
    try:
        yield
    finally:
        try:
            await events.aclose()
        except Exception as error:  # noqa: BLE001 - clients raise what they like
            _log.debug("the client's stream could not be closed: %s", Shown(error))
