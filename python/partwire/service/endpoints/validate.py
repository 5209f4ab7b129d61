"""POST /v1/validate: one document, or a document a line as the lines come."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any, Final

from starlette.responses import Response

from ...contract.current import FAMILIES, LATEST_VERSION
from ...contract.schemas import describe_types
from ...providers.framing import JSONLinesDecoder, RawLine
from ...reading.undeclared import UNKNOWN_MEMBERS
from ..answers import json_answer, working
from ..exchange import Exchange
from ..fairness import Turns
from ..jobs import count_errors, document_findings, to_wire, validation
from ..negotiation import chosen_type, content_type
from ..parameters import Reader, choice, read_query, required
from ..workers import INLINE_BYTES

__all__ = ["validate"]

LINES: Final = ("application/jsonl", "application/x-ndjson")
_TAKEN: Final = ("application/json", *LINES)


@cache
def _readers() -> dict[str, Reader]:
    versions = tuple(FAMILIES)
    types = dict.fromkeys(
        row.type for version in versions for row in describe_types(version) if row.public
    )
    return {
        "type": choice(*types),
        "version": choice(*versions),
        "level": choice("shape", "meaning"),
        "unknownMembers": choice(*UNKNOWN_MEMBERS),
    }


async def validate(exchange: Exchange) -> Response:
    """Answer what was found in the documents of the body."""
    given = read_query(exchange.query, _readers())
    options = {
        "type": required(given, "type"),
        "version": given.get("version", LATEST_VERSION),
        "level": given.get("level", "meaning"),
        "unknown": given.get("unknownMembers", "warn"),
        "findings": exchange.limits.findings,
        "depth": exchange.limits.depth,
    }
    kind = content_type(exchange.headers, _TAKEN)
    chosen_type(exchange.headers, ("application/json",))
    async with working(exchange):
        if kind in LINES:
            return json_answer(await _lines(exchange, {**options, "line": True}))
        data = await exchange.body.whole()
        return json_answer(await exchange.job("validate", data, {**options, "line": False}))


async def _lines(exchange: Exchange, options: dict[str, Any]) -> bytes:
    limits, metrics = exchange.limits, exchange.state.metrics
    decoder = JSONLinesDecoder(limits.line_bytes)
    tally = _Tally(limits.findings)
    turns = Turns()
    async for piece in exchange.body.pieces(limits.stream_bytes):
        for line in decoder.feed(piece):
            await _add(exchange, line, options, tally)
            await turns.give()
    for line in decoder.close():
        await _add(exchange, line, options, tally)
    metrics.found(tally.rules)
    return validation(tally.documents, tally.errors, tally.shown, tally.truncated)


async def _add(exchange: Exchange, line: RawLine, options: dict[str, Any], tally: _Tally) -> None:
    """Look at one line; a long one is looked at elsewhere, so that nobody waits for it."""
    tally.documents += 1
    if len(line.data) <= INLINE_BYTES:
        found, is_cut = document_findings(line.data, options)
        if found:
            told = to_wire(found[: tally.room])
            tally.rules.update(each.rule for each in found)
            tally.add(line.number, told, count_errors(found), len(found) + is_cut)
        return
    answer = json.loads(await exchange.job("validate", line.data, options))
    number = len(answer["findings"]) + answer["truncated"]
    tally.add(line.number, answer["findings"], answer["errors"], number)


class _Tally:
    """What was found so far: it is counted, and the first findings are kept."""

    def __init__(self, most: int) -> None:
        self.documents = self.errors = 0
        self.shown: list[dict[str, Any]] = []
        self.rules: Counter[str] = Counter()
        self.truncated = False
        self._most = most

    @property
    def room(self) -> int:
        """How many more findings are kept."""
        return self._most - len(self.shown)

    def add(self, line: int, told: list[dict[str, Any]], errors: int, number: int) -> None:
        """Take the findings of one line, of which there are ``number``."""
        self.errors += errors
        self.truncated = self.truncated or number > self.room
        self.shown += [{**each, "line": line} for each in told[: self.room]]
