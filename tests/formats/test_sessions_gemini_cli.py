"""Sessions of Gemini CLI: records that grow, are taken back, replaced; and the older document."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import formats, to_wire
from partwire.errors import ReadError
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.sessions import jsonl, payloads, roles, texts

_FORMAT = "gemini-cli"
Json = dict[str, Any]

HEAD = {"sessionId": "ses_1", "projectHash": "h", "startTime": "2026-01-02T03:04:05Z"}


def record(own: str, kind: str, content: Any, **members: Any) -> Json:
    head = {"id": own, "timestamp": "2026-01-02T03:04:05.000Z", "type": kind, "content": content}
    return {**head, **members}


def call(own: str, response: Any = None, **members: Any) -> Json:
    made: Json = {"id": own, "name": "read", "args": {"path": "a"}, **members}
    if response is not None:
        result = {"functionResponse": {"id": own, "name": "read", "response": response}}
        made["result"] = [result]
    return made


ANSWER = record(
    "a1",
    "gemini",
    "I look.",
    model="m-1",
    thoughts=[{"subject": "Plan", "description": "To look.", "timestamp": "x"}, {"subject": "B"}],
    tokens={"input": 10, "output": 2, "cached": 4, "thoughts": 3, "tool": 0, "total": 15},
    toolCalls=[call("call_1", {"output": "done"}, status="success", displayName="Read")],
)


def read(*lines: Any) -> formats.FormatResult:
    return formats.read(_FORMAT, jsonl(lines))


def codes(result: formats.FormatResult) -> list[tuple[str, str]]:
    return [(loss.pointer, loss.code) for loss in result.losses]


def test_a_record_of_an_answer_is_it_and_its_results() -> None:
    read_ = read(HEAD, record("u1", "user", [{"text": "look"}]), ANSWER)
    assert roles(read_) == ["user", "assistant", "tool"]
    assert {message.run_id for message in read_.messages} == {"ses_1"}
    answer = to_wire(read_.messages[1])
    assert [part["kind"] for part in answer["parts"]] == [
        "thinking",
        "thinking",
        "text",
        "tool_call",
    ]
    assert payloads(read_)[1][0]["text"] == "**Plan** To look."
    assert payloads(read_)[2][0]["content"] == "done"
    assert answer["messageId"] == "a1"
    meta = answer["meta"]
    assert (meta["modelId"], meta["usage"]["inputTokens"]) == ("m-1", 10)
    assert (
        meta["usage"] | {"outputTokens": 5, "reasoningTokens": 3, "cacheReadTokens": 4}
        == meta["usage"]
    )
    assert meta["gemini-cli"]["toolCalls"] == [{"status": "success", "displayName": "Read"}]
    assert meta["gemini-cli"]["thoughts"] == [{"timestamp": "x"}, {}]


def test_reasoning_goes_back_to_gemini() -> None:
    written = formats.write("gemini", read(HEAD, ANSWER).messages).document
    assert any(part.get("thought") for part in written["contents"][0]["parts"])


def test_the_last_form_of_a_record_counts() -> None:
    before = {**ANSWER, "toolCalls": [call("call_1")], "content": ""}
    read_ = read(HEAD, before, ANSWER, record("i1", "info", "note"))
    assert roles(read_) == ["assistant", "tool"]
    assert ("/1", "preliminary") in codes(read_)
    assert ("/3", "foreign-message") in codes(read_)


def test_a_record_that_others_have_followed_stays() -> None:
    read_ = read(record("u1", "user", "a"), record("u2", "user", "b"), record("u1", "user", "c"))
    assert texts(read_.messages) == ["a", "b"]
    assert ("/2", "malformed-event") in codes(read_)


@pytest.mark.parametrize(("to", "left"), [("u2", ["a"]), ("u1", []), ("gone", [])])
def test_records_are_taken_back(to: str, left: list[str]) -> None:
    lines = [record(own, "user", text) for own, text in (("u1", "a"), ("u2", "b"), ("u3", "c"))]
    read_ = read(*lines, {"$rewindTo": to}, record("u2", "user", "d"))
    assert texts(read_.messages) == [*left, "d"]
    gone = [pointer for pointer, code in codes(read_) if code == "branch-left-out"]
    assert gone == [f"/{n}" for n in range(len(left), 3)]


def test_all_records_may_be_replaced() -> None:
    records = [record("u1", "user", "short"), {"type": "user"}]
    read_ = read(HEAD, record("u1", "user", "a"), {"$set": {"messages": records, "summary": "s"}})
    assert texts(read_.messages) == ["short"]
    assert codes(read_) == [
        ("/0/projectHash", "foreign-event"),
        ("/0/startTime", "foreign-event"),
        ("/1", "branch-left-out"),
        ("/2/$set/messages/1", "malformed-event"),
        ("/2/$set/summary", "foreign-event"),
    ]


@pytest.mark.parametrize("text", ["/help", "?", "<session_context>x", "<hook_context>y"])
def test_what_is_said_to_the_program_is_left_out(text: str) -> None:
    assert codes(read_given(_FORMAT, [record("u1", "user", text)])) == [("/0", "hidden")]


def test_the_older_document_and_a_record_alone() -> None:
    document = {**HEAD, "messages": [record("u1", "user", "a"), ANSWER]}
    for data in (document, json.dumps(document), json.dumps(document, indent=1)):
        read_ = formats.read(_FORMAT, data)
        assert roles(read_) == ["user", "assistant", "tool"]
        assert {message.run_id for message in read_.messages} == {"ses_1"}
        assert codes(read_) == [
            ("/projectHash", "foreign-member"),
            ("/startTime", "foreign-member"),
        ]
    assert roles(read_given(_FORMAT, ANSWER)) == ["assistant", "tool"]


def test_results_may_fail_be_text_or_have_files() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    calls = [
        call("call_1", {"error": "no"}, status="error"),
        {"name": "read", "args": {}, "result": "text"},
        call("call_3"),
        call("call_4", {"output": "seen"}),
    ]
    calls[3]["result"].append(image)
    read_ = read_given(_FORMAT, [record("a1", "gemini", "", toolCalls=calls)])
    assert roles(read_) == ["assistant", "tool", "user"]
    results = [part for each in payloads(read_)[1:] for part in each if "toolCallId" in part]
    assert [(each["isError"], each["content"]) for each in results] == [
        (True, "no"),
        (False, "text"),
        (False, "seen"),
    ]


@pytest.mark.parametrize("data", [{"history": []}, {"messages": 1}, "7", "nothing"])
def test_what_is_not_a_session_is_refused(data: Any) -> None:
    with pytest.raises(ReadError):
        formats.read(_FORMAT, data)


_DOCUMENTS: list[Any] = [
    [HEAD, record("u1", "user", [{"text": "a"}], displayContent="A"), ANSWER, {"$rewindTo": "a1"}],
    {**HEAD, "messages": [ANSWER, record("i1", "info", "b"), record("u2", "user", "/c")]},
    record("u1", "user", "a"),
    [{"$set": {"messages": [record("u1", "user", "a")], "summary": "s"}}, {"$set": {"x": 1}}],
]


@pytest.mark.parametrize("document", _DOCUMENTS)
def test_nothing_is_lost_in_silence(document: Any) -> None:
    leaf_law(_FORMAT, document)
    losses_are_real(_FORMAT, document)


@pytest.mark.parametrize("document", _DOCUMENTS)
def test_junk_in_any_place_is_read_or_refused(document: Any) -> None:
    survives(_FORMAT, document)


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(_FORMAT, lambda odd: [record("u1", "user", odd)])
