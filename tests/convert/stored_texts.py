"""Records and documents at rest, for the tests of migration."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["Json", "bare", "lifted", "message", "record", "text_lines"]

Json = dict[str, Any]


def message(number: int, state: bool = True) -> Json:
    """Return a message of v0.1; with ``state`` one that v0.2 has otherwise."""
    made: Json = {
        "runId": f"run_{number}",
        "role": "assistant",
        "parts": [{"kind": "text", "payload": {"text": f"Nachricht {number}: grüße"}}],
        "timestamp": "2026-01-02T03:04:05Z",
    }
    if state:
        item = {"kind": "citation", "data": {"n": number}, "start": 0, "end": 9}
        made["meta"] = {"opaque": {"dialect": "cohere-v2", "parts": {"0": [item]}}}
    return made


def lifted(number: int, state: bool = True) -> Json:
    """Return the same message of v0.2."""
    made = message(number, state)
    if state:
        items = made.pop("meta")["opaque"]["parts"]["0"]
        made["parts"][0]["payload"]["opaque"] = {"provider": "cohere-v2", "data": {"items": items}}
    return made


def record(data: Json, version: str, type_name: str = "message.Message") -> Json:
    """Return a stored record."""
    return {"contract": "partwire", "version": version, "type": type_name, "data": data}


def bare(value: Any) -> bytes:
    """Return compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def text_lines(values: list[Any]) -> bytes:
    """Return JSON Lines."""
    return b"".join(bare(value) + b"\n" for value in values)
