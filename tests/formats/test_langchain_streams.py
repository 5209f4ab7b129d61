"""Streams of LangChain and LangGraph: what comes of them, and how they end."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.errors import PartwireError, ReadError
from tests.cli.runner import run
from tests.formats import samples
from tests.formats.langchain_streams import GRAPHS, MODELS, PROTOCOL, chunk
from tests.formats.laws import changed, leaves
from tests.strategies import json_values

Json = dict[str, Any]

_STREAMS = [n for n in samples.ids("langchain") if "/langgraph-stream" in n or n == "no-samples"]
_TIME = "2026-01-02T03:04:05Z"
_OWN = {
    **{f"graph: {name}": events for name, events in GRAPHS.items()},
    **{f"model: {name}": events for name, events in MODELS.items()},
    **{f"protocol: {name}": events for name, events in PROTOCOL.items()},
}


def _read(events: list[Any]) -> tuple[list[Json], Any, Any]:
    reader = formats.reader("langchain", run_id="run_1", timestamp=_TIME)
    assembler = formats.RunAssembler()
    for event in events:
        assembler.feed_all(reader.feed(event))
    assembler.feed_all(reader.finish())
    messages: list[Json] = msgspec.to_builtins(assembler.finish())
    return messages, reader.losses, assembler


def _said(messages: list[Json]) -> list[tuple[str, str, Any]]:
    found = []
    for message in messages:
        for part in message["parts"]:
            payload = part["payload"]
            said = payload.get("text", payload.get("content", payload.get("arguments")))
            found.append((message["role"], part["kind"], said))
    return found


# --- samples --------------------------------------------------------------------------------------


def _joined(chunks: list[Json]) -> list[tuple[str, Any]]:
    """Return what the chunks say that Vercel's adapter makes of a stream, in order."""
    found: list[Any] = []
    for each in chunks:
        kind = each["type"]
        if kind in ("text-start", "reasoning-start"):
            found.append(["text" if kind == "text-start" else "thinking", ""])
        elif kind in ("text-delta", "reasoning-delta"):
            found[-1][1] += each["delta"]
        elif kind == "tool-input-start":
            found.append(["tool_call", each["toolName"]])
        elif kind == "tool-output-available":
            found.append(["tool_result", each["output"]])
    return [(kind, said) for kind, said in found]


def test_samples_are_read_as_the_adapter_of_ai_sdk_reads_them() -> None:
    for name in _STREAMS:
        text, expected = samples.load_text(name)
        messages, _, assembler = _read(text.splitlines())
        assert not assembler.failures
        ours = [
            (part["kind"], part["payload"].get("text", part["payload"].get("content")))
            for message in messages
            for part in message["parts"]
            if message["role"] != "user"
        ]
        ours = [(kind, said or "") for kind, said in ours]
        theirs = [
            (kind, "" if kind == "tool_call" else said)
            for kind, said in _joined(expected["uiChunks"])
        ]
        assert [each for each in theirs if each not in ours] == []
        # Of a state from before the stream the adapter has the calls alone.
        assert {kind for kind, _ in (each for each in ours if each not in theirs)} <= {"thinking"}


@pytest.mark.parametrize("name", _STREAMS)
def test_a_sample_that_is_cut_has_no_finished_end(name: str) -> None:
    lines = samples.load_text(name)[0].splitlines()
    for end in range(len(lines)):
        messages, _, assembler = _read(lines[:end])
        last: Any = json.loads(lines[end - 1]) if end else ["values"]
        response = (
            last[1][0]["kwargs"].get("response_metadata", {}) if last[0] == "messages" else {}
        )
        if last[0] == "messages" and "Chunk" in last[1][0]["id"][-1] and "status" not in response:
            assert assembler.failures
            assert messages[-1]["meta"]["incomplete"]["ending"] == "error"


# --- own streams ----------------------------------------------------------------------------------

