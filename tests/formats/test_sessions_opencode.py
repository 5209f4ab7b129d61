"""Sessions of opencode: messages with parts, of which an answer is cut at its steps."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from partwire import formats, to_wire
from partwire.errors import ReadError
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.sessions import payloads, roles, texts

_FORMAT = "opencode"
Json = dict[str, Any]


def message(role: str, *parts: Json, **info: Any) -> Json:
    head = {"id": f"msg_{role}", "sessionID": "ses_1", "role": role}
    made = [{"id": f"prt_{n}", **part} for n, part in enumerate(parts)]
    return {"info": {**head, "time": {"created": 1767323045000}, **info}, "parts": made}


def text(said: str, **members: Any) -> Json:
    return {"type": "text", "text": said, **members}


def tool(own: str, status: str, **state: Any) -> Json:
    state = {"status": status, "input": {"a": 1}, **state}
    return {"type": "tool", "callID": own, "tool": "read", "state": state}


def codes(result: formats.FormatResult) -> list[tuple[str, str]]:
    return [(loss.pointer, loss.code) for loss in result.losses]


def read(*messages: Any) -> formats.FormatResult:
    return formats.read(_FORMAT, list(messages))


STEP = {"type": "step-start", "snapshot": "s"}


def test_an_answer_is_cut_at_its_steps() -> None:
    answer = message(
        "assistant",
        STEP,
        {"type": "reasoning", "text": "Hm.", "metadata": {"anthropic": {"signature": "c2ln"}}},
        tool("call_1", "completed", output="done", title="Read"),
        text("I look."),
        {"type": "step-finish", "cost": 1},
        STEP,
        text("Done."),
        modelID="m-1",
        finish="stop",
        time={"created": 1767323045000, "completed": 1767323046000},
    )
    read_ = read(message("user", text("look")), answer)
    assert roles(read_) == ["user", "assistant", "tool", "assistant"]
    assert texts(read_.messages) == ["look", "Hm.", "call_1", "I look.", "call_1", "Done."]
    assert not read_.losses
    first, last = to_wire(read_.messages[1]), to_wire(read_.messages[3])
    assert first["parts"][0]["payload"]["opaque"]["provider"] == "anthropic-messages"
    assert (first["runId"], first["timestamp"]) == ("ses_1", "2026-01-02T03:04:05Z")
    assert last["meta"] == {
        "modelId": "m-1",
        "finishReason": "stop",
        "providerFinishReason": "stop",
    }
    kept = first["meta"]["opencode"]
    assert kept["info"]["time"] == {"completed": 1767323046000}
    assert kept["parts"][2]["state"] == {"title": "Read"}


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ({"input": 10, "output": 5, "reasoning": 20}, (5110, 25, 20)),
        ({"input": 10, "output": 25, "reasoning": 20}, (5110, 25, 20)),
        ({"input": 10, "output": 25, "reasoning": 20, "total": 5155}, (5110, 45, 20)),
        ({"input": 10, "output": 25, "reasoning": 20, "total": 5135}, (5110, 25, 20)),
    ],
)
def test_tokens_are_disjoint_there(tokens: Json, expected: tuple[int, int, int]) -> None:
    given = {**tokens, "cache": {"read": 5000, "write": 100}}
    usage = to_wire(read(message("assistant", text("a"), tokens=given)).messages[0])["meta"][
        "usage"
    ]
    found = (usage["inputTokens"], usage["outputTokens"], usage["reasoningTokens"])
    assert found == expected
    assert (usage["cacheReadTokens"], usage["cacheWriteTokens"]) == (5000, 100)
    assert usage["totalTokens"] == expected[0] + expected[1]


@pytest.mark.parametrize(
    "tokens", [None, 1, {"input": 1}, {"input": 0, "output": 0}, {"input": -1}]
)
def test_tokens_that_say_nothing_are_passed_over(tokens: Any) -> None:
    meta = to_wire(read(message("assistant", text("a"), tokens=tokens)).messages[0])["meta"]
    assert "usage" not in meta


def test_calls_by_their_state() -> None:
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"}
    read_ = read(
        message(
            "assistant",
            tool("call_1", "error", error="no"),
            tool("call_2", "error", error={"name": "Denied"}),
            tool("call_3", "running"),
            tool("call_4", "pending", input={}, raw='{"a'),
            tool("call_1", "completed", output="seen", attachments=[image, 7]),
        )
    )
    assert roles(read_) == ["assistant", "tool"]
    calls, results = payloads(read_)
    assert [each["toolCallId"] for each in calls] == ["call_1", "call_2", "call_3", "call_1_2"]
    assert [(each["toolCallId"], each["isError"]) for each in results] == [
        ("call_1", True),
        ("call_2", True),
        ("call_1_2", False),
    ]
    assert results[1]["content"] == '{"name":"Denied"}'
    assert [part["kind"] for part in results[2]["content"]] == ["text", "image"]
    assert codes(read_) == [
        ("/0/parts/3", "open-call"),
        ("/0/parts/4/state/attachments/1", "foreign-part"),
    ]


def test_files_and_what_is_not_for_the_model() -> None:
    files = [
        {"type": "file", "mime": "text/plain", "url": "file:///w/a%20b.txt", "filename": "a b.txt"},
        {"type": "file", "mime": "image/png", "url": "https://example.com/a.png"},
        {"type": "file", "mime": "application/pdf", "url": "data:application/pdf;base64,AAAA"},
    ]
    hidden = text("not for it", ignored=True)
    agent = {"type": "subtask", "prompt": "p"}
    read_ = read(message("user", *files, hidden, agent, text("made", synthetic=True)))
    kinds = [part["kind"] for part in to_wire(read_.messages[0])["parts"]]
    assert kinds == ["file_ref", "image", "media", "text"]
    assert payloads(read_)[0][0]["path"] == "/w/a b.txt"
    assert codes(read_) == [("/0/parts/3", "hidden"), ("/0/parts/4", "foreign-part")]


def test_an_export_is_its_messages() -> None:
    document = {"info": {"id": "ses_1"}, "messages": [message("user", text("a"))]}
    read_ = formats.read(_FORMAT, document)
    assert texts(read_.messages) == ["a"]
    assert codes(read_) == [("/info", "foreign-member")]
    assert texts(formats.read(_FORMAT, message("user", text("a"))).messages) == ["a"]


@pytest.mark.parametrize(
    "data", [7, [7], {}, [{"info": 1}], [{"info": {"role": "x"}}], {"messages": 1}]
)
def test_what_is_not_a_session_is_refused(data: Any) -> None:
    with pytest.raises(ReadError):
        formats.read(_FORMAT, data)


_DOCUMENT = {
    "info": {"id": "ses_1", "title": "t"},
    "messages": [
        message("user", text("a", synthetic=True), text("b", ignored=True)),
        message(
            "assistant",
            STEP,
            {"type": "reasoning", "text": "Hm.", "metadata": {"openai": {"itemId": "rs_1"}}},
            tool("call_1", "completed", output="x", metadata={"n": 1}),
            {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"},
            text("c", metadata={"other": 1}),
            modelID="m-1",
            providerID="p",
            tokens={"input": 1, "output": 2, "reasoning": 0, "cache": {"read": 3, "write": 0}},
            finish="tool-calls",
        ),
    ],
}


def test_nothing_is_lost_in_silence() -> None:
    leaf_law(_FORMAT, _DOCUMENT)
    losses_are_real(_FORMAT, _DOCUMENT)


def test_hostile_documents() -> None:
    survives(_FORMAT, _DOCUMENT)
    refuses_what_is_not_json(_FORMAT, lambda odd: [message("user", text("a", odd=odd))])
    assert read_given(_FORMAT, message("assistant")).messages


def test_one_id_for_all_calls_takes_time_in_proportion() -> None:
    count = 20_000  # one by one it would take minutes
    calls = [tool("c", "completed", input={}, output="x") for _ in range(count)]
    ids = [each["toolCallId"] for each in chain(*payloads(read(message("assistant", *calls))))]
    assert len(set(ids)) == count
    assert ids[:3] == ["c", "c_2", "c_3"]
