"""Messages as UI messages of AI SDK: there and back, and what does not come back is reported."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from tests.formats import samples
from tests.formats.ai_sdk_documents import MODEL_MESSAGES, STORED, UI_MESSAGES
from tests.formats.laws import read_given
from tests.formats.written import comes_back_whole, drawn_histories, parts_come_back, plain, without

Json = dict[str, Any]

_OWN = {**UI_MESSAGES, **STORED, **MODEL_MESSAGES}
_HISTORIES = [name for name in samples.ids("ai-sdk") if not name.startswith("ai-sdk/stream-")]
_UI = [name for name in _HISTORIES if "/ui-" in name or "no-samples" in name]
_VERSIONS = ("5", "6", "7")


# --- law L2: messages → UI messages → messages ----------------------------------------------------


@given(drawn_histories, st.sampled_from(_VERSIONS))
def test_drawn_messages_come_back_but_for_what_is_reported(messages: Any, version: str) -> None:
    parts_come_back("ai-sdk", plain(messages), version=version)


@given(drawn_histories, st.sampled_from(_VERSIONS))
def test_drawn_messages_come_back_whole_with_extensions(messages: Any, version: str) -> None:
    comes_back_whole("ai-sdk", plain(messages), version=version)


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("name", [*_OWN, *_HISTORIES])
def test_histories_come_back(name: str, version: str) -> None:
    document = _OWN[name] if name in _OWN else samples.load(name).document
    messages = plain(read_given("ai-sdk", document).messages)
    parts_come_back("ai-sdk", messages, version=version)
    comes_back_whole("ai-sdk", messages, version=version)


# --- law L1: UI messages → messages → UI messages -------------------------------------------------


_MADE = "message-"
"""How the id of a message begins that has none."""


def _normal(document: Any) -> list[Json]:
    """Return UI messages without what says nothing: finished texts, one step, the kind of tool."""
    made: list[Json] = copy.deepcopy(document)
    for message in made:
        message.pop("createdAt", None)  # which 5 and later do not have
        if not message.get("id") or message["id"].startswith(_MADE):
            message.pop("id", None)
        if not message.get("metadata"):
            message.pop("metadata", None)
        parts = [part for part in message.get("parts", []) if part is not None]
        while parts and parts[0]["type"] == "step-start":
            parts = parts[1:]
        message["parts"] = [part for part in parts if part["type"] != "step-start"]
        for part in message["parts"]:
            if part.get("url") == "" or "://" not in part.get("url", "://"):
                part.pop("providerReference", None)  # an id without its provider stands as URL
                del part["url"]
            if part.get("state") == "done":
                del part["state"]
            if part["type"] == "dynamic-tool":
                part["type"] = f"tool-{part.pop('toolName')}"
            if part.get("providerExecuted") is False:
                del part["providerExecuted"]
            if part.get("state") == "output-error" and "rawInput" in part:
                part["input"] = part.pop("rawInput")
    return made


@pytest.mark.parametrize("name", [*(n for n in UI_MESSAGES if n != "steering"), *_UI])
def test_ui_messages_come_back(name: str) -> None:
    document = UI_MESSAGES[name] if name in UI_MESSAGES else samples.load(name).document
    given_messages = read_given("ai-sdk", document)
    version = "7" if name not in UI_MESSAGES else "6"
    written = formats.write("ai-sdk", given_messages.messages, version=version).document
    moved = [
        _at(document, each.pointer) for each in given_messages.losses if each.code == "part-order"
    ]
    for message in written:
        message["parts"] = [part for part in message["parts"] if part not in moved]
    source = _normal(without(document, given_messages.losses))
    lost = [loss for loss in given_messages.losses if loss.severity == "lossy"]
    if not any(loss.pointer.count("/") == 3 for loss in lost):  # parts have their places still
        written = without(written, lost)
    assert _normal(written) == source


def test_each_ui_message_has_an_id_of_its_own() -> None:
    # React shows each id once, and useChat changes the message that has it.
    text = {"kind": "text", "payload": {"text": "Hi"}}
    messages = [
        {"runId": "r", "role": "user", "parts": [text], "timestamp": "2026-01-02T03:04:05Z", **head}
        for head in ({}, {"messageId": "message-1"}, {}, {"messageId": "a"}, {"messageId": "a"})
    ]
    written = formats.write("ai-sdk", messages)
    ids = [each["id"] for each in written.document]
    assert ids == ["message-2", "message-1", "message-3", "a", "a-4"]
    places = [loss.pointer for loss in written.losses if loss.code == "message-id"]
    assert places == ["/0/messageId", "/2/messageId", "/4/messageId"]


def _at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def test_results_that_become_one_message_are_all_that_differs() -> None:
    calls = [
        {"kind": "tool_call", "payload": {"toolCallId": each, "toolName": "f", "arguments": {}}}
        for each in "ab"
    ]
    results = [
        [{"kind": "tool_result", "payload": {"toolCallId": each, "isError": False, "content": ""}}]
        for each in "ab"
    ]
    text = [{"kind": "text", "payload": {"text": "Hi"}}]
    head = {"runId": "r", "timestamp": "2026-01-02T03:04:05Z"}
    said = (("assistant", calls), ("tool", results[0]), ("tool", results[1]), ("assistant", text))
    messages = [{**head, "role": role, "parts": parts} for role, parts in said]
    losses = formats.write("ai-sdk", messages).losses
    assert [each.pointer for each in losses if each.code == "message-form"] == ["/1", "/2"]
    parts_come_back("ai-sdk", messages)