_WANTED = {
    "graph: text": [("user", "text", "Rain?"), ("assistant", "text", "It rains")],
    "graph: Anthropic's blocks": [
        ("assistant", "thinking", "Hm"),
        ("assistant", "text", "Let me see"),
        ("assistant", "tool_call", {"city": "Oslo"}),
        ("assistant", "tool_call", {"zone": "CET"}),
    ],
    "graph: Responses' items": [
        ("assistant", "thinking", "Hm"),
        ("assistant", "text", "It rains"),
        ("assistant", "tool_call", {}),
    ],
    "graph: reasoning beside the content": [
        ("assistant", "thinking", "Hm"),
        ("assistant", "text", "Yes"),
    ],
    "graph: an agent": [
        ("user", "text", "Rain?"),
        ("assistant", "text", "See"),
        ("assistant", "tool_call", {}),
        ("tool", "tool_result", "4"),
        ("assistant", "text", "4 degrees"),
    ],
    "graph: answers at the same time": [("assistant", "text", "One"), ("assistant", "text", "Two")],
    "graph: whole messages": [
        ("user", "text", "Rain?"),
        ("assistant", "text", "No"),
        ("tool", "tool_result", "4"),
        ("assistant", "text", "No"),
    ],
    "graph: two names": [("assistant", "text", "It rains")],
    "model: blocks in turn": [("assistant", "text", "It rains")],
    "model: blocks that end together": [
        ("assistant", "thinking", "Hm"),
        ("assistant", "text", "See"),
        ("assistant", "tool_call", {"city": "Oslo"}),
    ],
    "model: blocks that come whole": [
        ("assistant", "media", None),
        ("assistant", "server_tool_call", {"q": "x"}),
        ("assistant", "server_tool_result", "found"),
        ("assistant", "tool_call", {}),
    ],
    "protocol: an agent": [
        ("user", "text", "Rain?"),
        ("assistant", "thinking", "Hm"),
        ("assistant", "text", "See"),
        ("assistant", "tool_call", {"city": "Oslo"}),
        ("tool", "tool_result", '[4,"C"]'),
        ("assistant", "text", "It rains"),
    ],
    "protocol: a tool that fails": [
        ("assistant", "thinking", "Hm"),
        ("assistant", "text", "See"),
        ("assistant", "tool_call", {"city": "Oslo"}),
        ("tool", "tool_result", "broke"),
    ],
    "protocol: agents at the same time": [("assistant", "text", "It rains")] * 2,
}


@pytest.mark.parametrize("name", list(_OWN))
def test_streams_become_their_messages(name: str) -> None:
    before = copy.deepcopy(_OWN[name])
    messages, _, assembler = _read(_OWN[name])
    assert _said(messages) == _WANTED[name]
    assert not assembler.failures
    assert _OWN[name] == before
    assert _read([json.dumps(event) for event in before])[0] == messages


def test_state_and_what_an_answer_says_of_itself_come_with_it() -> None:
    (message,), _, _ = _read(GRAPHS["Anthropic's blocks"])
    meta = message["meta"]
    assert (meta["modelId"], meta["requestId"]) == ("claude-9", "req-9")
    assert (meta["finishReason"], meta["providerFinishReason"]) == ("tool_calls", "tool_use")
    assert meta["usage"] == {"inputTokens": 3, "outputTokens": 5, "totalTokens": 8}
    (item,) = message["parts"][0]["payload"]["opaque"]["data"]["items"]
    assert (item["kind"], item["data"], item["end"]) == ("signature", "sig-9", 2)
    (message,), _, _ = _read(GRAPHS["Responses' items"])
    states = [part["payload"].get("opaque") for part in message["parts"]]
    ids = [state and state["data"]["items"][0]["data"]["id"] for state in states]
    assert ids == ["rs-9", None, "fc-9"]
    (message,), _, _ = _read(MODELS["blocks that end together"])
    assert message["parts"][0]["payload"]["opaque"]["data"]["items"][0]["data"] == "sig-9"
    assert message["parts"][1]["payload"]["citations"][0]["source"]["title"] == "A"


def test_text_comes_as_it_is_said() -> None:
    reader = formats.reader("langchain", run_id="run_1", timestamp=_TIME)
    kinds = [[type(item).__name__ for item in reader.feed(each)] for each in GRAPHS["text"][1:3]]
    assert kinds == [["StartDelta", "TextDelta"], ["TextDelta"]]


_ENDS = (
    "finish_reason",
    "stop_reason",
    '"status": "completed"',
    "message-finish",
    "values",
    "updates",
)


@pytest.mark.parametrize("name", list(_OWN))
def test_a_cut_stream_has_no_finished_end(name: str) -> None:
    events = _OWN[name]
    for end in range(1, len(events) + 1):
        event = json.dumps(events[end - 1])
        is_piece = "AIMessageChunk" in event or "content-block" in event or "message-start" in event
        if not is_piece or any(each in event for each in _ENDS) or "last" in event:
            continue
        messages, _, assembler = _read(events[:end])
        if any(word in json.dumps(events[:end]) for word in ('"finish_reason"', "message-finish")):
            continue  # what comes behind the end of an answer may be of it
        assert assembler.failures
        assert messages[-1]["meta"]["incomplete"]["ending"] == "error"


