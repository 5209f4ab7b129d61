"""Arguments and results as several formats take them: as an object, or as texts."""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import clip
from partwire.json.text import json_text
from partwire.message.assembler.arguments import ParsedArguments, parse_arguments

from .inputs import fresh
from .notes import Notes
from .turns import Call, Result, Text, words_of

__all__ = ["WIDE_INTEGER", "object_arguments", "result_texts"]

WIDE_INTEGER: Final = "encode/wide-integer"
_TEXT_ALONE: Final = "text: a tool's result is nothing else"
_MAX_DEPTH: Final = 900  # nested deeper, arguments are not read


def object_arguments(call: Call, notes: Notes) -> dict[str, Any]:
    """Return a call's arguments, for providers that take them as an object only."""
    raw = call.raw_args
    if raw is None:
        return fresh(call.arguments)  # type: ignore[no-any-return]
    place = f"{call.pointer}/payload/rawArgsText"
    arguments, says_more, problem = _parsed(raw)
    if problem is not None:
        notes.add(
            "encode/arguments-lost",
            "The provider takes arguments as an object only; text that is none is left out",
            place,
            expected="a JSON object",
            actual=clip(raw),
        )
        return fresh(call.arguments)  # type: ignore[no-any-return]
    if says_more:
        notes.add(
            WIDE_INTEGER,
            "Not every JSON value keeps an integer of the arguments; the request as text does",
            place,
            expected="integers within ±(2^53 - 1)",
            actual=clip(raw),
        )
    return arguments


def _parsed(raw: str) -> ParsedArguments:
    """Return arguments; blank text, which is ``{}`` elsewhere, says nothing of them here."""
    try:
        parsed = parse_arguments(raw, _MAX_DEPTH) if raw.strip() else None
    except RecursionError:  # the caller's stack is nearly full
        parsed = None
    return parsed or ({}, True, "invalid_json")


def result_texts(result: Result, notes: Notes) -> list[str]:
    """Return a result's texts, for providers that take nothing else; the rest is noted."""
    if isinstance(result.content, str):
        return [result.content]
    if isinstance(result.content, dict):
        return [json_text(result.content)]
    texts = []
    for piece in result.content:
        said = piece if isinstance(piece, Text) else words_of(piece, _TEXT_ALONE, notes)
        if said is not None:
            texts.append(said.text)
    return texts
