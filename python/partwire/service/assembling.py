"""POST /v1/assemble: deltas, or a provider's own stream, become one message."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ..providers import ADAPTERS
from .answers import json_answer, working
from .assembly import FRAMINGS, Assembly
from .exchange import Exchange
from .growing import grow, read_all
from .negotiation import chosen_type, content_type
from .parameters import choice, count, read_query, text

__all__ = ["assemble"]

EVENT_STREAM: Final = "text/event-stream"
_DELTAS: Final = ("application/jsonl", "application/x-ndjson")
_READERS: Final = {
    "from": choice(*ADAPTERS),
    "mode": choice("strict", "tolerant"),
    "runId": text(),
    "snapshotEvery": count(1, 100_000),
}
_EVERY: Final = 20


async def assemble(exchange: Exchange) -> Response | None:
    """Answer with the message, at its end or as it grows."""
    given = read_query(exchange.query, _READERS)
    dialect = given.get("from")
    kind = content_type(exchange.headers, _DELTAS if dialect is None else tuple(FRAMINGS))
    answer = chosen_type(exchange.headers, ("application/json", EVENT_STREAM))
    assembly = Assembly(dialect, given.get("mode", "strict"), given.get("runId"))
    assembly.open(FRAMINGS[kind], exchange.limits.line_bytes)
    if answer == EVENT_STREAM:
        with exchange.state.slot(exchange.client):
            await grow(exchange, assembly, given.get("snapshotEvery", _EVERY))
        return None
    async with working(exchange):
        return json_answer(await read_all(exchange, assembly))
