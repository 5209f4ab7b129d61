"""What a provider wants back, in the deltas that carry it; ids and ends that the caller sets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from partwire import to_wire, validate
from partwire.errors import UsageError
from partwire.providers import adapt_bytes, open_adapter
from partwire.providers.core.kept_state import KeptState
from partwire.providers.core.opaque import OpaqueItem, storable
from partwire.providers.core.usage import usage_summary
from tests.providers.provider_streams import RUN, Ran, assembled, fixed_clock, run_events

CHAT = "openai-chat"
CLAUDE = "anthropic-messages"
HELLO = '{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
START = {"type": "message_start", "message": {"id": "m", "model": "x"}}
ENDS = ({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"})
SIGNED = {"type": "thinking", "thinking": "a", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "ZW5j"}


def _piece(text: str) -> dict[str, Any]:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": text}}]}


def _claude(*events: Any, **options: Any) -> Ran:
    return run_events(CLAUDE, [START, *events], **options)


def _carriers(ran: Ran) -> list[tuple[str, Any]]:
    """Return the kind and the data of each delta that carries something."""
    wires = [to_wire(delta) for delta in ran.deltas]
    found = [(wire["kind"], wire["payload"]["opaque"]) for wire in wires if _opaque(wire)]
    assert {opaque["provider"] for _, opaque in found} <= {ran.adapter.dialect}
    return [(kind, opaque["data"]) for kind, opaque in found]


def _opaque(wire: Any) -> bool:
    return "opaque" in wire["payload"]


def _point(kind: str, data: Any, at: int = 0, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "data": data, "start": at, "end": at, **more}


# --- provider state ------------------------------------------------------------------------------


def test_an_item_goes_with_the_delta_that_ends_its_part() -> None:
    ran = _claude(
        *_block(0, SIGNED),
        *_block(1, REDACTED),
        *_block(2, {"type": "text", "text": "Hi", "citations": ["b"]}),
        *_block(3, {"type": "tool_use", "id": "used", "name": "f", "caller": {"type": "code"}}),
        *ENDS,
        used_tool_call_ids=frozenset({"used"}),
    )
    assert ran.sent == [
        *("start", "thinking", "thinking", "text", "text", "tool_call_start", "tool_call_end"),
        "done",
    ]
    signature = {"kind": "signature", "data": "c2ln", "start": 0, "end": 1}
    assert _carriers(ran) == [
        ("thinking", {"items": [signature, _point("redacted_thinking", REDACTED, 1)]}),
        ("text", {"items": [{"kind": "citation", "data": "b", "start": 0, "end": 2}]}),
        (
            "tool_call_end",
            {
                "items": [{"kind": "call", "data": {"caller": {"type": "code"}}}],
                "toolCallId": "used",
            },
        ),
    ]
    message = to_wire(assembled(ran.deltas))
    assert validate(message, "message.Message") == []
    assert "opaque" not in message["meta"]
    assert [part["payload"]["opaque"]["data"] for part in message["parts"]] == [
        data for _, data in _carriers(ran)
    ]


def test_text_of_several_blocks_is_one_part_and_ends_once() -> None:
    ran = _claude(*_block(0, SIGNED), *_block(1, SIGNED), *ENDS)
    assert ran.sent == ["start", "thinking", "thinking", "thinking", "done"]
    [(_, data)] = _carriers(ran)
    assert [(item["start"], item["end"]) for item in data["items"]] == [(0, 1), (1, 2)]


def test_what_stands_before_a_part_goes_with_it() -> None:
    block = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    before = [_point("signature", "c2ln"), _point("redacted_thinking", REDACTED)]
    text = {"type": "text", "text": "Hi"}
    call = {"type": "tool_use", "id": "c", "name": "f"}
    for part, kind in ((text, "text"), (call, "tool_call_end")):
        ran = _claude(*_block(0, block), *_block(1, REDACTED), *_block(2, part), *ENDS)
        assert _carriers(ran) == [(kind, {"items": before})]
        assert len(ran.whole) == 1


def test_what_stands_behind_the_last_part_gets_an_empty_one() -> None:
    call = {"type": "tool_use", "id": "c", "name": "f"}
    ran = _claude(*_block(0, call), *_block(1, REDACTED), *ENDS)
    assert ran.sent[-3:] == ["tool_call_end", "thinking", "done"]
    assert _carriers(ran) == [("thinking", {"items": [_point("redacted_thinking", REDACTED)]})]
    assert [part["kind"] for part in ran.whole] == ["tool_call", "thinking"]
    assert ran.whole[1]["payload"]["text"] == ""
    alone = _claude(*_block(0, REDACTED), *ENDS)
    assert alone.sent == ["start", "thinking", "done"]
    assert validate(to_wire(assembled(alone.deltas)), "message.Message") == []


def test_pieces_of_a_call_leave_the_thinking_open() -> None:
    """What comes behind them is behind the thinking, and goes with it."""
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": call},
        *_block(1, {"type": "thinking", "thinking": "a"}),
        _args(0, "{}"),
        *_block(2, REDACTED),
        {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}},
    ]
    ran = _claude(*events)
    assert [(part["kind"], part["payload"]["text"]) for part in ran.whole] == [("thinking", "a")]
    assert _carriers(ran) == [("thinking", {"items": [_point("redacted_thinking", REDACTED, 1)]})]


def test_an_error_comes_behind_what_is_kept() -> None:
    ran = _claude(*_block(0, SIGNED))
    assert ran.sent == ["start", "thinking", "thinking", "error"]
    assert ran.whole[0]["payload"]["opaque"]["data"]["items"][0]["data"] == "c2ln"


@pytest.mark.parametrize(("behind", "kind"), [("", "thinking"), ("yo", "text")])
def test_a_call_that_an_error_leaves_open_takes_only_its_own_along(behind: str, kind: str) -> None:
    """What is before it is then before what follows: a text, or nothing."""
    done = {"type": "tool_use", "id": "c1", "name": "f"}
    call = {"type": "tool_use", "id": "c2", "name": "f", "caller": {"type": "code"}}
    ran = _claude(
        *_block(0, done),
        *_block(1, REDACTED),
        {"type": "content_block_start", "index": 2, "content_block": call},
        *_block(3, {"type": "text", "text": behind}),
    )
    assert [item.kind for item in ran.adapter.opaque] == ["redacted_thinking", "call"]
    assert _carriers(ran) == [(kind, {"items": [_point("redacted_thinking", REDACTED)]})]
    assert [part["kind"] for part in ran.whole] == ["tool_call", kind]
    assert ran.whole[1]["payload"]["text"] == behind


def test_the_rest_says_how_far_off_it_belongs() -> None:
    state = KeptState("d")
    for item in (
        OpaqueItem("late", 1, 0, 0, 4),
        OpaqueItem("before", 2, 1, 0, 0),
        OpaqueItem("with", 3, 1),
        OpaqueItem("own", 4, 3, 0, 2),
        OpaqueItem("behind", 5, 4, 0, 0),
    ):
        state.keep(item)
    opaque = to_wire(state.rest(3, left_out={1}))
    assert opaque == {
        "provider": "d",
        "data": {
            "items": [
                {"kind": "own", "data": 4, "start": 0, "end": 2},
                {"kind": "late", "data": 1, "start": 0, "end": 4, "partOffset": -2},
                {"kind": "before", "data": 2, "start": 0, "end": 0, "partOffset": -1},
                {"kind": "behind", "data": 5, "start": 0, "end": 0, "partOffset": 1},
            ]
        },
    }
    assert not state
    assert len(state.items) == 5


def test_the_last_call_carries_what_belongs_to_the_whole_answer() -> None:
    events = [
        {"choices": [{"index": 0, "delta": {"reasoning_content": "why"}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [_call(0, "a"), _call(1, "b")]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    ran = run_events(CHAT, events)
    member = _point("reasoning_member", "reasoning_content", partOffset=1)
    assert _carriers(ran) == [("tool_call_end", {"items": [member]})]
    assert [part["kind"] for part in ran.whole] == ["thinking", "tool_call", "tool_call"]
    assert "opaque" in ran.whole[2]["payload"]


def test_pieces_of_a_call_leave_the_text_open_that_they_come_behind() -> None:
    """What is kept with the text comes when its part is over, counted in the whole text."""
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    cited = {"type": "text", "text": "Hi", "citations": ["b"]}
    opened = {"type": "content_block_start", "index": 0, "content_block": call}
    ran = _claude(opened, *_block(1, cited), _args(0, "{}"), *_block(2, {**cited, "text": "yo"}))
    assert ran.sent[2:] == ["text", "tool_call_args", "text", "text", "error"]
    items = [{"kind": "citation", "data": "b", "start": at, "end": at + 2} for at in (0, 2)]
    assert _carriers(ran) == [("text", {"items": items})]
    assert ran.whole[0]["payload"]["text"] == "Hiyo"


def test_a_minted_id_tells_the_providers_own() -> None:
    used = frozenset({"used"})
    calls = [
        {"type": "tool_use", "id": "used", "name": "f"},
        {"type": "tool_use", "name": "f"},
        {"type": "tool_use", "id": "own", "name": "f"},
    ]
    events = [event for at, call in enumerate(calls) for event in _block(at, call)]
    ran = _claude(*events, *ENDS, used_tool_call_ids=used)
    assert _carriers(ran) == [
        ("tool_call_end", {"items": [], "toolCallId": "used"}),
        ("tool_call_end", {"items": [], "toolCallId": None}),
    ]
    assert ran.adapter.provider_ids == {"call_m_0": "used", "call_m_1": None}


def test_a_message_without_provider_state_has_none() -> None:
    ran = run_events(CHAT, [_piece("a")])
    assert _carriers(ran) == []
    assert ran.adapter.opaque == []


def test_state_is_kept_as_documents_may_hold_it() -> None:
    """HIS-16, HIS-23: events are read more widely than documents, which are to be stored."""
    deep: list[Any] = []
    for _ in range(70):
        deep = [deep]
    data = {"\udc80k": ["a\ud83d", "\ud83d\ude00", "é", float("inf"), 2.5, 10**30, None, deep]}
    state = KeptState("d")
    state.provider_ids["call_1"] = "\ud83d"
    state.keep(OpaqueItem("x\udc80", data, 0))
    opaque: Any = state.of_part(0, "call_1")
    [item] = opaque.data["items"]
    assert item["kind"] == "x\ufffd"
    [kept] = item["data"].values()
    assert list(item["data"]) == ["\ufffdk"]
    assert kept[:7] == ["a\ufffd", "😀", "é", None, 2.5, 10**30, None]
    assert json.dumps(kept[7]).count("[") == 62  # of lists, below the object and its list
    assert opaque.data["toolCallId"] == "\ufffd"
    assert data["\udc80k"][0] == "a\ud83d"


@pytest.mark.parametrize("value", [[], {}, ""])
def test_state_is_kept_64_levels_deep(value: Any) -> None:
    for levels in (63, 64, 65, 200):
        data = value
        for _ in range(levels - (value != "")):
            data = [data]
        kept = json.dumps(storable(data))
        assert kept.count("[") + kept.count("{") == min(levels, 64)
        assert ("null" in kept) == (levels > 64)


def test_the_provider_s_word_is_one_that_documents_may_hold() -> None:
    for said, due in (("x" * 513, "x" * 512), ("a\ud83d", "a\ufffd")):
        stop = {"choices": [{"index": 0, "delta": {}, "finish_reason": said}]}
        ran = run_events(CHAT, [_piece("a"), stop])
        assert (ran.said, ran.end) == (due, {"finishReason": "unknown"})


def test_a_part_of_a_figure_is_no_larger_than_it() -> None:
    within = usage_summary(5, 3, 8, reasoning=3, cache_read=5, cache_write=0)
    assert to_wire(within) == {
        "inputTokens": 5,
        "outputTokens": 3,
        "totalTokens": 8,
        "reasoningTokens": 3,
        "cacheReadTokens": 5,
        "cacheWriteTokens": 0,
    }
    beyond = usage_summary(5, 3, 8, reasoning=4, cache_read=6, cache_write=6)
    assert to_wire(beyond) == {"inputTokens": 5, "outputTokens": 3, "totalTokens": 8}


def test_many_late_items_cost_linear_time() -> None:
    """SEC-08: what waits for the end is not looked at with every part."""
    state = KeptState("d")
    for part in range(20_000):
        state.keep(OpaqueItem("late", part, 0))
        state.keep(OpaqueItem("own", part, part + 1))
        assert len(state.of_part(part + 1).data["items"]) == 1  # type: ignore[union-attr]
    assert len(state.rest(20_001).data["items"]) == 20_000  # type: ignore[union-attr]


def _call(index: int, call_id: str) -> dict[str, Any]:
    return {"index": index, "id": call_id, "function": {"name": "f", "arguments": "{}"}}


def _args(index: int, text: str) -> dict[str, Any]:
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _block(index: int, block: Mapping[str, object]) -> list[dict[str, object]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_stop", "index": index},
    ]


# --- ids of message and turn ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "ids", [{}, {"message_id": "msg_1"}, {"turn_id": "t"}, {"message_id": "m", "turn_id": "t"}]
)
def test_every_delta_says_the_ids_of_the_caller(ids: dict[str, Any]) -> None:
    call = {"type": "tool_use", "id": "c", "name": "f"}
    text = {"type": "text", "text": "a\ud83d"}
    opened = {"type": "content_block_start", "index": 2, "content_block": call}
    events = (*_block(0, SIGNED), *_block(1, text), opened, _args(2, "{}"), *_block(3, REDACTED))
    usage = {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 1},
    }
    due = {{"message_id": "messageId", "turn_id": "turnId"}[k]: v for k, v in ids.items()}
    for end in ((usage, ENDS[1]), ()):
        ran = _claude(*events, *end, **ids)
        for delta in ran.deltas:
            wire = to_wire(delta)
            assert {k: v for k, v in wire.items() if k in ("messageId", "turnId")} == due
        message = to_wire(assembled(ran.deltas))
        assert {k: v for k, v in message.items() if k in ("messageId", "turnId")} == due
    assert set(ran.sent) == {
        "start",
        "thinking",
        "text",
        "tool_call_start",
        "tool_call_args",
        "error",
    }


def test_bytes_take_ids_too() -> None:
    found = adapt_bytes(CHAT, [HELLO.encode()], RUN, clock=fixed_clock, message_id="m", turn_id="t")
    assert {(delta.message_id, delta.turn_id) for delta in found} == {("m", "t")}


@pytest.mark.parametrize("name", ["message_id", "turn_id"])
@pytest.mark.parametrize("value", ["", 7, "\ud83d", b"m"])
def test_what_is_no_id_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        open_adapter(CHAT, RUN, clock=fixed_clock, **{name: value})
    assert caught.value.rule == "usage/invalid-argument"


# --- streams that end for their own reason --------------------------------------------------


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
