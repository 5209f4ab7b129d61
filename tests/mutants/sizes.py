"""Limits of a stream, and how what they bound is measured."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from tests.mutants.json_text import Refused

MIB: Final = 1024 * 1024
LIMITS: Final = {
    "text_bytes": 16 * MIB,
    "arguments_bytes": 16 * MIB,
    "opaque_bytes": 16 * MIB,
    "tool_calls": 1024,
    "parts": 100_000,
    "arguments_depth": 128,
    "opaque_depth": 128,
    "id_chars": 512,
    "payload_bytes": 16 * MIB,
    "payload_depth": 128,
    "media_bytes": 64 * MIB,
    "agents": 64,
}


def refuse(rule: str) -> NoReturn:
    """Refuse a delta."""
    raise Refused((rule, ""))


def size(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def nesting(value: Any) -> int:
    """Return how deep a JSON value is nested: 1 for an object of plain members."""
    if isinstance(value, (dict, list)):
        members = value.values() if isinstance(value, dict) else value
        return 1 + max(map(nesting, members), default=0)
    return 0


def shallow(value: Any, depth: int) -> Any:
    """Return a JSON value down to a depth: containers that lie deeper are empty."""
    if isinstance(value, dict):
        return {name: shallow(each, depth - 1) for name, each in value.items()} if depth else {}
    if isinstance(value, list):
        return [shallow(each, depth - 1) for each in value] if depth else []
    return value


def weight_of(value: Any) -> int:
    """Return 8 for each value, and the bytes of strings and names."""
    if isinstance(value, dict):
        return 8 + sum(size(name) + weight_of(each) for name, each in value.items())
    if isinstance(value, list):
        return 8 + sum(map(weight_of, value))
    return 8 + (size(value) if isinstance(value, str) else 0)
