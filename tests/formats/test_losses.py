"""Losses stay bounded, whatever a document has; how many are left out is said."""

from __future__ import annotations

from typing import Any

import pytest

from partwire import formats
from partwire.formats.core.lost import MOST_LOSSES, Losses
from tests.formats.laws import read_given

MORE = 7


def counts(losses: list[Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for loss in losses:
        found[loss.code] = found.get(loss.code, 0) + 1
    return found


@pytest.mark.parametrize(
    ("format_name", "message"),
    [
        ("openai-chat", {"role": "user", "content": "Hello"}),
        ("anthropic-messages", {"role": "user", "content": "Hello"}),
        ("openai-responses", {"role": "user", "content": "Hello"}),
        ("openai-agents", {"role": "user", "content": "Hello"}),
        ("ai-sdk", {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}),
    ],
)
def test_odd_members_of_a_document(format_name: str, message: dict[str, Any]) -> None:
    odd = {f"odd{number}": 1 for number in range(MOST_LOSSES + MORE)}
    result = read_given(format_name, [{**message, **odd}])
    found = counts(result.losses)
    assert found["foreign-member"] == MOST_LOSSES
    (said,) = [loss for loss in result.losses if loss.code == "losses-left-out"]
    assert said.severity == "info"
    assert said.detail == "More losses of this code are counted only: foreign-member, 7"
    assert len(result.messages) == 1


def test_odd_events_of_a_stream() -> None:
    reader = formats.reader("ai-sdk", run_id="run_1", timestamp="2026-01-02T03:04:05Z")
    for _ in range(MOST_LOSSES + MORE):
        reader.feed({"type": "odd"})
    found = counts(reader.losses)
    assert found == {"foreign-event": MOST_LOSSES, "losses-left-out": 1}


def test_a_place_counts_once_and_no_code_is_missing() -> None:
    losses = Losses()
    for number in range(MOST_LOSSES + MORE):
        losses.note("foreign-member", f"/{number}")
        losses.note("given", "")
    losses.note("foreign-part", "/1")
    assert counts(losses.found) == {
        "foreign-member": MOST_LOSSES,
        "given": 1,
        "foreign-part": 1,
        "losses-left-out": 1,
    }