def test_an_error_ends_the_answer() -> None:
    events = MODELS["blocks in turn"][:3]
    events = [*events, {"event": "error", "message": "broke", "code": "overloaded"}]
    (message,), _, assembler = _read(events)
    assert [failure.error.error_code for failure in assembler.failures] == ["overloaded"]
    assert message["parts"][0]["payload"]["text"] == "It "
    events = [*PROTOCOL["an agent"][:4], _failed()]
    assert len(_read(events)[2].failures) == 1


def _failed() -> Json:
    params = {"namespace": [], "data": {"event": "failed", "error": "broke"}}
    return {"type": "event", "method": "lifecycle", "params": params}


# What orders events, or ties them together; and what a later event says again.
_ORDER = (
    "index",
    "id",
    "event",
    "seq",
    "timestamp",
    "langgraph_step",
    "type",
    "method",
    "namespace",
)


@pytest.mark.parametrize("name", list(_OWN))
def test_nothing_of_a_stream_is_lost_in_silence(name: str) -> None:
    events = _OWN[name]
    before, losses, _ = _read(events)
    named = [loss.pointer for loss in losses if loss.severity == "lossy" or loss.code[:4] == "dupl"]
    silent = []
    for pointer, value in leaves(events):
        if pointer.rsplit("/", 1)[1] in _ORDER or not isinstance(value, str) or not value:
            continue
        if any(pointer.startswith(f"{each}/") or pointer == each for each in named if each):
            continue
        if "content-block-start" in json.dumps(events[int(pointer.split("/")[1])]):
            continue  # its finish says it whole
        if "/tool_use" in pointer or "partial_json" in pointer or "/content/0/" in pointer:
            continue  # what `tool_call_chunks` says again
        with suppress(PartwireError):
            if _read(changed(events, pointer, f"{value}x"))[:2] == (before, losses):
                silent.append(pointer)
    assert not silent, silent


@pytest.mark.parametrize("is_array", [False, True])
def test_the_command_reads_what_a_graph_yields(tmp_path: Path, *, is_array: bool) -> None:
    events = GRAPHS["an agent"]
    file = tmp_path / "run.jsonl"
    lines = [json.dumps(event) for event in events]
    file.write_text(json.dumps(events) if is_array else "\n".join(lines), "utf-8")
    said = run("assemble", "--run", "--from", "langchain", str(file))
    made = [json.loads(line) for line in said.stdout.splitlines()]
    assert _said(made) == _WANTED["graph: an agent"]


# --- hostile input --------------------------------------------------------------------------------


@pytest.mark.parametrize("event", [5, "5", None, [], ["x"], {}, {"a": 1}, ["messages", 5], "{"])
def test_what_is_not_an_event_is_refused(event: Any) -> None:
    with pytest.raises(ReadError):
        _read([event])


def test_what_is_not_json_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    for odd in (float("nan"), endless, deep, "\ud800", {1: 2}, object()):
        for event in (chunk("run-1", odd), ["values", {"messages": [], "x": odd}]):
            with pytest.raises(ReadError):
                _read([event])


@pytest.mark.parametrize("name", list(_OWN))
def test_streams_with_junk_are_read_or_refused(name: str) -> None:
    events = _OWN[name]
    junks: list[Any] = [None, True, "", [[]], {"type": "x"}, 2**60]
    for pointer, _ in leaves(events):
        for junk in junks:
            with suppress(ReadError):
                _read(changed(events, pointer, junk))


_CHUNK = st.builds(
    chunk,
    st.sampled_from(["run-1", "run-2", "msg_1", ""]),
    json_values | st.just("x"),
    step=st.integers(1, 3),
    task=st.sampled_from(["t", "u"]),
    tool_call_chunks=st.lists(
        st.fixed_dictionaries(
            {"args": st.sampled_from(["", "{", "}"]) | json_values},
            optional={
                "id": st.sampled_from(["c-1", "c-2"]),
                "name": st.sampled_from(["a", ""]),
                "index": st.integers(0, 2),
            },
        ),
        max_size=2,
    ),
    additional_kwargs=st.just({}) | json_values,
    response_metadata=st.just({}) | st.just({"finish_reason": "stop"}) | json_values,
)
_EVENTS = st.sampled_from([event for events in _OWN.values() for event in events])


@given(st.lists(_CHUNK | _EVENTS, max_size=8))
def test_events_in_any_order_are_read_or_refused(events: list[Any]) -> None:
    with suppress(ReadError):
        _read(events)
