"""Messages as messages of AG-UI: there and back, and what does not come back is reported."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.losses import Loss
from partwire_testing import strategies
from tests.formats import samples
from tests.formats.ag_ui_documents import DOCUMENTS
from tests.formats.laws import read_given
from tests.formats.written import comes_back, comes_back_whole, plain

Json = dict[str, Any]

_HISTORIES = [
    name for name in samples.ids("ag-ui") if name.startswith(("ag-ui/messages-", "no-samples"))
]
_VERSIONS = st.sampled_from(["1.0", "1.1"])
_TIME = "2026-01-02T03:04:05Z"
_drawn = st.lists(strategies.documents("message.Message"), max_size=4).map(plain)


def _load(name: str) -> Any:
    return DOCUMENTS[name] if name in DOCUMENTS else samples.load(name).document


# --- law L2: ours → theirs → ours -----------------------------------------------------------------


@given(_drawn, _VERSIONS)
def test_drawn_messages_come_back_but_for_what_is_reported(messages: Any, version: str) -> None:
    comes_back("ag-ui", messages, version=version)


@given(_drawn, _VERSIONS)
def test_drawn_messages_come_back_whole_with_extensions(messages: Any, version: str) -> None:
    comes_back_whole("ag-ui", messages, version=version)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("name", [*DOCUMENTS, *_HISTORIES])
def test_histories_come_back(name: str, version: str) -> None:
    messages = plain(read_given("ag-ui", _load(name)).messages)
    comes_back("ag-ui", messages, version=version)
    comes_back_whole("ag-ui", messages, version=version)


@given(_drawn)
def test_what_is_written_has_the_form_of_the_protocol(messages: Any) -> None:
    for extensions in (False, True):
        document = formats.write("ag-ui", messages, extensions=extensions).document
        ids = [message["id"] for message in document]
        assert len(set(ids)) == len(ids)
        assert all(ids)
        for message in document:
            _check(message)


_CONTENT: dict[str, Any] = {
    "developer": (str,),
    "system": (str,),
    "reasoning": (str,),
    "user": (str, list),
    "tool": (str, list),
    "assistant": (str,),
    "activity": (dict,),
}


def _check(message: Json) -> None:
    role = message["role"]
    if role != "assistant" or "content" in message:
        assert isinstance(message["content"], _CONTENT[role])
    for part in message["content"] if isinstance(message.get("content"), list) else ():
        if part["type"] == "text":
            assert isinstance(part["text"], str)
        else:
            assert part["type"] in ("image", "audio", "video", "document")
            assert part["source"]["type"] in ("data", "url", "file")
            assert isinstance(part["source"]["value"], str)
    for call in message.get("toolCalls", ()):
        assert call["type"] == "function"
        assert isinstance(call["function"]["arguments"], str)


# --- law L1: theirs → ours → theirs ---------------------------------------------------------------


def _normal(document: Any) -> list[Json]:
    """Return messages without what says nothing: empty content beside calls, the form of JSON."""
    made: list[Json] = json.loads(json.dumps(document))
    for message in made:
        if not message.get("content") and message.get("toolCalls"):
            message.pop("content", None)
        message.setdefault("id", "")
        content = message.get("content")
        if isinstance(content, list):
            for part in content:
                if part.get("type") == "binary":
                    _as_now(part)
        for call in message.get("toolCalls", ()):
            function = call["function"]
            try:
                function["arguments"] = json.loads(function["arguments"])
            except ValueError:
                continue
    return made


def _as_now(part: Json) -> None:
    """Turn content of before 1.0 into what took its place."""
    mime = part["mimeType"]
    for name, form in (("data", "data"), ("url", "url"), ("id", "file")):
        if name in part:
            part["source"] = {"type": form, "value": part.pop(name), "mimeType": mime}
    del part["mimeType"]
    part["type"] = "image" if mime.startswith("image/") else "document"
    if "filename" in part:
        part["metadata"] = {"filename": part.pop("filename")}


def _without(document: Any, losses: list[Loss]) -> Any:
    made = copy.deepcopy(document)
    for loss in sorted(losses, key=lambda each: each.pointer, reverse=True):
        if loss.severity == "info" or not loss.pointer:
            continue
        *way, last = loss.pointer.split("/")[1:]
        holder = made
        for step in way:
            holder = holder[int(step)] if isinstance(holder, list) else holder[step]
        if loss.code == "mime-invented":
            holder[last].pop("mimeType", None)
        elif isinstance(holder, list):
            holder[int(last)] = None
        else:
            del holder[last]
    return [each for each in made if each is not None] if isinstance(made, list) else made


@pytest.mark.parametrize("name", [*(n for n in DOCUMENTS if n != "input"), *_HISTORIES])
def test_messages_come_back_as_they_were(name: str) -> None:
    document = _load(name)
    found = read_given("ag-ui", document)
    written = formats.write("ag-ui", found.messages, version="1.1").document
    source = _without(document, found.losses)
    if name == "beside":  # whose content is taken from the error
        source[-1]["content"] = "gone"
    for mine, theirs in zip(written, source, strict=True):
        if "id" not in theirs:
            mine["id"] = ""
    lost = [loss for loss in found.losses if loss.code == "mime-invented"]
    assert _normal(_without(written, lost)) == _normal(source)


# --- forms ----------------------------------------------------------------------------------------


def test_an_answer_is_reasoning_and_what_follows() -> None:
    signature = {"kind": "signature", "data": "sig", "start": 0, "end": 2}
    opaque = {"provider": "anthropic-messages", "data": {"items": [signature]}}
    call = {"toolCallId": "c", "toolName": "f", "arguments": {"a": 1}}
    message = {
        "runId": "r",
        "messageId": "m",
        "role": "assistant",
        "timestamp": _TIME,
        "parts": [
            {"kind": "thinking", "payload": {"text": "Hm", "opaque": opaque}},
            {"kind": "text", "payload": {"text": "So."}},
            {"kind": "tool_call", "payload": call},
        ],
    }
    sealed = (
        '{"provider":"anthropic-messages","data":{"items":'
        '[{"kind":"signature","data":"sig","start":0,"end":2}]}}'
    )
    written = formats.write("ag-ui", [message], version="1.1")
    assert written.document == [
        {
            "id": "m-reasoning",
            "role": "reasoning",
            "content": "Hm",
            "encryptedValue": sealed,
            "encryptedValueType": "partwire.opaque",
        },
        {
            "id": "m",
            "role": "assistant",
            "content": "So.",
            "toolCalls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
            ],
        },
    ]
    assert {loss.code for loss in written.losses} == {"run-id", "timestamp"}
    without_type = formats.write("ag-ui", [message]).document
    assert "encryptedValueType" not in without_type[0]
    assert plain(formats.read("ag-ui", without_type).messages)[0]["parts"] == message["parts"]


def test_reasoning_alone_is_not_taken_for_that_of_the_next_answer() -> None:
    thinking = [{"kind": "thinking", "payload": {"text": "Hm"}}]
    text = [{"kind": "text", "payload": {"text": "So."}}]
    messages = [
        {
            "runId": "r",
            "messageId": f"m{at}",
            "role": "assistant",
            "parts": parts,
            "timestamp": _TIME,
        }
        for at, parts in enumerate((thinking, text))
    ]
    written = formats.write("ag-ui", messages)
    assert {loss.code for loss in written.losses} == {"run-id", "timestamp"}
    back = plain(formats.read("ag-ui", written.document).messages)
    assert [(each["messageId"], each["parts"]) for each in back] == [("m0", thinking), ("m1", text)]


def test_an_id_that_was_used_becomes_another() -> None:
    said = {"runId": "r", "messageId": "m", "role": "user", "parts": [], "timestamp": _TIME}
    written = formats.write("ag-ui", [said, said])
    first, second = written.document
    assert first["id"] == "m"
    assert second["id"] not in ("", "m")
    assert [loss.pointer for loss in written.losses if loss.code == "message-id"] == [
        "/1/messageId"
    ]


def test_an_extension_that_does_not_fit_is_reported() -> None:
    said = {"runId": "r", "role": "user", "parts": [], "timestamp": _TIME}
    thought = {"kind": "thinking", "payload": {"text": "Hm"}}
    answer = {**said, "role": "assistant", "parts": [thought, thought]}
    document = formats.write("ag-ui", [said, answer], extensions=True).document
    del document[2]
    found = read_given("ag-ui", document)
    assert [(loss.code, loss.pointer) for loss in found.losses if loss.severity == "lossy"] == [
        ("extension-unread", "/1/metadata/partwire")
    ]
    document[0]["metadata"]["partwire"]["messages"] = {"0": 5}
    assert ("extension-unread", "/0/metadata/partwire") in [
        (loss.code, loss.pointer) for loss in read_given("ag-ui", document).losses
    ]
