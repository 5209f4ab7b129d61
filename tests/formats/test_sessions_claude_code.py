"""Sessions of Claude Code: which lines count, and what they are as messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats, to_wire
from partwire.errors import ReadError
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.sessions import ClaudeCode, jsonl, payloads, roles, texts

_FORMAT = "claude-code"


def read(session: ClaudeCode) -> formats.FormatResult:
    return formats.read(_FORMAT, jsonl(session.lines))


def codes(result: formats.FormatResult) -> list[tuple[str, str]]:
    return [(loss.pointer, loss.code) for loss in result.losses]


# --- messages -------------------------------------------------------------------------------------


def test_lines_of_one_answer_are_one_message_with_the_usage_of_the_last() -> None:
    session = ClaudeCode()
    session.user("look")
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 1}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    session.answer("msg_1", thought, usage=usage)
    session.says("msg_1", "I look.", usage=usage)
    session.calls("msg_1", "call_1", usage={**usage, "output_tokens": 9})
    session.result("call_1")
    read_ = read(session)
    assert roles(read_) == ["user", "assistant", "tool"]
    assert not read_.losses
    user, answer, tool = (to_wire(each) for each in read_.messages)
    assert [part["kind"] for part in answer["parts"]] == ["thinking", "text", "tool_call"]
    assert answer["messageId"] == "msg_1"
    assert answer["timestamp"] == session.lines[1]["timestamp"]
    assert answer["meta"]["modelId"] == "m-1"
    assert answer["meta"]["usage"]["inputTokens"] == 43
    assert answer["meta"]["usage"]["outputTokens"] == 9
    assert "finishReason" not in answer["meta"]
    assert user["messageId"] == "u0"
    assert (user["runId"], tool["runId"]) == ("ses_1", "ses_1")


def test_results_between_the_lines_of_an_answer_come_behind_it() -> None:
    session = ClaudeCode()
    session.calls("msg_1", "call_1")
    session.result("call_1", "one")
    session.calls("msg_1", "call_2")
    session.result("call_2", "two")
    session.says("msg_2", "Both.")
    read_ = read(session)
    assert roles(read_) == ["assistant", "tool", "tool", "assistant"]
    assert texts(read_.messages) == ["call_1", "call_2", "call_1", "call_2", "Both."]


def test_results_of_parallel_calls_hang_on_their_own_lines_and_all_count() -> None:
    session = ClaudeCode()
    session.user("look")
    first = session.calls("msg_1", "call_1")
    second = session.calls("msg_1", "call_2", parent=first)
    session.result("call_1", parent=first)
    last = session.result("call_2", parent=second)
    session.says("msg_2", "Both.", parent=last)
    read_ = read(session)
    assert texts(read_.messages) == ["look", "call_1", "call_2", "call_1", "call_2", "Both."]
    assert not read_.losses


def test_a_result_that_comes_late_is_kept() -> None:
    session = ClaudeCode()
    asked = session.calls("msg_1", "call_1")
    told = session.calls("msg_1", "call_2", parent=asked)
    session.result("call_1", parent=asked)
    said = session.says("msg_2", "One.", parent=told)
    session.result("call_2", parent=told)
    session.says("msg_3", "Two.", parent=said)
    assert texts(read(session).messages) == [
        "call_1",
        "call_2",
        "call_1",
        "One.",
        "call_2",
        "Two.",
    ]


def test_what_a_line_says_beside_its_message_is_kept() -> None:
    session = ClaudeCode()
    session.calls("msg_1", "call_1", requestId="req_1")
    session.result("call_1", toolUseResult={"stdout": "done", "exit": 0})
    answer, tool = (
        to_wire(each)["meta"]["claude-code"]["lines"] for each in read(session).messages
    )
    assert answer[0]["requestId"] == "req_1"
    assert "message" in answer[0]
    assert tool[0]["toolUseResult"] == {"stdout": "done", "exit": 0}
    assert tool[0]["parentUuid"] == "u0"
    assert "content" not in tool[0].get("message", {})


def test_results_may_be_blocks_and_images() -> None:
    session = ClaudeCode()
    session.calls("msg_1", "call_1")
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
    }
    block = {"type": "tool_result", "tool_use_id": "call_1", "is_error": True}
    session.user([{**block, "content": [{"type": "text", "text": "no"}, image]}, image])
    read_ = read(session)
    assert roles(read_) == ["assistant", "tool", "user"]
    assert payloads(read_)[1][0]["isError"] is True
    assert [part["kind"] for part in payloads(read_)[1][0]["content"]] == ["text", "image"]


def test_a_result_without_an_id_is_that_of_the_call_that_waits() -> None:
    session = ClaudeCode()
    session.calls("msg_1", "call_1")
    result = {"type": "tool_result", "content": "done"}
    session.user([result, result])
    read_ = read(session)
    assert texts(read_.messages) == ["call_1", "call_1"]
    assert codes(read_) == [
        ("/1/message/content/0", "call-id-invented"),
        ("/1/message/content/1", "foreign-part"),
    ]


def test_a_run_that_the_caller_gives_is_that_of_all() -> None:
    session = ClaudeCode()
    session.user("hi")
    result = formats.read(_FORMAT, jsonl(session.lines), run_id="run_1")
    message = to_wire(result.messages[0])
    assert message["runId"] == "run_1"
    assert message["meta"]["claude-code"]["lines"][0]["sessionId"] == "ses_1"


# --- the tree -------------------------------------------------------------------------------------


def test_the_last_branch_counts_and_the_lines_of_others_are_named() -> None:
    session = ClaudeCode()
    first = session.user("a")
    session.says("msg_1", "left")
    session.user("left too")
    session.user("b", parent=first)
    session.says("msg_2", "c")
    read_ = read(session)
    assert texts(read_.messages) == ["a", "b", "c"]
    assert codes(read_) == [("/1", "branch-left-out"), ("/2", "branch-left-out")]


def test_a_session_may_come_back_to_a_branch() -> None:
    session = ClaudeCode()
    first = session.user("a")
    other = session.says("msg_1", "b")
    session.user("left", parent=first)
    session.user("c", parent=other)
    read_ = read(session)
    assert texts(read_.messages) == ["a", "b", "c"]
    assert codes(read_) == [("/2", "branch-left-out")]


def test_a_line_without_a_parent_begins_anew_where_others_are_linked() -> None:
    session = ClaudeCode()
    session.user("a")
    session.says("msg_1", "b")
    session.user("c", parent=None)
    assert texts(read(session).messages) == ["c"]


def test_a_summary_stands_for_what_was_before_a_compaction() -> None:
    session = ClaudeCode()
    session.user("a")
    last = session.says("msg_1", "b")
    session.line("system", parent=None, subtype="compact_boundary", logicalParentUuid=last)
    session.user("summary of a and b", isCompactSummary=True)
    session.says("msg_2", "c")
    read_ = read(session)
    assert texts(read_.messages) == ["summary of a and b", "c"]
    assert ("/2", "foreign-event") in codes(read_)


@pytest.mark.parametrize("parent", [None, "gone"])
def test_lines_that_are_not_linked_follow_each_other(parent: str | None) -> None:
    session = ClaudeCode()
    for text in "abc":
        session.user(text, parent=parent)
    assert texts(read(session).messages) == ["a", "b", "c"]


def test_lines_without_ids_follow_each_other() -> None:
    lines = [
        {"type": kind, "message": {"content": text}}
        for kind, text in (("user", "a"), ("assistant", "b"), ("assistant", "c"))
    ]
    read_ = read_given(_FORMAT, lines)
    assert roles(read_) == ["user", "assistant", "assistant"]
    assert texts(read_.messages) == ["a", "b", "c"]


def test_lines_of_the_program_link_others() -> None:
    session = ClaudeCode()
    asked = session.user("a")
    session.line("progress", data={})
    session.line("attachment", attachment={})
    session.says("msg_1", "b")
    session.line("progress", parent=asked, data={})
    session.user("c", parent="u3")
    read_ = read(session)
    assert texts(read_.messages) == ["a", "b", "c"]
    assert codes(read_) == [(f"/{n}", "foreign-event") for n in (1, 2, 4)]


def test_subagents_teams_and_what_the_program_adds_are_left_out() -> None:
    session = ClaudeCode()
    session.user("a")
    session.calls("msg_1", "call_1")
    session.user("task", isSidechain=True, parent=None)
    session.says("msg_2", "task done", isSidechain=True)
    session.user("reminder", isMeta=True, parent="u1")
    session.result("call_1")
    session.says("msg_3", "to the team", teamName="team")
    read_ = read(session)
    assert texts(read_.messages) == ["a", "call_1", "call_1"]
    assert codes(read_) == [
        ("/2", "sidechain"),
        ("/3", "sidechain"),
        ("/4", "hidden"),
        ("/6", "sidechain"),
    ]


def test_a_file_of_a_subagent_is_its_session() -> None:
    session = ClaudeCode()
    session.user("task", isSidechain=True)
    session.user("reminder", isSidechain=True, isMeta=True)
    session.says("msg_1", "done", isSidechain=True)
    read_ = read(session)
    assert texts(read_.messages) == ["task", "reminder", "done"]
    assert not read_.losses


def test_a_session_behind_lines_of_a_subagent_is_the_session() -> None:
    session = ClaudeCode()
    session.user("task", isSidechain=True)
    session.user("a", parent="gone")
    session.says("msg_1", "b")
    session.says("msg_2", "late", isSidechain=True, parent="u0")
    read_ = read(session)
    assert texts(read_.messages) == ["a", "b"]
    assert codes(read_) == [("/0", "branch-left-out"), ("/3", "sidechain")]


def _chain(lines: list[Any]) -> list[str]:
    """Return the texts from the last line that is shown to its root, as the vendor's SDK does."""
    by_uuid = {line["uuid"]: line for line in lines}
    shown = [line for line in lines if line["type"] in ("user", "assistant")]
    line, found = shown[-1] if shown else None, []
    while line is not None:
        if line["type"] in ("user", "assistant"):
            content = line["message"]["content"]
            found.append(content if isinstance(content, str) else content[0]["text"])
        line = by_uuid.get(line["parentUuid"])
    return found[::-1]


