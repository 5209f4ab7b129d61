"""The UI message stream of AI SDK: read as its client does, and written so that it comes back."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwire
from partwire import formats
from partwire.errors import PartwireError, ReadError
from partwire.formats.ai_sdk.chunks import sse, sse_end
from partwire_testing import strategies
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import survives_events
from tests.formats.laws import read_given
from tests.strategies import json_values

Json = dict[str, Any]

_STREAMS = [name for name in samples.ids("ai-sdk") if name.startswith(("ai-sdk/stream-", "no-"))]
_TIME = "2026-01-02T03:04:05Z"
_VERSIONS = ("5", "6", "7")


def _read(events: list[Any]) -> tuple[list[Json], Any, Any]:
    reader = formats.reader("ai-sdk", run_id="run_1", timestamp=_TIME)
    run = formats.RunAssembler()
    for event in events:
        run.feed_all(reader.feed(event))
    run.feed_all(reader.finish())
    messages: list[Json] = msgspec.to_builtins(run.finish())
    return messages, reader.losses, run


def _said(messages: list[Json]) -> list[Any]:
    """Return what messages say, but for how they came: part by part."""
    found = []
    for message in messages:
        for part in message["parts"]:
            kind, payload = part["kind"], dict(part["payload"])
            if kind == "image":
                source = {"kind": "url", "url": payload["url"]} if "url" in payload else None
                source = source or {"kind": "inline", "data": payload["data"]}
                kind, payload = "media", {"mimeType": payload["mimeType"], "source": source}
            found.append((message["role"], kind, payload))
    return found


# --- reading --------------------------------------------------------------------------------------


def _events(name: str) -> tuple[list[str], Json]:
    text, expected = samples.load_text(name)
    return [event for event in text.split("\n\n") if event.strip()], expected


def test_samples_agree_with_the_client() -> None:
    agreement = Agreement("ai-sdk (stream)")
    for name in _STREAMS:
        events, expected = _events(name)
        message = expected.get("uiMessage")
        if message is None:
            assert "No tool invocation found" in expected["error"]
            agreement.otherwise("earlier stream")
            continue
        theirs = _said(msgspec.to_builtins(read_given("ai-sdk", [message]).messages))
        agreement.sample(name, _said(_read(events)[0]), theirs, _of_a_call)
    agreement.check()


def _of_a_call(ours: Any, theirs: Any) -> str | None:
    if ours is None or theirs is None:
        return None
    return "arguments" if ours[:2] == theirs[:2] and ours[1] == "tool_call" else None


@pytest.mark.parametrize("name", _STREAMS)
def test_a_cut_stream_has_no_finished_end(name: str) -> None:
    events, _ = _events(name)
    ends = [n for n, event in enumerate(events) if '"finish"' in event or "[DONE]" in event]
    for end in range(1, ends[0] + 1):
        messages, _, run = _read(events[:end])
        assert run.failures
        last = [each for each in messages if each["role"] == "assistant"][-1]
        assert last["meta"]["incomplete"]["ending"] == "error"


@pytest.mark.parametrize("name", _STREAMS)
def test_nothing_of_a_stream_is_lost_in_silence(name: str) -> None:
    """Change a leaf of an event: the messages are others, or a loss names the place."""
    events, _ = _events(name)
    chunks = [json.loads(event.removeprefix("data: ")) for event in events if "[DONE]" not in event]
    before, losses, run = _read([*chunks, "[DONE]"])
    failed = [failure.error for failure in run.failures]
    lost = [loss.pointer for loss in losses if loss.severity == "lossy"]
    for number, chunk in enumerate(chunks):
        for member, value in chunk.items():
            if isinstance(value, dict | list) or member in ("type", "id"):
                continue  # ids of texts only tell which is which
            other = f"{value}x" if isinstance(value, str) else not value
            changed = [*chunks[:number], {**chunk, member: other}, *chunks[number + 1 :], "[DONE]"]
            after, others, run = _read(changed)
            errors = [failure.error for failure in run.failures]
            place = f"/{number}/{member}"
            named = any(place == each or place.startswith(f"{each}/") for each in lost)
            assert named or (after, others, errors) != (before, losses, failed), place


_OWN_NAMES = st.sampled_from(["opaque", "citation", "result", "media"])
_CHUNK = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            [
                *("start", "start-step", "finish-step", "finish", "abort", "error", "reset-step"),
                *("text-start", "text-delta", "text-end", "message-metadata", "data-x"),
                *("reasoning-start", "reasoning-delta", "reasoning-end", "file"),
                *("tool-input-start", "tool-input-delta", "tool-input-available"),
                *("tool-input-error", "tool-output-available", "tool-output-error"),
                *("tool-output-denied", "tool-approval-request", "tool-approval-response"),
                *("source-url", "source-document", "steering-message"),
            ]
        )
    },
    optional={
        "id": st.sampled_from(["1", "2", 3]),
        "toolCallId": st.sampled_from(["c1", "c2", "", None]),
        "toolName": st.sampled_from(["t", ""]),
        "approvalId": st.sampled_from(["a1", "a2"]),
        **{
            name: json_values | st.sampled_from(["x", "{}", "data:image/png;base64,iVBORw0KGgo="])
            for name in ("delta", "input", "inputTextDelta", "output", "errorText", "url", "title")
        },
        "approved": st.booleans(),
        "preliminary": st.booleans(),
        "providerExecuted": st.booleans(),
        "mediaType": st.sampled_from(["image/png", "x", 5]),
        "providerMetadata": json_values
        | st.just({"anthropic": {"signature": "s"}})
        | st.just({"openai": {"itemId": "i"}})
        | st.fixed_dictionaries({"partwire": st.dictionaries(_OWN_NAMES, json_values)}),
    },
)


@given(st.lists(_CHUNK, max_size=25))
def test_hostile_streams_are_refused_or_reported(chunks: list[Json]) -> None:
    survives_events("ai-sdk", chunks)


@given(json_values)
def test_what_is_not_a_chunk_is_refused(value: Any) -> None:
    try:
        formats.reader("ai-sdk").feed(value)
    except PartwireError:
        return


# --- writing --------------------------------------------------------------------------------------


def _write(items: list[Any], version: str, **options: Any) -> tuple[list[Json], Any]:
    writer = formats.writer("ai-sdk", version=version, **options)
    chunks = [chunk for item in items for chunk in writer.feed(item)]
    chunks += writer.finish()
    return chunks, writer.losses


def _assembles(items: list[Any]) -> bool:
    """Tell whether a run takes the items; a drawn result may answer a call of the other kind."""
    try:
        formats.RunAssembler().feed_all(items)
    except PartwireError:
        return False
    return True


_drawn_streams = strategies.streams().filter(_assembles)


def _comes_back(items: list[Any], version: str, **options: Any) -> None:
    run = formats.RunAssembler().feed_all(items)
    messages: list[Json] = msgspec.to_builtins(run.finish())
    chunks, losses = _write(items, version, **options)
    events = [sse(chunk) for chunk in chunks] + [sse_end()]
    lossy = {loss.pointer for loss in losses}
    back, _, _ = _read(events)
    parts = [(part["kind"], part["payload"]) for message in back for part in message["parts"]]
    for number, message in enumerate(messages):
        if f"/{number}" in lossy:
            continue
        for at, part in enumerate(message["parts"]):
            place = f"/{number}/parts/{at}"
            if place in lossy:
                continue
            kept = [n for n in part["payload"] if f"{place}/payload/{n}" not in lossy]
            assert any(
                kind == part["kind"] and all(payload.get(n) == part["payload"][n] for n in kept)
                for kind, payload in parts
            ), place


@given(_drawn_streams, st.sampled_from(_VERSIONS))
def test_drawn_streams_come_back_but_for_what_is_reported(items: Any, version: str) -> None:
    _comes_back(items, version)


@given(_drawn_streams, st.sampled_from(("6", "7")))
def test_drawn_streams_come_back_with_their_heads_by_extensions(items: Any, version: str) -> None:
    _comes_back(items, version, extensions=True)
    chunks, _ = _write(items, version, extensions=True)
    run = formats.RunAssembler().feed_all(items)
    (before,) = msgspec.to_builtins(run.finish())
    after = _read([*chunks, "[DONE]"])[0][0]
    for name in ("runId", "messageId", "turnId", "author", "timestamp"):
        assert before.get(name) == after.get(name)
    for name in ("modelId", "requestId", "finishReason", "usage", "completedAt", "warnings"):
        assert before["meta"].get(name) == after["meta"].get(name)


@given(st.lists(strategies.documents("message.Message"), max_size=3), st.sampled_from(_VERSIONS))
def test_drawn_messages_come_back_but_for_what_is_reported(items: Any, version: str) -> None:
    _comes_back(items, version)


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("name", _STREAMS)
def test_samples_come_back(name: str, version: str) -> None:
    events, _ = _events(name)
    reader = formats.reader("ai-sdk", run_id="run_1", timestamp=_TIME)
    items = [item for event in events for item in reader.feed(event)]
    _comes_back([*items, *reader.finish()], version)


def _delta(seq: int, kind: str, payload: Json) -> Json:
    return {"runId": "r", "seq": seq, "kind": kind, "payload": payload, "timestamp": _TIME}


_START = _delta(0, "start", {"modelId": "m", "requestId": "q"})


def test_a_step_is_written_as_the_sdk_writes_it() -> None:
    signature = {"kind": "signature", "data": "sig", "start": 0, "end": 2}
    opaque = {"provider": "anthropic-messages", "data": {"items": [signature]}}
    items = [
        {**_START, "messageId": "m-1"},
        _delta(1, "thinking", {"textDelta": "Hm"}),
        _delta(2, "thinking", {"textDelta": "", "opaque": opaque}),
        _delta(3, "tool_call_start", {"toolCallId": "c", "toolName": "f"}),
        _delta(4, "tool_call_args", {"toolCallId": "c", "argsTextDelta": '{"a":1}'}),
        _delta(5, "tool_call_end", {"toolCallId": "c"}),
        _delta(6, "done", {"finishReason": "tool_calls"}),
    ]
    items[1:] = [{**item, "messageId": "m-1"} for item in items[1:]]
    result = {"toolCallId": "c", "isError": False, "content": {"b": 2}}
    parts = [{"kind": "tool_result", "payload": result}]
    items.append({"runId": "r", "role": "tool", "parts": parts, "timestamp": _TIME})
    chunks, _ = _write(items, "6")
    assert chunks == [
        {"type": "start", "messageId": "m-1"},
        {"type": "start-step"},
        {"type": "reasoning-start", "id": "1"},
        {"type": "reasoning-delta", "id": "1", "delta": "Hm"},
        {
            "type": "reasoning-end",
            "id": "1",
            "providerMetadata": {"anthropic": {"signature": "sig"}},
        },
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "f"},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"a":1}'},
        {"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {"a": 1}},
        {"type": "finish-step"},
        {"type": "tool-output-available", "toolCallId": "c", "output": {"b": 2}},
        {"type": "finish", "finishReason": "tool-calls"},
    ]


def test_a_cut_stream_is_written_as_an_error() -> None:
    chunks, _ = _write([_START, _delta(1, "text", {"textDelta": "Ha"})], "6")
    assert "error" in [chunk["type"] for chunk in chunks]
    messages, _, run = _read([*chunks, "[DONE]"])
    assert messages[0]["meta"]["incomplete"]["ending"] == "error"
    assert run.failures[0].partial.parts[0].payload.text == "Ha"


def test_texts_at_the_same_time_stand_in_the_order_of_their_beginning() -> None:
    messages, _, _ = _read(
        [
            {"type": "start"},
            {"type": "text-start", "id": "a"},
            {"type": "reasoning-start", "id": "b"},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "t", "input": {}},
            {"type": "reasoning-delta", "id": "b", "delta": "2"},
            {"type": "text-delta", "id": "a", "delta": "1"},
            {"type": "reasoning-end", "id": "b"},
            {"type": "text-end", "id": "a"},
            {"type": "finish", "finishReason": "tool-calls"},
        ]
    )
    assert [part["kind"] for part in messages[0]["parts"]] == ["text", "thinking", "tool_call"]
    assert messages[0]["meta"]["finishReason"] == "tool_calls"


@pytest.mark.parametrize("name", ["ai-sdk", "ag-ui"])
def test_what_a_newer_version_has_is_refused_or_passed_over(name: str) -> None:
    """Deltas of an unknown kind say nothing; parts have no place, and a run cannot go back."""
    writer = formats.writer(name)
    events = writer.feed(_START)
    odd = {"runId": "r", "role": "assistant", "parts": [{"kind": "odd"}], "timestamp": _TIME}
    message = partwire.read(odd, "message.Message", mode="tolerant")
    for item in (message, formats.Branch(0), odd):
        with pytest.raises(ReadError):
            writer.feed(item)
    delta = partwire.read(_delta(1, "odd", {}), "message.MessageDelta", mode="tolerant")
    assert writer.feed(delta) == []
    events += writer.feed(_delta(2, "done", {"finishReason": "stop"}))
    assert [*events, *writer.finish()] == _plainly(name)
    with pytest.raises(ReadError):
        formats.write(name, [message])


def _plainly(name: str) -> list[Json]:
    writer = formats.writer(name)
    items = (_START, _delta(2, "done", {"finishReason": "stop"}))
    return [event for item in items for event in writer.feed(item)] + writer.finish()


def test_extensions_bring_what_the_events_have_no_place_for() -> None:
    call = {"toolCallId": "s"}
    result = {"isError": False, "content": "A u", "structured": [1], "outcome": "success"}
    opaque = {"provider": "mine", "data": {"a": [1]}}
    citation = {"source": {"kind": "url", "url": "https://a.example"}, "start": 0, "end": 2}
    items = [
        _START,
        _delta(1, "server_tool_call_start", {**call, "toolName": "search"}),
        _delta(2, "server_tool_call_args", {**call, "argsTextDelta": "{}"}),
        _delta(3, "server_tool_call_end", {**call, "opaque": opaque}),
        _delta(4, "server_tool_result", {**call, **result, "opaque": opaque}),
        _delta(5, "text", {"textDelta": "Hi"}),
        _delta(6, "text_citation", {"citation": citation}),
        _delta(7, "text", {"textDelta": "", "opaque": opaque}),
        _delta(8, "media_start", {"mediaId": "m", "mimeType": "audio/wav", "name": "a.wav"}),
        _delta(9, "media_data", {"mediaId": "m", "dataDelta": "UklG", "transcriptDelta": "Hi"}),
        _delta(10, "media_end", {"mediaId": "m", "opaque": opaque}),
        _delta(11, "warning", {"code": "deprecated"}),
        _delta(12, "usage", {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}),
        _delta(13, "done", {"finishReason": "refusal", "providerFinishReason": "no"}),
    ]
    chunks, losses = _write(items, "6", extensions=True)
    assert losses == []
    run = formats.RunAssembler().feed_all(items)
    assert _read([*chunks, "[DONE]"])[0] == msgspec.to_builtins(run.finish())


def test_a_user_may_speak_between_steps() -> None:
    messages, losses, _ = _read(
        [
            {"type": "start", "messageId": "m"},
            {"type": "text-start", "id": "1"},
            {"type": "text-delta", "id": "1", "delta": "One"},
            {"type": "text-end", "id": "1"},
            {"type": "steering-message", "id": "s", "parts": [{"type": "text", "text": "Two"}]},
            {"type": "start-step"},
            {"type": "text-start", "id": "1"},
            {"type": "text-delta", "id": "1", "delta": "Two, then"},
            {"type": "text-end", "id": "1"},
            {"type": "finish"},
        ]
    )
    said = [(each["role"], each["parts"][0]["payload"]["text"]) for each in messages]
    assert said == [("assistant", "One"), ("user", "Two"), ("assistant", "Two, then")]
    assert messages[1]["messageId"] == "s"
    assert not [loss for loss in losses if loss.severity == "lossy"]
