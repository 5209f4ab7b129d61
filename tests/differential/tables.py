"""What is in a table as requests: finish reasons, errors, signs of dialects, secrets, media types.

The tables are generated for each language; these requests ask whether all look them up alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from partwire.contract.current import LATEST_VERSION
from partwire.tables import finish_reasons as reasons
from partwire.tables import media_types as media
from partwire.tables.credentials import EVENT_MEMBERS, EVENT_PARAMETERS
from partwire.tables.event_dialects import SIGNS
from partwire.tables.provider_errors import MINIMAX, NAMES, PHRASES, STATUSES
from partwire_testing.conformance.drawn.request import Json, Request
from partwire_testing.conformance.suites import Case, all_cases

__all__ = ["REASONS", "table_requests"]

REASONS: Final = {
    "anthropic-messages": reasons.ANTHROPIC,
    "bedrock-converse": reasons.BEDROCK,
    "cohere-v2": reasons.COHERE,
    "gemini": reasons.GEMINI,
    "openai-chat": reasons.CHAT,
    "openai-responses": reasons.RESPONSES,
}
_STATUSES: Final = (*STATUSES, 400, 418, 500, 502, 599, 600)


def table_requests() -> Iterator[Request]:
    """Yield a request for each entry of the tables, and for some words that are in none."""
    for dialect, table in REASONS.items():
        for reason in (*table, "of_its_own", "STOP", "stop ", ""):
            for data in _endings(dialect):
                yield _adapt(dialect, data.replace("REASON", reason))
    for dialect in REASONS:
        for event in (*_errors(), *_signed()):
            yield _adapt(dialect, json.dumps(event))
        yield _adapt(dialect, json.dumps(_secrets()), keep_raw=True)
        for mime_type in _media_types():
            given = {"dialect": dialect, "input": json.dumps(_with_media(mime_type))}
            yield Request("encode_request", LATEST_VERSION, given)


def _errors() -> Iterator[Json]:
    for name in (*(name for names in NAMES.values() for name in names), "of_its_own"):
        yield {"error": {"type": f"{name}_error", "message": "m"}}
        yield {"error": {"code": name.upper().replace("_", "-"), "message": "m"}}
    for phrase in PHRASES:
        yield {"error": {"type": "api_error", "message": f"It says: {phrase.words}."}}
    for status in _STATUSES:
        yield {"error": {"status": status, "message": "m"}}
    for status in (*MINIMAX, 1):
        yield {"base_resp": {"status_code": status, "status_msg": "m"}}


def _signed() -> Iterator[Json]:
    """Yield an event for each sign of a dialect, and some that have two."""
    for sign in SIGNS:
        for value in sign.values or (f"{sign.prefix or ''}x", sign.prefix, ["x"]):
            yield {sign.member: value}
            yield {"choices": [], "object": "response", "type": "ping", sign.member: value}


def _secrets() -> Json:
    """Return an event that holds a secret in every place that is known, and some beside."""
    urls = [f"/a?{name}=s&b={name}#{name}=c" for name in (*EVENT_PARAMETERS, "keys", "KEY")]
    return {"error": {"message": "m"}, "urls": urls} | {
        written: "s" for name in EVENT_MEMBERS for written in (name, name.title(), f"{name}s")
    }


def _media_types() -> Iterator[str]:
    listed = {*media.IMAGES, *media.GEMINI, *media.OPENAI_RESPONSES}
    yield from sorted(listed | media.BEDROCK.keys() | media.OPENAI_CHAT_AUDIO.keys())
    for prefix in media.OPENAI_RESPONSES_PREFIXES:
        yield from (f"application/{prefix}", f"application/{prefix}.x", f"text/{prefix}")
    for suffix in media.OPENAI_RESPONSES_SUFFIXES:
        yield from (f"application/x{suffix}", f"application/{suffix}", f"image/x{suffix}")
    for kind in (*media.GEMINI_KINDS, "image", "application"):
        yield from (kind, f"{kind}/", f"{kind}/x", f"{kind.upper()}/X; y=z", f"{kind}/a\nb")


def _with_media(mime_type: str) -> Json:
    """Return a request that holds data of a type as a file and as media."""
    parts = [
        {"kind": "file_ref", "payload": {"path": "data:;base64,AAAA", "mimeType": mime_type}},
        {
            "kind": "media",
            "payload": {"mimeType": mime_type, "source": {"kind": "inline", "data": "AAAA"}},
        },
    ]
    message = {"runId": "r", "role": "user", "parts": parts, "timestamp": "2026-01-02T03:04:05Z"}
    return {"messages": [message], "config": {"modelId": "m", "maxTokens": 8}}


@cache
def _endings(dialect: str) -> tuple[str, ...]:
    """Return golden streams that end well, with REASON where a known finish reason was."""
    known = "|".join(map(re.escape, REASONS[dialect]))
    found = []
    for case in all_cases("v0.1"):
        if case.suite == "providers" and case.spec["api"] == dialect:
            text = _text(case)
            made, count = re.subn(rf'([rR]eason"\s*:\s*)"(?:{known})"', r'\1"REASON"', text)
            if count:
                found.append(made)
    return tuple(found[:2])


def _text(case: Case) -> str:
    try:
        return case.data("input").decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _adapt(dialect: str, data: str, *, keep_raw: bool = False) -> Request:
    given: dict[str, Any] = {
        "api": dialect,
        "input": data,
        "clock": {"start": "2026-01-02T03:04:05Z", "step_ms": 1000},
        "run_id": "run_1",
        "keep_raw": keep_raw,
    }
    return Request("adapt", LATEST_VERSION, given)
