"""POST /v1/convert and POST /v1/compat: whole documents, each a job."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from ...convert import CONVERSIONS
from ..answers import json_answer, working
from ..exchange import Answer, Exchange
from ..negotiation import chosen_type, content_type
from ..parameters import boolean, choice, read_query, required, text

__all__ = ["compare", "convert"]

_JSON: Final = ("application/json",)
_TARGETS: Final = dict.fromkeys(target for _, target in CONVERSIONS)
_FAMILIES: Final = dict.fromkeys(target.partition(".")[0] for target in _TARGETS)
_CONTEXT: Final = {
    "runId": "run_id",
    "timestamp": "timestamp",
    "sessionId": "session_id",
    "agent": "agent",
    "providerId": "provider_id",
    "modelId": "model_id",
    "keepIgnored": "keep_ignored",
}
_READERS: Final = {
    "type": choice(*dict.fromkeys(source for source, _ in CONVERSIONS)),
    "to": choice(*_FAMILIES, *_TARGETS),
    "strict": boolean,
    **{name: text() for name in _CONTEXT},
    "keepIgnored": boolean,
}


async def convert(exchange: Exchange) -> Answer:
    """Answer with the documents of another family, and what the way there has lost."""
    given = read_query(exchange.query, _READERS)
    options = {
        "type": required(given, "type"),
        "to": required(given, "to"),
        "strict": given.get("strict", False),
        "context": {_CONTEXT[name]: value for name, value in given.items() if name in _CONTEXT},
        "depth": exchange.limits.depth,
    }
    return await _done(exchange, "convert", options)


async def compare(exchange: Exchange) -> Answer:
    """Answer whether a change of a schema breaks anyone."""
    read_query(exchange.query, {})
    options = {"seconds": exchange.limits.job_seconds / 4, "depth": exchange.limits.depth}
    return await _done(exchange, "compare", options)


async def _done(exchange: Exchange, job: str, options: Mapping[str, Any]) -> Answer:
    content_type(exchange.headers, _JSON)
    chosen_type(exchange.headers, _JSON)
    return json_answer(await working(exchange, partial(exchange.job, job, options)))
