"""Histories that providers refuse, or should: what their request bodies say instead.

Ids such as TCI-19 name entries of the failure catalogue.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import to_wire
from partwire.contract.current.message import Message
from partwire.providers.requests import EncodedRequest, encode_request
from tests.providers.chat_chunks import call as chat_call
from tests.providers.chat_chunks import calls, chunk, finished
from tests.providers.provider_streams import RUN, Ran, assembled, run_events

CLAUDE, CHAT = "anthropic-messages", "openai-chat"
BOTH = pytest.mark.parametrize("dialect", [CLAUDE, CHAT])
THEN = "2026-01-02T03:04:05Z"

Json = dict[str, Any]


def message(role: str, *parts: Json, **meta: Any) -> Json:
    body = {"runId": RUN, "role": role, "timestamp": THEN, "parts": list(parts)}
    return {**body, "meta": meta} if meta else body


def text(value: str) -> Json:
    return {"kind": "text", "payload": {"text": value}}


def thinking(value: str) -> Json:
    return {"kind": "thinking", "payload": {"text": value}}


def call(call_id: str, name: str = "f", **more: Any) -> Json:
    payload = {"toolCallId": call_id, "toolName": name, "arguments": {}, **more}
    return {"kind": "tool_call", "payload": payload}


def result(call_id: str, value: str = "1", *, is_error: bool = False) -> Json:
    content = [text(value)] if value else []
    payload = {"toolCallId": call_id, "isError": is_error, "content": content}
    return {"kind": "tool_result", "payload": payload}


ASK, MORE = message("user", text("go")), message("user", text("more"))


def sent(dialect: str, *messages: Any) -> EncodedRequest:
    return encode_request(dialect, messages, config={"modelId": "m", "max_tokens": 9})


def rules(encoded: EncodedRequest) -> list[tuple[str, str]]:
    """Return rules and pointers of the findings about messages."""
    found = [(finding.rule, finding.pointer) for finding in encoded.findings]
    return [each for each in found if each[1].startswith("/messages")]


def answers(encoded: EncodedRequest) -> list[Json]:
    """Return the assistant's messages of a body."""
    return [each for each in encoded.body["messages"] if each["role"] == "assistant"]


def call_ids(encoded: EncodedRequest) -> tuple[list[str], list[str]]:
    """Return the ids of calls and those of results, in order, for either dialect."""
    made: list[str] = []
    answered: list[str] = []
    for each in encoded.body["messages"]:
        made += [entry["id"] for entry in each.get("tool_calls", ())]
        if "tool_call_id" in each:
            answered.append(each["tool_call_id"])
        for block in each["content"] if isinstance(each["content"], list) else ():
            made += [block["id"]] if block["type"] == "tool_use" else []
            answered += [block["tool_use_id"]] if block["type"] == "tool_result" else []
    return made, answered


def completed(ran: Ran) -> Message:
    """Return the message of a stream with the provider's state."""
    return assembled(ran.deltas)


# --- ids and names -------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("odd", ["tools.note:0", "call|fc_1", "x" * 94, "a b"])
def test_ids_of_another_provider_are_renamed_in_pairs(dialect: str, odd: str) -> None:
    """TCI-19: always the same way, and never two to one id."""
    turns = [message("assistant", call(odd), call(f"{odd}!")), message("tool", result(odd))]
    history = [ASK, *turns, message("tool", result(f"{odd}!"))]
    first = sent(dialect, *history)
    made, answered = call_ids(first)
    assert made == answered
    assert len(set(made)) == 2
    assert all(len(each) <= 64 for each in made)
    if dialect == CLAUDE:
        assert all(each.replace("-", "").replace("_", "").isalnum() for each in made)
    again = sent(dialect, *history, message("assistant", text("ok")), MORE)
    assert call_ids(again) == (made, answered)


