"""Messages as LangChain stores them: there and back, and what does not come back is reported."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire_testing import strategies
from tests.formats import samples
from tests.formats.langchain_documents import HISTORIES, LOSSY
from tests.formats.laws import read_given
from tests.formats.written import comes_back, comes_back_whole, plain

Json = dict[str, Any]

_OWN = {**HISTORIES, **LOSSY}
_HISTORIES = [name for name in samples.ids("langchain") if "/langgraph-stream" not in name]
_VERSIONS = ("messages_to_dict", "dumpd", "model_dump")


# --- law L2: messages → stored messages → messages ------------------------------------------------


def _both(messages: list[Json], version: str) -> None:
    comes_back("langchain", messages, version=version)
    comes_back_whole("langchain", messages, version=version)
    written = formats.write("langchain", messages, version=version, extensions=True)
    codes = {loss.code for loss in formats.read("langchain", written.document).losses}
    assert not {"run-id-invented", "timestamp-invented"} & codes


_drawn = st.lists(strategies.documents("message.Message"), max_size=4)


@given(_drawn, st.sampled_from(_VERSIONS))
def test_drawn_messages_come_back(messages: Any, version: str) -> None:
    _both(plain(messages), version)


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("name", [*_OWN, *_HISTORIES])
def test_histories_come_back(name: str, version: str) -> None:
    document = _OWN[name] if name in _OWN else samples.load(name).document
    _both(plain(read_given("langchain", document).messages), version)


# --- law L1: stored messages → messages → stored messages -----------------------------------------


@pytest.mark.parametrize("name", [*HISTORIES, *_HISTORIES])
def test_stored_messages_say_the_same_again(name: str) -> None:
    document = HISTORIES[name] if name in HISTORIES else samples.load(name).document
    messages = plain(read_given("langchain", document).messages)
    written = formats.write("langchain", messages)
    again = plain(read_given("langchain", written.document).messages)
    lossy = [loss for loss in written.losses if loss.code not in ("run-id", "timestamp")]
    if not lossy:
        assert again == messages
    assert {loss.code for loss in lossy} <= {"opaque", "citation", "meta", "result-outcome"}, lossy


_DEFAULTS: Json = {
    "additional_kwargs": {},
    "artifact": None,
    "id": None,
    "invalid_tool_calls": [],
    "name": None,
    "response_metadata": {},
    "status": "success",
    "tool_calls": [],
    "usage_metadata": None,
}


def _normal(message: Json) -> Json:
    """Return the data of a message without what says nothing."""
    data = message.get("data", message)
    return {n: v for n, v in data.items() if n not in _DEFAULTS or v not in (_DEFAULTS[n], None)}


_VERBATIM = (
    "texts",
    "calls as they were once",
    "roles",
    "a chunk that was stored",
    "what an answer says of itself",
)


@pytest.mark.parametrize("name", _VERBATIM)
def test_stored_messages_come_back_as_they_were(name: str) -> None:
    document = copy.deepcopy(HISTORIES[name])
    messages = read_given("langchain", document).messages
    written = formats.write("langchain", messages, version="model_dump").document
    if name == "texts":
        document[3]["content"][0] = {"type": "text", "text": "And "}
    assert [_normal(each) for each in written] == [_normal(each) for each in document]


def test_envelopes_are_versions() -> None:
    messages = read_given("langchain", HISTORIES["texts"]).messages[:1]
    (data,) = formats.write("langchain", messages, version="model_dump").document
    assert formats.write("langchain", messages).document == [{"type": "system", "data": data}]
    (dumped,) = formats.write("langchain", messages, version="dumpd").document
    assert dumped["id"] == ["langchain", "schema", "messages", "SystemMessage"]
    assert dumped["kwargs"] == data


def test_results_are_stored_one_by_one_with_the_names_of_their_tools() -> None:
    call = {"toolName": "weather", "arguments": {}}
    result = {"isError": False, "content": "x"}
    head = {"runId": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
    calls = [{"kind": "tool_call", "payload": {**call, "toolCallId": each}} for each in "ab"]
    results = [{"kind": "tool_result", "payload": {**result, "toolCallId": each}} for each in "ab"]
    messages = [
        {**head, "role": "assistant", "parts": calls},
        {**head, "role": "tool", "parts": results, "messageId": "m-1"},
    ]
    written = formats.write("langchain", messages, version="model_dump")
    assert [each["name"] for each in written.document[1:]] == ["weather", "weather"]
    assert [each["id"] for each in written.document[1:]] == ["m-1", None]
    comes_back("langchain", messages)
    assert {loss.code for loss in written.losses} == {"run-id", "timestamp"}


@pytest.mark.parametrize("provider", ["anthropic", "openai", "google_genai", "bedrock_converse"])
def test_state_is_written_as_the_integrations_of_its_provider_store_it(provider: str) -> None:
    found = [
        message
        for history in ("Anthropic's blocks", "Responses' items", "Gemini's and Converse's blocks")
        for message in HISTORIES[history]
        if message.get("response_metadata", {}).get("model_provider") == provider
    ]
    messages = plain(read_given("langchain", found).messages)
    assistants = [each for each in messages if each["role"] == "assistant"]
    for message in assistants:
        meta = {n: v for n, v in message.pop("meta", {}).items() if n != "langchain"}
        if meta:  # nothing but the state says whose it is
            message["meta"] = meta
    written = formats.write("langchain", assistants, version="model_dump")
    assert written.document[0]["response_metadata"]["model_provider"] == provider
    back = plain(read_given("langchain", written.document).messages)
    # What only an answer has, such as annotations of Responses, is in no request.
    assert {loss.code for loss in written.losses} <= {"run-id", "timestamp", "opaque"}
    for message, other in zip(assistants, back, strict=True):
        states = [_kinds(each) for each in (message, other)]
        assert states[0] == states[1]


def _kinds(message: Json) -> list[Any]:
    opaques = [part["payload"].get("opaque", {"data": {}}) for part in message["parts"]]
    items = [item for opaque in opaques for item in opaque["data"].get("items", [])]
    return [each for each in items if each["kind"] != "content_part"]
