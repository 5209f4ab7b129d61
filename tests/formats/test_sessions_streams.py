"""Sessions that grow: however their bytes come, the messages are those of the whole."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats, to_wire
from partwire.errors import ReadError, UsageError
from tests.formats.sessions import ClaudeCode, items_of_session, jsonl, streamed, texts

_GIVEN = {"run_id": "run_1", "timestamp": "2026-01-02T03:04:05Z"}


def _claude_code() -> bytes:
    session = ClaudeCode()
    first = session.user("grüße")
    session.calls("msg_1", "call_1")
    session.result("call_1")
    session.says("msg_2", "left")
    session.user("b", parent=first)
    session.line("progress", data={})
    session.says("msg_3", "c")
    session.says("msg_3", "d")
    session.user("side", isSidechain=True)
    return jsonl([*session.lines[:3], "", "not JSON", *session.lines[3:], {"type": "mode"}])


def _codex() -> bytes:
    def item(payload: Any) -> Any:
        return {"timestamp": "2026-01-02T03:04:05Z", "type": "response_item", "payload": payload}

    call = {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "call_1"}
    output = {"type": "function_call_output", "call_id": "call_1", "output": "x"}
    said = {"type": "message", "role": "assistant", "content": "a"}
    meta = {"type": "session_meta", "payload": {"id": "ses_1"}}
    return jsonl([meta, item({**said, "role": "user"}), item(call), item(output), item(said)])


def _gemini_cli() -> bytes:
    head = {"sessionId": "ses_1", "projectHash": "h"}
    records = [{"id": own, "type": "user", "content": own} for own in ("u1", "u2", "u3")]
    answer = {"id": "a1", "type": "gemini", "content": "b"}
    return jsonl(
        [
            head,
            *records,
            {"$rewindTo": "u2"},
            answer,
            {**answer, "content": "c"},
            {"$set": {"x": 1}},
        ]
    )


SESSIONS = {"claude-code": _claude_code(), "codex": _codex(), "gemini-cli": _gemini_cli()}
_EACH = pytest.mark.parametrize("format_name", SESSIONS)


def whole(format_name: str, data: bytes) -> tuple[list[Any], set[Any]]:
    result = formats.read(format_name, data, **_GIVEN)
    return [to_wire(each) for each in result.messages], set(result.losses)


@_EACH
@given(data=st.data())
def test_any_split_gives_the_same(format_name: str, data: st.DataObject) -> None:
    session = SESSIONS[format_name]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(session)), max_size=9)))
    bounds = [0, *cuts, len(session)]
    chunks = [session[a:b] for a, b in pairwise(bounds)]
    messages, losses = streamed(format_name, chunks, **_GIVEN)
    assert ([to_wire(each) for each in messages], set(losses)) == whole(format_name, session)
    assert len(losses) == len(set(losses))


@_EACH
def test_any_prefix_reads_as_the_whole_of_it_does(format_name: str) -> None:
    session = SESSIONS[format_name]
    for end in range(1, len(session)):
        prefix = session[:end]
        messages, losses = streamed(format_name, [prefix], **_GIVEN)
        try:
            expected = whole(format_name, prefix)
        except ReadError:  # no line of it is whole
            assert not messages
            continue
        assert ([to_wire(each) for each in messages], set(losses)) == expected


@_EACH
def test_items_of_a_prefix_are_a_prefix_of_the_items(format_name: str) -> None:
    lines = SESSIONS[format_name].splitlines(keepends=True)
    items = items_of_session(format_name, lines)
    reader: Any = formats.reader(format_name)
    given_out: list[Any] = []
    for number, line in enumerate(lines):
        if line.strip():
            given_out += reader.feed(line, number=number)
        so_far = [each if isinstance(each, formats.Branch) else to_wire(each) for each in given_out]
        assert so_far == items[: len(so_far)]


@_EACH
def test_a_cut_line_is_named(format_name: str) -> None:
    session = SESSIONS[format_name]
    rows = session.count(b"\n")
    _, losses = streamed(format_name, [session, b'{"type":"us'])
    assert (f"/{rows}", "broken-line") in [(loss.pointer, loss.code) for loss in losses]


@pytest.mark.parametrize("run_id", [None, "run_1"])
def test_what_is_made_up_is_said_once(run_id: str | None) -> None:
    line = {"type": "user", "message": {"content": "a"}}
    reader: Any = formats.reader("claude-code", run_id=run_id)
    losses = []
    for _ in range(5):
        reader.feed(json.dumps(line))
        losses += reader.take_losses()
    assert [loss.code for loss in losses] == [
        "timestamp-invented",
        "run-id-invented" if run_id is None else "given",
    ]
    assert not reader.losses


def test_branches_lead_back_and_forth() -> None:
    session = ClaudeCode()
    session.user("a", parent=None)
    other = session.says("msg_1", "b")
    session.user("c", parent="u0")
    session.user("d", parent=other)
    reader = formats.reader("claude-code")
    items = [item for line in session.lines for item in reader.feed(line)] + reader.finish()
    assert [item for item in items if isinstance(item, formats.Branch)] == [(0,), (1,)]
    run = formats.RunAssembler()
    assert texts(run.feed_all(items[:4]).messages) == ["a", "c"]
    assert texts(run.feed_all(items[4:]).finish()) == ["a", "b", "d"]


def test_a_branch_to_a_message_that_is_not_there_follows_the_last() -> None:
    session = ClaudeCode()
    session.user("a")
    reader = formats.reader("claude-code")
    (message,) = reader.feed(session.lines[0]) + reader.finish()
    run = formats.RunAssembler().feed_all([formats.Branch(7), message, formats.Branch(9), message])
    assert texts(run.messages) == ["a", "a"]
    assert texts(run.feed_all([formats.Branch(None), message]).messages) == ["a"]


def test_formats_that_are_one_document_have_no_reader() -> None:
    with pytest.raises(UsageError):
        formats.reader("opencode")
    assert [name for name, each in formats.FORMATS.items() if each.is_session] == list(SESSIONS)
