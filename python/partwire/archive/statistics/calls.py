"""Calls of tools in documents: what is called, and whether it has failed.

A call and its result may be in two documents, and are told together by a sample of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from .sketches import Op, Sample, digest_of

__all__ = ["CALLS", "CALL_OPS", "Call", "calls_of", "new_calls"]

CALLS: Final = "calls"
CALL_OPS: Final[tuple[Op, ...]] = ("max", "max")
"""Of several results of one call one that has failed counts."""
_MOST: Final = 4096
_LONGEST: Final = 128


class Call(NamedTuple):
    """What a document tells of a call."""

    digest: int
    tool: str | None
    failed: int | None
    """1 or 0; None where there is no result."""


Calls: TypeAlias = Callable[[Any], Iterator[Call]]


def new_calls() -> Sample:
    """Return an empty sample of calls."""
    return Sample(CALL_OPS, _MOST)


def calls_of(type_name: str) -> tuple[Calls, frozenset[str]] | None:
    """Return what yields the calls of a document of a type, and where such a document has a value
    that is counted; None for a type without calls.
    """
    return _OF_TYPES.get(type_name)


def _members(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if type(value) is dict else None
    return value


def _call(run: Any, call: Any, tool: Any, failed: Any) -> Iterator[Call]:
    if type(call) is str and type(run) in (str, type(None)):
        yield Call(
            digest_of([run, call]),
            tool[:_LONGEST] if type(tool) is str else None,
            int(failed) if type(failed) is bool else None,
        )


def _of_message(value: Any) -> Iterator[Call]:
    parts = _members(value, "parts")
    for part in parts if type(parts) is list else ():
        yield from _of_part(_members(value, "runId"), part)


def _of_part(run: Any, part: Any) -> Iterator[Call]:
    payload = _members(part, "payload")
    match _members(part, "kind"):
        case "tool_call" | "server_tool_call" | "tool_call_start" | "server_tool_call_start":
            yield from _call(run, _members(payload, "toolCallId"), _members(payload, "toolName"), None)
        case "tool_result" | "server_tool_result":
            yield from _call(
                run, _members(payload, "toolCallId"), None, _members(payload, "isError")
            )


def _of_delta(value: Any) -> Iterator[Call]:
    return _of_part(_members(value, "runId"), value)


def _of_session(value: Any) -> Iterator[Call]:
    parts = _members(value, "parts")
    for part in parts if type(parts) is list else ():
        if _members(part, "type") == "tool":
            status = _members(part, "state", "status")
            failed = {"completed": False, "error": True}.get(status) if type(status) is str else None
            yield from _call(
                _members(part, "sessionID"), _members(part, "callID"), _members(part, "tool"), failed
            )


_OF_TYPES: Final[dict[str, tuple[Calls, frozenset[str]]]] = {
    "message.Message": (
        _of_message,
        frozenset({"tool_call", "server_tool_call", "tool_result", "server_tool_result"}),
    ),
    "message.MessageDelta": (
        _of_delta,
        frozenset({"tool_call_start", "server_tool_call_start", "server_tool_result"}),
    ),
    "session.WithParts": (_of_session, frozenset({"tool"})),
}
