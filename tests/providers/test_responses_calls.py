"""The Responses adapter: tool calls, and whose they are."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.providers import OpaqueItem, open_adapter
from tests.providers.provider_streams import RUN, fixed_clock
from tests.providers.responses_events import (
    API,
    added,
    args,
    begins,
    created,
    done,
    ended,
    finished,
    function,
    made,
    run,
)

# --- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("initial", "deltas", "due"),
    [
        ("", ['{"a"', ":1}"], {"a": 1}),
        ("{}", ['{"a":1}'], {"a": 1}),
        ('{"a":1}', [], {"a": 1}),
        ('{"a":1}', ['{"a":1}'], {"a": 1}),
        ('{"a"', [":1}"], {"a": 1}),
        ("{}", [], {}),
    ],
)
def test_arguments_that_an_item_begins_with(initial: str, deltas: list[str], due: Any) -> None:
    """ARG-04: what only holds a place is not an argument."""
    events = [begins(0, arguments=initial), *[args(0, delta) for delta in deltas]]
    whole = function("fc_c", "c", "n", initial if not deltas else '{"a":1}')
    assert made(finished(*events, done(0, whole))) == [("c", "n", due)]


def test_arguments_as_an_object_are_its_json() -> None:
    """ARG-16."""
    ran = finished(begins(0), done(0, function("fc_c", "c", "n", {"a": "ø"})))
    assert made(ran) == [("c", "n", {"a": "ø"})]
    assert ran.rules == ["adapter/invalid-event"]


def test_a_call_whose_arguments_are_cut_may_go_on_after_its_item() -> None:
    """BLK-28."""
    whole = function("fc_c", "c", "n", '{"a":')
    ran = finished(begins(0), args(0, '{"a":'), done(0, whole), args(0, "1}"))
    assert made(ran) == [("c", "n", {"a": 1})]
    assert ran.rules == []


def test_arguments_after_the_end_of_a_call_are_a_finding() -> None:
    ran = finished(begins(0), done(0, function("fc_c", "c", "n", "{}")), args(0, "x"))
    assert made(ran) == [("c", "n", {})]
    assert ran.rules == ["adapter/block-order"]


def test_a_name_may_come_with_the_arguments() -> None:
    whole = {"type": "response.function_call_arguments.done", "output_index": 0}
    whole |= {"arguments": '{"a":1}', "name": "n"}
    adapter = open_adapter(API, RUN, clock=fixed_clock)
    for event in (begins(0, name=None), args(0, '{"a"')):
        assert [delta.kind for delta in adapter.feed(event)] == []
    kinds = [delta.kind for delta in adapter.feed(whole)]
    assert kinds == ["start", "tool_call_start", "tool_call_args", "tool_call_args"]


def test_a_call_that_never_gets_its_id_gets_one_of_ours() -> None:
    """TCI-09."""
    ran = finished(added(0, "function_call", id="f", name="n"), args(0, "{}"))
    assert made(ran) == [("call_r1_0", "n", {})]


def test_arguments_that_differ_are_told_once() -> None:
    whole = function("fc_c", "c", "n", '{"b":2}')
    event = {"type": "response.function_call_arguments.done", "output_index": 0}
    events = [begins(0), args(0, '{"a"'), {**event, "arguments": '{"b":2}'}, done(0, whole)]
    ran = run(created(), *events, ended(whole))
    assert ran.rules == ["adapter/text-mismatch"]
    assert finished(begins(0), args(0, "{}"), {**event, "arguments": ""}).rules == []


def test_an_item_that_begins_after_its_first_piece_still_gets_its_name() -> None:
    adapter = open_adapter(API, RUN, clock=fixed_clock)
    adapter.feed(args(0, '{"a"', item_id="fc_c"))
    assert [delta.kind for delta in adapter.feed(begins(0))][1:] == [
        "tool_call_start",
        "tool_call_args",
    ]
    ran = finished(args(0, '{"a"', item_id="fc_c"), begins(0), args(0, ":1}"))
    assert made(ran) == [("c", "n", {"a": 1})]
    assert ran.rules == ["adapter/block-order"] * 2


def test_a_cut_stream_leaves_calls_without_a_name_out() -> None:
    ran = run(created(), added(0, "function_call", id="f"), args(0, "{}"))
    assert ran.end["errorCode"] == "truncated_stream"
    assert ran.rules == ["adapter/unnamed-tool-call"]
    data = {"type": "function_call", "id": "f", "arguments": "{}"}
    assert ran.adapter.opaque == [OpaqueItem("unnamed_tool_call", data, 0, 0, 0)]


@pytest.mark.parametrize(
    ("tools", "name", "call_id", "is_ours"),
    [
        ([{"type": "custom", "name": "x_keyword_search"}], "x_keyword_search", "xs_call_1", True),
        ([{"type": "x_search"}], "x_keyword_search", "c1", False),
        ([], "x_user_search", "c1", False),
        ([{"type": "web_search"}], "x_other", "xs_call-1", False),
        ([{"type": "x_search"}], "view_x_video", "c1", False),
        ([{"type": "x_search"}, {"type": "custom", "name": "apply"}], "apply", "c1", True),
        ([], "apply", "c1", True),
        (None, "apply", "c1", True),
        (
            [{"type": "namespace", "tools": [{"type": "custom", "name": "x_user_search"}]}],
            "x_user_search",
            "c1",
            True,
        ),
    ],
)
def test_whose_custom_tool_it_is(tools: Any, name: str, call_id: str, is_ours: bool) -> None:
    item = {"type": "custom_tool_call", "id": "u", "call_id": call_id, "name": name, "input": "x"}
    ran = run(created(tools=tools), done(0, item), ended(item))
    assert made(ran) == ([(call_id, name, "x")] if is_ours else [])
    assert made(ran, "server_tool_call") == ([] if is_ours else [(call_id, name, "x")])
    assert [kept.start for kept in ran.adapter.opaque] == [None]
    older = run(created(tools=tools), done(0, item), ended(item), version="v0.2")
    assert made(older) == made(ran)
    assert [kept.start for kept in older.adapter.opaque] == [None if is_ours else 0]


def test_a_custom_call_that_is_named_late_may_be_the_providers() -> None:
    delta = {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "x"}
    item = {"type": "custom_tool_call", "id": "u", "call_id": "xs_call_1", "name": "x_user_search"}
    events = (added(0, "custom_tool_call", id="u"), delta, done(0, {**item, "input": "x"}))
    ran = finished(*events)
    assert made(ran, "server_tool_call") == [("xs_call_1", "x_user_search", "x")]
    assert (made(ran), ran.rules) == ([], [])
    older = finished(*events, version="v0.2")
    assert (made(older), older.rules) == ([], ["adapter/server-tool-call"])