@BOTH
def test_a_tool_name_that_no_provider_takes_is_sent_in_another_form(dialect: str) -> None:
    """TCI-20: the record keeps the model's own word, the request does not break on it."""
    turn = message("assistant", call("t", "do it!"))
    encoded = sent(dialect, ASK, turn, message("tool", result("t", "no such tool", is_error=True)))
    assert rules(encoded) == [("encode/renamed-tool", "/messages/1/parts/0/payload/toolName")]
    (answer,) = answers(encoded)
    name = (
        answer["content"][0]["name"]
        if dialect == CLAUDE
        else answer["tool_calls"][0]["function"]["name"]
    )
    assert name.replace("_", "").isalnum()
    assert turn["parts"][0]["payload"]["toolName"] == "do it!"


# --- arguments -----------------------------------------------------------------------------------


@BOTH
def test_arguments_that_were_no_json_do_not_break_the_next_request(dialect: str) -> None:
    """ARG-21: an object where the provider wants an object, the model's text where it has text."""
    raw = '{"town":"Oslo'
    errors = [{"toolCallId": "t", "error": "invalid_json"}]
    turn = message("assistant", call("t", rawArgsText=raw), toolCallParseErrors=errors)
    encoded = sent(dialect, ASK, turn, message("tool", result("t", "no JSON", is_error=True)))
    (answer,) = answers(encoded)
    if dialect == CLAUDE:
        assert answer["content"][0]["input"] == {}
        assert [rule for rule, _ in rules(encoded)] == ["encode/arguments-lost"]
    else:
        assert answer["tool_calls"][0]["function"]["arguments"] == raw


# --- thinking and its signatures -----------------------------------------------------------------


def _block(index: int, block: Json, *pieces: Json) -> list[Json]:
    begin = {"type": "content_block_start", "index": index, "content_block": block}
    deltas = [{"type": "content_block_delta", "index": index, "delta": each} for each in pieces]
    return [begin, *deltas, {"type": "content_block_stop", "index": index}]


def _thought(index: int, words: str, *signature: str) -> list[Json]:
    pieces: list[Json] = [{"type": "thinking_delta", "thinking": words}] if words else []
    pieces += [{"type": "signature_delta", "signature": each} for each in signature]
    return _block(index, {"type": "thinking", "thinking": "", "signature": ""}, *pieces)


def _claude(*blocks: list[Json], reason: str | None = "tool_use") -> Ran:
    events = [{"type": "message_start", "message": {"id": "m", "model": "x"}}]
    events += [event for block in blocks for event in block]
    if reason:
        events += [{"type": "message_delta", "delta": {"stop_reason": reason}}]
        events += [{"type": "message_stop"}]
    return run_events(CLAUDE, events)


def _tool(index: int, call_id: str) -> list[Json]:
    return _block(index, {"type": "tool_use", "id": call_id, "name": "f", "input": {}})


def test_signed_thinking_goes_back_as_it_came_and_where_it_came() -> None:
    """BLK-03, BLK-04, BLK-06: between the calls, each block with its own whole signature."""
    first, second = _thought(0, "one", "c2", "ln"), _thought(2, "two", "Mg==")
    ran = _claude(first, _tool(1, "a"), second, _tool(3, "b"))
    encoded = sent(CLAUDE, ASK, completed(ran), message("tool", result("a"), result("b")))
    (answer,) = answers(encoded)
    assert answer["content"] == [
        {"type": "thinking", "thinking": "one", "signature": "c2ln"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "thinking", "thinking": "two", "signature": "Mg=="},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}},
    ]
    assert rules(encoded) == []


