"""Arguments and results as several formats take them: as an object, or as texts."""

from __future__ import annotations

from typing import Any

import msgspec

from partwire.errors import clip

from .inputs import fresh, json_text
from .notes import Notes
from .turns import Call, Result, Text

__all__ = ["object_arguments", "result_texts"]


def object_arguments(call: Call, notes: Notes) -> dict[str, Any]:
    """Return a call's arguments, for providers that take them as an object only."""
    if call.raw_args is not None:
        try:
            value = msgspec.json.decode(call.raw_args)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        notes.add(
            "encode/arguments-lost",
            "The provider takes arguments as an object only; text that is none is left out",
            f"{call.pointer}/payload/rawArgsText",
            expected="a JSON object",
            actual=clip(call.raw_args),
        )
    return fresh(call.arguments)  # type: ignore[no-any-return]


def result_texts(result: Result, notes: Notes) -> list[str]:
    """Return a result's texts, for providers that take nothing else; the rest is noted."""
    if isinstance(result.content, str):
        return [result.content]
    if isinstance(result.content, dict):
        return [json_text(result.content)]
    texts = []
    for piece in result.content:
        if isinstance(piece, Text):
            texts.append(piece.text)
        else:
            notes.unsupported_part(
                piece.pointer, "text: a tool's result is nothing else", piece.media.said()
            )
    return texts