@given(st.lists(st.tuples(st.sampled_from(["user", "says", "progress"]), st.integers(0, 60))))
def test_any_tree_gives_the_chain_from_its_last_line(steps: list[tuple[str, int]]) -> None:
    session = ClaudeCode()
    session.user("first")
    for number, (kind, back) in enumerate(steps):
        at = session.lines[-1 - back]["uuid"] if back < len(session.lines) else session.last
        if kind == "progress":
            session.line(kind, parent=at)
        elif kind == "user":
            session.user(f"u {number}", parent=at)
        else:
            session.says(f"msg_{number}", f"a {number}", parent=at)
    assert texts(read(session).messages) == _chain(session.lines)


# --- broken lines ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["\n", ""])
def test_broken_lines_are_losses_with_their_line(ending: str) -> None:
    session = ClaudeCode()
    session.user("a")
    session.says("msg_1", "b")
    first, second = (json.dumps(line) for line in session.lines)
    text = f"{first}\n\nnot JSON\n{second}\n[1]\n{second[:40]}{ending}"
    for data in (text, text.encode()):
        read_ = formats.read(_FORMAT, data)
        assert texts(read_.messages) == ["a", "b"]
        assert codes(read_) == [
            ("/2", "broken-line"),
            ("/4", "foreign-event"),
            ("/5", "broken-line"),
        ]


