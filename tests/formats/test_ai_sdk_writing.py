"""Messages as UI messages of AI SDK: there and back, and what does not come back is reported."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.contract.current.message import Message
from partwire.losses import Loss
from partwire.reading.pipeline import read
from partwire_testing import strategies
from tests.formats import samples
from tests.formats.ai_sdk_documents import MODEL_MESSAGES, STORED, UI_MESSAGES
from tests.formats.laws import read_given

Json = dict[str, Any]

_OWN = {**UI_MESSAGES, **STORED, **MODEL_MESSAGES}
_HISTORIES = [name for name in samples.ids("ai-sdk") if not name.startswith("ai-sdk/stream-")]
_UI = [name for name in _HISTORIES if "/ui-" in name or "no-samples" in name]
_VERSIONS = ("5", "6", "7")


def _plain(messages: list[Any]) -> list[Json]:
    made: list[Json] = msgspec.to_builtins(messages)
    return made


def _back(messages: list[Json], **options: Any) -> tuple[list[Json], list[Loss]]:
    written = formats.write("ai-sdk", messages, **options)
    return _plain(formats.read("ai-sdk", written.document).messages), written.losses


# --- law L2: messages → UI messages → messages ----------------------------------------------------


def _comes_back(messages: list[Json], **options: Any) -> None:
    back, losses = _back(messages, **options)
    lossy = {loss.pointer for loss in losses}
    parts = [(part["kind"], part["payload"]) for message in back for part in message["parts"]]
    for number, message in enumerate(messages):
        if f"/{number}" in lossy:
            continue
        if f"/{number}/messageId" not in lossy and "messageId" in message:
            assert message["messageId"] in {each.get("messageId") for each in back}
        for at, part in enumerate(message["parts"]):
            place = f"/{number}/parts/{at}"
            if place in lossy:
                continue
            said = {
                name: value
                for name, value in part["payload"].items()
                if f"{place}/payload/{name}" not in lossy
            }
            assert any(
                kind == part["kind"]
                and said
                == {n: v for n, v in payload.items() if f"{place}/payload/{n}" not in lossy}
                for kind, payload in parts
            ), place


def _comes_back_whole(messages: list[Json], version: str) -> None:
    back, losses = _back(messages, version=version, extensions=True)
    assert back == messages
    assert [loss for loss in losses if loss.severity == "lossy"] == []


_messages = strategies.documents("message.Message")
_drawn = st.lists(_messages, max_size=4)


@given(_drawn, st.sampled_from(_VERSIONS))
def test_drawn_messages_come_back_but_for_what_is_reported(messages: Any, version: str) -> None:
    _comes_back(_plain([_struct(each) for each in messages]), version=version)


@given(_drawn, st.sampled_from(_VERSIONS))
def test_drawn_messages_come_back_whole_with_extensions(messages: Any, version: str) -> None:
    _comes_back_whole(_plain([_struct(each) for each in messages]), version)


def _struct(document: Any) -> Any:
    return read(document, Message)


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("name", [*_OWN, *_HISTORIES])
def test_histories_come_back(name: str, version: str) -> None:
    document = _OWN[name] if name in _OWN else samples.load(name).document
    messages = _plain(read_given("ai-sdk", document).messages)
    _comes_back(messages, version=version)
    _comes_back_whole(messages, version)


# --- law L1: UI messages → messages → UI messages -------------------------------------------------


def _normal(document: Any) -> list[Json]:
    """Return UI messages without what says nothing: finished texts, one step, the kind of tool."""
    made: list[Json] = copy.deepcopy(document)
    for message in made:
        message.pop("createdAt", None)  # which 5 and later do not have
        if not message.get("id"):
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


def _without(document: Any, losses: list[Loss]) -> list[Json]:
    """Return a document without the places that are reported as lost."""
    made: list[Json] = copy.deepcopy(document)
    for loss in losses:
        if loss.severity != "lossy":
            continue
        *way, last = loss.pointer.split("/")[1:]
        holder: Any = made
        for step in way:
            holder = holder[int(step)] if isinstance(holder, list) else holder.get(step, {})
        if isinstance(holder, list):
            holder[int(last)] = None
        else:
            holder.pop(last, None)
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
    source = _normal(_without(document, given_messages.losses))
    lost = [loss for loss in given_messages.losses if loss.severity == "lossy"]
    if not any(loss.pointer.count("/") == 3 for loss in lost):  # parts have their places still
        written = _without(written, lost)
    assert _normal(written) == source


def _at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document
