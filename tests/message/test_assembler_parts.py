"""Which parts a stream makes; failures of others by the id that they have in a catalogue.

An id such as ARG-14 names a way in which other people's accumulators were seen to fail.
"""

from __future__ import annotations

from typing import Any

import pytest

from partwire import validate
from tests.message.delta_streams import (
    CALL,
    call,
    delta,
    fed,
    one_call,
    outcome,
    parts_of,
    refused,
    stream,
    text,
    thinking,
)

ARGS = ("tool_call_args", "a", "{}")
END = ("tool_call_end", "a")


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        pytest.param([], [], id="BLK-15"),
        pytest.param([("text", "")], [], id="empty"),
        pytest.param([("text", ""), ("text", "Hi")], [text("Hi")], id="BLK-19"),
        pytest.param([("text", "\n\n")], [text("\n\n")], id="BLK-16"),
        pytest.param([("text", "1"), ("text", "2"), ("text", "3")], [text("123")], id="ORD-18"),
        pytest.param(
            [("text", "a"), ("thinking", "b"), ("text", "c")],
            [text("a"), thinking("b"), text("c")],
            id="BLK-20",
        ),
        pytest.param(
            [("text", "a"), CALL, ARGS, END, ("text", "b")],
            [text("a"), call("a", {}), text("b")],
            id="ORD-10",
        ),
        pytest.param(
            [("text", "hello"), CALL, ARGS, END],
            [text("hello"), call("a", {})],
            id="BLK-02",
        ),
        pytest.param(
            [CALL, ("text", "x"), ARGS, ("text", "y"), END, ("text", "z")],
            [call("a", {}), text("xyz")],
            id="what makes no part does not cut the text",
        ),
        pytest.param([("text", "a"), ("usage", 1, 2, 3), ("text", "b")], [text("ab")], id="usage"),
        pytest.param(
            [("text", "a"), ("thinking", ""), ("text", "b")], [text("ab")], id="empty kind"
        ),
        pytest.param(
            [("thinking", "a"), ("usage", 1, 2, 3), ("text", ""), ("thinking", "b")],
            [thinking("ab")],
            id="usage and empty kind",
        ),
        pytest.param(
            [
                CALL,
                ("tool_call_start", "b", "tool"),
                ("tool_call_end", "b"),
                ("tool_call_end", "a"),
            ],
            [call("a", {}), call("b", {})],
            id="a part stands where its call began",
        ),
    ],
)
def test_parts(rows: list[Any], parts: list[Any]) -> None:
    assert parts_of(*rows) == parts


@pytest.mark.parametrize(
    ("pieces", "arguments"),
    [
        pytest.param([], {}, id="ARG-01"),
        pytest.param([" ", "\t\r\n"], {}, id="ARG-01-white-space"),
        pytest.param(
            ['{"script":"first ', "{}", ' last"}'], {"script": "first {} last"}, id="ARG-06"
        ),
        pytest.param(['{"items":"[7]"}'], {"items": "[7]"}, id="ARG-09"),
        pytest.param(['{"n":1', "0}"], {"n": 10}, id="ARG-12"),
        pytest.param(['{"mode":"slow","mode":"fast"}'], {"mode": "fast"}, id="ARG-19"),
        pytest.param(
            ['{"note":"end </tool_call> more"}'], {"note": "end </tool_call> more"}, id="ARG-29"
        ),
    ],
)
def test_arguments(pieces: list[str], arguments: dict[str, Any]) -> None:
    message = one_call(*pieces)
    assert message["parts"] == [call("a", arguments)]
    assert "toolCallParseErrors" not in message["meta"]


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        pytest.param('{"path":"/srv/da', "invalid_json", id="ARG-10"),
        pytest.param('{"file":"b","body":"the beg', "invalid_json", id="ARG-13"),
        pytest.param("{bad", "invalid_json", id="ARG-14"),
        pytest.param("[1,2,3]", "not_an_object", id="ARG-15"),
        pytest.param('{"x":NaN}', "invalid_json", id="ARG-18"),
        pytest.param('{"n":"b","t":"y', "invalid_json", id="ARG-25"),
        pytest.param('{"note":"first row\nsecond row"}', "invalid_json", id="ARG-26"),
        pytest.param('{"a":1}}</s', "invalid_json", id="ARG-28"),
    ],
)
def test_arguments_that_are_no_object_are_kept_and_marked(raw: str, error: str) -> None:
    message = one_call(raw[:3], raw[3:])
    assert message["parts"] == [call("a", {}, rawArgsText=raw)]
    assert message["meta"]["toolCallParseErrors"] == [{"toolCallId": "a", "error": error}]
    assert validate(message, "message.Message") == []


def test_unsafe_integers_keep_the_text() -> None:
    """ARG-17."""
    raw = '{"id":9100000000000000027}'
    part = call("a", {"id": 9100000000000000027}, rawArgsText=raw)
    assert one_call(raw)["parts"] == [part]
    assert "toolCallParseErrors" not in one_call(raw)["meta"]


def test_parse_errors_stand_in_the_order_of_the_parts() -> None:
    rows: list[Any] = ["start", CALL, ("tool_call_start", "b", "tool")]
    rows += [("tool_call_args", "a", "1"), ("tool_call_args", "b", "{"), ("tool_call_end", "b")]
    meta = outcome(stream(*rows, ("tool_call_end", "a"), "done"))["message"]["meta"]
    assert [each["toolCallId"] for each in meta["toolCallParseErrors"]] == ["a", "b"]


def test_nesting_beyond_the_limit() -> None:
    """PRF-09: the text need not be JSON, and the call stays open and takes its end again."""
    assembler = fed("start", CALL, ("tool_call_args", "a", "[" * 100_000))
    error = refused(assembler, delta("tool_call_end", 3, {"toolCallId": "a"}))
    assert (error.rule, error.expected) == (
        "stream/limit-exceeded",
        "at most 128 (arguments_depth)",
    )
    assert not assembler.tool_calls["a"].closed
    assert assembler.build_partial().meta["incomplete"]["openToolCallIds"] == ["a"]  # type: ignore[index]


def test_same_action_twice_stays_two_calls() -> None:
    """ARG-20."""
    rows: list[Any] = []
    for call_id, raw in (("a", '{"x":1,"y":2}'), ("b", '{"y":2,"x":1}')):
        rows += [("tool_call_start", call_id, "tool"), ("tool_call_args", call_id, raw)]
        rows += [("tool_call_end", call_id)]
    assert parts_of(*rows) == [call("a", {"x": 1, "y": 2}), call("b", {"y": 2, "x": 1})]
