"""Histories of AG-UI are read as its own models read them, and nothing is lost in silence."""

from __future__ import annotations

import itertools
import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given

from partwire import formats
from partwire.errors import ReadError
from partwire.formats.ag_ui.read import Histories
from tests.formats import samples
from tests.formats.ag_ui_documents import DOCUMENTS
from tests.formats.agreement import Agreement
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.strategies import json_values

Json = dict[str, Any]
Item = tuple[Any, ...]

_HISTORIES = [
    name for name in samples.ids("ag-ui") if name.startswith(("ag-ui/messages-", "no-samples"))
]


def _load(name: str) -> Any:
    return DOCUMENTS[name] if name in DOCUMENTS else samples.load(name).document


def _codes(document: Any) -> list[tuple[str, str]]:
    found = read_given("ag-ui", document).losses
    return [(loss.code, loss.pointer) for loss in found if loss.code != "given"]


# --- what the models of the protocol read ---------------------------------------------------------


def items_of(messages: list[Json]) -> list[Item]:
    """Return role, kind and content of each part of our messages."""
    found: list[Item] = []
    for message in messages:
        for part in message["parts"]:
            kind, payload = part["kind"], part["payload"]
            if kind in ("text", "thinking"):
                found.append((message["role"], kind, payload["text"]))
            elif kind == "tool_call":
                raw = payload.get("rawArgsText")
                arguments = payload["arguments"] if raw is None else raw
                found.append(
                    ("assistant", kind, payload["toolCallId"], payload["toolName"], arguments)
                )
            elif kind == "tool_result":
                content = payload["content"]
                size = len(content) if isinstance(content, list) else content
                found.append(("tool", kind, payload["toolCallId"], size))
            else:
                found.append((message["role"], "media"))
    return found


def items_wanted(messages: list[Json]) -> list[Item]:
    """Return the same of messages as the protocol has them."""
    found: list[Item] = []
    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "reasoning":
            found.append(("assistant", "thinking", content))
        elif role == "tool":
            size = len(content) if isinstance(content, list) else content
            found.append(("tool", "tool_result", message["toolCallId"], size))
        elif role != "activity":
            ours = "system" if role == "developer" else role
            if isinstance(content, str) and content:
                found.append((ours, "text", content))
            for part in content if isinstance(content, list) else ():
                is_text = part["type"] == "text"
                found.append((ours, "text", part["text"]) if is_text else (ours, "media"))
            for call in message.get("toolCalls") or ():
                arguments = value_of(call["argumentsText"])
                found.append(("assistant", "tool_call", call["id"], call["name"], arguments))
    return found


