"""Which messages are one UI message: an answer with its steps, and what came of its calls."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.kept import kept_by
from ..core.reading import Json
from .state import OWN

__all__ = ["Group", "grouped"]

_ANSWERS = ("tool_result", "approval_response")


class Group(NamedTuple):
    """Messages with their numbers. ``is_orphan``: results of calls that are nowhere before."""

    role: str
    messages: list[Json]
    numbers: list[int]
    is_orphan: bool = False

    @property
    def has_steps(self) -> bool:
        """Whether the assistant spoke more than once."""
        return len([each for each in self.messages if each["role"] == "assistant"]) > 1


def grouped(messages: list[Json]) -> list[Group]:
    """Return the groups of a history, in order."""
    groups: list[Group] = []
    calls: set[str] = set()
    for number, message in enumerate(messages):
        last = groups[-1] if groups and groups[-1].role == "assistant" else None
        last = None if last is None or last.is_orphan else last
        is_answer = _is_answer(message)
        if is_answer and last is not None and _ids(message) & calls:
            last.messages.append(message)
            last.numbers.append(number)
        elif last is not None and message["role"] == "assistant" and _goes_on(last, message):
            last.messages.append(message)
            last.numbers.append(number)
            calls |= _ids(message)
        elif message["role"] == "tool":
            groups.append(Group("assistant", [message], [number], is_orphan=True))
        else:
            groups.append(Group(message["role"], [message], [number]))
            calls = _ids(message)
    return groups


def _is_answer(message: Json) -> bool:
    parts = message["parts"]
    return message["role"] == "tool" or (
        message["role"] == "user"
        and bool(parts)
        and not [part for part in parts if part["kind"] not in _ANSWERS]
    )


def _ids(message: Json) -> set[str]:
    payloads = [part["payload"] for part in message["parts"]]
    return {each["toolCallId"] for each in payloads if "toolCallId" in each}


def _goes_on(group: Group, message: Json) -> bool:
    """Tell whether an assistant's message is a further step of the answer before it."""
    before: Any = group.messages[0]
    if any(before.get(name) != message.get(name) for name in ("runId", "author")):
        return False
    is_step = "step" in kept_by(message, OWN)
    return bool(is_step or group.messages[-1]["role"] != "assistant")