def test_lines_may_be_text_or_values() -> None:
    session = ClaudeCode()
    session.user("a")
    session.says("msg_1", "b")
    first, second = session.lines
    assert texts(formats.read(_FORMAT, [json.dumps(first), second]).messages) == ["a", "b"]
    assert texts(formats.read(_FORMAT, first).messages) == ["a"]
    assert texts(formats.read(_FORMAT, json.dumps(first)).messages) == ["a"]


def test_a_session_of_the_web_is_one_document() -> None:
    session = ClaudeCode()
    session.user("a")
    session.line("mode", mode="plan")
    document = {"loglines": session.lines, "title": "t"}
    for data in (document, json.dumps(document), json.dumps(document, indent=1)):
        read_ = formats.read(_FORMAT, data)
        assert texts(read_.messages) == ["a"]
        assert codes(read_) == [("/loglines/1", "foreign-event"), ("/title", "foreign-member")]


@pytest.mark.parametrize("data", ["not JSON\n", "not JSON\nnor this", "7", {"loglines": 1}, "[1,"])
def test_what_is_not_a_session_is_refused(data: Any) -> None:
    with pytest.raises(ReadError):
        formats.read(_FORMAT, data)


def test_content_that_is_not_content_is_named() -> None:
    session = ClaudeCode()
    session.user(["text", {"type": "text", "text": "a"}])
    session.user(7)
    session.line("user", message="text")
    session.says("msg_1", "b")
    session.lines[-1]["message"]["content"].append({"type": "tool_use", "id": "call_1"})
    read_ = read(session)
    assert texts(read_.messages) == ["a", "b"]
    assert [each for each in codes(read_) if each[1] != "foreign-part"] == [
        ("/0/message/content/0", "malformed-part"),
        ("/1/message/content", "malformed-part"),
        ("/2", "malformed-event"),
        ("/3/message/content", "malformed-part"),
    ]


# --- laws -----------------------------------------------------------------------------------------


def _documents() -> list[Any]:
    plain = ClaudeCode()
    plain.user("a", permissionMode="plan")
    plain.answer("msg_1", {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
    usage = {"input_tokens": 1, "output_tokens": 2, "service_tier": "standard"}
    plain.calls("msg_1", "call_1", usage=usage, requestId="req_1")
    plain.result("call_1", toolUseResult={"stdout": "x"})
    plain.line("system", content="c")
    branches = ClaudeCode()
    first = branches.user("a")
    branches.says("msg_1", "left")
    branches.user([{"type": "text", "text": "b"}], parent=first)
    branches.user("meta", isMeta=True)
    branches.says("msg_2", "side", isSidechain=True)
    branches.lines.append({"type": "summary", "summary": "s", "leafUuid": "u1"})
    return [plain.lines, branches.lines, {"loglines": plain.lines[:1]}, plain.lines[0]]


@pytest.mark.parametrize("document", _documents())
def test_nothing_is_lost_in_silence(document: Any) -> None:
    leaf_law(_FORMAT, document)
    losses_are_real(_FORMAT, document)


@pytest.mark.parametrize("document", _documents())
def test_junk_in_any_place_is_read_or_refused(document: Any) -> None:
    survives(_FORMAT, document)


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(_FORMAT, lambda odd: [{"type": "user", "message": {"content": odd}}])


def test_lines_may_name_each_other_in_a_circle() -> None:
    session = ClaudeCode()
    session.user("a", parent="u1")
    session.user("b", parent="u0")
    session.lines[0]["uuid"] = "u1"
    assert texts(read(session).messages)[-1] == "b"
