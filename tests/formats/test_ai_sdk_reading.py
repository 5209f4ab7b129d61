"""AI SDK histories as messages: samples as the SDK reads them, and nothing lost in silence."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.errors import PartwireError
from partwire.providers import encode_request
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.ai_sdk_documents import MODEL_MESSAGES, STORED, UI_MESSAGES
from tests.formats.laws import leaf_law, read_given
from tests.strategies import json_values

_OWN = {**UI_MESSAGES, **STORED, **MODEL_MESSAGES}
_HISTORIES = [name for name in samples.ids("ai-sdk") if not name.startswith("ai-sdk/stream-")]


def _messages(document: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = msgspec.to_builtins(read_given("ai-sdk", document).messages)
    return made


def _ours(document: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for message in _messages(document):
        for part in message["parts"]:
            said, kind, role = part["payload"], part["kind"], message["role"]
            if kind in ("text", "thinking"):
                found.append((role, kind, said["text"]))
            elif kind in ("tool_call", "server_tool_call"):
                found.append(
                    (role, "call", said["toolCallId"], said["toolName"], said["arguments"])
                )
            elif kind in ("tool_result", "server_tool_result"):
                value = said.get("structured", said["content"])
                found.append((role, "result", said["toolCallId"], said["isError"], value))
            elif kind == "approval_request":
                found.append((role, "asked", said["approvalId"]))
            elif kind == "approval_response":
                found.append((role, "answered", said["approvalId"], said["decision"] == "approved"))
            else:
                found.append((role, "file"))
    return found


def _theirs(model_messages: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for message in model_messages:
        content, role = message["content"], message["role"]
        blocks: list[Any] = (
            [{"type": "text", "text": content}] if isinstance(content, str) else content
        )
        for block in blocks:
            kind = block["type"]
            if kind in ("text", "reasoning"):
                found.append((role, "text" if kind == "text" else "thinking", block["text"]))
            elif kind == "tool-call":
                given_input = block["input"]
                if isinstance(given_input, str):  # model messages of tests have text here
                    given_input = json.loads(given_input)
                found.append((role, "call", block["toolCallId"], block["toolName"], given_input))
            elif kind == "tool-result":
                output = block["output"]
                is_error = output["type"] in ("error-text", "error-json", "execution-denied")
                value = output.get("value", output.get("reason"))
                found.append((role, "result", block["toolCallId"], is_error, value))
            elif kind == "tool-approval-request":
                found.append((role, "asked", block["approvalId"]))
            elif kind == "tool-approval-response":
                found.append((role, "answered", block["approvalId"], block["approved"]))
            else:
                found.append((role, "file" if kind in ("file", "image") else kind))
    return found


def test_samples_agree_with_the_sdk() -> None:
    agreement = Agreement("ai-sdk")
    for name in _HISTORIES:
        sample = samples.load(name)
        theirs = _theirs(sample.expected.get("modelMessages") or _given_models(sample))
        agreement.sample(name, _ours(sample.document), theirs, _of_the_sdk)
    agreement.check()


def _of_the_sdk(ours: Any, theirs: Any) -> str | None:
    """Name what the SDK says for the model, and messages do not."""
    if ours is not None:
        return None
    is_denied = theirs[1] == "result" and theirs[3]
    return "denied" if is_denied else str(theirs[1])


def _given_models(sample: samples.Sample) -> list[dict[str, Any]]:
    return sample.document if "/model-" in sample.name else []


@pytest.mark.parametrize("name", _HISTORIES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law("ai-sdk", samples.load(name).document)


@pytest.mark.parametrize("name", list(_OWN))
def test_nothing_is_lost_in_silence(name: str) -> None:
    leaf_law("ai-sdk", _OWN[name])


@pytest.mark.parametrize("name", list(_OWN))
def test_what_is_read_is_a_history_that_can_be_sent(name: str) -> None:
    messages = read_given("ai-sdk", _OWN[name]).messages
    for provider in ("anthropic-messages", "openai-responses", "gemini", "bedrock-converse"):
        encode_request(provider, messages, config={"provider": provider, "modelId": "m"})


def test_steps_become_messages_with_their_results() -> None:
    made = _messages(UI_MESSAGES["steps"])
    assert [message["role"] for message in made] == ["assistant", "tool", "assistant"]
    assert made[0]["messageId"] == "m-9"
    assert "messageId" not in made[2]
    assert made[0]["meta"]["ai-sdk"] == {"metadata": {"seconds": 3}}
    results = {part["payload"]["toolCallId"]: part["payload"] for part in made[1]["parts"]}
    assert results["call-9"]["content"] == {"rain": True}
    assert results["call-8"]["structured"] == [1, "two", None]
    assert results["call-6"] == {
        "toolCallId": "call-6",
        "isError": True,
        "content": "It broke",
        "outcome": "error",
    }
    raw = made[0]["parts"][-1]["payload"]
    assert (raw["arguments"], raw["rawArgsText"]) == ({}, '{"a": tr')
    sources = [each["source"] for each in made[2]["parts"][0]["payload"]["citations"]]
    assert sources == [
        {"kind": "url", "id": "s-1", "url": "https://a.example", "title": "A"},
        {"kind": "document", "id": "s-2", "title": "B"},
    ]


def test_approvals_are_parts() -> None:
    asked, answered = _messages(UI_MESSAGES["approvals"])
    assert [part["kind"] for part in asked["parts"]] == ["tool_call", "approval_request"] * 5
    kinds = [(part["kind"], part["payload"]["toolCallId"]) for part in answered["parts"]]
    assert kinds == [
        ("approval_response", "c-2"),
        ("approval_response", "c-3"),
        ("tool_result", "c-3"),
        ("approval_response", "c-4"),
        ("tool_result", "c-4"),
        ("approval_response", "c-5"),
        ("tool_result", "c-5"),
    ]
    denied = answered["parts"][2]["payload"]
    assert (denied["outcome"], denied["content"], denied["isError"]) == ("denied", "Never", True)


def test_state_goes_back_to_its_provider() -> None:
    messages = read_given("ai-sdk", UI_MESSAGES["state"]).messages
    bodies = {
        provider: json.dumps(
            encode_request(provider, messages, config={"provider": provider, "modelId": "m"}).body
        )
        for provider in ("anthropic-messages", "openai-responses", "gemini", "bedrock-converse")
    }
    for kept in ('"signature": "sig-9"', '"data": "r-9"'):
        assert kept in bodies["anthropic-messages"]
    for kept in (
        "rs-9",
        "enc",
        '"text": "One"',
        '"text": "Two"',
        "msg-9",
        '"phase": "final"',
        "fc-1",
    ):
        assert kept in bodies["openai-responses"]
    for kept in ("ts-9", "ts-8"):
        assert kept in bodies["gemini"]
    assert "b-9" in bodies["bedrock-converse"]


def test_a_search_goes_back_to_anthropic() -> None:
    messages = read_given("ai-sdk", UI_MESSAGES["searches"]).messages
    config = {"provider": "anthropic-messages", "modelId": "m"}
    body = encode_request("anthropic-messages", messages, config=config).body
    call, result, _ = body["messages"][0]["content"]
    assert call == {
        "type": "server_tool_use",
        "id": "srvtoolu_9",
        "name": "web_search",
        "input": {"query": "x"},
    }
    assert result["content"][0]["encrypted_content"] == "sealed-9"


def test_what_was_still_coming_is_incomplete() -> None:
    message = _messages(UI_MESSAGES["what has no place"])[-1]
    incomplete = {"ending": "truncated", "openToolCallIds": ["c-1"]}
    assert message["meta"]["incomplete"] == incomplete


@given(st.lists(st.dictionaries(st.sampled_from(["role", "parts", "content", "id"]), json_values)))
def test_hostile_documents_are_refused_or_reported(document: Any) -> None:
    _read_or_refuse(document)


_PARTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            [p["type"] for ms in UI_MESSAGES.values() for m in ms for p in m["parts"]]
        )
    },
    optional={
        name: json_values | st.sampled_from(["output-available", "approval-responded", "c"])
        for name in (
            "text",
            "state",
            "input",
            "output",
            "toolCallId",
            "approval",
            "url",
            "mediaType",
            "providerMetadata",
            "callProviderMetadata",
            "errorText",
            "sourceId",
            "providerExecuted",
        )
    },
)


@given(st.lists(_PARTS, max_size=5))
def test_hostile_parts_are_refused_or_reported(parts: list[Any]) -> None:
    _read_or_refuse([{"role": "assistant", "parts": parts}])


def _read_or_refuse(document: Any) -> None:
    with suppress(PartwireError):
        formats.read("ai-sdk", document)


@pytest.mark.parametrize("name", [n for n in _OWN if n != "what has no place"])
def test_histories_are_known_by_what_they_show(name: str) -> None:
    assert [each.format for each in formats.sniff(_OWN[name])] == ["ai-sdk"]