def value_of(text: str) -> Any:
    """Return the object that arguments are; the text where they are not one."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def test_samples_agree_with_the_protocol() -> None:
    agreement = Agreement("ag-ui")
    for name in _HISTORIES:
        sample = samples.load(name)
        messages = msgspec.to_builtins(read_given("ag-ui", sample.document).messages)
        agreement.sample(name, items_of(messages), items_wanted(sample.expected["messages"]))
    agreement.check()


@pytest.mark.parametrize("name", _HISTORIES)
def test_samples_have_the_ids_of_the_protocol(name: str) -> None:
    sample = samples.load(name)
    messages = msgspec.to_builtins(read_given("ag-ui", sample.document).messages)
    inner = _thoughts(sample.expected["messages"])
    ids = [each["id"] for each in sample.expected["messages"] if each["role"] != "activity"]
    assert [each.get("messageId") for each in messages] == [
        each for each in ids if each not in inner
    ]


def _thoughts(messages: list[Json]) -> set[str]:
    """Return the ids of reasoning that an answer follows."""
    spoken = [each for each in messages if each["role"] != "activity"]
    pairs = pairwise(spoken)
    return {
        mine["id"]
        for mine, other in pairs
        if mine["role"] == "reasoning" and other["role"] in ("reasoning", "assistant")
    }


# --- laws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DOCUMENTS, *_HISTORIES])
def test_nothing_is_lost_in_silence(name: str) -> None:
    leaf_law("ag-ui", _load(name))


@pytest.mark.parametrize("name", [*DOCUMENTS, *_HISTORIES])
def test_what_is_reported_is_lost(name: str) -> None:
    losses_are_real("ag-ui", _load(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_junk_is_refused_or_reported(name: str) -> None:
    survives("ag-ui", DOCUMENTS[name])


@given(json_values)
def test_whatever_comes_is_refused_or_read(value: Any) -> None:
    for document in (value, [value], {"messages": value}, {"messages": [value]}):
        try:
            read_given("ag-ui", document)
        except ReadError:
            continue


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json("ag-ui", lambda odd: [{"id": "u", "role": "user", "content": odd}])


def test_what_is_not_of_the_format_is_refused_with_its_place() -> None:
    for document, place in (
        (5, ""),
        ([5], "/0"),
        ({"messages": 5}, "/messages"),
        ([{"id": "a", "content": "x"}], "/0/role"),
    ):
        with pytest.raises(ReadError) as refused:
            read_given("ag-ui", document)
        (finding,) = refused.value.findings
        assert (finding.rule, finding.pointer) == ("format/wrong-shape", place)


# --- forms ----------------------------------------------------------------------------------------


def test_reasoning_is_part_of_the_answer_that_follows() -> None:
    messages = msgspec.to_builtins(read_given("ag-ui", DOCUMENTS["reasoning"]).messages)
    assert [(each["role"], len(each["parts"])) for each in messages] == [
        ("user", 1),
        ("assistant", 3),
        ("assistant", 1),
    ]
    first, second, text = messages[1]["parts"]
    assert first["payload"]["opaque"] == {
        "provider": "acme",
        "data": {
            "id": "r-1",
            "metadata": {"a": 1},
            "encryptedValue": "abc",
            "encryptedValueType": "acme.signature",
        },
    }
    assert second["payload"]["opaque"]["provider"] == "ag-ui"
    assert text["payload"]["opaque"]["data"] == {"encryptedValue": "ghi"}


def test_an_unknown_role_or_part_is_reported() -> None:
    document = [
        {"id": "c", "role": "critic", "content": "No."},
        {
            "id": "u",
            "role": "user",
            "content": [{"type": "hologram"}, {"type": "text", "text": "x"}],
        },
        {"id": "t", "role": "tool", "content": "of nothing"},
        {"id": "a", "role": "assistant", "toolCalls": [{"id": "c"}], "content": 5},
    ]
    assert _codes(document) == [
        ("foreign-message", "/0"),
        ("foreign-part", "/1/content/0"),
        ("foreign-message", "/2"),
        ("foreign-member", "/3/content"),
        ("malformed-part", "/3/toolCalls/0"),
    ]


def test_a_result_that_failed_says_so() -> None:
    messages = msgspec.to_builtins(read_given("ag-ui", DOCUMENTS["tools"]).messages)
    results = [each["parts"][0]["payload"] for each in messages if each["role"] == "tool"]
    assert [(each["isError"], each["content"]) for each in results] == [
        (False, "4 degrees"),
        (True, "no"),
        (True, "no"),
    ]
    assert messages[4]["meta"] == {"ag-ui": {"error": "not there"}}
    assert "meta" not in messages[5]


def test_the_input_of_a_run_says_the_run() -> None:
    (message,) = read_given("ag-ui", DOCUMENTS["input"]).messages
    assert message.run_id == "run"
    meta = msgspec.to_builtins(message)["meta"]
    assert meta == {"ag-ui": {"threadId": "thread", "parentRunId": "parent"}}
    lost = [place for code, place in _codes(DOCUMENTS["input"]) if code == "request-member"]
    assert lost == ["/context", "/state", "/tools"]


@pytest.mark.parametrize("name", ["tools", "reasoning", "beside"])
def test_the_format_shows_itself(name: str) -> None:
    assert [found.format for found in formats.sniff(DOCUMENTS[name])] == ["ag-ui"]


# --- the short way --------------------------------------------------------------------------------

_THOUGHT = {"role": "reasoning", "id": "m0", "content": "Rain?"}
_MEMBERS: dict[str, list[Any]] = {
    "role": ["user", "assistant", "system", "developer", "tool", "reasoning", "activity"],
    "id": ["m1", "", None],
    "content": ["It rains.", "", [{"type": "text", "text": "It rains."}], None],
    "toolCallId": ["call_1", "", None],
    "name": ["Ada", None],
}


@pytest.mark.parametrize("role", _MEMBERS["role"])
@pytest.mark.parametrize("before", [[], [_THOUGHT]])
def test_usual_messages_are_read_as_any_other(role: str, before: list[Json]) -> None:
    for values in itertools.product([role], *list(_MEMBERS.values())[1:]):
        said = zip(_MEMBERS, values, strict=True)
        message = {name: value for name, value in said if value is not None}
        found = read_given("ag-ui", [*before, message])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Histories, "_is_usual", lambda *_: False)
            assert read_given("ag-ui", [*before, message]) == found
