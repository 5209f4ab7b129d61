"""What comes beside the deltas: provider state of a message, ends that the caller sets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import to_wire, validate
from partwire.errors import UsageError
from partwire.providers import (
    open_adapter,
)
from partwire.providers.opaque import OpaqueItem, opaque_of
from tests.provider_streams import RUN, assembled, fixed_clock, run_events

CHAT = "openai-chat"
CLAUDE = "anthropic-messages"
HELLO = '{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'


def _piece(text: str) -> dict[str, Any]:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": text}}]}


# --- provider state beside a message -------------------------------------------------------------


def test_a_message_carries_the_provider_state_by_part() -> None:
    events = [
        {"type": "message_start", "message": {"id": "m", "model": "x"}},
        *_block(0, {"type": "thinking", "thinking": "", "signature": "c2ln"}),
        *_block(1, {"type": "redacted_thinking", "data": "ZW5j"}),
        *_block(2, {"type": "tool_use", "id": "used", "name": "f"}),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
    ran = run_events("anthropic-messages", events, used_tool_call_ids=frozenset({"used"}))
    message = ran.adapter.complete(assembled(ran.deltas))
    assert validate(to_wire(message), "message.Message") == []
    assert to_wire(message)["meta"]["opaque"] == {
        "dialect": "anthropic-messages",
        "parts": {
            "0": [
                {"kind": "signature", "data": "c2ln", "start": 0, "end": 0},
                {
                    "kind": "redacted_thinking",
                    "data": {"type": "redacted_thinking", "data": "ZW5j"},
                    "start": 0,
                    "end": 0,
                },
            ]
        },
        "toolCallIds": {"call_m_0": "used"},
    }


def test_a_message_without_provider_state_stays_as_it_is() -> None:
    ran = run_events("openai-chat", [{"choices": [{"index": 0, "delta": {"content": "a"}}]}])
    message = assembled(ran.deltas)
    assert ran.adapter.complete(message) is message


def test_state_of_a_partial_message_moves_up_where_a_call_is_left_out() -> None:
    items = [
        OpaqueItem("before", 1, 1, 0, 0),
        OpaqueItem("with", 2, 1),
        OpaqueItem("range", 3, 2, 0, 4),
    ]
    assert opaque_of("d", items, {}, [1]) == {
        "dialect": "d",
        "parts": {
            "1": [
                {"kind": "before", "data": 1, "start": 0, "end": 0},
                {"kind": "range", "data": 3, "start": 0, "end": 4},
            ]
        },
    }


def test_state_is_kept_as_documents_may_hold_it() -> None:
    """HIS-16, HIS-23: events are read more widely than documents, which are to be stored."""
    deep: list[Any] = []
    for _ in range(70):
        deep = [deep]
    data = {"\udc80k": ["a\ud83d", "\ud83d\ude00", "é", float("inf"), 2.5, 10**30, None, deep]}
    opaque = opaque_of("d", [OpaqueItem("x\udc80", data, 0)], {"call_1": "\ud83d", "call_2": None})
    assert opaque["parts"]["0"][0]["kind"] == "x\ufffd"
    [kept] = opaque["parts"]["0"][0]["data"].values()
    assert list(opaque["parts"]["0"][0]["data"]) == ["\ufffdk"]
    assert kept[:7] == ["a\ufffd", "😀", "é", None, 2.5, 10**30, None]
    assert json.dumps(kept[7]).count("[") == 62  # of lists, below the object and its list
    assert opaque["toolCallIds"] == {"call_1": "\ufffd", "call_2": None}
    assert data["\udc80k"][0] == "a\ud83d"


def _block(index: int, block: dict[str, object]) -> list[dict[str, object]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_stop", "index": index},
    ]


# --- streams that end for a reason of their own --------------------------------------------------


def test_a_stream_can_be_ended_with_an_error_of_the_caller() -> None:
    adapter = open_adapter(CHAT, RUN, clock=fixed_clock)
    deltas = [*adapter.feed(_piece("Hi")), *adapter.abort("connection", "gone", retryable=False)]
    assert [delta.kind for delta in deltas] == ["start", "text", "error"]
    assert to_wire(deltas[-1])["payload"] == {
        "errorCode": "connection",
        "message": "gone",
        "retryable": False,
    }
    assert adapter.abort("timeout", "late") == []
    assert adapter.close() == []


def test_an_end_before_anything_came_has_a_start() -> None:
    deltas = open_adapter(CHAT, RUN, clock=fixed_clock).abort("authentication", "who?")
    assert [delta.kind for delta in deltas] == ["start", "error"]
    assert to_wire(deltas[-1])["payload"]["retryable"] is False


def test_a_stream_cannot_end_with_a_code_that_does_not_exist() -> None:
    with pytest.raises(UsageError) as caught:
        open_adapter(CHAT, RUN, clock=fixed_clock).abort("broken", "")
    assert caught.value.rule == "usage/invalid-argument"


def test_an_answer_of_feed_does_not_grow_later() -> None:
    adapter = open_adapter(CLAUDE, RUN, clock=fixed_clock)
    nothing = adapter.feed({"type": "ping"})
    adapter.feed({"type": "message_start", "message": {"id": "m", "model": "x"}})
    assert nothing == []
