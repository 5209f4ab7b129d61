"""LangChain histories as messages: samples as LangChain reads them, and nothing lost in silence."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.errors import PartwireError, ReadError
from partwire.providers import encode_request
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.langchain_documents import ENVELOPES, HISTORIES, LOSSY
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives, wire
from tests.strategies import json_values

Json = dict[str, Any]
Item = tuple[Any, ...]

_OWN = {**HISTORIES, **LOSSY}
_HISTORIES = [name for name in samples.ids("langchain") if "/langgraph-stream" not in name]
_PROVIDERS = ("anthropic-messages", "openai-responses", "gemini", "bedrock-converse")


# --- as LangChain reads them ----------------------------------------------------------------------


def _ours(document: Any) -> list[Item]:
    found: list[Item] = []
    for message in wire(read_given("langchain", document)):
        found.append(())
        for part in message["parts"]:
            payload, kind, role = part["payload"], part["kind"], message["role"]
            if kind in ("text", "thinking") and payload["text"]:
                found.append((role, kind, payload["text"]))
            elif kind in ("tool_call", "server_tool_call"):
                found.append((role, kind, payload["toolName"], payload["arguments"]))
            elif kind == "tool_result":
                text = payload["content"]
                if isinstance(text, list):
                    text = "".join(each["payload"]["text"] for each in text)
                found.append(("tool", payload["toolCallId"], payload["isError"], text))
            elif kind == "server_tool_result":
                found.append((role, kind, payload["toolCallId"], payload["isError"]))
            elif kind in ("image", "file_ref", "media"):
                found.append((role, "media"))
    return found


_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "chat": "user"}


def _theirs(messages: list[Json]) -> list[Item]:
    found: list[Item] = []
    for message in messages:
        found.append(())
        kind = message["type"].removesuffix("MessageChunk").lower()
        role = _ROLES.get(kind, kind)
        if role == "tool":
            is_error = message["status"] == "error"
            found.append((role, message["toolCallId"], is_error, message["text"]))
            continue
        if role == "function":
            found.append(("tool", "call_1", False, message["text"]))
            continue
        for block in message["blocks"]:
            kind = block["type"]
            if kind in ("text", "reasoning") and block.get(kind):
                found.append((role, "text" if kind == "text" else "thinking", block[kind]))
            elif kind in ("tool_call", "server_tool_call"):
                name = {"code_interpreter": "code_execution"}.get(block["name"], block["name"])
                found.append((role, kind, name, block["args"]))
            elif kind == "tool_call_chunk":
                arguments = json.loads(block["args"]) if block["args"] and block["name"] else {}
                found.append((role, "tool_call", block["name"], arguments))
            elif kind == "server_tool_result":
                is_error = block["status"] == "error"
                found.append((role, kind, block["tool_call_id"], is_error))
            elif kind in ("image", "audio", "video", "file"):
                found.append((role, "media"))
    return found


def _joined(items: list[Item]) -> list[Item]:
    """Join texts that follow each other: a summary in pieces is one reasoning of ours."""
    found: list[Item] = []
    for item in items:
        if item and item[:2] == found[-1][:2] and item[1] in ("text", "thinking"):
            found[-1] = (*item[:2], found[-1][2] + item[2])
        else:
            found.append(item)
    return [item for item in found if item]


def test_samples_agree_with_langchain() -> None:
    agreement = Agreement("langchain")
    for name in _HISTORIES:
        sample = samples.load(name)
        ours, theirs = (
            _joined(_ours(sample.document)),
            _joined(_theirs(sample.expected["messages"])),
        )
        agreement.sample(name, ours, theirs, _otherwise)
    agreement.check()


def _otherwise(ours: Item | None, theirs: Item | None) -> str | None:
    if theirs is None:
        return "call" if ours and ours[1] == "tool_call" else None
    if theirs[1] == "tool_call" and not theirs[2]:
        return "chunk"
    return "media" if theirs[1] == "media" else None


@pytest.mark.parametrize("name", _HISTORIES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    document = samples.load(name).document
    leaf_law("langchain", document)
    losses_are_real("langchain", document)


# --- own histories --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*_OWN, *ENVELOPES])
def test_nothing_is_lost_in_silence(name: str) -> None:
    document = _OWN[name] if name in _OWN else ENVELOPES[name]
    leaf_law("langchain", document)
    losses_are_real("langchain", document)


@pytest.mark.parametrize("name", list(HISTORIES))
def test_histories_lose_nothing(name: str) -> None:
    losses = read_given("langchain", HISTORIES[name]).losses
    assert [loss for loss in losses if loss.severity == "lossy"] == [
        loss for loss in losses if loss.code == "call-id-invented" and loss.severity == "lossy"
    ]


@pytest.mark.parametrize("name", list(ENVELOPES))
def test_envelopes_say_the_same(name: str) -> None:
    (message,) = wire(read_given("langchain", ENVELOPES[name]))
    assert message["parts"] == [{"kind": "text", "payload": {"text": "Rain?"}}]
    assert (message["role"], message["messageId"]) == ("user", "m-1")


def test_short_forms_are_messages() -> None:
    document = [
        "Rain?",
        ["ai", "No"],
        {"role": "developer", "content": "Be brief"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c-1", "type": "function", "function": {"name": "a", "arguments": '{"b":1}'}}
            ],
        },
        {"role": "tool", "content": "c", "tool_call_id": "c-1"},
    ]
    made = wire(read_given("langchain", document))
    assert [each["role"] for each in made] == ["user", "assistant", "system", "assistant", "tool"]
    assert made[2]["meta"]["langchain"]["additional_kwargs"] == {"__openai_role__": "developer"}
    (call,) = made[3]["parts"]
    assert (call["payload"]["toolName"], call["payload"]["arguments"]) == ("a", {"b": 1})


def test_what_an_answer_says_of_itself_is_meta() -> None:
    first, second = wire(read_given("langchain", HISTORIES["what an answer says of itself"]))
    meta = first["meta"]
    own = meta.pop("langchain")
    assert meta == {
        "modelId": "m-9",
        "requestId": "req-9",
        "providerFinishReason": "length",
        "finishReason": "length",
        "usage": {
            "inputTokens": 12,
            "outputTokens": 7,
            "totalTokens": 19,
            "cacheReadTokens": 4,
            "cacheWriteTokens": 2,
            "reasoningTokens": 3,
        },
    }
    assert own["usage_metadata"] == {"input_token_details": {"audio": 1}}
    assert own["additional_kwargs"] == {"tone": "dry"}
    assert second["meta"]["finishReason"] == "stop"
    assert [part["kind"] for part in first["parts"]] == ["thinking", "text"]


def test_calls_that_are_said_twice_are_one() -> None:
    result = read_given("langchain", HISTORIES["calls"])
    made = wire(result)
    kinds = [[part["kind"] for part in message["parts"]] for message in made]
    assert kinds[0] == ["text", "tool_call", "tool_call"]
    assert [loss.code for loss in result.losses].count("duplicate-text") == 1
    assert made[2]["parts"][0]["payload"]["structured"] == {"zone": ["CET", 1]}
    assert made[2]["parts"][0]["payload"]["isError"] is True
    raw = [part["payload"].get("rawArgsText") for part in made[3]["parts"]]
    assert raw == [None, '{"a": ', "x"]


def test_results_that_say_nothing_of_themselves_are_one_message() -> None:
    said = {"type": "tool", "content": "x"}
    document = [{**said, "tool_call_id": name} for name in ("a", "b", "a")]
    made = wire(read_given("langchain", document))
    assert [len(each["parts"]) for each in made] == [2, 1]


def test_a_function_call_is_answered_by_name() -> None:
    made = wire(read_given("langchain", HISTORIES["calls as they were once"]))
    call, result = made[0]["parts"][1]["payload"], made[1]["parts"][0]["payload"]
    assert call["arguments"] == {"at": "it"}
    assert result["toolCallId"] == call["toolCallId"]


_STATES = {
    "state of standard blocks": {
        "anthropic-messages": ['"signature": "sig-1"'],
        "openai-responses": ["rs-1", "enc-1", "msg_1", '"phase": "final"', "fc-1"],
        "gemini": ["ts-1", "ts-2"],
    },
    "Anthropic's blocks": {
        "anthropic-messages": [
            '"signature": "sig-1"',
            '"data": "sealed"',
            '"encrypted_index": "e-1"',
            '"input": {"city": "Oslo"}',
            "srvtoolu_1",
        ]
    },
    "Responses' items": {
        "openai-responses": ["rs-1", "enc-1", "msg_1", "final_answer", "fc-1", "rs-2", "fc-2"]
    },
    "Gemini's and Converse's blocks": {
        "gemini": ["ts-1", "ts-2"],
        "bedrock-converse": ['"signature": "sig-1"'],
    },
}


@pytest.mark.parametrize("name", list(_STATES))
def test_state_goes_back_to_its_provider(name: str) -> None:
    messages = read_given("langchain", HISTORIES[name]).messages
    for provider, wanted in _STATES[name].items():
        config = {"provider": provider, "modelId": "m"}
        body = json.dumps(encode_request(provider, messages, config=config).body)
        assert [each for each in wanted if each not in body] == []


@pytest.mark.parametrize("name", list(_OWN))
def test_what_is_read_is_a_history_that_can_be_sent(name: str) -> None:
    messages = read_given("langchain", _OWN[name]).messages
    for provider in _PROVIDERS:
        encode_request(provider, messages, config={"provider": provider, "modelId": "m"})


# --- hostile input --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*_OWN, *ENVELOPES])
def test_documents_with_junk_are_read_or_refused(name: str) -> None:
    survives("langchain", _OWN[name] if name in _OWN else ENVELOPES[name])


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json("langchain", lambda odd: [{"type": "human", "content": odd}])


@pytest.mark.parametrize(
    "document",
    [5, "text", None, {"messages": {}}, [5], [["a"]], [{"type": "odd"}], [{"lc": 1, "id": ["x"]}]],
)
def test_other_documents_are_refused(document: Any) -> None:
    with pytest.raises(ReadError):
        formats.read("langchain", document if document != "text" else '"text"')


_MEMBERS = ("content", "tool_calls", "invalid_tool_calls", "additional_kwargs", "name", "id")
_TYPES = sorted({m["type"] for h in _OWN.values() for m in h if isinstance(m, dict)})
_BLOCKS = [
    block
    for history in _OWN.values()
    for message in history
    if isinstance(message.get("content"), list)
    for block in message["content"]
]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(_TYPES)},
            optional={
                **dict.fromkeys(_MEMBERS, json_values),
                "response_metadata": json_values
                | st.fixed_dictionaries(
                    {"model_provider": st.sampled_from(["anthropic", "openai", "google_genai"])}
                ),
            },
        ),
        max_size=3,
    )
)
def test_hostile_messages_are_refused_or_reported(document: Any) -> None:
    with suppress(PartwireError):
        formats.read("langchain", document)


@given(
    st.lists(st.sampled_from(_BLOCKS), max_size=6),
    st.sampled_from(["human", "ai", "tool", "system"]),
    st.sampled_from(["anthropic", "openai", "google_genai", "bedrock_converse", "x"]),
)
def test_blocks_in_any_order_are_read(blocks: list[Any], kind: str, provider: str) -> None:
    message = {"type": kind, "content": blocks, "tool_call_id": "c-1", "role": "x"}
    formats.read("langchain", [{**message, "response_metadata": {"model_provider": provider}}])


@pytest.mark.parametrize("name", [*HISTORIES, *(n for n in ENVELOPES if n != "a role")])
def test_histories_are_known_by_what_they_show(name: str) -> None:
    document = HISTORIES[name] if name in HISTORIES else ENVELOPES[name]
    assert [each.format for each in formats.sniff(document)] == ["langchain"]
