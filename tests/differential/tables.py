"""What is in a table as requests: every finish reason and every name of an error.

The tables are generated for each language; these requests ask whether all look them up alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from partwire.conformance.drawn.request import Json, Request
from partwire.conformance.suites import Case, all_cases
from partwire.contract.current import LATEST_VERSION
from partwire.tables import finish_reasons as reasons
from partwire.tables.provider_errors import MINIMAX, NAMES, PHRASES, STATUSES

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
        for error in _errors():
            yield _adapt(dialect, json.dumps(error))


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


@cache
def _endings(dialect: str) -> tuple[str, ...]:
    """Return golden streams that end well, with REASON where a known finish reason stood."""
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


def _adapt(dialect: str, data: str) -> Request:
    given: dict[str, Any] = {
        "api": dialect,
        "input": data,
        "clock": {"start": "2026-01-02T03:04:05Z", "step_ms": 1000},
        "run_id": "run_1",
    }
    return Request("adapt", LATEST_VERSION, given)