def test_thinking_without_text_goes_back_for_its_signature() -> None:
    """BLK-05: without words is not without content."""
    ran = _claude(_thought(0, "", "c2ln"), _block(1, {"type": "text", "text": "Hi"}))
    (answer,) = answers(sent(CLAUDE, ASK, completed(ran), MORE))
    assert answer["content"] == [
        {"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "text", "text": "Hi"},
    ]


def test_thinking_cut_before_its_signature_is_not_sent_back() -> None:
    """BLK-04: what arrived is kept, and the next request does not claim that it was signed."""
    ran = _claude(_thought(0, "half a pl"), reason=None)
    stored = completed(ran)
    assert to_wire(stored)["parts"] == [thinking("half a pl")]
    encoded = sent(CLAUDE, ASK, stored, MORE)
    assert answers(encoded) == []
    assert [rule for rule, _ in rules(encoded)] == [
        "encode/thinking-left-out",
        "encode/empty-message",
    ]


def test_state_of_another_dialect_is_left_out_and_said() -> None:
    """BLK-13: a signature holds for the provider that made it."""
    ran = _claude(_thought(0, "a", "c2ln"), _block(1, {"type": "text", "text": "Hi"}))
    encoded = sent(CHAT, ASK, completed(ran), MORE)
    assert answers(encoded) == [{"role": "assistant", "content": "Hi"}]
    assert [rule for rule, _ in rules(encoded)] == [
        "encode/foreign-state",
        "encode/thinking-left-out",
    ]


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning"])
def test_reasoning_goes_back_under_the_name_it_came_with(member: str) -> None:
    """BLK-12: vendors of the chat dialect want it beside the calls of the turn."""
    ran = finished(chunk({member: "plan"}), calls(chat_call(0, "t", "f", "{}")))
    (answer,) = answers(sent(CHAT, ASK, completed(ran), message("tool", result("t"))))
    assert answer[member] == "plan"
    assert [entry["id"] for entry in answer["tool_calls"]] == ["t"]


# --- messages without content --------------------------------------------------------------------


@BOTH
def test_a_message_of_unsigned_thinking_alone_is_left_out_whole(dialect: str) -> None:
    """BLK-14: an empty message would be refused."""
    encoded = sent(dialect, ASK, message("assistant", thinking("hm")), MORE)
    assert answers(encoded) == []
    assert [rule for rule, _ in rules(encoded)] == [
        "encode/thinking-left-out",
        "encode/empty-message",
    ]


@BOTH
@pytest.mark.parametrize("parts", [[], [text("")]], ids=["no parts", "empty text"])
def test_an_empty_turn_is_sent_without_filler(dialect: str, parts: list[Json]) -> None:
    """BLK-15: it is left out of the request; the record stays as it is."""
    history = [ASK, message("assistant", *parts), MORE]
    before = json.dumps(history)
    encoded = sent(dialect, *history)
    assert answers(encoded) == []
    assert rules(encoded) == [("encode/empty-message", "/messages/1")]
    assert json.dumps(history) == before


def test_an_empty_result_has_no_empty_text() -> None:
    """BLK-15: a silent tool has answered all the same."""
    history = [ASK, message("assistant", call("t")), message("tool", result("t", ""))]
    block = sent(CLAUDE, *history).body["messages"][-1]["content"][0]
    assert block == {"type": "tool_result", "tool_use_id": "t"}


def test_white_space_alone_is_not_sent_where_it_is_refused() -> None:
    """BLK-16: and it is sent as it is where it is taken."""
    history = [ASK, message("assistant", text("\n\n")), MORE]
    encoded = sent(CLAUDE, *history)
    assert answers(encoded) == []
    assert [rule for rule, _ in rules(encoded)] == ["encode/empty-text", "encode/empty-message"]
    assert answers(sent(CHAT, *history)) == [{"role": "assistant", "content": "\n\n"}]


def test_calls_of_two_answers_with_one_id_stay_apart() -> None:
    """TCI-06, TCI-07: ids that a server repeats are distinguished, and go back in pairs."""
    first = finished(calls(chat_call(0, "call_0", "ls", "{}")))
    again = calls(chat_call(0, "call_0", "cat", "{}"))
    second = completed(finished(again, used_tool_call_ids=frozenset({"call_0"})))
    minted = second.parts[0].payload.tool_call_id  # type: ignore[union-attr]
    assert minted != "call_0"
    history = [ASK, completed(first), message("tool", result("call_0"))]
    made, answered = call_ids(sent(CHAT, *history, second, message("tool", result(minted))))
    assert made == answered
    assert len(set(made)) == 2
