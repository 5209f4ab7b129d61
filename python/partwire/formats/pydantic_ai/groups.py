"""Which messages are one request: what the system, users and tools say between two responses."""

from __future__ import annotations

from typing import NamedTuple

from ..core.kept import kept_by
from ..core.reading import Json
from .names import OWN, STEP
from .requests import INSTRUCTIONS

__all__ = ["Group", "grouped"]


class Group(NamedTuple):
    """Messages with their numbers: those of a request, or the one of a response."""

    kind: str
    messages: list[Json]
    numbers: list[int]


def grouped(messages: list[Json]) -> list[Group]:
    """Return the groups of a history, in order."""
    groups: list[Group] = []
    for number, message in enumerate(messages):
        last = groups[-1] if groups else None
        if message["role"] == "assistant":
            groups.append(Group("response", [message], [number]))
        elif last is not None and last.kind == "request" and _goes_on(last, message):
            last.messages.append(message)
            last.numbers.append(number)
        else:
            groups.append(Group("request", [message], [number]))
    return groups


def _goes_on(group: Group, message: Json) -> bool:
    """Tell whether a message is of the same request as those before it.

    What would be read back in another way is a request of its own.
    """
    before, own = group.messages[-1], kept_by(message, OWN)
    if before["runId"] != message["runId"] or (own and not own.get(STEP)):
        return False
    if own.get(INSTRUCTIONS) is True:  # they stand behind the results, of which there is one
        return len(group.messages) == 1 and before["role"] == "tool"
    is_joined = message["role"] in ("system", "tool") and message["role"] == before["role"]
    return not is_joined or kept_by(before, OWN).get(INSTRUCTIONS) is True
