"""The AsyncAPI document, and who sends which queue message to whom."""

from __future__ import annotations

from typing import Any, Final

import pytest

from partwire.contract.resources import interface
from partwire.envelope import MESSAGE_TYPES

Json = dict[str, Any]

NAMES: Final = tuple(each.removeprefix("envelope.") for each in MESSAGE_TYPES)

# Who sends what to whom: requirements S004-10, S004-13 to S004-24, in their order.
DIRECTIONS: Final = {
    "TaskEvent": ("event-queue", ("agent",)),
    "GetContextRequest": ("agent", ("context-service",)),
    "PromptBlocksResponse": ("context-service", ("agent",)),
    "ToolCallRequest": ("agent", ("tool",)),
    "ToolCallResponse": ("tool", ("agent",)),
    "ReportResultRequest": ("agent", ("context-service",)),
    "EvaluationRequest": ("context-service", ("review-model",)),
    "EvaluationResponse": ("review-model", ("result-store", "event-queue")),
    "RetryEvent": ("review-model", ("event-queue",)),
}
REPLIES: Final = {
    "GetContextRequest": "PromptBlocksResponse",
    "ToolCallRequest": "ToolCallResponse",
}


@pytest.fixture(scope="module")
def document() -> Json:
    return interface("asyncapi")


def directions_of(operations: list[Json]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return message → (who sends it, who receives it), from operations of one message each."""
    found = {}
    for name in NAMES:
        mine = [each for each in operations if each["messages"] == [name]]
        sends = [each["roles"] for each in mine if each["action"] == "send"]
        receives = [each["roles"] for each in mine if each["action"] == "receive"]
        assert len(sends) == 1
        assert len(sends) + len(receives) == len(mine)
        found[name] = (*sends[0], tuple(role for roles in receives for role in roles))
    return found


def sorted_receivers(
    directions: dict[str, tuple[str, tuple[str, ...]]],
) -> dict[str, tuple[str, list[str]]]:
    return {name: (sender, sorted(others)) for name, (sender, others) in directions.items()}
