"""Requests that are whole: what a client really sends, from the fixtures, good and bad.

Generated requests are right in each part and seldom right as a whole: no schema says that a stream
begins with start, that a tool call has a start before its end, or what a provider sends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from partwire.convert import CONVERSIONS
from partwire.providers import ByteAdapter, open_adapter
from tests.fixture_cases import cases, documents

__all__ = ["PROVIDERS", "provider_bodies", "requests"]

PROVIDERS: Final = ("text/event-stream", "application/vnd.amazon.eventstream")
_SUFFIXES: Final = {".sse": PROVIDERS[0], ".eventstream": PROVIDERS[1]}
_LINES: Final = ("application/jsonl", "application/x-ndjson")
_LARGEST: Final = 20_000
_STREAMS: Final = 40
_BODIES: Final = 12
_EVENTS: Final = {"Accept": "text/event-stream"}

Request = dict[str, Any]


@cache
def provider_bodies(media_type: str, *, framed: bool) -> list[tuple[str, str]]:
    """Return dialect and body of every small fixture, its bytes as characters of Latin-1.

    ``framed``: only those that can be cut into events.
    """
    found = []
    for case in cases("providers"):
        data, dialect = case.data("input"), case.spec["api"]
        suffix = Path(case.spec["input_file"]).suffix
        if _SUFFIXES.get(suffix) != media_type or len(data) > _LARGEST:
            continue
        if not framed or _is_framed(dialect, data):
            found.append((dialect, data.decode("latin-1")))
    return found


def _is_framed(dialect: str, data: bytes) -> bool:
    reader = ByteAdapter(open_adapter(dialect, "run", clock=lambda: "2026-01-02T03:04:05Z"))
    reader.feed(data)
    reader.close()
    return not any(each.rule.startswith("framing/") for each in reader.adapter.findings)


def requests(operation_id: str | None) -> Iterator[Request]:
    """Yield the whole requests of an operation, as the arguments of a case."""
    match operation_id:
        case "assembleMessage":
            yield from _streams()
            yield from _provider_streams()
        case "convertDocument":
            yield from _conversions()
        case "compareSchemas":
            yield from _comparisons()
        case "validateDocuments":
            yield from _documents()
        case "getSchema":
            place = {"version": "v0.1", "family": "message", "file": "delta.schema.json"}
            yield {"path_parameters": place}
            yield {"path_parameters": place, "headers": {"If-None-Match": "*"}}


def _streams() -> Iterator[Request]:
    """Yield every n-th stream of the suite; each is asked for as a message and as events."""
    found = [
        deltas
        for case in cases("streams")
        if (deltas := _parsed(case.lines("deltas"))) is not None and len(deltas) < 200
    ]
    for number, deltas in enumerate(found[:: max(1, len(found) // _STREAMS)]):
        request = {"body": deltas, "media_type": _LINES[number % 2]}
        yield request
        yield {**request, "headers": _EVENTS, "query": {"snapshotEvery": number % 3 + 1}}


def _parsed(lines: list[bytes]) -> list[Any] | None:
    """Return the values of lines; None where some cannot be written again as they are."""
    try:
        values = [json.loads(line) for line in lines]
        json.dumps(values, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return None
    return values


def _provider_streams() -> Iterator[Request]:
    for media_type in PROVIDERS:
        found = provider_bodies(media_type, framed=False)
        for dialect, body in found[:: max(1, len(found) // _BODIES)]:
            request = {"query": {"from": dialect}, "body": body, "media_type": media_type}
            yield request
            yield {**request, "headers": _EVENTS}


def _conversions() -> Iterator[Request]:
    for document in documents():
        for source, target in CONVERSIONS:
            if document.valid and document.type == source:
                yield {"query": {"type": source, "to": target}, "body": json.loads(document.data)}


def _comparisons() -> Iterator[Request]:
    person = {"type": "object", "properties": {"name": {"type": "string"}}}
    named = {**person, "required": ["name"]}
    pairs: list[tuple[Any, Any]] = [
        (person, named),
        (named, person),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}),
        ({"type": "array", "items": {"type": "integer"}}, {"type": "array", "minItems": 2}),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, {"type": "string"}),
        (True, False),
        (False, True),
        ({"type": "objekt"}, {}),
        ({"$ref": "#/$defs/Nowhere"}, {}),
    ]
    for direction in ("backward", "forward", "full"):
        for old, new in pairs:
            body: Mapping[str, Any] = {"old": old, "new": new, "direction": direction}
            yield {"body": body, "media_type": "application/json"}


def _documents() -> Iterator[Request]:
    by_type: dict[str, list[Any]] = {}
    for document in documents():
        by_type.setdefault(document.type, []).append(json.loads(document.data))
    for number, (name, values) in enumerate(by_type.items()):
        query = {"type": name, "level": ("shape", "meaning")[number % 2]}
        yield {"query": query, "body": values[:20], "media_type": _LINES[number % 2]}
        yield {"query": query, "body": values[0], "media_type": "application/json"}
