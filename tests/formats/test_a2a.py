"""Agent2Agent: messages of 1.x and 0.3, tasks, and what servers answer."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.errors import ReadError
from partwire.reading.pipeline import to_wire
from partwire_testing import strategies
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.written import comes_back, comes_back_whole, plain

Json = dict[str, Any]

FORMAT = "a2a"
VERSIONS = formats.FORMATS[FORMAT].versions
SAMPLES = samples.ids(FORMAT)
PNG = "iVBORw0KGgo="

MESSAGE: Json = {
    "role": "ROLE_USER",
    "messageId": "m1",
    "contextId": "c1",
    "taskId": "t1",
    "referenceTaskIds": ["t0"],
    "extensions": ["https://example.org/ext"],
    "metadata": {"lat": 59.9},
    "parts": [
        {"text": "Look."},
        {"text": "# Look", "mediaType": "text/markdown", "filename": "a.md", "metadata": {"n": 1}},
        {"raw": PNG, "mediaType": "image/png"},
        {"raw": PNG, "mediaType": "image/png", "filename": "boat.png"},
        {"raw": PNG, "mediaType": "image/png", "metadata": {"n": [1]}},
        {"url": "https://example.org/a.pdf", "mediaType": "application/pdf"},
        {"url": "https://example.org/a.png", "mediaType": "image/png"},
        {"url": "https://example.org/b.png", "mediaType": "image/png", "metadata": {"n": 2}},
        {"data": {"a": [1, 2.5]}},
        {"data": [True, None], "mediaType": "application/json", "metadata": {"schema": {}}},
    ],
}
OLD: Json = {
    "kind": "message",
    "role": "agent",
    "messageId": "m2",
    "parts": [
        {"kind": "text", "text": "Here.", "metadata": {"n": 1}},
        {"kind": "file", "file": {"bytes": PNG, "mimeType": "image/png", "name": "a.png"}},
        {"kind": "file", "file": {"uri": "https://example.org/a.csv", "mimeType": "text/csv"}},
        {"kind": "data", "data": {"a": 1}, "metadata": {"n": 2}},
    ],
}
TASK: Json = {
    "id": "t1",
    "contextId": "c1",
    "status": {
        "state": "TASK_STATE_COMPLETED",
        "timestamp": "2026-01-02T03:04:05Z",
        "message": {"role": "ROLE_AGENT", "messageId": "m9", "parts": [{"text": "Done."}]},
    },
    "history": [{"role": "ROLE_USER", "messageId": "m1", "parts": [{"text": "Draw a boat."}]}],
    "artifacts": [
        {"artifactId": "a1", "name": "boat", "description": "Red", "parts": [{"text": "boat"}]}
    ],
    "metadata": {"cost": 3},
}
DOCUMENTS: dict[str, Any] = {
    "message": MESSAGE,
    "old": OLD,
    "task": TASK,
    "old task": {
        "kind": "task",
        "id": "t1",
        "contextId": "c1",
        "status": {"state": "working"},
        "history": [OLD],
    },
    "answer": {"jsonrpc": "2.0", "id": 1, "result": {"task": TASK}},
    "request": {"message": MESSAGE, "configuration": {"blocking": True}, "metadata": {"a": 1}},
    "status": {
        "statusUpdate": {
            "taskId": "t1",
            "contextId": "c1",
            "status": {"state": "TASK_STATE_WORKING", "message": OLD, "timestamp": "noon"},
        }
    },
    "artifact": {
        "kind": "artifact-update",
        "taskId": "t1",
        "contextId": "c1",
        "artifact": {"artifactId": "a1", "parts": [{"kind": "text", "text": "boat"}]},
        "append": True,
        "lastChunk": False,
    },
    "tasks": {"tasks": [TASK, {"id": "t2", "status": {"state": "x"}}], "nextPageToken": "n"},
    "list": [
        MESSAGE,
        OLD,
        {"role": "ROLE_UNSPECIFIED", "parts": []},
        {"role": "user", "parts": [{"kind": "video"}, {"raw": "?"}, {"raw": "_-8"}, {"url": "a"}]},
    ],
    "nothing": {"role": "user", "parts": []},
}


def read(document: Any) -> list[Json]:
    return [to_wire(message) for message in read_given(FORMAT, document).messages]


def lost(document: Any) -> list[tuple[str, str]]:
    losses = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in losses if loss.code != "given"]


# --- what is read ---------------------------------------------------------------------------------


def test_parts_are_text_images_and_media() -> None:
    (message,) = read(MESSAGE)
    assert [part["kind"] for part in message["parts"]] == [
        "text",
        "text",
        "image",
        "media",
        "media",
        "media",
        "image",
        "media",
        "text",
        "text",
    ]
    assert message["parts"][8]["payload"]["text"] == '{"a":[1,2.5]}'
    assert message["meta"]["a2a"]["contextId"] == "c1"
    assert lost(MESSAGE) == []


def test_a_task_is_its_history_its_artifacts_and_its_status() -> None:
    messages = read(TASK)
    said = [(each["role"], each["messageId"]) for each in messages]
    assert said == [("user", "m1"), ("assistant", "a1"), ("assistant", "m9")]
    assert messages[2]["timestamp"] == TASK["status"]["timestamp"]
    assert messages[1]["meta"]["a2a"] == {
        "taskId": "t1",
        "contextId": "c1",
        "artifact": {"name": "boat", "description": "Red"},
    }
    assert lost(TASK) == [("foreign-member", "/metadata"), ("foreign-member", "/status/state")]


def test_a_status_that_stands_in_the_history_is_not_read_twice() -> None:
    message = TASK["status"]["message"]
    task = {**TASK, "history": [*TASK["history"], message]}
    assert len(read(task)) == 3
    assert ("duplicate-text", "/status/message") in lost(task)


def test_ids_of_a_task_without_messages_are_reported() -> None:
    task = {"id": "t1", "contextId": "c1", "status": {"state": "working"}}
    assert read(task) == []
    assert ("foreign-member", "/id") in lost(task)


def test_base64_for_urls_is_read() -> None:
    (message,) = read({"role": "user", "parts": [{"raw": "_-8", "mediaType": "image/png"}]})
    assert message["parts"][0]["payload"]["data"] == "/+8="


@pytest.mark.parametrize("document", [None, 1, {}, {"x": 1}, {"role": 1, "parts": []}, [[]], "x"])
def test_what_is_not_of_the_format_is_refused(document: Any) -> None:
    with pytest.raises(ReadError):
        read(document)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_laws_of_reading(name: str) -> None:
    leaf_law(FORMAT, DOCUMENTS[name])
    losses_are_real(FORMAT, DOCUMENTS[name])
    survives(FORMAT, DOCUMENTS[name])


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(FORMAT, lambda odd: {**MESSAGE, "metadata": {"x": odd}})


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in ("tasks", "nothing")])
def test_the_format_shows(name: str) -> None:
    assert [found.format for found in formats.sniff(DOCUMENTS[name])] == [FORMAT]


# --- what is written ------------------------------------------------------------------------------


@given(st.lists(strategies.documents("message.Message"), max_size=4), st.sampled_from(VERSIONS))
def test_drawn_messages_come_back(messages: Any, version: str) -> None:
    comes_back(FORMAT, plain(messages), version=version)
    comes_back_whole(FORMAT, plain(messages), version=version)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", [*DOCUMENTS, *SAMPLES])
def test_histories_come_back(name: str, version: str) -> None:
    document = DOCUMENTS[name] if name in DOCUMENTS else samples.load(name).document
    if document is None:
        pytest.skip("the sample says nothing")
    messages = plain(read_given(FORMAT, document).messages)
    comes_back(FORMAT, messages, version=version)
    comes_back_whole(FORMAT, messages, version=version)


@pytest.mark.parametrize(("document", "version"), [(MESSAGE, "1.0"), (OLD, "0.3")])
def test_a_message_is_written_as_it_came(document: Json, version: str) -> None:
    messages = read_given(FORMAT, document).messages
    assert formats.write(FORMAT, messages, version=version).document == [document]


def test_what_agents_do_not_tell_each_other_is_left_out() -> None:
    said = {"runId": "r", "timestamp": "2026-01-02T03:04:05Z"}
    text = {"kind": "text", "payload": {"text": "Hi"}}
    thinking = {"kind": "thinking", "payload": {"text": "Hm"}}
    written = formats.write(
        FORMAT,
        [
            {**said, "role": "system", "parts": [text]},
            {**said, "role": "assistant", "parts": [thinking, text]},
        ],
    )
    assert written.document == [{"role": "ROLE_AGENT", "parts": [{"text": "Hi"}]}]
    found = [(loss.code, loss.pointer) for loss in written.losses]
    assert ("message-form", "/0") in found
    assert ("part-left-out", "/1/parts/0") in found


def _messages(document: Any) -> Any:
    """Return the message of a document, in the words of 1.x."""
    message = copy.deepcopy(document.get("message", document))
    message["role"] = {"user": "ROLE_USER", "agent": "ROLE_AGENT"}.get(
        message["role"], message["role"]
    )
    return [message]


@pytest.mark.parametrize("name", SAMPLES)
def test_messages_of_samples_come_back(name: str) -> None:
    document = samples.load(name).document
    if document is None or "task" in document:
        pytest.skip("it has no message")
    written = formats.write(FORMAT, read_given(FORMAT, document).messages)
    assert written.document == _messages(document)


# --- beside others' readings ----------------------------------------------------------------------


def _wanted(expected: Json) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for message in expected["messages"]:
        role = "user" if message["role"] in ("ROLE_USER", "user") else "assistant"
        for part in message["parts"]:
            kind = "text" if part["kind"] in ("text", "data") else "media"
            found.append((role, message["id"], kind, part.get("text")))
    return found


def test_samples_agree_with_the_sdk() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        sample = samples.load(name)
        ours = [
            (
                message["role"],
                message.get("messageId"),
                "text" if part["kind"] == "text" else "media",
                part["payload"].get("text"),
            )
            for message in (read(sample.document) if sample.document is not None else [])
            for part in message["parts"]
        ]
        agreement.sample(name, ours, _wanted(sample.expected), _otherwise)
    agreement.check()


def _otherwise(ours: Any, theirs: Any) -> str | None:
    return "not Base64" if ours is None and theirs[2] == "media" else None


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    document = samples.load(name).document
    if document is not None:
        leaf_law(FORMAT, document)
