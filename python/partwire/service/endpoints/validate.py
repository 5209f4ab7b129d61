"""POST /v1/validate: one document, or a document a line as the lines come."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from typing import Any, Final

from ...contract.current import FAMILIES, LATEST_VERSION
from ...contract.schemas import describe_types
from ...providers.framing.jsonlines import LineBlock, LineBlockDecoder
from ...reading.undeclared import UNKNOWN_MEMBERS
from ..answers import json_answer, working
from ..exchange import Answer, Exchange
from ..fairness import Turns
from ..jobs import count_errors, document_findings, suspects, to_wire, validation
from ..negotiation import chosen_type, content_type
from ..parameters import Reader, choice, read_query, required
from ..workers import INLINE_BYTES

__all__ = ["validate"]

LINES: Final = ("application/jsonl", "application/x-ndjson")
_TAKEN: Final = ("application/json", *LINES)
_GIVEN: Final = ("application/json",)
_BLANK: Final = b" \t\r"


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


@lru_cache(maxsize=64)
def _asked(query: bytes) -> Mapping[str, Any]:
    """Return what a query asks for: the options of a job, but for the limits. Raises Problem."""
    given = read_query(query, _readers())
    return {
        "type": required(given, "type"),
        "version": given.get("version", LATEST_VERSION),
        "level": given.get("level", "meaning"),
        "unknown": given.get("unknownMembers", "warn"),
    }


async def validate(exchange: Exchange) -> Answer:
    """Answer what was found in the documents of the body."""
    asked, limits = _asked(exchange.query), exchange.limits
    kind = content_type(exchange.headers, _TAKEN)
    chosen_type(exchange.headers, _GIVEN)
    is_lines = kind in LINES
    options = {
        **asked,
        "findings": limits.findings,
        "depth": limits.depth,
        "line": is_lines,
    }
    if is_lines:
        work = partial(_lines, exchange, options)
    else:
        work = partial(exchange.job, "validate", options)
    return json_answer(await working(exchange, work))


async def _lines(exchange: Exchange, options: Mapping[str, Any]) -> bytes:
    limits = exchange.limits
    decoder = LineBlockDecoder(limits.line_bytes)
    tally = _Tally(limits.findings)
    turns = Turns()
    async for piece in exchange.body.pieces(limits.stream_bytes):
        for block in decoder.feed(piece):
            await _add(exchange, block, options, tally, turns)
        await turns.give()
    for block in decoder.close():
        await _add(exchange, block, options, tally, turns)
    exchange.state.metrics.found(tally.rules)
    return validation(tally.documents, tally.errors, tally.shown, tally.truncated)


async def _add(
    exchange: Exchange,
    block: LineBlock,
    options: Mapping[str, Any],
    tally: _Tally,
    turns: Turns,
) -> None:
    """Look at lines; a long one is looked at elsewhere, so that nobody waits for it."""
    lines = block.lines
    tally.documents += len(lines)
    are_short = max(map(len, lines)) <= INLINE_BYTES
    for index in suspects(lines, options) if are_short else range(len(lines)):
        line, number = lines[index].removesuffix(b"\r"), block.number + index
        if not line.strip(_BLANK):
            tally.documents -= 1
        elif len(line) <= INLINE_BYTES:
            found, is_cut = document_findings(line, options)
            if found:
                told = to_wire(found[: tally.room])
                tally.rules.update(each.rule for each in found)
                tally.add(number, told, count_errors(found), len(found) + is_cut)
        else:
            answer = json.loads(await exchange.job("validate", options, line))
            many = len(answer["findings"]) + answer["truncated"]
            tally.add(number, answer["findings"], answer["errors"], many)
        await turns.give()


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
