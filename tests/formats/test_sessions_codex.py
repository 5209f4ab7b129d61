"""Sessions of Codex: items of Responses in lines, with the time, the model and the tokens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import formats, to_wire
from partwire.errors import ReadError
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, survives
from tests.formats.sessions import jsonl, payloads, roles, texts

_FORMAT = "codex"
Json = dict[str, Any]


def line(kind: str, payload: Any, second: int = 0) -> Json:
    return {"timestamp": f"2026-01-02T03:04:{second:02}Z", "type": kind, "payload": payload}


def item(kind: str, second: int = 0, **members: Any) -> Json:
    return line("response_item", {"type": kind, **members}, second)


def user(text: str, second: int = 0) -> Json:
    content = [{"type": "input_text", "text": text}]
    return item("message", second, role="user", content=content)


def said(text: str, second: int = 0) -> Json:
    content = [{"type": "output_text", "text": text}]
    return item("message", second, role="assistant", content=content)


def tokens(last: Any, total: int) -> Json:
    info = {"last_token_usage": last, "total_token_usage": {"total_tokens": total}}
    return line("event_msg", {"type": "token_count", "info": info})


def usage(output: int) -> Json:
    counts = {"input_tokens": 9, "cached_input_tokens": 5, "output_tokens": output}
    return {**counts, "reasoning_output_tokens": 1, "total_tokens": 9 + output}


META = line("session_meta", {"id": "ses_1", "cwd": "/w"})
CONTEXT = line("turn_context", {"model": "m-1"})
CALL = item("function_call", 3, name="shell", arguments='{"a":1}', call_id="call_1")
REASONING = item(
    "reasoning",
    2,
    summary=[{"type": "summary_text", "text": "Hm."}],
    content=None,
    encrypted_content="c2VhbGVk",
)
OUTPUT = item("function_call_output", 4, call_id="call_1", output="done")


def read(*lines: Any) -> formats.FormatResult:
    return formats.read(_FORMAT, jsonl(lines))


def test_items_are_messages_with_the_run_the_time_and_the_model() -> None:
    again = line("event_msg", {"type": "user_message", "message": "hi"})
    read_ = read(META, user("hi", 1), again, CONTEXT, REASONING, CALL, OUTPUT, said("Done.", 5))
    assert roles(read_) == ["user", "assistant", "tool", "assistant"]
    assert {message.run_id for message in read_.messages} == {"ses_1"}
    assert [message.timestamp[-3:] for message in read_.messages] == ["01Z", "02Z", "04Z", "05Z"]
    assert [loss.pointer for loss in read_.losses] == ["/0", "/2", "/3"]
    _, answer, _, last = (to_wire(message) for message in read_.messages)
    assert [part["kind"] for part in answer["parts"]] == ["thinking", "tool_call"]
    assert answer["meta"]["modelId"] == last["meta"]["modelId"] == "m-1"
    assert answer["meta"]["codex"]["lines"] == [{}, {"timestamp": CALL["timestamp"]}]


@pytest.mark.parametrize("is_before", [True, False])
def test_an_answer_has_the_tokens_of_its_request(is_before: bool) -> None:
    answer = [CALL, tokens(usage(3), 12)]
    last = [said("Done."), tokens(usage(4), 25)]
    if is_before:
        answer, last = answer[::-1], last[::-1]
    limits = tokens(usage(3), 12)  # said again, since limits have changed
    lines = [user("hi"), *answer, OUTPUT, limits, *last]
    made = [to_wire(each).get("meta", {}).get("usage") for each in read(*lines).messages]
    assert [each and each["outputTokens"] for each in made] == [None, 3, None, 4]
    assert made[1] == {
        "inputTokens": 9,
        "cacheReadTokens": 5,
        "outputTokens": 3,
        "reasoningTokens": 1,
        "totalTokens": 12,
    }


@pytest.mark.parametrize("info", [None, {"prompt": 1}, {"last_token_usage": {"input_tokens": -1}}])
def test_tokens_that_are_not_counts_are_passed_over(info: Any) -> None:
    event = line("event_msg", {"type": "token_count", "info": info})
    assert "usage" not in to_wire(read(said("a"), event).messages[0]).get("meta", {})


def test_calls_of_its_own_are_read() -> None:
    patch = item("custom_tool_call", name="patch", input="*** Begin", call_id="call_2")
    output = item("custom_tool_call_output", call_id="call_2", output="ok")
    shell = item("local_shell_call", call_id="call_3", status="completed", action={"type": "exec"})
    read_ = read(patch, output, shell, said("Done."))
    assert roles(read_) == ["assistant", "tool", "assistant"]
    assert payloads(read_)[0][0]["rawArgsText"] == "*** Begin"


def test_what_was_stored_before_such_lines_is_read() -> None:
    lines = [
        {"id": "ses_1", "timestamp": "2026-01-02T03:04:05Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "call_1"},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"output":"x"}'},
        {"timestamp": "2026-01-02T03:04:06Z", "role": "assistant", "content": "b"},
    ]
    read_ = read(*lines)
    assert texts(read_.messages) == ["a", "call_1", "call_1", "b"]
    assert read_.messages[-1].timestamp == "2026-01-02T03:04:06Z"
    assert [(loss.pointer, loss.code) for loss in read_.losses if loss.pointer] == [
        ("/0", "foreign-event"),
        ("/1", "foreign-event"),
    ]


def test_items_that_are_not_items_are_named() -> None:
    deep = "[" * 3000
    odd = [item("x"), line("response_item", {"a": 1}), line("response_item", 7)]
    odd[0]["payload"] = {"type": "message", "role": ""}
    call = item("function_call", name="f", arguments=f'{{"a":{deep}', call_id="call_1")
    read_ = read(*odd, said("a"), call)
    assert [(loss.pointer, loss.code) for loss in read_.losses if loss.pointer][:3] == [
        ("/0", "malformed-event"),
        ("/1", "malformed-event"),
        ("/2", "foreign-event"),
    ]


def test_a_line_that_is_cut_is_named() -> None:
    text = jsonl([user("a"), said("b")]) + json.dumps(CALL)[:50].encode()
    read_ = formats.read(_FORMAT, text, run_id="run_1")
    assert texts(read_.messages) == ["a", "b"]
    assert ("/2", "broken-line") in [(loss.pointer, loss.code) for loss in read_.losses]


@pytest.mark.parametrize("data", ["", "{", "[]", [], [7]])
def test_what_has_no_items_gives_none(data: Any) -> None:
    try:
        assert formats.read(_FORMAT, data).messages == []
    except ReadError:
        assert data == "{"


_DOCUMENT = [
    META,
    user("a"),
    CONTEXT,
    {**REASONING, "ordinal": 3},
    CALL,
    tokens(usage(3), 12),
    OUTPUT,
    said("b"),
    {"role": "user", "content": "c", "timestamp": "2026-01-02T03:04:05Z"},
]


def test_nothing_is_lost_in_silence() -> None:
    leaf_law(_FORMAT, _DOCUMENT)
    losses_are_real(_FORMAT, _DOCUMENT)


def test_hostile_documents() -> None:
    survives(_FORMAT, _DOCUMENT)
    refuses_what_is_not_json(_FORMAT, lambda odd: [item("message", role="user", content=odd)])
    survives(_FORMAT, said("a"))
    leaf_law(_FORMAT, user("a"))
